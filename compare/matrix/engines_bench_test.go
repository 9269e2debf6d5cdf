package matrix_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/race"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/compare/measure"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
)

// BenchmarkEngines takes JSON bytes to a digest with each engine in turns over 64 rotating documents, and reports the
// process CPU time of the native engine (native-us, median of the rounds) and the ratios of the others to it. Process CPU
// counts the garbage collector. Context states: warm keeps compiled contexts; embedded applies compiled context documents
// anew in each call; cold has the native engine load, scan and compile them each time. The stock engine is the same in all.
func BenchmarkEngines(b *testing.B) {
	for _, c := range []struct {
		name      string
		documents [][]byte
	}{
		{"simple-20", drawn(b, "simple-20")},
		{"simple-inline-20", drawn(b, "simple-inline-20")},
		{"proof-config", configurations()},
		{"ob3", drawn(b, "ob3")},
		{"clr-large", drawn(b, "clr-large")[:4]},
	} {
		for _, state := range []jsonld.CacheState{jsonld.Warm, jsonld.Embedded, jsonld.Cold} {
			b.Run(c.name+"/"+state.String(), func(b *testing.B) { raceEngines(b, c.documents, state) })
		}
	}
}

// drawn returns seeded documents of one shape.
func drawn(b *testing.B, schema string) [][]byte {
	g, err := catalogue.Get(schema)
	if err != nil {
		b.Fatal(err)
	}
	documents := make([][]byte, 64)
	for i := range documents {
		c, err := g.Document(1, i)
		if err != nil {
			b.Fatal(err)
		}
		documents[i] = c.VCDM
	}
	return documents
}

// configurations returns proof configurations as eddsa-rdfc-2022 canonicalizes them.
func configurations() [][]byte {
	documents := make([][]byte, 64)
	for i := range documents {
		documents[i] = fmt.Appendf(nil, `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":"DataIntegrityProof",`+
			`"cryptosuite":"eddsa-rdfc-2022","created":"2026-11-30T10:00:%02dZ","verificationMethod":"did:example:issuer#key-%d",`+
			`"proofPurpose":"assertionMethod"}`, i%60, i)
	}
	return documents
}

// contender canonicalizes and hashes documents with an engine.
func contender(b *testing.B, name canon.Engine, documents [][]byte, state jsonld.CacheState, form *canon.Form) race.Contender {
	b.Helper()
	e, err := engines.Unguarded(name, canon.RDFC, engines.Config{Loader: contexts.Embedded(), Contexts: state})
	if err != nil {
		b.Fatal(err)
	}
	opt := canon.Options{Input: canon.JSONLD, Limits: measure.Limits, Into: form}
	return race.Contender{Name: string(name), Do: func(i int) {
		form, err := e.Canonicalize(context.Background(), documents[i%len(documents)], opt)
		if err != nil {
			b.Fatal(err)
		}
		*opt.Into = *form
		if sha256.Sum256(form.Text) == [sha256.Size]byte{} {
			b.Fatal("no digest")
		}
	}}
}

func raceEngines(b *testing.B, documents [][]byte, state jsonld.CacheState) {
	names := []canon.Engine{canon.Native, canon.Tuned, canon.Stock}
	contenders, forms := make([]race.Contender, len(names)), make([]canon.Form, len(names))
	for i, name := range names {
		contenders[i] = contender(b, name, documents, state, &forms[i])
		contenders[i].Do(0) // the gate
		if !bytes.Equal(forms[i].Text, forms[0].Text) {
			b.Fatalf("%s has another form than %s", name, names[0])
		}
	}
	allocs := testing.AllocsPerRun(10, func() { contenders[0].Do(0) })
	race.Run(b, contenders...)
	b.ReportMetric(allocs, "native-allocs")
}

// BenchmarkEnginesGrowth canonicalizes credentials of growing size with the native engine. The process CPU time a quad stays
// level where the cost is linear; exponent is that of the growth from the smallest size, 1 for linear.
func BenchmarkEnginesGrowth(b *testing.B) {
	var smallest float64
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var form canon.Form
			total := race.Run(b, contender(b, canon.Native, [][]byte{grown(n)}, jsonld.Warm, &form))["native"]
			if n == 100 {
				smallest = total
			}
			b.ReportMetric(total*1e3/float64(form.Lines), "ns/quad")
			if n > 100 {
				b.ReportMetric(math.Log(total/smallest)/math.Log(float64(n)/100), "exponent")
			}
		})
	}
}

// grown returns a document of about n quads: nodes of four statements under one subject.
func grown(n int) []byte {
	var s strings.Builder
	s.WriteString(`{"@context":["https://www.w3.org/ns/credentials/v2",{"@vocab":"https://vocab.example/terms#"}],"type":"VerifiableCredential",` +
		`"credentialSubject":{"item":[`)
	for i := range n / 5 {
		if i > 0 {
			s.WriteByte(',')
		}
		fmt.Fprintf(&s, `{"id":"https://data.example/items/%d","type":"Item","name":"item number %d","rank":%d,"kind":"kind %d"}`, i, i, i, i%7)
	}
	s.WriteString(`]}}`)
	return []byte(s.String())
}
