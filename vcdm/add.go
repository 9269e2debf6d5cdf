package vcdm

import (
	"context"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/phase"
	"canonscope/vcdm/keys"
)

var works = sync.Pool{New: func() any { return new(work) }}

// Signer adds proofs. It is safe for concurrent use unless it has a Recorder or Counts.
type Signer struct {
	Suite    Suite
	Key      *keys.Secret
	Limits   canon.Limits    // zero fields take their defaults
	Recorder *phase.Recorder // nil records nothing
	Counts   *Counts         // nil counts nothing
}

// Add returns the document with one more proof (VC Data Integrity 4.2 and 4.3). The options are a proof without its
// proofValue, as [Options.AppendJSON] writes it; further members are kept and signed. A document that has proofs keeps
// them, in order, and the new one comes last; previousProof in the options binds it to those it names. All bytes outside
// the proof stay as they are.
//
// A document that is no JSON object is a PARSING_ERROR, data that the suite would not cover a DATA_LOSS_DETECTION_ERROR,
// a wrong option a PROOF_GENERATION_ERROR, each an [*Error]; a limit is a [*canon.LimitError].
func (s *Signer) Add(ctx context.Context, doc, options []byte) ([]byte, error) {
	w := works.Get().(*work)
	defer works.Put(w)

	mark := s.Recorder.Begin()
	d, err := parseDocument(&w.tape, doc, s.Limits)
	if err != nil {
		return nil, err
	}
	p, err := parseOptions(&w.options, options, s.Suite.Name())
	if err != nil {
		return nil, err
	}
	all, err := d.proofs()
	if err != nil {
		return nil, err
	}
	var matching []proof
	if ids, _ := p.texts(p.previous); len(ids) > 0 {
		var id, msg string
		if matching, id, msg = previous(all, ids); msg != "" {
			return nil, generation("/previousProof", id+": "+msg)
		}
	}
	in := &input{counts: w.counter(s.Counts), unsecured: doc, doc: &d, proof: &p, options: engineOptions(s.Limits, s.Recorder), work: w}
	if d.proofKey >= 0 {
		in.unsecured = d.appendUnsecured(nil, matching)
	}
	s.Recorder.End(phase.Parse, mark, len(doc)+len(options))

	proof, err := s.Suite.create(ctx, in, s.Key)
	if err != nil {
		return nil, err
	}
	mark = s.Recorder.Begin()
	secured := d.appendSecured(make([]byte, 0, len(doc)+len(proof)+16), proof)
	s.Recorder.End(phase.Encode, mark, len(secured))
	return secured, nil
}

// parseOptions reads proof options and checks them (VC-DI-EdDSA 3.2.5 steps 2 and 3, VC Data Integrity 4.2 step 2).
func parseOptions(t *jsontape.Tape, options []byte, suite string) (proof, error) {
	if err := t.Scan(options, jsontape.Options{}); err != nil {
		return proof{}, &Error{Type: ProofGenerationError, Msg: "proof options", Err: err}
	}
	if t.Nodes[0].Kind != jsontape.Object {
		return proof{}, generation("", "proof options are no JSON object")
	}
	p := readProof(t, 0)
	if member, msg := p.check(suite, false); msg != "" {
		return proof{}, generation("/"+member, msg)
	}
	return p, nil
}
