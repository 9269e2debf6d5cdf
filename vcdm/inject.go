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
	"canonscope/vcdm/internal/value"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// inject adds a proof to a document whose contexts do not define the terms of one, as cause says: it
// appends the context that does (VC Data Integrity 2.4.1). What the document says must stay the same, and
// the proofs that it has would break.
func (s *Signer) inject(ctx context.Context, w *work, doc, options []byte, cause error) ([]byte, error) {
	refuse := func(why string) ([]byte, error) {
		err := problem.New(problem.DataLossDetection, "/@context", noTerms+"; "+why)
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
	if d.proofKey != jsontape.None {
		return refuse("the document has a proof already, which another context would break")
	}

	injected := d.appendContext(nil, ProofContext)
	if d.Context != jsontape.None {
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

// form returns what the suite would sign of a document, nil for a JCS suite, whose documents say what their
// JSON does.
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
	if d.Context == jsontape.None {
		return d.Tape.AppendMember(dst, 0, "@context", value)
	}
	list := append([]byte{'['}, d.contextText()...)
	if d.Tape.Nodes[d.Context].Kind == jsontape.Array {
		list = bytes.TrimRight(list[1:len(list)-1], " \t\r\n") // without the bracket at its end
	}
	if len(list) > 1 {
		list = append(list, ',')
	}
	return d.Tape.AppendReplaced(dst, d.Context, append(append(list, value...), ']'))
}

// lacksTerms reports whether it is certain, without JSON-LD, that the contexts of a document define no term
// of a proof: all of them are built in or inline. A document without @context is JSON alone and needs none.
func (d *document) lacksTerms() bool {
	t, c := d.Tape, d.Context
	if c != jsontape.None && t.Nodes[c].Kind == jsontape.Array && t.Len(c) > 0 {
		c++
	}
	if c == jsontape.None || t.Nodes[c].Kind == jsontape.String && t.TextIs(c, rules.BaseContext) {
		return false
	}
	for e := range value.Each(t, d.Context) {
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

// definesTerms reports whether a context, an object, defines proofs or may give another meaning to what
// [ProofContext] defines.
func definesTerms(t *jsontape.Tape, context int) bool {
	for k, v := range t.Members(context) {
		switch name := string(t.Text(k)); name {
		case proofType, "@context", "@import", "@vocab":
			return true
		default:
			if own, ok := proofTerms().terms[name]; ok && !t.Equal(v, proofTerms().tape, own) {
				return true
			}
		}
	}
	return false
}

type termsOfProofs struct {
	tape    *jsontape.Tape  // of ProofContext
	terms   map[string]int  // in it: nodes of their definitions
	builtIn map[string]bool // by URL, whether the context defines proofs
}

var proofTerms = sync.OnceValue(func() termsOfProofs {
	p := termsOfProofs{terms: map[string]int{}, builtIn: map[string]bool{}}
	for _, c := range contexts.List(false) {
		t := new(jsontape.Tape)
		if err := t.Scan(c.JSON, jsontape.Options{}); err != nil {
			panic(err) // it is embedded
		}
		top := t.Get(0, "@context")
		p.builtIn[c.URL] = t.Get(top, proofType) != jsontape.None
		if c.URL != ProofContext {
			continue
		}
		p.tape = t
		for k, v := range t.Members(top) {
			if name := string(t.Text(k)); name[0] != '@' {
				p.terms[name] = v
			}
		}
	}
	return p
})
