package measure_test

import (
	"bufio"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"canonscope/compare"
	"canonscope/compare/measure"
)

// A campaign is judged by what its processes read of the machine.
func TestJudge(t *testing.T) {
	quiet := compare.Reading{CPUs: 2, Load: 1.2, Neighbours: 0, Steal: 0, Switches: 5, Waiting: 1.002, Canary: 900_000}
	pairs := func(ratios ...float64) (out []compare.Pair) {
		for i, r := range ratios {
			out = append(out, compare.Pair{Place: i / 2, Operation: compare.Whole[i%2], Ratio: r})
		}
		return out
	}
	agree := pairs(1.01, 0.99, 1.02, 0.985, 1, 1.01)
	for name, c := range map[string]struct {
		change func(i int, r *compare.Reading)
		pairs  []compare.Pair
		want   compare.Fit
		why    string
	}{
		"quiet":                  {func(int, *compare.Reading) {}, agree, compare.Quiet, ""},
		"no pairs":               {func(int, *compare.Reading) {}, nil, compare.Quiet, ""},
		"one process waits":      {func(i int, r *compare.Reading) { r.Waiting += 0.5 * float64(max(0, 1-i)) }, agree, compare.Quiet, ""},
		"a quarter waits":        {func(i int, r *compare.Reading) { r.Waiting += 0.05 * float64(1-min(1, i%4)) }, agree, compare.Noisy, "had to wait"},
		"all wait":               {func(_ int, r *compare.Reading) { r.Waiting = 1.04 }, agree, compare.Noisy, "1.04 times its CPU time"},
		"all wait long":          {func(_ int, r *compare.Reading) { r.Waiting = 5.9 }, agree, compare.Unfit, "5.90 times"},
		"four loops":             {func(_ int, r *compare.Reading) { r.Neighbours, r.Load, r.Waiting, r.Switches = 4, 4, 2.5, 300 }, agree, compare.Noisy, "4 other threads"},
		"one neighbour":          {func(_ int, r *compare.Reading) { r.Neighbours = 1 }, agree, compare.Noisy, "1 other threads"},
		"twelve loops":           {func(_ int, r *compare.Reading) { r.Neighbours, r.Load, r.Waiting, r.Switches = 12, 9, 5.2, 300 }, agree, compare.Unfit, "12 other threads"},
		"stolen":                 {func(_ int, r *compare.Reading) { r.Steal = 0.02 }, agree, compare.Noisy, "2.0 % of the time"},
		"much stolen":            {func(_ int, r *compare.Reading) { r.Steal = 0.2 }, agree, compare.Unfit, "20.0 %"},
		"torn":                   {func(_ int, r *compare.Reading) { r.Switches = 550 }, agree, compare.Noisy, "550 times a second"},
		"loaded":                 {func(_ int, r *compare.Reading) { r.Load = 7.5 }, agree, compare.Noisy, "load was 7.5 on 2 CPUs"},
		"many CPUs":              {func(_ int, r *compare.Reading) { r.Load, r.CPUs, r.Neighbours = 7.5, 64, 0 }, agree, compare.Quiet, ""},
		"slower half":            {func(i int, r *compare.Reading) { r.Canary *= 1 + 0.3*float64(i%2) }, agree, compare.Noisy, "1.30 times as long"},
		"pairs apart":            {func(int, *compare.Reading) {}, pairs(1.2, 1.18, 1.15, 1.21, 1.2, 1.19), compare.Unfit, "factor of 1.19"},
		"pairs apart, downwards": {func(int, *compare.Reading) {}, pairs(0.8, 0.82, 0.81, 0.8, 0.83, 0.8), compare.Unfit, "factor of 0.81"},
		"pairs not sure":         {func(int, *compare.Reading) {}, pairs(1.3, 0.8, 1.2, 0.85, 1, 0.9), compare.Noisy, "95 % interval"},
	} {
		var readings []compare.Reading
		for i := range 20 {
			r := quiet
			c.change(i, &r)
			readings = append(readings, r)
		}
		f := measure.Judge(readings, c.pairs)
		if f.State != c.want || !strings.Contains(strings.Join(f.Reasons, "; "), c.why) || (len(f.Reasons) == 0) != (c.want == compare.Quiet) {
			t.Errorf("%s: %s, %q", name, f.State, f.Reasons)
		}
	}
	if f := measure.Judge([]compare.Reading{quiet, quiet}, agree); f != nil {
		t.Errorf("two processes are %+v", f)
	}
}

