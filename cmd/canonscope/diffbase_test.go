package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"canonscope/compare"
	"canonscope/compare/stats"
)

var accounting = regexp.MustCompile(`accounting for (-?[0-9.]+[a-zµ]+), .* of ([0-9.]+[a-zµ]+) total`)

// The difference of two cells that "go tool pprof" prints is that of the table.
func TestDiffBase(t *testing.T) {
	machine(t)
	command, _ := build(t)
	dir := filepath.Join(t.TempDir(), "results")
	args := []string{"run", "--out", dir, "--schema", "simple-20", "--suite", "eddsa-jcs-2022,eddsa-rdfc-2022", "--algorithm",
		"EdDSA", "--engine", "stock,native", "--operation", "verify", "--runs", "8", "--profile-seconds", "5"}
	if out, err := exec.Command(command, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c compare.Campaign
	var table struct{ Table struct{ Rows []resultRow } }
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}

	for _, engine := range []string{"stock", "native"} {
		var files [2]string
		var cost [2]stats.Estimate
		for i, suite := range []string{"suite=eddsa-jcs-2022/", "suite=eddsa-rdfc-2022/"} {
			is := func(id string) bool { return strings.Contains(id, suite) && strings.Contains(id, "engine="+engine+"/") }
			for _, r := range c.Results {
				if is(r.ID) && r.Cell.Operation == compare.Verify && r.Profile != nil {
					files[i] = filepath.Join(dir, filepath.FromSlash(r.Profile.Pprof))
				}
			}
			for _, r := range table.Table.Rows {
				if is(r.ID) {
					cost[i] = r.CPU[compare.Verify]
				}
			}
			if files[i] == "" || !cost[i].Bounded() {
				t.Fatalf("%s %s: no profile or no cost", engine, suite)
			}
		}

		out, err := exec.Command("go", "tool", "pprof", "-top", "-nodecount=1000000", "-nodefraction=0", "-edgefraction=0",
			"-diff_base", files[0], files[1]).Output()
		if err != nil {
			t.Fatal(err)
		}
		m := accounting.FindStringSubmatch(string(out))
		if m == nil {
			t.Fatalf("no totals in\n%.600s", out)
		}
		more, err1 := time.ParseDuration(m[1])
		base, err2 := time.ParseDuration(m[2])
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		got, want := float64(base+more)/float64(base), cost[1].Center/cost[0].Center
		half := want * math.Hypot((cost[0].High-cost[0].Low)/2/cost[0].Center, (cost[1].High-cost[1].Low)/2/cost[1].Center)
		t.Logf("%s: pprof %.3f, table %.3f ± %.3f", engine, got, want, half)
		if !(math.Abs(got-want) <= half) {
			t.Errorf("%s: pprof says %.3f times, the table %.3f ± %.3f", engine, got, want, half)
		}
	}
}
