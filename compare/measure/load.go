package measure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"canonscope/canon/userfile"
	"canonscope/compare"
)

// FolderError is a fault in a file of a results folder.
type FolderError struct {
	File string // with the path of the folder
	Line int    // 0 where the file as a whole is wrong
	Err  error
}

func (e *FolderError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.File, e.Err)
}

func (e *FolderError) Unwrap() error { return e.Err }

// ErrNoPlan is the error of a folder that has no plan of a campaign.
var ErrNoPlan = errors.New("there is no such file, so this is not a results folder of this version; " +
	"canonscope run makes one")

// Loaded is a results folder that was read: the plan, what was measured of it, and the campaign that both
// make.
type Loaded struct {
	Planned
	Campaign *compare.Campaign
	Records  []Record // of finished jobs
	Ended    bool     // the campaign wrote its end, which nothing follows
	Size     int64    // bytes of runs.jsonl that are whole lines
	Half     int64    // bytes after them, which are left out

	jobs int64 // bytes of the lines before the end
}

// maxFile bounds a file of a results folder.
const maxFile = 1 << 30

// Load reads a results folder, also one whose campaign did not end: from plan.json, env.json and runs.jsonl,
// and from no file that reports write. Errors about what is in the folder are a *[FolderError]; one of
// another version is a *[compare.VersionError] inside it.
func Load(dir string) (*Loaded, error) {
	root, err := userfile.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	defer root.Close()

	l := &Loaded{}
	at := func(name string, line int, err error) error {
		return &FolderError{path.Join(dir, name), line, err}
	}
	text, err := content(root, planFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoPlan
	}
	if err == nil {
		err = l.readPlan(text)
	}
	if err != nil {
		return nil, at(planFile, 0, err)
	}

	env := make(map[string]string)
	if text, err = content(root, envFile); err == nil {
		err = inJSON(text, &env)
	}
	if err != nil {
		return nil, at(envFile, 0, err)
	}

	if text, err = content(root, runsFile); err != nil {
		return nil, at(runsFile, 0, err)
	}
	l.Size = int64(bytes.LastIndexByte(text, '\n') + 1)
	l.Half = int64(len(text)) - l.Size

	results := newLedger(l.Plan.Cells)
	end := Ended{Interrupted: true}
	seen := make(map[string]int) // lines of jobs
	line := 0
	for text := range bytes.Lines(text[:l.Size]) {
		line++
		rec, err := l.read(text, results.places)
		if err != nil {
			return nil, at(runsFile, line, err)
		}
		if l.Ended = rec.Kind == End; l.Ended {
			end = *rec.End
			continue
		}
		l.jobs += int64(len(text))
		job := fmt.Sprint(rec.Kind, rec.Cell, rec.Block, rec.Operations)
		if first := seen[job]; first > 0 && rec.Kind == Time {
			return nil, at(runsFile, line, fmt.Errorf("the same process as in line %d", first))
		}
		seen[job] = line
		results.add(rec)
		l.Records = append(l.Records, *rec)
	}

	if l.Ended {
		results.end(end.Outcomes)
	} else {
		results.short()
		end = Ended{Interrupted: true, Took: l.lasted()}
	}
	l.Campaign = l.campaign(dir, env, &results, end)

	return l, nil
}

// lasted is how many seconds a campaign without an end went on.
func (l *Loaded) lasted() float64 {
	most := 0.0
	for _, r := range l.Records {
		most = max(most, r.Started.Sub(l.Started).Seconds()+r.Took)
	}
	return most
}

