package jsonschema

import (
	"fmt"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// types name the schema of the catalogue that a credential type asks for, the most special first.
var types = []struct{ typ, schema string }{
	{"EuropeanDigitalCredential", "elm"},
	{"ClrCredential", "clr2"},
	{"EndorsementCredential", "ob3-endorsement"},
	{"AchievementCredential", "ob3-achievement"},
	{"OpenBadgeCredential", "ob3-achievement"},
	{"VerifiableCredential", "vcdm2"},
}

// Detect names the schema of the catalogue that fits the types of a credential. A document without a known type is an
// error.
func Detect(doc []byte, limits canon.Limits) (string, error) {
	if limits.Bytes == 0 {
		limits.Bytes = MaxDocumentBytes
	}
	var t jsontape.Tape
	if err := t.Scan(doc, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth}); err != nil {
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
	return "", fmt.Errorf("the document's type names no known credential; name one of the schemas %s, or a file", strings.Join(Names(), ", "))
}
