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
	for schema, want := range map[string]string{"simple-20": "simple-20", "file:b%20c.json@01234567": "b c.json@01234567", "file:%1B%5B2Jb%E2%80%AE.json": `\u001b[2Jb\u202e.json`} {
		if got := schemaName(schema); got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
	for schema, want := range map[string]string{"file:b.json@01234567": "b.json@01234567", "file:presentation.json@01234567": "presentat…@01234567",
		"simple-20": "simple-20", "file:%E6%88%90%E7%B8%BE%E8%A8%BC%E6%98%8E%E6%9B%B8%E3%81%AE%E4%BE%8B%20%31.json@01234567": "成績証明書の例 1…@01234567"} {
		if got := schemaWithin(schema, 20); got != want {
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
		"×÷110":  {Center: 1, Low: 0.009, High: 110, N: 3},
		"×÷>999": {Center: 1, Low: 0.0001, High: 12_345, N: 3},
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
