//phase:caller
package rules

import (
	"strconv"
	"sync"
	"unicode/utf8"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/text"
	"canonscope/vcdm/internal/value"
	"canonscope/vcdm/problem"
)

var tapes = sync.Pool{New: func() any { return new(jsontape.Tape) }}

// NewPresentation returns an unsigned presentation of secured credentials, as they are. Each has to be a
// JSON object of the type VerifiableCredential or EnvelopedVerifiableCredential; its proofs are not looked
// at. The holder is a URL; "" leaves it out.
func NewPresentation(holder string, credentials ...[]byte) ([]byte, error) {
	size := 160 + len(holder)
	for _, c := range credentials {
		size += len(c) + 1
	}

	p := append(make([]byte, 0, size), `{"@context":["`+BaseContext+`"],"type":["VerifiablePresentation"]`...)
	if holder != "" {
		if !text.IsURL(holder) || !utf8.ValidString(holder) {
			return nil, problem.New(problem.MalformedValue, "/holder", "must be a URL")
		}
		p = jsontape.AppendQuoted(append(p, `,"holder":`...), holder)
	}

	p = append(p, `,"verifiableCredential":[`...)
	t := tapes.Get().(*jsontape.Tape)
	defer tapes.Put(t)

	for i, c := range credentials {
		if _, err := Read(t, c, canon.Limits{}); err != nil {
			return nil, problem.Inside(err, "/verifiableCredential/"+strconv.Itoa(i))
		}
		if types := t.Get(0, "type"); !value.Has(t, types, "VerifiableCredential") &&
			!value.Has(t, types, "EnvelopedVerifiableCredential") {
			return nil, problem.Inside(problem.New(problem.MalformedValue, "/type",
				"must include VerifiableCredential or EnvelopedVerifiableCredential"),
				"/verifiableCredential/"+strconv.Itoa(i))
		}
		if i > 0 {
			p = append(p, ',')
		}
		p = append(p, t.Raw(0)...)
	}

	return append(p, "]}"...), nil
}
