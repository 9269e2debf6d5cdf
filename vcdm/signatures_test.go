package vcdm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/vcdm"
)

// Signatures are bounded in number before one is made or checked: those of the statements of one document,
// and those of all credentials of a presentation together.
func TestSignatureLimit(t *testing.T) {
	l := newLab(t)
	limited := func(what string, err error, counts *vcdm.Counts) {
		t.Helper()
		var limit *canon.LimitError
		if !errors.As(err, &limit) || limit.Limit != "signatures" ||
			limit.Max != int64(canon.DefaultSignatures) || limit.Done <= limit.Max {
			t.Errorf("%s: %v, want the limit of signatures", what, err)
		}
		if counts.Signatures+counts.Verifications > 0 {
			t.Errorf("%s: %d signatures made, %d checked", what, counts.Signatures, counts.Verifications)
		}
	}
	var notes []string
	for i := range canon.DefaultSignatures {
		notes = append(notes, fmt.Sprint(i))
	}
	large := strings.Replace(credential, `"one","two","three"`, `"`+strings.Join(notes, `","`)+`"`, 1)
	options := l.options(sd).AppendJSON(nil, sd)
	counts := new(vcdm.Counts)
	signer := &vcdm.Signer{Suite: l.suite(sd), Key: l.key(sd), Counts: counts}
	_, err := signer.Add(context.Background(), []byte(large), options)
	limited("issue", err, counts)

	signer.Limits.Signatures = 2 * canon.DefaultSignatures
	signed, err := signer.Add(context.Background(), []byte(large), options)
	if err != nil {
		t.Fatalf("issue where the caller allows it: %v", err)
	}
	counts = new(vcdm.Counts)
	holder := &vcdm.Holder{Suite: l.suite(sd).(*vcdm.SD), Counts: counts}
	_, err = holder.Derive(context.Background(), signed, []string{""})
	limited("derive", err, counts)
	holder.Limits.Signatures = 2 * canon.DefaultSignatures
	shown, err := holder.Derive(context.Background(), signed, []string{""})
	if err != nil {
		t.Fatalf("derive where the caller allows it: %v", err)
	}
	v := l.verifier()
	counts = new(vcdm.Counts)
	v.Counts = counts
	limited("verify", v.VerifyAll(context.Background(), shown).Err(), counts)

	// Those of P-384 take longer and count as more.
	for suite, most := range map[string]int{"eddsa-jcs-2022": 5, "ecdsa-jcs-2019": 5, "p-384": 60} {
		key := l.secrets["ES384"]
		if suite == "p-384" {
			suite = "ecdsa-jcs-2019"
		} else {
			key = l.key(suite)
		}
		o := l.options(suite)
		o.Method = key.Public().Method()
		one, err := (&vcdm.Signer{Suite: l.suite(suite), Key: key}).Add(context.Background(),
			[]byte(credential), o.AppendJSON(nil, suite))
		if err != nil {
			t.Fatal(err)
		}
		vp := l.sign("eddsa-jcs-2022", string(l.presentation("did:example:holder", one, one, one, one, one)),
			func(o *vcdm.Options) { o.Purpose = vcdm.Authentication })
		v := l.verifier()
		v.Purpose, v.AllReasons = "", false
		for limit, want := range map[int]bool{most: false, most + 1: true} {
			v.Limits.Signatures = limit
			r := v.VerifyAll(context.Background(), []byte(vp))
			var e *canon.LimitError
			if r.Verified != want || !want && (!errors.As(r.Err(), &e) || e.Limit != "signatures") {
				t.Errorf("%s: five credentials and their presentation with a limit of %d: %v",
					key.Algorithm(), limit, r.Err())
			}
		}
	}
}

// The results of credentials and the reasons why they fail are memory of the operation, where all are asked
// for.
func TestResultMemory(t *testing.T) {
	l := newLab(t)
	one := []byte(`{"type":"VerifiableCredential","proof":[{},{}]}`)
	vp := l.presentation("did:example:holder", slices.Repeat([][]byte{one}, 1000)...)
	v := l.verifier()
	v.Limits.Memory = 1 << 20
	r := v.VerifyAll(context.Background(), vp)
	if n := len(r.Credentials); n == 0 || n >= 1000 {
		t.Errorf("%d credentials have results", n)
	}
	var limit *canon.LimitError
	if last := r.Errors[len(r.Errors)-1]; !errors.As(last, &limit) || limit.Limit != "memory" {
		t.Errorf("ends with %v", last)
	}
	v.Limits.Memory = 0
	if r := v.VerifyAll(context.Background(), vp); len(r.Credentials) != 1000 {
		t.Errorf("%d credentials have results with the default", len(r.Credentials))
	}
}
