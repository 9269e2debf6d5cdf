// Package study repeats the published study of 2026 (Fujie and Suzuki) and sets each of its claims beside
// what was measured here. [Scenarios] are what is run: campaigns of compare/measure, and checks that time
// nothing or need no campaign. [Claims] are the claims, figures and parameters of the study and its kit in
// words of this project, each with a judge that reads the evidence. [Run] runs the scenarios into a folder
// and judges.
package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"canonscope/canon/choice"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/compare/report"
)

// Verdict is the answer about a claim.
type Verdict string

const (
	Agrees  Verdict = "agrees"
	Differs Verdict = "differs"
	Open    Verdict = "cannot be judged here"
)

// Judged is a claim beside what was measured.
type Judged struct {
	Claim
	Verdict  Verdict `json:"verdict"`
	Measured string  `json:"measured,omitempty"` // the figure here
	Why      string  `json:"why"`
	Command  string  `json:"command,omitempty"` // that shows it alone
	Missing  bool    `json:"missing,omitempty"` // its scenario has no result
}

// Question is one that the study left open, with the answer here.
type Question struct {
	Asked   string `json:"question"`
	Answer  string `json:"answer"`
	Command string `json:"command"`
}

// Study is what came of all.
type Study struct {
	Version   int               `json:"version"`
	Full      bool              `json:"full"`
	Command   string            `json:"command"`
	Started   time.Time         `json:"started"`
	Took      float64           `json:"took_s"`
	Scenarios []Ran             `json:"scenarios"`
	NotRun    []string          `json:"not_run,omitempty"` // scenarios
	Stopped   bool              `json:"interrupted,omitempty"`
	Claims    []Judged          `json:"claims"`
	Questions []Question        `json:"questions"`
	Checks    []Check           `json:"checks,omitempty"`  // of security
	Loaders   []Loaded          `json:"loaders,omitempty"` // of contexts
	Limits    []Limited         `json:"limits,omitempty"`  // of work
	Machine   map[string]string `json:"environment"`
}

// Ran is a scenario that was run.
type Ran struct {
	Name    string  `json:"name"`
	About   string  `json:"about"`
	Command string  `json:"command"`
	Folder  string  `json:"folder,omitempty"` // of its campaign, within that of the study
	Took    float64 `json:"took_s"`
	Fitness string  `json:"fitness,omitempty"`
	Failed  string  `json:"failed,omitempty"` // why it has no result
}

// Options of [Run].
type Options struct {
	Full     bool
	Only     []string     // names of scenarios; none is all
	Engines  []string     // further ones that canonicalize, whose commands Plan gives
	Plan     measure.Plan // what all campaigns share
	Runner   measure.Runner
	Out      string // a new or empty folder
	Progress func(scenario string) measure.Progress
}

// Run runs the scenarios and judges the claims. When ctx ends, it judges what is finished and returns the
// error of ctx beside.
func Run(ctx context.Context, opt Options) (*Study, error) {
	names := make([]string, len(Scenarios))
	for i := range Scenarios {
		names[i] = Scenarios[i].Name
	}
	for _, n := range opt.Only {
		if err := choice.Check("scenario", n, names); err != nil {
			return nil, err
		}
	}
	folder, err := measure.ReportFolder(opt.Out)
	if err != nil {
		return nil, err
	}
	defer folder.Close()

	begun := time.Now()
	s := &Study{Version: 1, Full: opt.Full, Command: opt.Plan.Command, Started: begun.UTC(),
		Machine: measure.Environment()}
	e := &evidence{full: opt.Full, campaigns: make(map[string]*compare.Campaign),
		tables: make(map[string]*report.Table), lineages: lineagesOf(ctx, &opt)}
	var failed []error
	for i := range Scenarios {
		sc := &Scenarios[i]
		if ctx.Err() != nil || len(opt.Only) > 0 && !slices.Contains(opt.Only, sc.Name) {
			s.NotRun = append(s.NotRun, sc.Name)
			continue
		}
		started := time.Now()
		ran := Ran{Name: sc.Name, About: sc.About, Command: sc.Command()}
		if sc.check != nil {
			err = sc.check(ctx, e)
		} else {
			ran.Folder = sc.Name
			err = sc.run(ctx, &opt, e)
		}
		if c := e.campaigns[sc.Name]; c != nil && c.Fitness != nil {
			ran.Fitness = string(c.Fitness.State)
		}
		if c := e.campaigns[sc.Name]; err == nil && c != nil && c.Interrupted {
			ran.Failed = "interrupted"
		}
		if err != nil {
			ran.Failed = err.Error()
			failed = append(failed, fmt.Errorf("scenario %s: %w", sc.Name, err))
		}
		ran.Took = time.Since(started).Seconds()
		s.Scenarios = append(s.Scenarios, ran)
	}

	s.Stopped = ctx.Err() != nil
	s.judge(e)
	s.Took = time.Since(begun).Seconds()
	for _, f := range s.files() {
		if err := folder.Write(f.Name, f.Content); err != nil {
			failed = append(failed, fmt.Errorf("write results: %w", err))
		}
	}
	return s, errors.Join(append(failed, ctx.Err())...)
}

