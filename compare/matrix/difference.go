//phase:caller
package matrix

import (
	"fmt"
	"strings"

	"canonscope/compare"
	"canonscope/compare/measure"
)

// What is shown of a difference.
const (
	fewQuads   = 3   // of each form
	quadLength = 240 // characters of one
	around     = 30  // characters before and after the place where JSON differs
)

// difference is the error of two canonical forms that are not the same: how much of them differs, and some
// of that.
func difference(engine, oracle compare.Engine, got, want string, quads bool) *measure.NotedError {
	if !quads {
		return differingText(engine, oracle, []rune(got), []rune(want))
	}

	mine, of := onlyIn(got, want)
	theirs, ofTheirs := onlyIn(want, got)
	e := &measure.NotedError{Err: fmt.Errorf(
		"%s and %s differ: %d of %d quads of %s and %d of %d of %s are not in the other form",
		engine, oracle, len(mine), of, engine, len(theirs), ofTheirs, oracle)}
	if len(mine)+len(theirs) == 0 {
		e.Err = fmt.Errorf("%s and %s differ in the order of the same %d quads", engine, oracle, of)
	}
	e.Notes = append(fewOf(engine, mine), fewOf(oracle, theirs)...)
	return e
}

// onlyIn returns the lines of a form that another has not, or has less often, and the number of all.
func onlyIn(form, other string) (lines []string, all int) {
	left := make(map[string]int)
	for line := range strings.Lines(other) {
		left[line]++
	}
	for line := range strings.Lines(form) {
		all++
		if left[line]--; left[line] < 0 {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines, all
}

// fewOf shows the first lines that an engine has alone.
func fewOf(engine compare.Engine, lines []string) []string {
	var notes []string
	for i, line := range lines {
		if i == fewQuads {
			return append(notes, fmt.Sprintf("%s: and %d more", engine, len(lines)-i))
		}
		if text := []rune(line); len(text) > quadLength {
			line = string(text[:quadLength]) + "…"
		}
		notes = append(notes, string(engine)+": "+line)
	}
	return notes
}

// differingText shows where two forms that are one line of JSON begin to differ.
func differingText(engine, oracle compare.Engine, got, want []rune) *measure.NotedError {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	part := func(form []rune) string {
		return string(form[max(0, at-around):min(len(form), at+around)])
	}
	return &measure.NotedError{Err: fmt.Errorf("%s and %s differ from character %d on, of %d and %d", engine,
		oracle, at+1, len(got), len(want)), Notes: []string{string(engine) + ": " + part(got),
		string(oracle) + ": " + part(want)}}
}
