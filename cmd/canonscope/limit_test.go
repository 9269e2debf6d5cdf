package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A limit is never negative, in any command: it would be taken for none, or for one that nothing fits. Zero is
// what the flag means when it is left out.
func TestLimitsAreNotNegative(t *testing.T) {
	found := 0
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !strings.HasPrefix(f.Name, "max-") {
				return
			}
			found++
			for _, text := range []string{"-1", "-9223372036854775808"} {
				if err := f.Value.Set(text); err == nil || !strings.Contains(err.Error(), "must not be negative") {
					t.Errorf("%s --%s %s: %v", c.CommandPath(), f.Name, text, err)
				}
			}
			for _, text := range []string{"", "1.5", "1e3", "9223372036854775808"} {
				if f.Value.Set(text) == nil {
					t.Errorf("%s --%s %q: taken", c.CommandPath(), f.Name, text)
				}
			}
			if f.Value.Set("7") != nil || f.Value.String() != "7" {
				t.Errorf("%s --%s 7: %s", c.CommandPath(), f.Name, f.Value)
			}
			if f.Value.Set("0") != nil || f.Value.String() != f.DefValue {
				t.Errorf("%s --%s 0: %s, want its default, %s", c.CommandPath(), f.Name, f.Value, f.DefValue)
			}
		})
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check(newRootCommand())
	if found < 40 {
		t.Errorf("%d flags are limits", found)
	}
}

// The greatest limit bounds nothing, and does not become negative on its way.
func TestGreatestLimits(t *testing.T) {
	for _, line := range []string{
		"canonize --engine stock --max-bytes MAX --max-depth MAX --max-memory MAX --max-steps MAX --max-documents MAX",
		"canonize --engine stock --max-steps none",
		"canonize --engine native --max-bytes MAX --max-depth MAX --max-memory MAX --max-work MAX --max-documents MAX",
		"canonize --method jcs --max-bytes MAX --max-depth MAX --max-memory MAX",
		"expand --engine stock --max-bytes MAX --max-depth MAX --max-memory MAX --max-steps MAX",
	} {
		args := strings.Fields(strings.ReplaceAll(line, "MAX", "9223372036854775807"))
		out, err := exec.Command("canonscope", append(args, "testdata/limits.json")...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", line, err, out)
		}
	}
}
