// Package conform runs official test suites through any engine and reports the outcome of each test, also
// as an EARL report in Turtle. Start with [RDFC]. Readers of other suites are in the packages that they
// test, and return the same [Result].
package conform

import (
	"errors"
	"fmt"

	"canonscope/canon"
)

// Outcome of a test.
type Outcome string

const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped" // the engine does not claim to support this; inapplicable in EARL
)

// Result is the outcome of one test.
type Result struct {
	Test    string  // IRI of the test, or its id if the suite has no IRIs
	Name    string  // title in the suite
	Outcome Outcome // Passed, Failed or Skipped
	Reason  string  // why it failed or was skipped; empty if it passed
}

var errNoEngine = errors.New("conform: the engine is nil")

// judge sets the outcome from the error of a test.
func (r Result) judge(err error) Result {
	var unsupported *canon.UnsupportedError
	switch {
	case err == nil:
		r.Outcome = Passed
	case errors.As(err, &unsupported):
		r.Outcome, r.Reason = Skipped, err.Error()
	default:
		r.Outcome, r.Reason = Failed, err.Error()
	}
	return r
}

// Answer sets the outcome of an input that a verifier must accept ("accept") or refuse ("reject"), from the
// error of the verifier. If the suite leaves it to policy ("policy"), both answers are right.
func (r Result) Answer(expect string, err error) Result {
	switch {
	case expect == "accept":
		return r.judge(err)
	case expect == "reject" && err != nil:
		r.Outcome = Passed
	case expect == "reject":
		r.Outcome, r.Reason = Failed, "accepted, but it must be refused"
	case expect == "policy" && err != nil:
		r.Outcome, r.Reason = Skipped, "a matter of policy; by default "+err.Error()
	case expect == "policy":
		r.Outcome, r.Reason = Skipped, "a matter of policy; by default accepted"
	default:
		r.Outcome, r.Reason = Failed, fmt.Sprintf("the suite expects %q, which is unknown", expect)
	}
	return r
}

// Count returns how many results have each outcome.
func Count(results []Result) (passed, failed, skipped int) {
	for _, r := range results {
		switch r.Outcome {
		case Passed:
			passed++
		case Failed:
			failed++
		case Skipped:
			skipped++
		}
	}
	return
}
