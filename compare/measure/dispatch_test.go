package measure_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"canonscope/compare"
	"canonscope/compare/measure"
	"canonscope/schemas/shape"
)

// carrier does batches in this process, in turn by so many workers, and may alter or withhold replies.
type carrier struct {
	hands    []measure.Hands
	alter    func(*measure.Reply)
	most     int // replies until it fails; 0 is no bound
	campaign string
	carried  []string
	gates    int
}

func newCarrier(workers int, answer fakeRunner) *carrier {
	c := &carrier{hands: make([]measure.Hands, workers)}
	for i := range c.hands {
		c.hands[i].Runner = fakeRunner(func(j measure.Job, emit func(measure.Event)) error {
			if j.Kind == measure.Gate {
				c.gates++
			}
			return answer(j, emit)
		})
	}
	return c
}

var errCarrier = errors.New("the way is closed")

func (c *carrier) Carry(ctx context.Context, f measure.Freight, heard func(measure.Reply)) error {
	c.campaign = f.Campaign
	for i, b := range f.Batches {
		if c.most > 0 && len(c.carried) == c.most {
			return errCarrier
		}
		for k := range b.Jobs {
			if err := b.Jobs[k].CheckTravelling(); err != nil {
				return err
			}
		}
		text, err := json.Marshal(b) // as it travels
		if err != nil {
			return err
		}
		var there measure.Batch
		if err := json.Unmarshal(text, &there); err != nil {
			return err
		}
		w := i % len(c.hands)
		answers, err := c.hands[w].Do(ctx, f.Campaign, &there, f.Given, func(measure.Kind, string) {})
		if err != nil {
			return err
		}
		r := measure.Reply{Worker: fmt.Sprint("w", w), Batch: b.ID, Answers: answers, Environment: map[string]string{"cpu": "a", "name": fmt.Sprint(w)}}
		if text, err = json.Marshal(r); err != nil {
			return err
		}
		var back measure.Reply
		if err := json.Unmarshal(text, &back); err != nil {
			return err
		}
		if c.alter != nil {
			c.alter(&back)
		}
		c.carried = append(c.carried, b.ID)
		heard(back)
		heard(back) // a second time changes nothing
	}
	return nil
}

func awayPlan() measure.Plan {
	p := steadyPlan()
	p.Memory, p.Environment = 1<<30, "rack"
	return p
}

// lines counts the lines of a folder: those of jobs, a gate once, and those that campaigns on other machines alone have.
func lines(t *testing.T, dir string) (jobs, others map[string]int) {
	jobs, others = make(map[string]int), make(map[string]int)
	for _, r := range records(t, dir) {
		switch key := fmt.Sprint(r.Kind, r.Cell, r.Block, r.Operations, r.State); {
		case r.Kind == measure.NewWorker || r.Kind == measure.Fault:
			others[fmt.Sprint(r.Kind, r.Worker)]++
		case r.Kind == measure.Gate:
			jobs[key] = 1
			others[key+r.Worker]++
		default:
			jobs[key]++
		}
	}
	return jobs, others
}

// A campaign on other machines has the processes of a local one, each once, and its folder reads as a local one.
func TestDispatch(t *testing.T) {
	want, wantDir := undisturbed(t)
	for _, workers := range []int{1, 2} {
		folder, c := opened(t), newCarrier(workers, steady)
		got, err := measure.Dispatch(t.Context(), awayPlan(), c, folder, nil)
		folder.Close()
		if err != nil || got.Interrupted || got.Stopped != "" {
			t.Fatalf("interrupted %v, stopped %q, %v", got.Interrupted, got.Stopped, err)
		}
		jobs, others := lines(t, folder.Path)
		if wants, _ := lines(t, wantDir); !maps.Equal(jobs, wants) {
			t.Errorf("lines %v\nwant %v", jobs, wants)
		}
		for what, n := range others {
			if n != 1 {
				t.Errorf("%s is recorded %d times", what, n)
			}
		}
		if c.gates != 3*workers {
			t.Errorf("%d gates of 3 exchanges by %d workers", c.gates, workers)
		}
		l, err := measure.Load(folder.Path)
		if err != nil {
			t.Fatal(err)
		}
		same(t, l.Campaign, got)
		if l.ID() != c.campaign {
			t.Errorf("the plan that was read is of campaign %s, it was %s", l.ID(), c.campaign)
		}
		if name := map[int]string{1: "0", 2: "0 | 1"}[workers]; got.Environment["name"] != name || got.Environment["cpu"] != "a" {
			t.Errorf("environment %v", got.Environment)
		}
		if len(got.Machines) != workers || len(got.Faults) != 1 {
			t.Errorf("machines %+v, faults %q", got.Machines, got.Faults)
		}
		for i := range got.Results {
			if g, w := got.Results[i], want.Results[i]; g.State != w.State || len(g.Runs) != len(w.Runs) || g.Reason != w.Reason || g.Profile == nil || g.Raw == nil || g.Allocs == nil {
				t.Errorf("%s: %s, %d runs, %q; at home %s, %d runs, %q", g.ID, g.State, len(g.Runs), g.Reason, w.State, len(w.Runs), w.Reason)
			}
		}
	}
}

