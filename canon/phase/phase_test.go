package phase

import (
	"testing"
	"time"
)

// Every phase has a name of its own, by which it is found.
func TestNames(t *testing.T) {
	for i := range Count {
		p := Phase(i)
		if got, ok := ByName(p.String()); !ok || got != p {
			t.Errorf("ByName(%q) = %d, %v, want %d", p, got, ok, p)
		}
	}
	if got := Phase(Count).String(); got != "invalid phase" {
		t.Errorf("a phase beyond the last is %q", got)
	}
	if _, ok := ByName(Phase(Count).String()); ok {
		t.Error("the name of no phase is found")
	}
}

// Adjacent phases share a clock read, so that their times add up to the whole.
func TestRecorder(t *testing.T) {
	var r Recorder
	from := r.Begin()
	mark := r.End(Parse, from, 10)
	mark = r.End(Label, mark, 20)
	mark = r.End(Label, mark, 3)
	all := r.Totals()
	if sum := all[Parse].Time + all[Label].Time; sum != mark-from || sum < 0 {
		t.Errorf("the phases add up to %v of %v", sum, mark-from)
	}
	if p, l := all[Parse], all[Label]; p.Calls != 1 || p.Bytes != 10 || l.Calls != 2 || l.Bytes != 23 {
		t.Errorf("parse %+v, label %+v", p, l)
	}
	r.Reset()
	if r.Totals() != ([Count]Total{}) {
		t.Error("Reset leaves something")
	}
}

func TestNilRecorder(t *testing.T) {
	var r *Recorder
	r.Reset()
	if n := testing.AllocsPerRun(10, func() { r.End(Parse, r.Begin(), 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if r.Begin() != 0 || r.End(Parse, time.Second, 1) != 0 || r.Totals() != ([Count]Total{}) {
		t.Error("a nil Recorder records")
	}
}
