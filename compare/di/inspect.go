//phase:caller
package di

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
)

// inspection is a document as inspect --json shows it.
type inspection struct {
	Format   compare.Format    `json:"format"`
	Size     int               `json:"size"`
	What     string            `json:"what"`
	Issuer   string            `json:"issuer,omitempty"` // of a presentation the holder
	Document json.RawMessage   `json:"document"`         // without proofs
	Proofs   []json.RawMessage `json:"proofs"`
	Secret   bool              `json:"secret,omitempty"` // it holds a secret key, which is left out
	Links    []string          `json:"links,omitempty"`  // what can link presentations of one credential

	suites string // in words
}

// inspect takes a JSON document and its proofs apart.
func inspect(doc []byte, limits canon.Limits) (*compare.Inspection, error) {
	t := new(jsontape.Tape)
	scan := jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth, Memory: limits.Memory}
	if err := t.Scan(doc, scan); err != nil {
		return nil, err
	}

	out := inspection{Format: compare.VCDM, Size: len(t.Src), What: kindOf(t), Proofs: []json.RawMessage{},
		Issuer: partyOf(t)}
	var err error
	doc, secret := keys.Redacted(t)
	if out.Secret = secret; secret {
		size := out.Size
		var shown jsontape.Tape
		scan.Bytes = len(doc)
		if err := shown.Scan(doc, scan); err != nil {
			return nil, err
		}
		t, out.Size = &shown, size
	}

	out.Document = t.Src

	if proof := t.Key(0, "proof"); proof >= 0 {
		out.Document = t.AppendWithout(nil, 0, proof)
		add := func(n int) {
			suite := t.GetText(n, "cryptosuite")
			if suite == "" {
				suite = t.GetText(n, "type")
			}
			if len(out.Proofs) < 8 && suite != "" {
				out.suites += ", " + suite
			}
			out.Proofs = append(out.Proofs, t.Raw(n))
		}
		if value := proof + 1; t.Nodes[value].Kind == jsontape.Array {
			for e := range t.Elements(value) {
				add(e)
			}
		} else {
			add(value)
		}
	}

	if out.Links, err = vcdm.Links(t.Src, limits); err != nil {
		return nil, err
	}

	asJSON := func() (any, error) { return out, nil }
	return &compare.Inspection{Line: out.line, Print: out.print, JSON: asJSON}, nil
}

// kindOf names the kind of a JSON object.
func kindOf(t *jsontape.Tape) string {
	has := func(name string) bool {
		n := t.Get(0, "type")
		if n < 0 {
			return false
		}
		if t.Nodes[n].Kind == jsontape.String {
			return t.TextIs(n, name)
		}
		if t.Nodes[n].Kind == jsontape.Array {
			for e := range t.Elements(n) {
				if t.Nodes[e].Kind == jsontape.String && t.TextIs(e, name) {
					return true
				}
			}
		}
		return false
	}
	switch {
	case has("VerifiableCredential"):
		return "credential"
	case has("VerifiablePresentation"):
		return "presentation"
	}
	return "document"
}

// partyOf returns the issuer of a credential or the holder of a presentation, "" where it names none.
func partyOf(t *jsontape.Tape) string {
	for _, name := range []string{"issuer", "holder"} {
		if id := t.GetText(0, name); id != "" {
			return id
		}
		if n := t.Get(0, name); n >= 0 {
			return t.GetText(n, "id")
		}
	}
	return ""
}

func (v *inspection) count() string {
	if len(v.Proofs) == 1 {
		return "1 proof"
	}
	return fmt.Sprintf("%d proofs", len(v.Proofs))
}

func (v *inspection) line() string {
	text := fmt.Sprintf("vcdm %s, %d bytes, %s%s", v.What, v.Size, v.count(), v.suites)
	if v.Issuer != "" {
		text += ", by " + v.Issuer
	}
	if v.Secret {
		text += ", holds a secret key"
	}
	return text
}

func (v *inspection) print(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "VCDM %s of %d bytes, %s\n", v.What, v.Size, v.count())
	printable.IndentLines(b, v.Document, "  ")
	for i, proof := range v.Proofs {
		fmt.Fprintf(b, "proof %d\n", i+1)
		printable.IndentLines(b, proof, "  ")
	}
	if len(v.Links) > 0 {
		fmt.Fprintln(b, "can link presentations of this credential")
		for _, link := range v.Links {
			fmt.Fprintln(b, " ", link)
		}
	}
	if v.Secret {
		fmt.Fprintln(b, keys.HoldsSecret)
	}
	return b.Flush()
}
