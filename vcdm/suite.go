package vcdm

import (
	"context"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/phase"
	"canonscope/vcdm/keys"
)

// Suite is a cryptosuite with its canonicalizer. Suites are safe for concurrent use.
type Suite interface {
	// Name returns the cryptosuite identifier, e.g. "eddsa-rdfc-2022".
	Name() string

	// create returns a complete proof for the input.
	create(ctx context.Context, in *input, key *keys.Secret) ([]byte, error)
	// verify checks the input's proof and returns the verified document, without proofs.
	verify(ctx context.Context, in *input, key *keys.Public) ([]byte, error)
}

// input is what a suite works on.
type input struct {
	counts    *Counts
	unsecured []byte // the document without proofs, or with those this one builds on
	doc       *document
	proof     *proof // the proof, or its options
	options   canon.Options
	work      *work
}

// Counts is the work that operations did: each call adds one.
type Counts struct {
	Canonicalizations int // calls of a canonicalizer
	Digests           int // digests of single statements, for selective disclosure
	Signatures        int // signatures made
	Verifications     int // signatures checked
}

// work is memory that one operation uses and the next one reuses.
type work struct {
	tape, options jsontape.Tape
	config        []byte
	forms         [2]canon.Form
	selection     selection
	sd            sdWork
	counts        Counts // of an operation whose caller does not count
}

// canonicalize runs c on text; slot says which Form to reuse.
func (in *input) canonicalize(ctx context.Context, c canon.Canonicalizer, text []byte, slot int, what string) ([]byte, error) {
	opt := in.options
	opt.Into = &in.work.forms[slot]
	in.counts.Canonicalizations++
	form, err := c.Canonicalize(ctx, text, opt)
	if err != nil {
		return nil, transformed(err, what)
	}
	return form.Text, nil
}

// counter returns where an operation counts.
func (w *work) counter(c *Counts) *Counts {
	if c == nil {
		return &w.counts
	}
	return c
}

// engineOptions returns what every canonicalization of an operation gets.
func engineOptions(limits canon.Limits, rec *phase.Recorder) canon.Options {
	return canon.Options{Limits: limits, Recorder: rec}
}