// invented is a runner of invented times, that differ by chance.
type invented struct {
	sd    float64
	jobs  []measure.Job
	noise *rand.Rand
}

func (r *invented) Run(_ context.Context, job measure.Job, _ []byte, emit func(measure.Event)) error {
	r.jobs = append(r.jobs, job)
	emit(measure.Event{Type: "hello", Hello: &measure.Hello{Version: measure.Version, Binary: measure.BinaryHash()}})
	if job.Kind == measure.Gate {
		emit(measure.Event{Type: "gate", Gate: &measure.Gated{Work: map[compare.Operation]compare.Work{}}})
		return nil
	}
	for _, op := range job.Operations {
		cpu := 1000 * (1 + r.sd*r.noise.NormFloat64())
		emit(measure.Event{Type: "run", Operation: op, Run: &compare.Run{Block: job.Block, Ops: 10, CPU: cpu}})
	}
	emit(measure.Event{Type: "machine", Reading: &compare.Reading{CPUs: 2, Waiting: 1, Canary: 1000}})
	return nil
}

func invent(t *testing.T, p measure.Plan, sd float64) (*compare.Campaign, *invented, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results")
	folder, err := measure.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	r := &invented{sd: sd, noise: rand.New(rand.NewPCG(1, 2))}
	c, err := measure.Run(t.Context(), p, serial{r}, folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, r, dir
}

// serial runs one job at a time.
type serial struct{ *invented }

var turn = make(chan struct{}, 1)

func (s serial) Run(ctx context.Context, job measure.Job, b []byte, emit func(measure.Event)) error {
	turn <- struct{}{}
	defer func() { <-turn }()
	return s.invented.Run(ctx, job, b, emit)
}

// Pairs of the cheapest cell are timed at the start, in the middle and at the end, written down, and in no result.
func TestControls(t *testing.T) {
	p := plan("a", "b")
	p.Fitness, p.Runs = true, 4
	c, r, dir := invent(t, p, 0.01)
	var order, cells []string
	for _, j := range r.jobs {
		if j.Kind == measure.Control {
			cells = append(cells, j.Cell)
		}
		if j.Kind != measure.Gate {
			order = append(order, string(j.Kind[:1]))
		}
	}
	if got := strings.Join(order, ""); got != "ccttttccttttcc" {
		t.Errorf("order %s", got)
	}
	if len(slices.Compact(cells)) != 1 {
		t.Errorf("controls are of %q", cells)
	}
	for _, r := range c.Results {
		if len(r.Runs) != 4 {
			t.Errorf("%s has %d runs", r.ID, len(r.Runs))
		}
	}
	f := c.Fitness
	if f == nil || f.State != compare.Quiet || len(f.Pairs) != 3 || f.Pairs[2].Place != 2 || f.Processes != 14 {
		t.Errorf("%+v", f)
	}

	file, err := os.Open(filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	controls := 0
	for s := bufio.NewScanner(file); s.Scan(); {
		var rec measure.Record
		if err := json.Unmarshal(s.Bytes(), &rec); err != nil {
			t.Fatal(err)
		}
		if rec.Kind == measure.Control {
			controls++
		}
		if rec.Kind != measure.Gate && rec.Kind != measure.End && (rec.Reading == nil || rec.Reading.CPUs != 2) {
			t.Errorf("a record without a reading: %s", s.Text())
		}
	}
	if controls != 6 {
		t.Errorf("%d records of controls", controls)
	}

	p.Fitness = false
	if c, _, _ := invent(t, p, 0.01); len(c.Fitness.Pairs) != 0 {
		t.Errorf("pairs without being asked for: %+v", c.Fitness)
	}
}

// A precision adds processes of all cells until each headline has it, and no more than it may.
func TestPrecision(t *testing.T) {
	p := plan("a", "b")
	p.Runs = 3
	if c, _, _ := invent(t, p, 0.1); c.Runs != 3 {
		t.Errorf("%d runs without a precision", c.Runs)
	}
	p.Precision = 0.05
	c, _, _ := invent(t, p, 0.1) // 1.96 · 0.1 / √n = 0.05 at 16
	if c.Runs < 10 || c.Runs > 40 || len(c.Results[0].Runs) != len(c.Results[1].Runs) {
		t.Errorf("%d and %d runs", len(c.Results[0].Runs), len(c.Results[1].Runs))
	}
	p.Precision = 0.001
	if c, _, _ = invent(t, p, 0.1); c.Runs != 100 {
		t.Errorf("%d runs", c.Runs)
	}
	p.Budget = time.Nanosecond
	if c, _, _ = invent(t, p, 0.1); c.Runs > 1 {
		t.Errorf("%d runs without time", c.Runs)
	}
}

// A process on any machine says what it saw; a loop of the test's own is seen.
func TestReading(t *testing.T) {
	p := plan("good")
	p.Runs = 3
	c, _ := run(t, p)
	if c.Results[0].State != compare.Measured {
		t.Fatal(c.Results[0].Reason)
	}
	if _, err := os.Stat("/proc/loadavg"); err != nil {
		t.Skip("this machine provides no readings")
	}
	if f := c.Fitness; f == nil || f.Processes != 3 || f.CPUs < 1 || !(f.Waiting > 0.5) || !(f.Spread >= 1) {
		t.Errorf("%+v", f)
	}
}

// A campaign beside twelve loops is unfit, one beside four is noisy, one on a quiet machine is fit.
func TestMachineFitness(t *testing.T) {
	if os.Getenv("CANONSCOPE_MACHINE") == "" {
		t.Skip("needs a machine that does nothing else: set CANONSCOPE_MACHINE=1")
	}
	p := plan()
	p.Window, p.Runs, p.Documents, p.Deadline, p.Fitness = measure.DefaultWindow, 5, 64, time.Hour, true
	for _, id := range []string{
		"format=mdoc/suite=cose-sign1/engine=native/alg=EdDSA/schema=simple-20/gc=100/procs=2/contexts=none",
		"format=vcdm/suite=eddsa-rdfc-2022/engine=stock/alg=EdDSA/schema=simple-20/gc=100/procs=2/contexts=embedded",
		"format=floor/suite=primitives/engine=native/alg=EdDSA/schema=simple-20/gc=100/procs=2/contexts=none",
	} {
		c, err := compare.ParseCell(id)
		if err != nil {
			t.Fatal(err)
		}
		p.Cells = append(p.Cells, c.With(compare.Issue), c.With(compare.Verify))
	}
	judged := func() *compare.Fitness {
		c, _ := run(t, p)
		t.Logf("%+v", c.Fitness)
		return c.Fitness
	}
	if f := judged(); f == nil || f.State != compare.Quiet {
		t.Errorf("a quiet machine is %+v", f)
	}

	var stop atomic.Bool
	defer stop.Store(true)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(14))
	loops := 0
	for _, test := range []struct {
		loops int
		want  compare.Fit
	}{{4, compare.Noisy}, {12, compare.Unfit}} {
		for ; loops < test.loops; loops++ {
			go func() {
				runtime.LockOSThread()
				for !stop.Load() {
				}
			}()
		}
		if f := judged(); f == nil || f.State != test.want {
			t.Errorf("beside %d loops it is %+v", test.loops, f)
		}
	}
}

// slow is an invented runner whose processes take their time.
type slow struct{ serial }

func (s slow) Run(ctx context.Context, job measure.Job, b []byte, emit func(measure.Event)) error {
	if job.Kind == measure.Time {
		time.Sleep(400 * time.Millisecond)
	}
	return s.serial.Run(ctx, job, b, func(e measure.Event) {
		if e.Gate != nil && strings.Contains(job.Cell, "large") {
			e.Gate.Work[compare.Issue] = compare.Work{Estimate: int64(13 * time.Millisecond)}
		}
		emit(e)
	})
}

// The first schema of a default campaign keeps its first block on a slow machine, and another schema that has
// not come in is left out for its time.
func TestSlowMachineKeepsFirstSchema(t *testing.T) {
	p := plan("a", "b")
	for i, schema := range []string{"small", "large"} {
		p.Cells[i].Schema = schema
	}
	p.Runs, p.Budget = 5, 1200*time.Millisecond
	folder, err := measure.OpenFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	r := &invented{sd: 0.01, noise: rand.New(rand.NewPCG(1, 2))}
	c, err := measure.Run(t.Context(), p, slow{serial{r}}, folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	small, large := c.Results[0], c.Results[1]
	if small.State != compare.Measured || len(small.Runs) == 0 || len(small.Runs) == p.Runs {
		t.Errorf("the first schema: %s %q, %d runs", small.State, small.Reason, len(small.Runs))
	}
	if large.State != compare.LeftOut || !strings.Contains(large.Reason, "default time") {
		t.Errorf("the other: %s %q, %d runs", large.State, large.Reason, len(large.Runs))
	}
}