// Exchanges that are compared travel together: those of a schema, of an experiment, and documents.
func TestTogether(t *testing.T) {
	p := awayPlan()
	other := cell("a", compare.Issue)
	other.Schema = "other"
	p.Cells = append(p.Cells, other)
	for _, joined := range []bool{false, true} {
		want := []string{"time-0-0", "time-1-0", "time-0-1", "time-1-1", "time-0-2", "time-1-2", "pass-0", "pass-1", "pass-2", "pass-3"}
		if joined {
			want = []string{"time-0-0", "time-0-1", "time-0-2", "pass-0", "pass-1", "pass-2", "pass-3"}
			point := compare.Point{Schema: "fake", Figures: &shape.Figures{}}
			p.Experiments = []compare.Experiment{{Name: "e", Points: []compare.Point{point, {Schema: "other", Figures: point.Figures}}}}
		}
		folder, c := opened(t), newCarrier(1, steady)
		if _, err := measure.Dispatch(t.Context(), p, c, folder, nil); err != nil {
			t.Fatal(err)
		}
		folder.Close()
		if !slices.Equal(c.carried, want) {
			t.Errorf("carried %v, want %v", c.carried, want)
		}
	}
}

// A campaign whose way ends at any batch is stopped, and goes on to what it would have been.
func TestRedispatch(t *testing.T) {
	want, wantDir := undisturbed(t)
	for most := 1; most < 6; most++ {
		folder, c := opened(t), newCarrier(1, steady)
		c.most = most
		got, err := measure.Dispatch(t.Context(), awayPlan(), c, folder, nil)
		folder.Close()
		if !errors.Is(err, errCarrier) || got.Stopped == "" {
			t.Fatalf("after %d batches: stopped %q, %v", most, got.Stopped, err)
		}
		was := c.campaign

		folder, l, err := measure.Continue(folder.Path)
		if err != nil {
			t.Fatal(err)
		}
		c = newCarrier(1, steady)
		got, err = measure.Redispatch(t.Context(), l, compare.Given{}, c, folder, nil)
		folder.Close()
		if err != nil || got.Stopped != "" || c.campaign != was || len(c.carried) != 6-most {
			t.Fatalf("after %d batches: stopped %q, %v, carried %v of campaign %s, not %s", most, got.Stopped, err, c.carried, c.campaign, was)
		}
		jobs, _ := lines(t, folder.Path)
		if wants, _ := lines(t, wantDir); !maps.Equal(jobs, wants) {
			t.Errorf("after %d batches: lines %v\nwant %v", most, jobs, wants)
		}
		for i := range got.Results {
			if g, w := got.Results[i], want.Results[i]; g.State != w.State || len(g.Runs) != len(w.Runs) {
				t.Errorf("after %d batches: %s: %s, %d runs", most, g.ID, g.State, len(g.Runs))
			}
		}
	}
}