// run runs the campaign of a scenario in a folder below that of the study, with its reports.
func (sc *Scenario) run(ctx context.Context, opt *Options, e *evidence) error {
	plan := opt.Plan
	selection, err := sc.plan(ctx, &plan, opt)
	if err != nil {
		return err
	}
	plan.Cells, plan.Unsupported = selection.Cells(), selection.Unsupported()
	plan.Disclosed, plan.Command = selection.Disclosed, sc.Command()

	folder, err := measure.OpenFolder(filepath.Join(opt.Out, sc.Name))
	if err != nil {
		return err
	}
	defer folder.Close()
	var progress measure.Progress
	if opt.Progress != nil {
		progress = opt.Progress(sc.Name)
	}
	campaign, err := measure.Run(ctx, plan, opt.Runner, folder, progress)
	if campaign == nil {
		return err
	}

	shown := report.New(campaign, matrix.Formats, plan.Experiments)
	failed := []error{err}
	for _, f := range shown.Files(folder.FS()) {
		failed = append(failed, folder.Write(f.Name, f.Content))
	}
	e.campaigns[sc.Name], e.tables[sc.Name] = campaign, &shown.Table
	return errors.Join(failed...)
}

// judge judges every claim and answers the questions.
func (s *Study) judge(e *evidence) {
	for _, c := range Claims {
		j := Judged{Claim: c, Verdict: Open, Command: "canonscope study --scenario " + c.Scenario}
		if sc := scenarioNamed(c.Scenario); sc != nil && sc.check == nil {
			j.Command = sc.Command()
		}
		if command, ok := shown[c.N]; ok {
			j.Command = command
		}
		a := c.judge(e)
		j.Verdict, j.Measured, j.Why, j.Missing = a.verdict, a.measured, a.why, a == notRun(c.Scenario)
		s.Claims = append(s.Claims, j)
	}
	for _, q := range e.questions() {
		answers := func(r Ran) bool { return r.Failed == "" && r.Command == q.Command }
		if slices.ContainsFunc(s.Scenarios, answers) {
			s.Questions = append(s.Questions, q)
		}
	}
	s.Checks, s.Loaders, s.Limits = e.checks, e.loaders, e.limits
}

// with lists the claims that have a verdict.
func (s *Study) with(v Verdict) (all []*Judged) {
	for i := range s.Claims {
		if c := &s.Claims[i]; c.Verdict == v && !c.Missing {
			all = append(all, c)
		}
	}
	return all
}

// missing lists the numbers of the claims of each scenario that has no result.
func (s *Study) missing() (texts []string) {
	claims := make(map[string][]string)
	for i := range s.Claims {
		if c := &s.Claims[i]; c.Missing {
			claims[c.Scenario] = append(claims[c.Scenario], strconv.Itoa(c.N))
		}
	}
	for i := range Scenarios {
		if name := Scenarios[i].Name; claims[name] != nil {
			texts = append(texts, name+": "+strings.Join(claims[name], ", "))
		}
	}
	return texts
}

// files are those of the study beside the folders of its campaigns.
func (s *Study) files() []report.File {
	return []report.File{
		{Name: "study.json", Content: func(w io.Writer) error { return printable.JSON(w, s) }},
		{Name: "study.txt", Content: func(w io.Writer) error { return Text(w, s) }},
		{Name: "report.html", Content: func(w io.Writer) error { return s.page().HTML(w) }},
	}
}
