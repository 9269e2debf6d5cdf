package measure_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"canonscope/compare"
	"canonscope/compare/measure"
)

// same reports where two campaigns differ as they are written.
func same(t *testing.T, got, want *compare.Campaign) {
	t.Helper()
	var a, b any
	for v, c := range map[*any]*compare.Campaign{&a: got, &b: want} {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, v); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(a, b) {
		x, _ := json.MarshalIndent(a, "", " ")
		y, _ := json.MarshalIndent(b, "", " ")
		t.Errorf("got %s\nwant %s", x, y)
	}
}

// everyPass is a plan with all passes, of cells that end in different ways.
func everyPass() measure.Plan {
	p := plan("a", "wrong-form", "fails-late", "unsupported")
	p.Window.N, p.Profile, p.Raw, p.Allocs = 10, 0.05, true, true
	p.Command, p.LeftOut, p.Now = "canonscope run", []string{"what else there is"}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p.Disclosed = []compare.Disclosed{{Schema: "fake", Elements: 1, Of: 2}}
	none := cell("none", compare.Issue)
	p.Unsupported = []compare.Result{{Cell: none, ID: none.ID(), State: compare.Unsupported, Reason: "no engine"}}
	p.Given.Contexts = map[string][]byte{"https://example.org/v1": []byte("{}")}
	return p
}

// A folder holds the campaign that ran, whatever became of its cells, without any file that reports write.
func TestLoad(t *testing.T) {
	c, dir := run(t, everyPass())
	l, err := measure.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	same(t, l.Campaign, c)
	if !l.Ended || l.Half != 0 || l.Binary != measure.BinaryHash() || l.Rules != measure.Rules().Hash() || len(l.Plan.Cells) != 4 {
		t.Errorf("loaded %+v", l.Planned)
	}
	if w := l.Campaign.Results[0].Work; w.Documents != 8 || w.Oracle != "other" || l.Campaign.Results[0].Profile == nil {
		t.Errorf("the first cell is %+v", l.Campaign.Results[0])
	}
}

// A campaign that was killed has what its whole lines hold, at any length of its journal.
func TestLoadKilled(t *testing.T) {
	_, dir := run(t, everyPass())
	name := filepath.Join(dir, "runs.jsonl")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	whole := bytes.Count(text, []byte("\n"))
	for size := len(text); size >= 0; size -= 1 + len(text)/97 {
		if err := os.WriteFile(name, text[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := measure.Load(dir)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		lines := bytes.Count(text[:size], []byte("\n"))
		if end := lines == whole; l.Ended != end || l.Campaign.Interrupted == end || l.Size+l.Half != int64(size) {
			t.Errorf("%d bytes: ended %v, %d whole, %d not", size, l.Ended, l.Size, l.Half)
		}
		if got := len(l.Records); got != min(lines, whole-1) || len(l.Campaign.Results) != 5 {
			t.Errorf("%d bytes: %d records of %d lines, %d results", size, got, lines, len(l.Campaign.Results))
		}
	}
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := measure.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range l.Campaign.Results[:4] {
		if r.State != compare.LeftOut || r.Reason != "not reached" || len(r.Runs) > 0 {
			t.Errorf("%s: %s: %s", r.ID, r.State, r.Reason)
		}
	}
}

// What is damaged, foreign or of another version is refused with file and line, and nothing is written.
func TestLoadRefuses(t *testing.T) {
	_, made := run(t, plan("a"))
	files := make(map[string]string)
	for _, name := range []string{"plan.json", "env.json", "runs.jsonl"} {
		text, err := os.ReadFile(filepath.Join(made, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	lines := strings.SplitAfter(files["runs.jsonl"], "\n")
	replace := func(name, old, by string) string {
		if !strings.Contains(files[name], old) {
			t.Fatalf("%s has no %q", name, old)
		}
		return strings.Replace(files[name], old, by, 1)
	}

	for what, c := range map[string]struct{ name, text, want string }{
		"no plan":       {"plan.json", "-", "plan.json: there is no such file"},
		"empty plan":    {"plan.json", "", "plan.json: is damaged at byte 0"},
		"half a plan":   {"plan.json", files["plan.json"][:300], "plan.json: is damaged at byte 300"},
		"foreign plan":  {"plan.json", `{"name":"a package"}`, "plan.json: is not the plan of a campaign: it has no version"},
		"newer":         {"plan.json", replace("plan.json", `"version": 3`, `"version": 4`), "plan.json: results of version 4; this program reads version 3"},
		"cell":          {"plan.json", replace("plan.json", "format=fake", "shape=fake"), `unknown key "shape"`},
		"no documents":  {"plan.json", replace("plan.json", `"documents": 8`, `"documents": 0`), "it plans 2 runs of 0 documents"},
		"environment":   {"env.json", "[]", "env.json: json: cannot unmarshal array"},
		"no runs":       {"runs.jsonl", "-", "runs.jsonl: no such file"},
		"not a line":    {"runs.jsonl", lines[0] + "{\"kind\":\n" + lines[1], "runs.jsonl:2: is damaged at byte "},
		"hole":          {"runs.jsonl", lines[0] + "\x00\x00\x00\n", "runs.jsonl:2: is damaged at byte 1"},
		"doubled":       {"runs.jsonl", lines[0] + lines[1] + lines[2] + lines[1], "runs.jsonl:4: the same process as in line 2"},
		"other seed":    {"runs.jsonl", replace("runs.jsonl", `"seed":3`, `"seed":4`), "runs.jsonl:1: it has the seed 4, the plan has 3"},
		"other cell":    {"runs.jsonl", replace("runs.jsonl", "suite=a/", "suite=b/"), `runs.jsonl:1: cell "format=fake/suite=b/engine=stock`},
		"newer kind":    {"runs.jsonl", replace("runs.jsonl", `"kind":"gate"`, `"kind":"energy"`), `runs.jsonl:1: unknown kind of process "energy"`},
		"too many runs": {"runs.jsonl", replace("runs.jsonl", `"block":1,`, `"block":2,`), "it is run 3 of 2"},
		"no time":       {"runs.jsonl", replace("runs.jsonl", `"cpu_ns":`, `"cpu_ns":-`), "what it measured of issue is not a measurement"},
	} {
		dir := t.TempDir()
		for name, text := range files {
			if name == c.name {
				text = c.text
			}
			if text == "-" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := measure.Load(dir)
		var at *measure.FolderError
		if !errors.As(err, &at) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(at.File, dir) {
			t.Errorf("%s: %v", what, err)
		}
		var version *compare.VersionError
		if errors.As(err, &version) != (what == "newer") || errors.Is(err, measure.ErrNoPlan) != (what == "no plan") {
			t.Errorf("%s: %v", what, err)
		}
	}

	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "plan.json"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := measure.Load(dir); err == nil || !strings.Contains(err.Error(), "plan.json: is not a file") {
		t.Errorf("a pipe: %v", err)
	}
	if _, err := measure.Load(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// A folder that is over is locked while reports are written, and its raw data stays.
func TestReopen(t *testing.T) {
	_, dir := run(t, plan("a"))
	before, err := os.ReadFile(filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := measure.Reopen(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := measure.Reopen(dir); !errors.Is(err, measure.ErrInUse) {
		t.Errorf("locked twice: %v", err)
	}
	if err := f.Write("table.md", content("table")); err != nil {
		t.Error(err)
	}
	if kept, lost := f.Kept(); len(kept) != 1 || len(lost) != 0 {
		t.Errorf("kept %v, lost %v", kept, lost)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "runs.jsonl")); !bytes.Equal(before, after) {
		t.Error("runs.jsonl has changed")
	}
}
