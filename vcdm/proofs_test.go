package vcdm_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/vcdm"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// counted counts canonicalizations of documents that hold a text.
type counted struct {
	canon.Canonicalizer
	text string
	n    int
}

func (c *counted) Canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	if strings.Contains(string(doc), c.text) {
		c.n++
	}
	return c.Canonicalizer.Canonicalize(ctx, doc, opt)
}

// A document is canonicalized once for all proofs that read it alike, and each proof is still checked for
// itself.
func TestDocumentOfManyProofs(t *testing.T) {
	l := newLab(t)
	for suite, method := range map[string]canon.Canonicalizer{"eddsa-rdfc-2022": l.rdfc,
		"eddsa-jcs-2022": l.jcs} {
		const text = "Example Learner"
		signed := credential
		if !strings.Contains(signed, text) {
			signed = strings.Replace(signed, `"one"`, `"`+text+`"`, 1)
		}
		for i := range 10 {
			signed = l.sign(suite, signed, func(o *vcdm.Options) { o.ID = fmt.Sprintf("urn:p:%d", i) })
		}
		c := &counted{Canonicalizer: method, text: text}
		v := l.verifier()
		info, err := vcdm.SuiteNamed(suite)
		if err != nil {
			t.Fatal(err)
		}
		v.Suites = []vcdm.Suite{info.New(c, vcdm.SDOptions{})}
		v.AllReasons = true
		r := v.VerifyAll(context.Background(), []byte(signed))
		if err := r.Err(); err != nil || len(r.Proofs()) != 10 {
			t.Fatalf("%s: %v, %d proofs", suite, err, len(r.Proofs()))
		}
		if c.n != 1 {
			t.Errorf("%s: the document is canonicalized %d times", suite, c.n)
		}

		changed := strings.Replace(signed, "urn:p:7", "urn:q:7", 1)
		for i, p := range v.VerifyAll(context.Background(), []byte(changed)).Proofs() {
			if p.Verified == (i == 7) {
				t.Errorf("%s: proof %d verified: %v", suite, i, p.Verified)
			}
		}
		forged := strings.Replace(signed, text, "Another Learner", 1)
		for i, p := range v.VerifyAll(context.Background(), []byte(forged)).Proofs() {
			if p.Verified {
				t.Errorf("%s: proof %d of a changed document verified", suite, i)
			}
		}
	}
}

// What no holder could derive from is not issued.
func TestManyMandatoryPointers(t *testing.T) {
	l := newLab(t)
	pointers := make([]string, 1001)
	for i := range pointers {
		pointers[i] = "/issuer"
	}
	for n, fits := range map[int]bool{1000: true, 1001: false} {
		signer := &vcdm.Signer{Suite: l.suite(sd, pointers[:n]...), Key: l.key(sd)}
		signed, err := signer.Add(context.Background(), []byte(credential), l.options(sd).AppendJSON(nil, sd))
		if !fits {
			l.failed("1,001 pointers", err, problem.ProofGenerationError)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		l.derive(string(signed), "/credentialSubject")
	}
}

// The hash of a resource is made once, however often a document names it: 4,000 of them would take a minute.
func TestHashesOnce(t *testing.T) {
	resource := make([]byte, 32<<20)
	known := rules.HashesOf(map[string][]byte{"u:r": resource})
	sum := sha256.Sum256(resource)
	digests := strings.Repeat(`,"sha256-`+base64.StdEncoding.EncodeToString(sum[:])+`"`, 4000)
	start := time.Now()
	doc := `{"relatedResource":[{"id":"u:r","digestSRI":[` + digests[1:] + `]}]}`
	if err := rules.CheckRelated([]byte(doc), canon.Limits{}, known); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("took %v", took)
	}
	if _, ok := known("u:r", "multihash 0x1"); ok {
		t.Error("knows a hash function that it does not have")
	}
	if _, ok := known("u:s", "sha256"); ok {
		t.Error("knows a resource that is not given")
	}
}
