//phase:caller
package vcdm

import (
	"bytes"
	"context"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
)

// Signer adds proofs. It is safe for concurrent use unless it has Counts.
//
//phase:encode fallback
type Signer struct {
	Suite    Suite
	Key      *keys.Secret
	NoInject bool         // refuse a document whose contexts do not define the terms of a proof
	Limits   canon.Limits // zero fields take their defaults
	Counts   *Counts      // nil counts nothing
}

// Add returns the document with one more proof (VC Data Integrity 4.2 and 4.3). The options are a proof
// without its proofValue, as [Options.AppendJSON] writes it; further members are kept and signed. A
// document that has proofs keeps them, in order, and the new one comes last; previousProof in the options
// binds it to those it names. All bytes outside the proof stay as they are.
//
// But to a document whose contexts do not define the terms of a proof, and that has none, it adds
// [ProofContext] as the last one, which Counts counts (VC Data Integrity 2.4.1). It refuses where the
// document would then say something else. A JCS suite does so where all contexts are inline or built in,
// and leaves JSON without @context as it is.
//
// A document that is not a JSON object is a PARSING_ERROR, data that the suite would not cover a
// DATA_LOSS_DETECTION_ERROR, a wrong option a PROOF_GENERATION_ERROR, each an [*problem.Error]; a limit is
// a [*canon.LimitError].
func (s *Signer) Add(ctx context.Context, doc, options []byte) ([]byte, error) {
	if s == nil || s.Key.Algorithm() == "" {
		return nil, problem.Generation("", "a Signer needs a Suite and a Key")
	}
	if msg := lacks(s.Suite); msg != "" {
		return nil, problem.Generation("", "a Signer needs a Suite: "+msg)
	}
	w := begin(ctx, nil, s.Limits)
	defer w.end()

	secured, err := s.add(ctx, w, doc, options)
	if err != nil && w.in.undefined {
		return s.inject(ctx, w, doc, options, err)
	}
	return secured, err
}

// add adds a proof to a document as it is.
func (s *Signer) add(ctx context.Context, w *work, doc, options []byte) ([]byte, error) {
	w.in.undefined = false
	w.proofs = append(w.proofs[:0], proof{})
	d, p := &w.doc, &w.proofs[0]
	ok := w.parseTogether(d, p, doc, options)
	if !ok {
		var err error
		if *d, err = w.parse(doc); err != nil {
			return nil, err
		}
		if *p, err = parseOptions(&w.options, options); err != nil {
			return nil, err
		}
	}

	if member, msg := p.check(s.Suite.Name(), false); msg != "" {
		return nil, problem.Generation("/"+member, msg)
	}

	in := newInput(d, p, w, s.Counts)
	if MethodOf(s.Suite.Name()) == canon.JCS && (ok || d.proofKey == jsontape.None) && d.lacksTerms() {
		in.undefined = true
		return nil, problem.New(problem.DataLossDetection, "/@context", noTerms)
	}

	if err := in.findPrevious(ok); err != nil {
		return nil, err
	}

	members, err := s.Suite.create(ctx, in, s.Key)
	if err != nil {
		return nil, err
	}

	var secured []byte
	if ok {
		secured = d.appendToProof(make([]byte, 0, len(d.Tape.Src)+len(members)), members)
	} else {
		secured = d.appendSecured(nil, p.appendWith(nil, members))
	}

	return secured, nil
}

// findPrevious finds the proofs that the options name (VC Data Integrity 4.3 steps 1 to 5); alone says that
// the document has none.
func (in *input) findPrevious(alone bool) error {
	var all []proof
	if !alone {
		var err error
		if all, err = in.doc.proofs(nil, in.options.Limits); err != nil {
			return err
		}
	}
	ids, _ := in.proof.texts(in.proof.previous)
	if len(ids) == 0 {
		return nil
	}
	var id, msg string
	if in.matching, id, msg = previous(all, ids); msg != "" {
		return problem.Generation("/previousProof", id+": "+msg)
	}
	return nil
}

// parseTogether scans a document that has no proofs together with the proof options, as if they were its
// proof: one scan of everything that is read afterwards. It returns false where there is more to it, an
// error also.
func (w *work) parseTogether(d *document, p *proof, doc, options []byte) bool {
	end := len(bytes.TrimRight(doc, " \t\r\n"))
	if end < 3 || doc[end-1] != '}' {
		return false
	}
	src := append(append(w.src[:0], doc[:end-1]...), `,"proof":`...)
	from := len(src)
	src = append(append(src, options...), doc[end-1:]...)
	w.src = src
	t := &w.tape
	var err error
	if *d, err = w.parse(src); err != nil || d.proofKey == jsontape.None {
		return false
	}
	// The options have to be the whole of the last member and free of what is going to be added.
	v := &t.Nodes[d.proofKey+1]
	*p = readProof(t, d.proofKey+1)
	return v.Kind == jsontape.Object && int(v.Start) == from && int(v.End) == from+len(options) &&
		int(v.Next) == len(t.Nodes) &&
		p.value == jsontape.None && p.context == jsontape.None
}

// parseOptions scans proof options on their own.
//
//phase:parse
func parseOptions(t *jsontape.Tape, options []byte) (proof, error) {
	if err := t.Scan(options, jsontape.Options{}); err != nil {
		return proof{}, &problem.Error{Type: problem.ProofGenerationError, Msg: "proof options", Err: err}
	}
	if t.Nodes[0].Kind != jsontape.Object {
		return proof{}, problem.Generation("", "proof options are not a JSON object")
	}
	return readProof(t, 0), nil
}
