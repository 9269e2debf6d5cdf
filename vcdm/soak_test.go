package vcdm_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/vcdm"
)

// A verifier that is fed hostile documents, each with other contexts, terms and identifiers than the one
// before, keeps no more than its processor's bound.
func TestSoak(t *testing.T) {
	l := newLab(t)
	v := l.defaults()
	v.AllReasons = true
	suite := "eddsa-rdfc-2022"
	signed := l.sign(suite, strings.Replace(credential, "https://university.example/issuers/14",
		l.key(suite).Public().DID(), 1))
	shapes := []func(n int) string{
		func(n int) string {
			return strings.Replace(signed, `,"degree":`, fmt.Sprintf(`,"degree%d":`, n),
				1)
		},
		func(n int) string {
			return strings.Replace(signed, `"@protected":true,`,
				fmt.Sprintf(`"@protected":true,"x%d":"urn:x:%d",`, n, n), 1)
		},
		func(n int) string {
			doc := strings.Replace(signed, `"name":"A degree"`, fmt.Sprintf(`"z%d":"A degree"`, n), 1)
			return strings.Replace(doc, `{"@protected":true,`, fmt.Sprintf(`{"@vocab":"urn:%d:%s",`, n,
				strings.Repeat("v", 2000)), 1)
		},
		func(n int) string {
			return strings.Replace(signed, `["https://www.w3.org/ns/credentials/v2",`,
				fmt.Sprintf(`["https://www.w3.org/ns/credentials/v2","https://contexts.example/padding/100000/%d",`, n), 1)
		},
		func(n int) string {
			return strings.Replace(signed, `"credentialSubject":{`,
				fmt.Sprintf(`"credentialSubject":{"@context":{"y%d":"urn:y"},"y%d":"@alice",`, n, n), 1)
		},
		func(n int) string {
			return strings.Replace(signed, `"did:example:student"`, fmt.Sprintf(`"did:example:%d"`, n), 1)
		},
		func(n int) string { return signed[:len(signed)/2+n%100] },
	}
	documents := 40_000
	if vcdm.Raced {
		documents /= 4
	}
	var half uint64
	for n := range documents {
		// a term that nothing uses changes no statement
		if r := v.VerifyAll(context.Background(), []byte(shapes[n%len(shapes)](n))); r.Verified &&
			n%len(shapes) != 1 {
			t.Fatalf("document %d is verified", n)
		}
		if n == documents/2 {
			half = heapAlloc()
		}
	}
	const slack = 24 << 20
	if whole := heapAlloc(); whole > half+slack || whole > 128<<20 {
		t.Errorf("%d MB are kept after half of the documents, %d MB after all", half>>20, whole>>20)
	}
	runtime.KeepAlive(v)
}

