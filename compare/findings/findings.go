// Package findings lists what this project found about libraries and specifications, each with commands that
// show it and with what its authors may want to know. [All] has them in order; [Numbered] finds one. The
// command runs them.
package findings

import (
	"fmt"
	"strings"

	"canonscope/compare/foreign"
)

// Finding is one thing that was found.
type Finding struct {
	N     int    `json:"n"`     // from 1, as users name it
	About string `json:"about"` // whom it concerns: a library, a specification, those who measure
	Title string `json:"title"` // in a sentence
	Text  string `json:"text"`  // what happens, why, and what follows
	Tell  string `json:"tell"`  // what to tell the authors
	Steps []Step `json:"steps"` // show it, in under a minute together
}

// Measured reports whether a step measures: its figures differ from machine to machine, and it has no
// outcome that could be checked.
func (f *Finding) Measured() bool {
	for i := range f.Steps {
		if f.Steps[i].Look != "" {
			return true
		}
	}
	return false
}

// Step is a command that shows a finding.
type Step struct {
	Input []string `json:"input,omitempty"` // lines of standard input
	From  []string `json:"from,omitempty"`  // arguments of a command that prints standard input, instead
	Args  []string `json:"args"`            // of the command

	// What it answers: its exit status, and texts that it prints or does not, on standard output or error,
	// whatever white space is between their words.
	Status int      `json:"status"`
	Says   []string `json:"says,omitempty"`
	Lacks  []string `json:"lacks,omitempty"`

	Look string `json:"look,omitempty"` // of a measurement, at what to look

	Needs string `json:"needs,omitempty"` // family of adapters that has to be installed
}

// Ready reports whether what the step needs is installed.
func (s *Step) Ready() bool {
	if s.Needs == "" {
		return true
	}
	f, err := foreign.FamilyNamed(s.Needs)
	return err == nil && f.Installed()
}

// Command returns the step as a shell reads it.
func (s *Step) Command() string {
	command := words(s.Args)
	switch {
	case s.From != nil:
		return words(s.From) + " | " + command
	case s.Input != nil:
		text := `printf '%s\n'`
		for _, line := range s.Input {
			text += " " + quoted(line)
		}
		return text + " | " + command
	}
	return command
}

func words(args []string) string {
	text := "canonscope"
	for _, a := range args {
		if strings.ContainsAny(a, " '\"{}[]<>$&|;*?\\") {
			a = quoted(a)
		}
		text += " " + a
	}
	return text
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Check returns how an outcome of the step differs from what is described, nil if it does not.
func (s *Step) Check(status int, output string) error {
	if status != s.Status {
		return fmt.Errorf("%s: exit status %d; the finding describes %d", s.Command(), status, s.Status)
	}
	text := oneLine(output)
	for _, want := range s.Says {
		if !strings.Contains(text, oneLine(want)) {
			return fmt.Errorf("%s: it does not print %q, as the finding describes", s.Command(), want)
		}
	}
	for _, not := range s.Lacks {
		if strings.Contains(text, oneLine(not)) {
			return fmt.Errorf("%s: it prints %q; the finding describes that it does not", s.Command(), not)
		}
	}
	return nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Numbered returns the finding of a number.
func Numbered(n int) (*Finding, error) {
	if n < 1 || n > len(All) {
		return nil, fmt.Errorf("there is no finding %d; they are numbered 1 to %d", n, len(All))
	}
	return &All[n-1], nil
}

// All are the findings, numbered in their order.
var All = number(dropped, altered, undetermined, costly, misread, elsewhere)

func number(groups ...[]Finding) []Finding {
	var all []Finding
	for _, g := range groups {
		for _, f := range g {
			f.N = len(all) + 1
			all = append(all, f)
		}
	}
	return all
}
