package measure_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"canonscope/compare"
	"canonscope/compare/measure"
	"canonscope/profiles"
)

// sampling runs a plan whose profiles a machine takes by signals, as it does not allow perf, and returns the
// jobs that asked for them.
func sampling(t *testing.T, p measure.Plan) (*compare.Campaign, []measure.Job) {
	t.Helper()
	folder, err := measure.OpenFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	empty := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	var text bytes.Buffer
	if err := empty.Write(&text); err != nil {
		t.Fatal(err)
	}
	var jobs []measure.Job
	c, err := measure.Run(t.Context(), p, fakeRunner(func(j measure.Job, emit func(measure.Event)) error {
		switch j.Kind {
		case measure.Gate:
			work := make(map[compare.Operation]compare.Work)
			for _, op := range compare.OfCredentials {
				work[op] = compare.Work{Estimate: 1000}
			}
			emit(measure.Event{Type: "gate", Gate: &measure.Gated{Work: work}})
		case measure.Time:
			timedRuns(j, emit)
		case measure.Profile:
			jobs = append(jobs, j)
			for _, op := range j.Operations {
				emit(measure.Event{Type: "profile", Operation: op, Profile: &measure.Profiled{Pprof: text.Bytes(), Ops: 1,
					CPU: 1, Wall: 1, Sampler: profiles.Signal, Fallback: "permission denied"}})
			}
		}
		return nil
	}), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, jobs
}

// The default pass is short where perf takes the samples, gives each operation at least a hundred of them,
// and leaves out what is below the credentials. What a child fell back to is in its result.
func TestSampler(t *testing.T) {
	p := plan()
	p.Profile, p.Budget, p.Window = -1, time.Minute, measure.DefaultWindow
	for _, op := range compare.OfCredentials {
		p.Cells = append(p.Cells, cell("good", op))
	}
	floor := cell("floor", compare.Issue)
	floor.Format = compare.Floor
	p.Cells = append(p.Cells, floor)
	c, jobs := sampling(t, p)
	if len(jobs) != 1 || jobs[0].Sampler != profiles.Auto {
		t.Fatalf("profile jobs: %+v", jobs)
	}
	total := 0.0
	for op, s := range jobs[0].ProfileSeconds {
		total += s
		if c.Environment["sampler"] == "perf" && s*profiles.PerfHz < 100 {
			t.Errorf("%s is profiled for %g s", op, s)
		}
	}
	if perf := c.Environment["sampler"] == "perf"; perf != (total < 0.4) {
		t.Errorf("profiles of %g s by %s", total, c.Environment["sampler"])
	}
	for _, r := range c.Results {
		if r.Cell.Format == compare.Floor {
			if r.Profile != nil || r.Reason != "" {
				t.Errorf("%s: profile %+v, reason %q", r.ID, r.Profile, r.Reason)
			}
		} else if r.Profile == nil || r.Profile.Sampler != profiles.Signal || r.Profile.Fallback != "permission denied" {
			t.Errorf("%s: profile %+v, reason %q", r.ID, r.Profile, r.Reason)
		}
	}

	p.Profile, p.Sampler = 0.5, profiles.Signal
	c, jobs = sampling(t, p)
	if len(jobs) != 2 || jobs[0].Sampler != profiles.Signal || c.Environment["sampler"] != "signal" {
		t.Errorf("signals: jobs %+v, environment %q", jobs, c.Environment["sampler"])
	}
}

// A profile of simple-20 native verify has at least 3,000 samples in a second of CPU.
func TestSamplesPerSecond(t *testing.T) {
	if os.Getenv("CANONSCOPE_MACHINE") == "" {
		t.Skip("needs a machine that does nothing else: set CANONSCOPE_MACHINE=1")
	}
	if err := profiles.Perf.Available(); err != nil {
		t.Skip(err)
	}
	p := plan()
	p.Documents, p.Window, p.Profile, p.Sampler = 64, measure.DefaultWindow, 1, profiles.Perf
	c, err := compare.ParseCell("format=vcdm/suite=eddsa-rdfc-2022/engine=native/alg=EdDSA/schema=simple-20/gc=100/procs=2/contexts=warm")
	if err != nil {
		t.Fatal(err)
	}
	p.Cells = []compare.Cell{c.With(compare.Verify)}
	out, dir := run(t, p)
	r := out.Results[0]
	if r.Profile == nil {
		t.Fatal(r.State, r.Reason)
	}
	a := r.Profile.Attribution
	samples := a.Foreground.Total().Samples + a.Background.Total().Samples
	if rate := float64(samples) / (float64(r.Profile.CPU) / 1e9); rate < 3000 || r.Profile.Lost > 0 {
		t.Errorf("%.0f samples in a second, %d lost", rate, r.Profile.Lost)
	}
	f, err := os.Open(filepath.Join(dir, r.Profile.Pprof))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(fmt.Sprint(got.Comments), "sampler perf: ") || got.DefaultSampleType != profiles.PerOperation {
		t.Errorf("comments %q, default %q", got.Comments, got.DefaultSampleType)
	}
	if i := slices.IndexFunc(got.SampleType, func(s *profile.ValueType) bool { return s.Type == profiles.PerOperation }); i >= 0 {
		var sum int64
		for _, s := range got.Sample {
			sum += s.Value[i]
		}
		if ratio := float64(sum) / r.CPU(); ratio < 0.999 || ratio > 1.001 {
			t.Errorf("the profile has %d ns an operation, the runs %.0f", sum, r.CPU())
		}
	}
}
