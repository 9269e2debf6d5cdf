// Package conform runs official test suites through any engine and reports the outcome of each test, also as an EARL
// report in Turtle. Start with [RDFC]; the readers of other suites live with what they test and return the same [Result].
package conform

// Outcome of a test.
type Outcome string

const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped" // the engine does not claim to do this; inapplicable in EARL
)

// Result is the outcome of one test.
type Result struct {
	Test    string  // IRI of the test, or its id where the suite has no IRIs
	Name    string  // title in the suite
	Outcome Outcome // Passed, Failed or Skipped
	Reason  string  // why it failed or was skipped; empty if it passed
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
