//phase:caller
package vcdm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/schemas/contexts"
)

// ProofContext is the context that defines the terms of a proof.
const ProofContext = "https://w3id.org/security/data-integrity/v2"

const noTerms = "the contexts do not define the terms of a proof"

// inject adds a proof to a document whose contexts do not define the terms of one, as cause says: it appends the context that
// does (VC Data Integrity 2.4.1). What the document says must stay the same, and the proofs that it has would break.
func (s *Signer) inject(ctx context.Context, w *work, doc, options []byte, cause error) ([]byte, error) {
	refuse := func(why string) ([]byte, error) {
		err := &Error{Type: DataLossDetection, Where: "/@context", Msg: noTerms + "; " + why}
		if loss := (*canon.LossError)(nil); errors.As(cause, &loss) {
			err.Err = fmt.Errorf("proof options: %w", loss)
		}
		return nil, err
	}
	if s.NoInject {
		return refuse("add " + ProofContext)
	}
	d, err := w.parse(doc)
	if err != nil {
		return nil, err
	}
	if d.proofKey >= 0 {
		return refuse("the document has a proof already, which another context would break")
	}

	injected := d.appendContext(make([]byte, 0, len(doc)+len(ProofContext)+20), ProofContext)
	if d.context >= 0 {
		before, err := s.form(ctx, w, d)
		if err != nil {
			return nil, err
		}
		if d, err = w.parse(injected); err != nil {
			return nil, err
		}
		switch after, err := s.form(ctx, w, d); {
		case err != nil:
			return refuse(ProofContext + " cannot be added: " + err.Error())
		case !bytes.Equal(before, after):
			return refuse("with " + ProofContext + " the document would say something else")
		}
	}

	secured, err := s.add(ctx, w, injected, options)
	if w.in.undefined {
		return nil, cause // it is not for want of this context
	}
	if err == nil {
		w.counter(s.Counts).Injections++
	}
	return secured, err
}

// form returns what the suite would sign of a document, nil for a JCS suite, whose documents say what their JSON does.
func (s *Signer) form(ctx context.Context, w *work, d document) ([]byte, error) {
	w.doc = d
	form, err := s.Suite.form(ctx, newInput(&w.doc, nil, w, s.Counts))
	return bytes.Clone(form), err
}

// appendContext appends the document with one more context, the last.
//
//phase:encode
func (d *document) appendContext(dst []byte, url string) []byte {
	value := jsontape.AppendQuoted(nil, url)
	if d.context < 0 {
		return d.tape.AppendMember(dst, 0, "@context", value)
	}
	list := append([]byte{'['}, d.contextText()...)
	if d.tape.Nodes[d.context].Kind == jsontape.Array {
		list = bytes.TrimRight(list[1:len(list)-1], " \t\r\n") // without the bracket at its end
	}
	if len(list) > 1 {
		list = append(list, ',')
	}
	return d.tape.AppendReplaced(dst, d.context, append(append(list, value...), ']'))
}

// lacksTerms reports whether it is certain, without JSON-LD, that the contexts of a document define no term of a proof: all of
// them are built in or inline. A document without @context is JSON alone and needs none.
func (d *document) lacksTerms() bool {
	t, c := d.tape, d.context
	if c >= 0 && t.Nodes[c].Kind == jsontape.Array && t.Len(c) > 0 {
		c++
	}
	if c < 0 || t.Nodes[c].Kind == jsontape.String && t.TextIs(c, BaseContext) { // which defines them
		return false
	}
	for e := range valuesOf(t, d.context) {
		switch t.Nodes[e].Kind {
		case jsontape.String:
			if defines, known := proofTerms().builtIn[string(t.Text(e))]; defines || !known {
				return false
			}
		case jsontape.Object:
			if definesTerms(t, e) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// definesTerms reports whether a context, an object, defines proofs or may give another meaning to what [ProofContext] defines.
func definesTerms(t *jsontape.Tape, context int) bool {
	for k, v := range t.Members(context) {
		switch name := string(t.Text(k)); name {
		case proofType, "@context", "@import", "@vocab":
			return true
		default:
			if d, ok := proofTerms().terms[name]; ok && !equalAcross(t, v, d.tape, d.node) {
				return true
			}
		}
	}
	return false
}

type termsOfProofs struct {
	terms   map[string]definition // of ProofContext
	builtIn map[string]bool       // by URL, whether the context defines proofs
}

var proofTerms = sync.OnceValue(func() termsOfProofs {
	p := termsOfProofs{map[string]definition{}, map[string]bool{}}
	for _, c := range contexts.List(false) {
		t := new(jsontape.Tape)
		if err := t.Scan(c.JSON, jsontape.Options{}); err != nil {
			panic(err) // it is embedded
		}
		top := t.Get(0, "@context")
		p.builtIn[c.URL] = t.Get(top, proofType) >= 0
		if c.URL != ProofContext {
			continue
		}
		for k, v := range t.Members(top) {
			if name := string(t.Text(k)); name[0] != '@' {
				p.terms[name] = definition{t, v}
			}
		}
	}
	return p
})
