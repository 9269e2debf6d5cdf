package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"canonscope/compare/stats"
)

// growth is the growth of a sweep in results.json.
type growth struct {
	Curves []struct {
		Cell struct{ Suite string }

		Operations []struct {
			Laws []struct {
				Law        string
				Parameters []stats.Estimate
				Lack       float64 `json:"lack_of_fit"`
				Misfit     float64 `json:"p_misfit"`
			}
		}
	}
	Crossings []struct{ At *stats.Estimate }
}

// known is a law of µs with its name.
type known struct {
	name               string
	fixed, a, log, two float64
}

func (k known) at(n float64) float64 { return k.fixed + k.a*n + k.log*n*math.Log(n) + k.two*n*n }

// Engines of known law, here loops in the place of canonize, are named, and cross where their laws do.
func TestSweepOfKnownLaws(t *testing.T) {
	machine(t)
	file := "compare/document/document.go"
	command, _ := build(t, plant{file: file, imports: `"bytes"
	"math"
	"os"
	"fmt"`, function: "	var form canon.Form", text: `	var fixed, a, log, two float64
	_, err := fmt.Sscan(os.Getenv("CANONSCOPE_LAW_"+string(f.method)), &fixed, &a, &log, &two)
	if err != nil {
		return nil, err
	}
	n := float64(bytes.Count(c.VCDM, []byte("\"attr")) / 2)
	loops := int(800 * (fixed + a*n + log*n*math.Log(n) + two*n*n))
	opt := canon.Options{Input: input, Limits: s.Limits, Into: &form}
	if _, err := f.canon.Canonicalize(context.Background(), c.VCDM, opt); err != nil {
		return nil, err
	}
	kept := bytes.Clone(form.Text)
	return compare.Canonizing(counters, func() ([]byte, error) {
		counters.Canonicalizations++
		for i := range loops {
			planted = planted*31 ^ i
		}
		return kept, nil
	}), nil
`}, plant{file: file, function: "	method canon.Method\n}", text: "\nvar planted int"})

	linear := known{"a·x", 0, 2, 0, 0}
	logs := known{"a·x·log x", 0, 0, 2, 0}
	square := known{"a·x²", 0, 0, 0, 0.3}
	line := known{"fixed + a·x", 50, 2, 0, 0}
	mixed := known{"fixed + a·x + b·x²", 50, 2, 0, 0.01}
	named := 0
	pairs := [][2]known{{linear, square}, {square, line}, {line, logs}, {logs, mixed}, {mixed, {linear.name, 0, 4, 0, 0}}}
	for i, pair := range pairs {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
			cmd := exec.Command(command, "scale", "--axis", "attributes=5..500", "--operation", "canonize", "--out", dir)
			cmd.Env = os.Environ()
			of := make(map[string]known)
			for j, suite := range []string{"rdfc", "jcs"} {
				k := pair[j]
				of[suite] = k
				cmd.Env = append(cmd.Env, fmt.Sprintf("CANONSCOPE_LAW_%s=%v %v %v %v", suite, k.fixed, k.a, k.log, k.two))
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			text, err := os.ReadFile(filepath.Join(dir, "results.json"))
			if err != nil {
				t.Fatal(err)
			}
			var r struct{ Growth []growth }
			if err := json.Unmarshal(text, &r); err != nil {
				t.Fatal(err)
			}
			g := r.Growth[0]
			for _, c := range g.Curves {
				law, k := c.Operations[0].Laws[0], of[c.Cell.Suite]
				t.Logf("%s: %s %+v, lack of fit %.3f, p %.2g", k.name, law.Law, law.Parameters, law.Lack, law.Misfit)
				if law.Law == k.name {
					named++
				} else {
					t.Errorf("%s is named %s", k.name, law.Law)
				}
			}
			truth := 0.0
			for n := 5.0; n < 500; n += 0.01 {
				if a, b := pair[0], pair[1]; (a.at(n) < b.at(n)) != (a.at(n+0.01) < b.at(n+0.01)) {
					truth = n
					break
				}
			}
			at := g.Crossings[0].At
			t.Logf("they cross at %.1f, measured %+v", truth, at)
			switch {
			case (truth == 0) != (at == nil):
				t.Errorf("they cross at %v, measured %+v", truth, at)
			case at != nil && (truth < at.Low || truth > at.High):
				t.Errorf("they cross at %v, not from %v to %v", truth, at.Low, at.High)
			}
		})
	}
	t.Logf("%d of %d named", named, 2*len(pairs))
}
