package report

import (
	"math"
	"testing"

	"canonscope/compare/stats"
)

func TestFigure(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1.234: "1.23", 12.34: "12.3", 123.4: "123", 999_999: "999,999", 1_402_822: "1.403M", 3.2e7: "32M"} {
		if got := figure(v); got != want {
			t.Errorf("%v prints as %s, want %s", v, got, want)
		}
	}
}

// The name of a file is not allowed to steer the terminal.
func TestSchemaName(t *testing.T) {
	for schema, want := range map[string]string{"simple-20": "simple-20", "file:a%2Fb.json": "b.json", "file:a%2F%1B%5B2Jb%E2%80%AE.json": `\u001b[2Jb\u202e.json`} {
		if got := schemaName(schema); got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}

// An interval is one figure where both sides are alike, two where they are not, a factor where it is large,
// and none of few processes.
func TestSpread(t *testing.T) {
	for want, e := range map[string]stats.Estimate{
		"±4%":    {Center: 100, Low: 96.2, High: 104, N: 5},
		"-23+30": {Center: 100, Low: 77, High: 130, N: 5},
		"×÷2.2":  {Center: 10, Low: 4.5, High: 22, N: 3},
		"±?":     {Center: 10, Low: math.Inf(-1), High: math.Inf(1), N: 2},
		"":       {},
		"±0%":    {Center: 10, Low: 10, High: 10, N: 3},
	} {
		if got := spread(e); got != want {
			t.Errorf("%+v prints as %s, want %s", e, got, want)
		}
	}
}

func TestCompact(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1_249: "1.2k", 9_949: "9.9k", 9_950: "10k",
		165_536: "166k", 999_499: "999k", 999_500: "1.0M", 2_720_499: "2.7M"} {
		if got := compact(n); got != want {
			t.Errorf("%d prints as %s, want %s", n, got, want)
		}
	}
}
