package vcdm_test

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"testing"

	"canonscope/vcdm"
)

// One signer, holder and verifier serve many goroutines.
func TestConcurrent(t *testing.T) {
	l := newLab(t)
	ctx := context.Background()
	verifier := l.verifier()
	holders := map[string]*vcdm.Holder{}
	for _, s := range []string{sd, bbs} {
		holders[s] = &vcdm.Holder{Suite: l.suite(s).(*vcdm.SD)}
	}
	var wg sync.WaitGroup
	for _, s := range everySuite {
		suite := l.suite(s, "/issuer")
		signer := &vcdm.Signer{Suite: suite, Key: l.key(s)}
		options := l.options(s).AppendJSON(nil, s)
		for range 4 {
			wg.Go(func() {
				for range 5 {
					doc, err := signer.Add(ctx, []byte(credential), options)
					if err == nil && derives(s) {
						doc, err = holders[s].Derive(ctx, doc, []string{"/credentialSubject/result/1"})
					}
					if err != nil {
						t.Error(err)
						return
					}
					if r := verifier.VerifyAll(ctx, doc); !r.Verified {
						t.Errorf("%s: %v", s, r.Err())
					}
				}
			})
		}
	}
	wg.Wait()
}

// What an operation with selective disclosure made stays as it is when others use its memory.
func TestTraceStays(t *testing.T) {
	l := newLab(t)
	trace := new(vcdm.SDTrace)
	signer := &vcdm.Signer{Suite: vcdm.ECDSASD2023(l.rdfc, vcdm.SDOptions{Trace: trace}), Key: l.key(sd)}
	options := l.options(sd).AppendJSON(nil, sd)

	if _, err := signer.Add(context.Background(), []byte(credential), options); err != nil {
		t.Fatal(err)
	}

	first := *trace
	made := slices.Concat(first.Lines...)
	if len(made) == 0 {
		t.Fatal("no statements")
	}
	for range 10 { // each has other labels
		if _, err := signer.Add(context.Background(), []byte(credential), options); err != nil {
			t.Fatal(err)
		}
	}

	if !bytes.Equal(slices.Concat(first.Lines...), made) {
		t.Error("the statements of the first proof have changed")
	}
}
