package vcdm_test

import (
	"context"
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
