package stats

import (
	"math"
	"testing"
)

// The power of two one-sided tests is the integral over the standard deviations that may be estimated (Phillips
// 1990), here by a finer rule: the same to 1e-4.
func TestPowerOfEquivalence(t *testing.T) {
	for _, c := range []struct{ delta, band, sd, n, want float64 }{
		{0, 0.1, 0.1, 5, 0.293853}, {0.02, 0.1, 0.1, 12, 0.816415}, {-0.02, 0.1, 0.1, 12, 0.816415}, {0.03, 0.1, 0.05, 4, 0.676708},
	} {
		if got := (design{c.sd, 1}).equates(c.delta, c.band, c.n, alpha); !(math.Abs(got-c.want) <= 1e-4) {
			t.Errorf("%v within %v, sd %v, in %v: %v, want %v", c.delta, c.band, c.sd, c.n, got, c.want)
		}
	}
}

// Up to 10,000 degrees of freedom the tail is Student's, beyond them normal.
func TestTail(t *testing.T) {
	if d := tTail(2, 10_000) - normal(-2); d < 1e-5 || d > 1e-4 {
		t.Errorf("of 10,000 it is %v more than normal", d)
	}
	if tTail(2, 10_001) != normal(-2) || tQuantile(0.975, 10_001) >= tQuantile(0.975, 10_000) {
		t.Error("beyond 10,000 it is not normal")
	}
	if tTail(math.Inf(1), 3) != 0 || tTail(math.Inf(-1), 3) != 1 {
		t.Error("nothing is beyond all")
	}
}

// A p value of just 5 % is a verdict, and no longer counts among the tests that are open.
func TestJustSignificant(t *testing.T) {
	row := func(differs, equal float64) *Comparison {
		c := contrast{0.2, 0.1, 4, 5, design{0.22, 1}}
		return &Comparison{Ratio: Estimate{1.2, 1, 1.4, 5}, Differs: differs, Equal: equal, contrast: c, band: math.Log1p(Band)}
	}
	for _, c := range []struct {
		differs, equal float64
		want           Verdict
	}{{alpha / 2, 1, Slower}, {1, alpha / 2, Equivalent}, {alpha / 1.99, 1, Inconclusive}, {1, alpha / 1.99, Inconclusive}} {
		decided, open := row(c.differs, c.equal), row(1, 1)
		level := alpha
		if c.want == Inconclusive {
			level /= 2
		}
		if Correct([]*Comparison{decided, open}); decided.Verdict != c.want || open.Verdict != Inconclusive || open.level != level {
			t.Errorf("p of %v and %v: %s, the other is tested at %v, want %s and %v", c.differs, c.equal, decided.Verdict, open.level, c.want, level)
		}
	}
}
