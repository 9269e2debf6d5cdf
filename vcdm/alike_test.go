package vcdm_test

import (
	"fmt"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/schemas/contexts"
)

// Objects that are alike get labels in the order of the document, whatever an engine does: what an issuer
// makes mandatory is what the holder finds mandatory.
func TestAlike(t *testing.T) {
	l := newLab(t)
	var results []string
	for range 6 {
		results = append(results,
			`{"type":"Result","grade":"same","degree":{"level":"deep","degree":{"level":"deeper"}}}`)
	}
	doc := strings.Replace(credential, `[{"type":"Result","grade":"A"},{"type":"Result","grade":"B"},{"type":"Result","grade":"C"}]`, "["+strings.Join(results, ",")+"]", 1)
	for _, name := range []canon.Engine{canon.Native, canon.Stock, canon.Tuned} {
		c := engineWith(t, name, canon.RDFC, contexts.Embedded())
		for i := range 12 {
			l := l.with(t)
			l.rdfc = c
			signed, _, err := l.issue(doc, "/issuer", fmt.Sprintf("/credentialSubject/result/%d/grade", i%6))
			if err != nil {
				t.Fatal(err)
			}
			shown, err := l.tryDerive(signed, fmt.Sprintf("/credentialSubject/result/%d/degree", (i+1)%6),
				"/name")
			if err != nil {
				t.Fatal(err)
			}
			if err := l.verify(shown); err != nil {
				t.Fatalf("%s: the mandatory result is not the one that was signed: %v", name, err)
			}
		}
	}
}