// A wrong gate on one of the machines stops the cell everywhere, and is named.
func TestGateElsewhere(t *testing.T) {
	folder, c := opened(t), newCarrier(2, steady)
	c.hands[1].Runner = fakeRunner(func(j measure.Job, emit func(measure.Event)) error {
		if j.Kind == measure.Gate && strings.Contains(j.Cell, "suite=a") {
			return &measure.StoppedError{State: compare.GateFailed, Reason: "another form"}
		}
		return steady(j, emit)
	})
	got, err := measure.Dispatch(t.Context(), awayPlan(), c, folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got.Results {
		if failed := r.Cell.Suite == "a"; failed != (r.State == compare.GateFailed) || failed != (len(r.Runs) == 0) {
			t.Errorf("%s: %s, %d runs", r.ID, r.State, len(r.Runs))
		}
	}
	if len(got.Faults) == 0 || !strings.Contains(strings.Join(got.Faults, "\n"), "w1: gate of fake a of fake, none, stock engine: gate failed: another form") {
		t.Errorf("faults %q", got.Faults)
	}
}

// What another machine sends is refused, named and not believed if it is not what was asked for.
func TestHostileReplies(t *testing.T) {
	bomb := func(n int) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		for range n >> 20 {
			z.Write(make([]byte, 1<<20))
		}
		z.Close()
		return b.Bytes()
	}
	run := func(r *measure.Reply) *compare.Run {
		for _, e := range r.Answers[0].Job.Events {
			if e.Run != nil {
				return e.Run
			}
		}
		return &compare.Run{}
	}
	for what, alter := range map[string]func(r *measure.Reply){
		"answers 0 jobs of 1":     func(r *measure.Reply) { r.Answers = nil },
		"has 0 facts":             func(r *measure.Reply) { r.Environment = nil },
		"a job has no gate":       func(r *measure.Reply) { r.Answers[0].Gate = nil },
		"cannot end":              func(r *measure.Reply) { r.Answers[0].Job.State = compare.Interrupted },
		"is not a measurement":    func(r *measure.Reply) { run(r).CPU = -1 },
		"was not asked for":       func(r *measure.Reply) { r.Answers[0].Job.Events[1].Operation = "sleep" },
		"has no time":             func(r *measure.Reply) { r.Answers[0].Job.Took = -1 },
		"another binary":          func(r *measure.Reply) { r.Answers[0].Job.Events[0].Hello = &measure.Hello{Binary: "x"} },
		"is not a gate":           func(r *measure.Reply) { r.Answers[0].Gate.Events[1].Gate.Work = nil },
		"given up":                func(r *measure.Reply) { r.Answers, r.Reason = nil, "given up" },
		"a profile: unexpected":   func(r *measure.Reply) { r.Answers[1].Job.Events[1].Profile = &measure.Profiled{Pprof: []byte("x")} },
		"a profile has more than": func(r *measure.Reply) { r.Answers[1].Job.Events[1].Profile = &measure.Profiled{Pprof: bomb(65 << 20)} },
		"it drew other documents": func(r *measure.Reply) { r.Worker = "w9"; r.Answers[0].Gate.Events[1].Gate.Drawn = []string{"y"} },
		"on another machine": func(r *measure.Reply) {
			r.Worker = "w9"
			r.Answers[0].Gate.Events[1].Gate.Work = map[compare.Operation]compare.Work{compare.Issue: {Documents: 8}}
		},
	} {
		t.Run(what, func(t *testing.T) {
			altered := "time-0-1"
			if strings.HasPrefix(what, "a profile") {
				altered = "pass-0"
			}
			folder, c := opened(t), newCarrier(1, steady)
			c.alter = func(r *measure.Reply) {
				if r.Batch == altered {
					alter(r)
				}
			}
			p := awayPlan()
			p.Cells, p.Runs = p.Cells[:2], 2
			got, err := measure.Dispatch(t.Context(), p, c, folder, nil)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(got.Faults, "\n")
			for _, r := range got.Results {
				said += r.Reason
			}
			if !strings.Contains(said, what) {
				t.Errorf("it said %s", said)
			}
			if _, err := measure.Load(folder.Path); err != nil {
				t.Errorf("the folder cannot be read: %v", err)
			}
		})
	}
}

// A job from another machine has no command, no inputs and no bounds beyond those of a campaign.
func TestTravellingJobs(t *testing.T) {
	good := measure.Job{Version: measure.Version, Kind: measure.Time, Cell: cell("a", "").ID(), Operations: []compare.Operation{compare.Issue},
		Documents: 8, Window: compare.Window{N: 1}, Now: time.Now(), Deadline: 60, Memory: 1 << 30}
	at := good // the bounds themselves
	at.Deadline, at.Documents, at.Memory = 3600, 4096, 16<<30
	for _, j := range []measure.Job{good, at} {
		if err := j.CheckTravelling(); err != nil {
			t.Fatal(err)
		}
	}
	for what, alter := range map[string]func(*measure.Job){
		"command": func(j *measure.Job) { j.Engine = []string{"sh"} }, "inputs": func(j *measure.Job) { j.Inputs = []measure.Input{{}} },
		"drawn": func(j *measure.Job) { j.Drawn = []string{"x"} }, "gate": func(j *measure.Job) { j.Kind, j.Operations = measure.Gate, nil },
		"no deadline": func(j *measure.Job) { j.Deadline = 0 }, "long": func(j *measure.Job) { j.Deadline = 1e9 },
		"documents": func(j *measure.Job) { j.Documents = 4097 }, "memory": func(j *measure.Job) { j.Memory = 0 },
		"more memory": func(j *measure.Job) { j.Memory = 16<<30 + 1 }, "an hour and more": func(j *measure.Job) { j.Deadline = 3601 },
		"version": func(j *measure.Job) { j.Version++ }, "cell": func(j *measure.Job) { j.Cell = "../../etc/passwd" },
	} {
		bad := good
		if alter(&bad); bad.CheckTravelling() == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}
