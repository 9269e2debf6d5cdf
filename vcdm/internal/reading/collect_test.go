package reading

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"canonscope/vcdm/rules"
)

// The facts are those of the lines one by one, wherever a number sign is.
func TestCollect(t *testing.T) {
	subjects := []string{"_:c14n0", "_:c14n12", "<u:root>", "<u:a#b>", "<" + rules.Vocabulary + "x>", "#", ""}
	predicates := []string{"<" + rules.RDFType + ">", "<" + rules.Vocabulary + "issuer>", "<u:p#q>", "<u:p>",
		"<" + rules.Security + "proof>", "<" + rules.Vocabulary + ">", "<" + rules.Vocabulary, ""}
	objects := []string{"<u:o>", "_:c14n1", `"text"`, `"<` + rules.Vocabulary + `issuer>"`, `"# # \" #"@en`,
		"<" + rules.Vocabulary + "VerifiableCredential>", `"x"^^<http://www.w3.org/2001/XMLSchema#dateTime>`,
		"<" + rules.Vocabulary + "VerifiablePresentation>", "<u:o#>", ""}
	graphs := []string{" .\n", " .\n", " .\n", " _:c14n3 .\n", " <u:g#h> .\n", ".\n", "\n"}
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string) string { return from[r.IntN(len(from))] }

	found := 0
	for range 20_000 {
		var texts [][]byte
		var want Reading
		for range r.IntN(4) {
			var text strings.Builder
			for range r.IntN(6) {
				line := pick(subjects) + " " + pick(predicates) + " " + pick(objects) + pick(graphs)
				text.WriteString(line)
				want.addFact([]byte(strings.TrimSuffix(line, "\n")))
			}
			texts = append(texts, []byte(text.String()))
		}
		if len(texts) > 0 && r.IntN(4) == 0 { // the last line may lack its newline
			last := &texts[len(texts)-1]
			*last = bytes.TrimSuffix(*last, newline)
		}

		sorted := func(facts []fact) map[string][]fact { // by subject, in their order
			by := map[string][]fact{}
			for _, f := range facts {
				by[string(f.subject)] = append(by[string(f.subject)], f)
			}
			return by
		}
		var got Reading
		got.collect(texts...)
		if !reflect.DeepEqual(sorted(got.facts), sorted(want.facts)) {
			t.Fatalf("%q: %v, not %v", texts, got.facts, want.facts)
		}
		found += len(got.facts)
	}
	if found < 5_000 {
		t.Errorf("only %d facts", found)
	}
}
