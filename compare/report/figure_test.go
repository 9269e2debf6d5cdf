package report

import "testing"

func TestFigure(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1.234: "1.23", 12.34: "12.3", 123.4: "123", 999_999: "999,999", 1_402_822: "1.403M", 3.2e7: "32M"} {
		if got := figure(v); got != want {
			t.Errorf("%v prints as %s, want %s", v, got, want)
		}
	}
}
