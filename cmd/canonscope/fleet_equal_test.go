package main

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"canonscope/compare"
	"canonscope/compare/measure"
	"canonscope/compare/stats"
)

// A campaign costs the same on this machine and over a fleet on this machine, in the band: each cell, the floor
// below all formats, in which nothing of the fleet may be, and the ratio to that floor. Small campaigns follow one
// another in turns, so that a drift of the machine is in both; the fleet is stopped during the local ones.
func TestFleetIsEquivalent(t *testing.T) {
	machine(t)
	y := newYard(t, time.Minute)
	processes := []*exec.Cmd{y.server(), y.worker("one", "rack")}
	all := func(s syscall.Signal) {
		for _, cmd := range processes {
			_ = cmd.Process.Signal(s)
		}
	}
	defer all(syscall.SIGCONT)

	costs := [2]map[compare.Cell]stats.Sample{{}, {}} // local, and over the fleet
	for block := range 24 {
		for turn := range 2 {
			kind := (block + turn) % 2
			out := filepath.Join(y.dir, fmt.Sprint("results-", kind, "-", block))
			args := []string{"run", "--format", "vcdm", "--suite", "eddsa-rdfc-2022", "--engine", "native", "--schema", "simple-5", "--runs", "3",
				"--profile-seconds", "0", "--seed", fmt.Sprint(block + 1), "--out", out}
			if all(syscall.SIGSTOP); kind == 1 {
				all(syscall.SIGCONT)
				args = append(args, "--fleet", y.url, "--env", "rack")
			}
			cmd := y.start(fmt.Sprint("run-", kind, "-", block), args...)
			if err := <-y.ended[cmd]; err != nil {
				t.Fatalf("%v: %s", err, y.log(fmt.Sprint("run-", kind, "-", block)))
			}
			delete(y.ended, cmd)
			l, err := measure.Load(out)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range l.Campaign.Results {
				if len(r.Runs) == 0 {
					continue
				}
				runs := make(stats.Sample)
				for i := range r.Runs {
					runs[i] = r.Runs[i].CPU
				}
				if costs[kind][r.Cell] == nil {
					costs[kind][r.Cell] = make(stats.Sample)
				}
				costs[kind][r.Cell][block] = stats.Mean(runs).Center
			}
		}
	}

	var labels []string
	var table []*stats.Comparison
	add := func(label string, local, away stats.Sample) {
		c := stats.Paired([]stats.Sample{away}, []stats.Sample{local}, stats.Band)
		labels, table = append(labels, label), append(table, &c)
	}
	var whole, floor [2][]stats.Sample
	cells := slices.SortedFunc(maps.Keys(costs[0]), func(a, b compare.Cell) int { return strings.Compare(a.ID(), b.ID()) })
	for _, c := range cells {
		add(fmt.Sprint(c.Format, " ", c.Suite, " ", c.Operation), costs[0][c], costs[1][c])
		for kind := range costs {
			switch {
			case c.Operation != compare.Issue && c.Operation != compare.Verify:
			case c.Suite == compare.FloorRDFC:
				floor[kind] = append(floor[kind], costs[kind][c])
			case c.Format == "vcdm":
				whole[kind] = append(whole[kind], costs[kind][c])
			}
		}
	}
	if len(whole[0]) != 2 || len(floor[0]) != 2 {
		t.Fatalf("cells %v", cells)
	}
	add("issue + verify over the floor", stats.Quotients(whole[0], floor[0]), stats.Quotients(whole[1], floor[1]))
	stats.Correct(table)
	for i, c := range table {
		t.Logf("%s: over the fleet ×%.3f (%.3f to %.3f), %s", labels[i], c.Ratio.Center, c.Ratio.Low, c.Ratio.High, c.Verdict)
		if c.Verdict != stats.Equivalent {
			t.Errorf("%s is not shown to be equivalent", labels[i])
		}
	}
}
