package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"canonscope/compare"
	"canonscope/compare/fleet"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/compare/report"
)

// fleetFlags are the flags of a campaign on other machines.
type fleetFlags struct {
	access   fleet.Access
	envs     []string // NAME, or NAME=BINARY
	patience time.Duration
}

func (f *fleetFlags) add(cmd *cobra.Command) {
	accessFlags(cmd, &f.access, "fleet", "fleet-")
	cmd.Flags().Lookup("fleet").Usage =
		"measure on the workers at the server `URL`; see canonscope help fleet"
	cmd.Flags().StringSliceVar(&f.envs, "env", []string{"default"},
		"environments of workers: `NAME,...`, or NAME=SHA256 of a binary other than this one")
	cmd.Flags().DurationVar(&f.patience, "patience", fleet.DefaultPatience,
		"`TIME` in which no worker gets on, after which the campaign stops")
}

// check refuses flags that need --fleet.
func (f *fleetFlags) check(changed func(string) bool) error {
	for _, flag := range []string{"env", "patience", "fleet-login", "fleet-ca", "fleet-cert"} {
		if f.access.URL == "" && changed(flag) {
			return fmt.Errorf("--%s needs --fleet URL", flag)
		}
	}
	if f.patience <= 0 {
		return fmt.Errorf("--patience is %v; it must be more than 0", f.patience)
	}
	return nil
}

var sha256Text = regexp.MustCompile(`^[0-9a-f]{64}$`)

// plans are those of the environments.
func (f *fleetFlags) plans(plan measure.Plan) ([]measure.Plan, error) {
	plan.Budget, plan.Keep = 0, false
	var plans []measure.Plan
	for i, text := range f.envs {
		p := plan
		var named bool
		p.Environment, p.Binary, named = strings.Cut(text, "=")
		if err := fleet.CheckEnvironment(p.Environment); err != nil {
			return nil, fmt.Errorf("--env: %w", err)
		}
		if named && !sha256Text.MatchString(p.Binary) {
			return nil, fmt.Errorf("--env %s: a binary is its SHA-256, as canonscope env prints it", text)
		}
		if slices.ContainsFunc(plans, func(o measure.Plan) bool { return o.Environment == p.Environment }) {
			return nil, fmt.Errorf("--env names %s twice, the second time in place %d", p.Environment, i+1)
		}
		plans = append(plans, p)
	}
	if len(plans) == 0 {
		return nil, errors.New("--env names no environment")
	}
	return plans, nil
}

// leg is the campaign of one environment.
type leg struct {
	folder *measure.Folder
	plan   *measure.Plan
	begin  func(context.Context, measure.Carrier, measure.Progress) (*compare.Campaign, error)

	campaign *compare.Campaign
	err      error
}

// runFleet measures a plan in one environment, whose folder is that of the results, or in several, which
// have subfolders.
func runFleet(cmd *cobra.Command, f *fleetFlags, plan measure.Plan, out string, jsonText bool) error {
	if len(plan.Given.Engines) > 0 {
		return errors.New("a command does not travel: start workers with --engine exec:NAME=COMMAND, " +
			"and name exec:NAME here")
	}
	if len(plan.Builds) > 0 {
		return errors.New("--binary does not go with --fleet: binaries do not travel")
	}
	plans, err := f.plans(plan)
	if err != nil {
		return err
	}

	var legs []*leg
	defer func() {
		for _, l := range legs {
			l.folder.Close()
		}
	}()
	add := func(p measure.Plan, folder *measure.Folder) {
		legs = append(legs, &leg{folder: folder, plan: &p,
			begin: func(
				ctx context.Context, c measure.Carrier, say measure.Progress,
			) (*compare.Campaign, error) {
				return measure.Dispatch(ctx, p, c, folder, say)
			}})
	}

	if len(plans) == 1 {
		folder, err := openResults(out)
		if err != nil {
			return err
		}
		add(plans[0], folder)
		return f.travel(cmd, nil, legs, jsonText)
	}

	if out == "" {
		out = filepath.Join("results", time.Now().UTC().Format("20060102-150405"))
	}
	top, err := measure.ReportFolder(out)
	if err != nil {
		return err
	}
	defer top.Close()
	for _, p := range plans {
		folder, err := measure.OpenFolder(filepath.Join(out, p.Environment))
		if err != nil {
			return err
		}
		add(p, folder)
	}
	return f.travel(cmd, top, legs, jsonText)
}

