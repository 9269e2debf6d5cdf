package di

import (
	"strings"
	"testing"

	"canonscope/schemas"
)

// Of a proof that does not say when it was made, the purpose is altered, whatever else of the document has the name.
func TestTamperWithoutTime(t *testing.T) {
	for created, want := range map[string]string{"": "proofPurpose", `"created":"2026-01-01T00:00:00Z",`: "created"} {
		doc := `{"created":"2020-01-01T00:00:00Z","proof":{"type":"DataIntegrityProof",` + created +
			`"proofPurpose":"assertionMethod","proofValue":"uABCDEFGHIJKLMNOPQRSTUVWX"}}`
		all, err := tamper(&schemas.Credential{VCDM: []byte("{}")}, []byte(doc), false)
		if err != nil || len(all) != 2 {
			t.Fatalf("%v, %d altered", err, len(all))
		}
		before, _, _ := strings.Cut(doc, `"proof"`)
		if got := all[1]; got.What != "the proof's "+want || string(got.Bytes) == doc || !strings.HasPrefix(string(got.Bytes), before) {
			t.Errorf("%s: %s", got.What, got.Bytes)
		}
	}
}
