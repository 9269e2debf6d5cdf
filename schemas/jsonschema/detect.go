//phase:validate
package jsonschema

import (
	"fmt"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// types map credential types to schemas of the catalogue, the most specific first.
var types = []struct{ typ, schema string }{
	{"EuropeanDigitalCredential", "elm"},
	{"ClrCredential", "clr2"},
	{"EndorsementCredential", "ob3-endorsement"},
	{"AchievementCredential", "ob3-achievement"},
	{"OpenBadgeCredential", "ob3-achievement"},
	{"VerifiableCredential", "vcdm2"},
}

// version1 is the first context of a document of version 1.1 of the data model.
const version1 = "https://www.w3.org/2018/credentials/v1"

// Outdated reports whether a document has version 1.1 of the data model and the schema of the catalogue has
// version 2.0, so that the document cannot be valid.
func Outdated(schema string, doc []byte, limits canon.Limits) (bool, error) {
	if schema == "elm" || !slices.Contains(Names(), schema) { // the schema of ELM has version 1.1
		return false, nil
	}
	var t jsontape.Tape
	if err := scan(&t, doc, limits); err != nil {
		return false, err
	}
	first := t.Get(0, "@context")
	if first > 0 && t.Nodes[first].Kind == jsontape.Array && t.Len(first) > 0 {
		first++
	}
	return first > 0 && t.Nodes[first].Kind == jsontape.String && t.TextIs(first, version1), nil
}

func scan(t *jsontape.Tape, doc []byte, limits canon.Limits) error {
	if limits.Bytes <= 0 {
		limits.Bytes = MaxDocumentBytes
	}
	return t.Scan(doc, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth})
}

// Detect returns the name of the schema of the catalogue that matches the types of a credential. A document
// without a known type is an error.
func Detect(doc []byte, limits canon.Limits) (string, error) {
	var t jsontape.Tape
	if err := scan(&t, doc, limits); err != nil {
		return "", err
	}
	has := map[string]bool{}
	if i := t.Get(0, "type"); i > 0 {
		switch t.Nodes[i].Kind {
		case jsontape.String:
			has[string(t.Text(i))] = true
		case jsontape.Array:
			for e := range t.Elements(i) {
				if t.Nodes[e].Kind == jsontape.String {
					has[string(t.Text(e))] = true
				}
			}
		}
	}
	for _, c := range types {
		if has[c.typ] {
			return c.schema, nil
		}
	}
	return "", fmt.Errorf("the document has no known credential type; name one of the schemas %s, or a file",
		strings.Join(Names(), ", "))
}