func heapAlloc() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Attack 9: proofs and chains of proofs are bounded, for library callers who set nothing, and cost no more
// than their number times the document where a caller allows more.
func TestProofLimits(t *testing.T) {
	l := newLab(t)
	suite := "eddsa-jcs-2022"
	set := credential
	for i := range canon.DefaultProofs + 1 {
		var err error
		set, err = l.signOnto(suite, set, func(o *vcdm.Options) {
			o.ID = fmt.Sprintf("urn:p:%d", i)
			for j := range i {
				o.PreviousProof = append(o.PreviousProof, fmt.Sprintf("urn:p:%d", j))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if i == 9 {
			l.accept("ten proofs, each on all before", set)
		}
	}
	var limit *canon.LimitError
	v := l.verifier()
	if err := v.VerifyAll(context.Background(), []byte(set)).Err(); !errors.As(err, &limit) ||
		limit.Limit != "proofs" {
		t.Errorf("one proof more than the limit: %v", err)
	}
	if _, err := vcdm.SuiteOf([]byte(set), canon.Limits{}); !errors.As(err, &limit) ||
		limit.Limit != "proofs" {
		t.Errorf("the suite of one proof more than the limit: %v", err)
	}
	if _, err := l.tryDerive(set, "/name"); !errors.As(err, &limit) || limit.Limit != "proofs" {
		t.Errorf("derived from one proof more than the limit: %v", err)
	}
	v.Limits.Proofs = 100
	if err := v.VerifyAll(context.Background(), []byte(set)).Err(); err != nil {
		t.Errorf("where the caller allows it: %v", err)
	}

	// The first proof that fails ends the work, unless all reasons are asked for.
	broken := strings.ReplaceAll(set, `"The School"`, `"A School"`)
	for all, want := range map[bool]int{false: 1, true: canon.DefaultProofs + 1} {
		v.AllReasons = all
		counts := new(vcdm.Counts)
		v.Counts = counts
		if r := v.VerifyAll(context.Background(), []byte(broken)); r.Verified ||
			counts.Verifications != want {
			t.Errorf("all reasons %v: %d signatures checked, want %d; %d reasons", all, counts.Verifications,
				want, len(r.Errors))
		}
	}
}

// Work that the caller's context ends is not an answer, in any engine and loop.
func TestDeadline(t *testing.T) {
	l := newLab(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range everySuite {
		var limit *canon.LimitError
		if r := l.verifier().VerifyAll(ctx, []byte(l.present(s, credential))); !errors.As(r.Err(), &limit) ||
			limit.Limit != "time" || r.Verified {
			t.Errorf("%s: %v", s, r.Err())
		}
	}
}

// Real documents are far from the limits of callers who set none. That of time is left out: it would try
// the machine.
func TestLegitimateWork(t *testing.T) {
	l := newLab(t)
	l.limits.Time = -1
	v := l.verifier()
	v.Purpose = ""
	for _, schema := range []string{"clr-large", "elm-large"} {
		for _, suite := range everySuite {
			if err := v.VerifyAll(context.Background(),
				[]byte(l.present(suite, drawnDocument(t, schema)))).Err(); err != nil {
				t.Errorf("%s, %s: %v", schema, suite, err)
			}
		}
	}
	var fifty [][]byte
	for range 50 {
		fifty = append(fifty, []byte(l.present(sd, drawnDocument(t, "ob3"))))
	}
	vp := l.sign("eddsa-rdfc-2022", string(l.presentation("did:example:holder", fifty...)),
		func(o *vcdm.Options) { o.Purpose = vcdm.Authentication })
	if r := v.VerifyAll(context.Background(), []byte(vp)); !r.Verified || len(r.Credentials) != 50 {
		t.Errorf("50 credentials: %v", r.Err())
	}
}

// Lists that are compared with one another, or named one by one, are bounded.
func TestLongLists(t *testing.T) {
	l := newLab(t)
	many := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(parts, ",")
	}
	const head = `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"issuer":"did:x:1","credentialSubject":{"id":"did:x:2","name":"n"},`
	proof := `"proof":{"type":"DataIntegrityProof","cryptosuite":"eddsa-jcs-2022","proofPurpose":"assertionMethod","verificationMethod":"` +
		l.key("eddsa-jcs-2022").Public().Method() + `","proofValue":"z1"}}`
	embedded := l.verifier().VerifyAll(context.Background(),
		[]byte(head+`"x":[`+many(5000, `{"id":"u:%d","type":"VerifiableCredential","@context":"u:a"}`)+`],`+
			proof))
	if n := len(embedded.Unchecked()); n > 101 {
		t.Errorf("%d credentials are named as not checked", n)
	}
	if n := len(embedded.UnknownContexts()); n > 101 {
		t.Errorf("%d contexts are named as unknown", n)
	}
	faults := l.defaults().VerifyAll(context.Background(),
		[]byte(head+`"relatedResource":[`+many(5000, `{"x":%d}`)+`],`+proof))
	if n := len(faults.Errors); n > 210 {
		t.Errorf("%d reasons", n)
	}
	domains := setProof(t, l.present("eddsa-jcs-2022", credential), "domain", strings.Split(many(1001, "d%d"),
		","))
	l.refuse("1,001 domains", domains, verErr)
	twice := strings.Replace(credential, `"name":"A degree"`,
		`"relatedResource":[{"id":"u:r","digestSRI":"sha256-YQ=="},{"id":"u:r","digestSRI":"sha256-YQ=="}]`,
		1)
	_, err := l.add("eddsa-rdfc-2022", twice,
		string(l.options("eddsa-rdfc-2022").AppendJSON(nil, "eddsa-rdfc-2022")))
	l.failed("a resource twice", err, lossErr)
}
