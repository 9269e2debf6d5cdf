package phase

import "testing"

// Every phase has a unique name, by which it is found.
func TestNames(t *testing.T) {
	for i := range Count {
		p := Phase(i)
		if p.String() == "" {
			t.Errorf("phase %d has no name", i)
		}
		if got, ok := ByName(p.String()); !ok || got != p {
			t.Errorf("ByName(%q) = %d, %v, want %d", p, got, ok, p)
		}
	}
	if last := Phase(Count - 1); last != Unattributed || last.String() != "unattributed" {
		t.Errorf("the last phase is %d, %q: names do not follow the constants", last, last)
	}
	if got := Phase(Count).String(); got != "invalid phase" {
		t.Errorf("a phase beyond the last is %q", got)
	}
	if _, ok := ByName(Phase(Count).String()); ok {
		t.Error("the name of no phase is found")
	}
}
