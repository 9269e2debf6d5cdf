package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"canonscope/compare/findings"
	"canonscope/compare/study"
)

// Every finding says whom it concerns, what happens and what to tell, and its commands answer as it describes.
// Measurements run on request alone: their command lines are read.
func TestFindings(t *testing.T) {
	titles := make(map[string]bool)
	for i := range findings.All {
		f := &findings.All[i]
		if f.N != i+1 || f.About == "" || f.Title == "" || f.Text == "" || f.Tell == "" || len(f.Steps) == 0 {
			t.Errorf("finding %d is incomplete: %+v", i+1, f)
		}
		if titles[f.Title] {
			t.Errorf("finding %d: two have its title", f.N)
		}
		titles[f.Title] = true
		for k := range f.Steps {
			s := &f.Steps[k]
			if !s.Ready() {
				continue
			}
			if s.Look != "" && os.Getenv("CANONSCOPE_MACHINE") != "1" {
				cmd, args, err := newRootCommand().Find(s.Args)
				if err == nil {
					err = cmd.ParseFlags(args)
				}
				if err != nil {
					t.Errorf("finding %d: %s: %v", f.N, s.Command(), err)
				}
				continue
			}
			if s.Look != "" {
				t.Chdir(t.TempDir()) // a campaign writes its folder
			} else if s.Status == 0 && s.Says == nil && s.Lacks == nil {
				t.Errorf("finding %d: %s: nothing is expected of it", f.N, s.Command())
			}
			var out bytes.Buffer
			if err := s.Check(runStep(s, &out, &out), out.String()); err != nil {
				t.Errorf("finding %d: %v\n%s", f.N, err, out.String())
			}
		}
	}
	if len(findings.All) < 20 {
		t.Errorf("there are %d findings", len(findings.All))
	}
}

// A step that answers otherwise is reported, so that a library that was mended is noticed.
func TestFindingDiffers(t *testing.T) {
	s := findings.Step{Args: []string{"canonize"}, Says: []string{"a  text"}, Lacks: []string{"gone"}}
	for output, want := range map[string]string{"a\ntext": "", "text": "does not print", "a text gone": "it prints"} {
		err := s.Check(0, output)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", output, err)
		}
	}
	if err := s.Check(2, "a text"); err == nil {
		t.Error("another exit status is as described")
	}
}

// The commands that the study shows are those that measure the same cells.
func TestCommandsOfTheStudy(t *testing.T) {
	for i := range study.Scenarios {
		line := strings.Fields(study.Scenarios[i].Command())
		cmd, args, err := newRootCommand().Find(line[1:])
		if err == nil {
			err = cmd.ParseFlags(args)
		}
		if err != nil || cmd.Name() != "run" && cmd.Name() != "study" {
			t.Errorf("%s: %v", strings.Join(line, " "), err)
		}
	}
}
