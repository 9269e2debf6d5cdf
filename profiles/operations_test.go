package profiles_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"canonscope/profiles"
)

const underDo = "<canonscope/profiles.Do.func1<runtime/pprof.Do<canonscope/profiles.Do<main.main"

// column returns the sum of the values of a type, and those by function at the leaf.
func column(t *testing.T, p *profile.Profile, name string) (sum int64, by map[string]int64) {
	t.Helper()
	i := slices.IndexFunc(p.SampleType, func(s *profile.ValueType) bool { return s.Type == name })
	if i < 0 {
		t.Fatalf("no samples of type %s", name)
	}
	by = make(map[string]int64)
	for _, s := range p.Sample {
		sum += s.Value[i]
		by[s.Location[0].Line[0].Function.Name] += s.Value[i]
	}
	return sum, by
}

func TestOperations(t *testing.T) {
	rules := profiles.LoadRules()
	for _, cost := range []float64{0, 2.4, 17, 120, 4e7 / 3, 12e7, 5e12} {
		p := synthetic("111111 a main.op"+underDo, "1 a main.op"+underDo, "11 a runtime.memmove<main.op"+underDo,
			"111 runtime.scanobject<runtime.gcBgMarkWorker", "11 main.harness<main.main")
		before := profiles.Attribute(p, rules)
		if err := profiles.Operations(p, rules, cost); err != nil {
			t.Fatal(err)
		}
		if err := p.CheckValid(); err != nil {
			t.Fatal(err)
		}
		sum, by := column(t, p, profiles.PerOperation)
		if want := int64(math.Round(cost)); sum != want || by["main.harness"] != 0 {
			t.Errorf("%d ns an operation, want %d; harness %d", sum, want, by["main.harness"])
		}
		if p.DefaultSampleType != profiles.PerOperation || len(p.Sample) != 4 {
			t.Errorf("default %q, %d samples", p.DefaultSampleType, len(p.Sample))
		}
		if after := profiles.Attribute(p, rules); after != before {
			t.Errorf("attributed %+v, before %+v", after, before)
		}
		var text bytes.Buffer
		if err := profiles.Folded(&text, p, rules); err != nil || strings.Contains(text.String(), "Do") ||
			strings.Count(text.String(), "main.main") != 1 {
			t.Errorf("stacks, %v:\n%s", err, &text)
		}
		if profiles.Operations(p, rules, cost) == nil {
			t.Error("operations were added twice")
		}
	}
	if profiles.Operations(synthetic("1 a main.op"), rules, math.NaN()) == nil || profiles.Operations(nil, rules, 1) == nil {
		t.Error("no error without a cost or a profile")
	}
}

// Calls that the compiler put into the closure stay, and a stack that was cut is marked as such, however deep
// a whole one is.
func TestOperationsCut(t *testing.T) {
	p := synthetic("1 a main.op"+underDo, "1 a "+strings.Repeat("main.deep<", 70)+"main.op"+underDo,
		"1 a "+strings.Repeat("main.cut<", 70)+"main.cut")
	leaf := p.Sample[0].Location
	merged := &profile.Location{ID: 99, Line: slices.Concat(leaf[0].Line, leaf[1].Line)}
	p.Location = append(p.Location, merged)
	p.Sample[0].Location = append([]*profile.Location{merged}, leaf[2:]...)
	rules := profiles.LoadRules()
	if err := profiles.Operations(p, rules, 3e7); err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := profiles.Folded(&text, p, rules); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(text.String(), "\n")
	if len(got) != 4 || !strings.HasPrefix(got[0], "(root cut by the sampler);main.cut;") || got[1] != "main.op 10000000" ||
		!strings.HasPrefix(got[2], "main.op;main.deep;") {
		t.Errorf("stacks:\n%s", &text)
	}
}

// The difference of two profiles that pprof prints is that of an operation, though the profiles are of
// unequal length.
func TestOperationsDiffer(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("needs the go command")
	}
	dir := t.TempDir()
	write := func(name string, cost float64, lines ...string) string {
		p := synthetic(lines...)
		if err := profiles.Operations(p, profiles.LoadRules(), cost); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := p.Write(f); err != nil {
			t.Fatal(err)
		}
		return path
	}
	top := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), goTool, append([]string{"tool", "pprof", "-top", "-symbolize=none"}, args...)...)
		cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			if strings.Contains(string(out), "no such tool") {
				t.Skip("needs go tool pprof")
			}
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	// 100 µs and 760 µs an operation, though a has more samples.
	a := write("a.pb.gz", 100e3, "111111 a main.sign"+underDo, "1111 a main.parse"+underDo)
	b := write("b.pb.gz", 700e3, "111111 a main.sign"+underDo, "1 a main.expand"+underDo)
	b2 := write("b2.pb.gz", 600e3, "111 a main.expand"+underDo)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{a}, []string{"Type: cpu/op", "100us total", "main.sign"}},
		{[]string{"-diff_base", a, b}, []string{"540us", "100us", "-40us", "main.parse", "of 100us total"}},
		{[]string{"-base", a, b2}, []string{"600us", "main.expand"}},
	} {
		out := top(c.args...)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%v: want %q in:\n%s", c.args, want, out)
			}
		}
	}
	// Their ratio is that of the table: CPU of an operation.
	text := top("-diff_base", a, b)
	for line := range strings.Lines(text) {
		var gained, percent float64
		if _, err := fmt.Sscanf(line, "Showing nodes accounting for %fus, %f%% of", &gained, &percent); err == nil {
			if ratio := 1 + percent/100; !(math.Abs(ratio-7) <= 0.01) || gained != 600 {
				t.Errorf("ratio %g, %g µs more:\n%s", ratio, gained, text)
			}
			return
		}
	}
	t.Errorf("no total in:\n%s", text)
}