// readPlan reads plan.json.
func (l *Loaded) readPlan(text []byte) error {
	var head struct{ Version *int }
	if err := inJSON(text, &head); err != nil {
		return err
	}
	switch {
	case head.Version == nil:
		return errors.New("is not the plan of a campaign: it has no version")
	case *head.Version != compare.Version:
		return &compare.VersionError{Got: *head.Version}
	}
	if err := inJSON(text, &l.Planned); err != nil {
		return err
	}

	for _, id := range l.Cells {
		c, err := compare.ParseCell(id)
		if err != nil {
			return err
		}
		if slices.Contains(l.Plan.Cells, c) || c.Operation == "" {
			return fmt.Errorf("cell %q is planned twice, or has no operation", id)
		}
		if !slices.ContainsFunc(l.Plan.Builds, func(b Build) bool { return b.Label == c.Build }) &&
			c.Build != "" {
			return fmt.Errorf("cell %q is of no build of the plan", id)
		}
		l.Plan.Cells = append(l.Plan.Cells, c)
	}

	for _, r := range l.Plan.Unsupported {
		if r.ID != r.Cell.ID() {
			return fmt.Errorf("cell %q is called %q", r.Cell.ID(), r.ID)
		}
	}
	for _, e := range l.Plan.Experiments {
		if len(e.Points) == 0 || slices.ContainsFunc(e.Points, func(p compare.Point) bool {
			return p.Figures == nil
		}) {
			return fmt.Errorf("experiment %q has no points, or one without figures", e.Name)
		}
	}
	if l.Plan.Runs < 1 || l.Plan.Documents < 1 {
		return fmt.Errorf("it plans %d runs of %d documents", l.Plan.Runs, l.Plan.Documents)
	}

	return nil
}

// read reads a line of runs.jsonl and checks that it fits the plan and its exchanges.
func (l *Loaded) read(line []byte, exchanges map[string][]int) (*Record, error) {
	var rec Record
	if err := inJSON(line, &rec); err != nil {
		return nil, err
	}
	switch {
	case rec.Kind == End && rec.End != nil:
		return &rec, nil
	case rec.Kind == NewWorker && rec.Worker != "", rec.Kind == Fault:
		return &rec, nil
	case !slices.Contains([]Kind{Gate, Time, Control, Raw, Profile, Allocs, Left, Enough}, rec.Kind):
		return nil, fmt.Errorf("unknown kind of process %q", rec.Kind)
	case exchanges[rec.Cell] == nil:
		return nil, fmt.Errorf("cell %q is not in %s", rec.Cell, planFile)
	}
	if err := l.Plan.check(&rec); err != nil {
		return nil, err
	}

	return &rec, nil
}

// check returns an error if a record cannot be that of a job of a plan.
func (p *Plan) check(rec *Record) error {
	switch {
	case rec.Seed != p.Seed:
		return fmt.Errorf("it has the seed %d, the plan has %d", rec.Seed, p.Seed)
	case rec.Block < 0 || rec.Block >= p.blocks(rec.Kind):
		return fmt.Errorf("it is run %d of %d", rec.Block+1, p.blocks(rec.Kind))
	}

	for op, r := range rec.Runs {
		if r == nil || r.Ops < 1 || r.First < 0 || !(r.CPU > 0) || !(r.Wall > 0) || r.Block != rec.Block {
			return fmt.Errorf("what it measured of %s is not a measurement", op)
		}
	}
	for op, p := range rec.Profiles {
		if p == nil || p.Ops < 1 || p.CPU < 1 {
			return fmt.Errorf("what it profiled of %s is not a profile", op)
		}
	}
	for op, a := range rec.Allocs {
		if a == nil || a.Ops < 1 || a.Bytes < 0 {
			return fmt.Errorf("what it recorded of %s is not an allocation profile", op)
		}
	}

	return nil
}

// content returns the bytes of a file. It does not wait for one that is a pipe.
func content(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err // the path is in the error around it
		}
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a file")
	case info.Size() > maxFile:
		return nil, fmt.Errorf("has %d bytes, more than %d", info.Size(), maxFile)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// inJSON reads one value, and names the byte at which it is damaged.
func inJSON(text []byte, v any) error {
	err := json.Unmarshal(text, v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("is damaged at byte %d: %w", syntax.Offset, err)
	}
	return err
}
