//phase:caller
package rules

import (
	"fmt"
	"iter"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/schemas/contexts"
	"canonscope/vcdm/internal/value"
	"canonscope/vcdm/problem"
)

// CheckContexts validates the contexts of a verified document (VC Data Integrity 4.6), as a verifier with
// Contexts does: every @context in it, that of the document and those of objects in it, has to be one of
// the known values, compared deeply. Known values are JSON texts, such as
// `["https://www.w3.org/ns/credentials/v2"]`. Unknown contexts are never compacted away.
//
// A signature says that the issuer signed certain statements; only known contexts say that the terms of the
// document mean what its reader thinks.
func CheckContexts(doc []byte, limits canon.Limits, known ...string) error {
	d, err := read(doc, limits)
	if err != nil {
		return err
	}
	return d.CheckContexts(known)
}

// knownContexts are values of @context.
type knownContexts []jsontape.Tape

func readContexts(texts []string) (knownContexts, error) {
	known := make(knownContexts, len(texts))
	for n, text := range texts {
		if err := known[n].Scan([]byte(text), jsontape.Options{}); err != nil {
			return nil, fmt.Errorf("known context %d: %w", n, err)
		}
	}
	return known, nil
}

// has reports whether a value is one of them.
func (k knownContexts) has(t *jsontape.Tape, context int) bool {
	for i := range k {
		if t.Equal(context, &k[i], 0) {
			return true
		}
	}
	return false
}

// CheckContexts is [CheckContexts] of a document that is scanned.
func (d *Document) CheckContexts(texts []string) error {
	known, err := readContexts(texts)
	if err != nil {
		return err
	}
	if d.Context < 0 {
		return problem.New(problem.MalformedValue, "/@context", "is missing")
	}
	for c := range d.contexts() {
		if !known.has(d.Tape, c) {
			return problem.New(problem.MalformedValue, d.Tape.Pointer(c),
				"is not a known one; name the whole value of each @context that is")
		}
	}
	return nil
}

// contexts yields the value of every @context of the document, but not those that are parts of a context.
func (d *Document) contexts() iter.Seq[int] {
	return func(yield func(int) bool) {
		nodes := d.Tape.Nodes
		for i := 0; i < len(nodes); i++ {
			if nodes[i].Hash != contextHash || !d.Tape.TextIs(i, "@context") {
				continue
			}
			if !yield(i + 1) {
				return
			}
			i = int(nodes[i+1].Next) - 1
		}
	}
}

var contextHash = jsontape.KeyHash("@context")

// UnknownContext is a context that is not built in: the reader of a document may not know what its terms
// mean.
type UnknownContext struct {
	Pointer string `json:"pointer"`       // of it in the document
	URL     string `json:"url,omitempty"` // "" for one that is inline
}

// UnknownContexts lists the contexts of the document, and of every object in it, that are inline or not
// built in, and not among the known ones: each is a JSON text.
func (d *Document) UnknownContexts(texts []string) (unknown []UnknownContext) {
	t := d.Tape
	known, _ := readContexts(texts)
	size := 0
	for c := range d.contexts() {
		// A proof of a JCS suite repeats the document's.
		again := c != d.Context && d.Context >= 0 && t.Equal(c, t, d.Context)
		if again || known.has(t, c) {
			continue
		}
		for e := range value.Each(t, c) {
			url := ""
			if t.Nodes[e].Kind == jsontape.String {
				url = string(t.Text(e))
				if _, err := contexts.Find(url); err == nil {
					continue
				}
			}
			if len(unknown) == MaxErrors || size > maxListed {
				return append(unknown, UnknownContext{Pointer: andMore})
			}
			at := t.Pointer(e)
			size += len(at)
			unknown = append(unknown, UnknownContext{at, url})
		}
	}
	return unknown
}

// andMore ends a list that would be too long: of more than MaxErrors, or whose pointers have more bytes
// than maxListed.
const (
	andMore   = "(and more)"
	maxListed = 1 << 20
)

// Unchecked appends JSON pointers to what no check of proofs looks into: status and schemas, and after
// them, behind others, credentials inside a credential, whose proofs are not checked.
func (d *Document) Unchecked(others []string) (pointers []string) {
	t := d.Tape
	for _, name := range []string{"credentialStatus", "credentialSchema"} {
		if t.Get(0, name) >= 0 {
			pointers = append(pointers, "/"+name)
		}
	}
	pointers = append(pointers, others...)
	listed, size := 0, 0
	if d.IsPresentation() {
		listed = t.Get(0, "verifiableCredential") // these have their own results
	}
	for i := 1; i < len(t.Nodes); i++ {
		if i == listed {
			i = int(t.Nodes[i].Next) - 1
		} else if t.Nodes[i].Kind == jsontape.Object &&
			value.Has(t, t.Get(i, "type"), "VerifiableCredential") {
			if len(pointers) >= MaxErrors || size > maxListed {
				return append(pointers, andMore)
			}
			at := t.Pointer(i)
			size += len(at)
			pointers = append(pointers, at)
			i = int(t.Nodes[i].Next) - 1
		}
	}
	return pointers
}