// resume goes on with the campaigns of folders: of environments, or of one alone.
func (f *fleetFlags) resume(cmd *cobra.Command, top *measure.Folder, dirs []string,
	given func(*measure.Loaded) (compare.Given, error), jsonText *bool,
) error {
	var legs []*leg
	defer func() {
		for _, l := range legs {
			l.folder.Close()
		}
	}()
	var g compare.Given
	read := false // they all have the arguments of one command
	for _, dir := range dirs {
		folder, l, err := measure.Continue(dir)
		if errors.Is(err, measure.ErrComplete) && len(dirs) > 1 {
			folder, err = measure.Reopen(dir)
			if err == nil {
				l, err = measure.Load(dir)
			}
			if err != nil {
				return err
			}
			legs = append(legs, &leg{folder: folder, plan: &l.Plan, campaign: l.Campaign})
			continue
		}
		if err != nil {
			return err
		}
		begun := &leg{folder: folder, plan: &l.Plan}
		legs = append(legs, begun)
		if !read {
			if g, err = given(l); err != nil {
				return err
			}
			read = true
		}
		begun.begin = func(
			ctx context.Context, c measure.Carrier, say measure.Progress,
		) (*compare.Campaign, error) {
			return measure.Redispatch(ctx, l, g, c, folder, say)
		}
	}
	return f.travel(cmd, top, legs, *jsonText)
}

// travel has all environments measured at the same time, and prints and writes what came of it.
func (f *fleetFlags) travel(cmd *cobra.Command, top *measure.Folder, legs []*leg, jsonText bool) error {
	var conns []*fleet.Conn
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range legs {
		conn, err := fleet.Connect(cmd.Context(), f.access, cmd.CommandPath())
		if err != nil {
			return err
		}
		conns = append(conns, conn)
	}

	progress, clear := progressTo(cmd.ErrOrStderr())
	signal.Ignore(syscall.SIGPIPE) // as for a campaign on this machine
	var mu sync.Mutex
	say := func(s measure.Step) {
		mu.Lock()
		defer mu.Unlock()
		progress(s)
	}
	var all sync.WaitGroup
	for i, l := range legs {
		if l.begin != nil {
			all.Go(func() {
				l.campaign, l.err = l.begin(cmd.Context(),
					&fleet.Submitter{Conn: conns[i], Patience: f.patience}, say)
			})
		}
	}
	all.Wait()
	clear()

	var failed []error
	var labels []string
	var reports []*report.Report
	var answer error
	for _, l := range legs {
		failed = append(failed, parts(l.err)...)
		if l.campaign == nil {
			continue
		}
		stdout := io.Discard
		if top == nil {
			stdout = cmd.OutOrStdout()
		}
		r := report.New(l.campaign, matrix.Formats, l.plan.Experiments, l.plan.Against...)
		failed = append(failed, finish(stdout, r, l.folder, l.folder.FS(), jsonText)...)
		labels, reports = append(labels, l.plan.Environment), append(reports, r)
		if no := verdict(l.campaign); answer == nil {
			answer = no
		}
	}
	if top != nil {
		failed = append(failed, printSeveral(cmd, report.NewSeveral(labels, reports), top, jsonText)...)
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return answer
}

// environments lists the folders of the environments of a campaign in several; none if dir is not the folder
// of one.
func environments(dir string) []string {
	if _, err := os.Stat(filepath.Join(dir, "plan.json")); err == nil {
		return nil
	}
	entries, _ := os.ReadDir(dir)
	var dirs []string
	for _, e := range entries {
		sub := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(sub, "plan.json")); err == nil {
			dirs = append(dirs, sub)
		}
	}
	return dirs
}
