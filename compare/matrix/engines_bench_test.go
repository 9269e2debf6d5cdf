package matrix_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"canonscope/canon"
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
			b.Run(c.name+"/"+state.String(), func(b *testing.B) { race(b, c.documents, state) })
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

// racer is one engine in a race.
type racer struct {
	canon.Canonicalizer
	batch  int // operations between two looks at the clock
	next   int // document
	form   canon.Form
	rounds []float64 // microseconds an operation
}

// once canonicalizes and hashes a document.
func (r *racer) once(b *testing.B, documents [][]byte) [sha256.Size]byte {
	form, err := r.Canonicalize(context.Background(), documents[r.next%len(documents)], canon.Options{Input: canon.JSONLD, Limits: measure.Limits, Into: &r.form})
	if err != nil {
		b.Fatal(err)
	}
	r.next++
	return sha256.Sum256(form.Text)
}

// round measures one batch.
func (r *racer) round(b *testing.B, documents [][]byte) {
	start := processCPU()
	for range r.batch {
		r.once(b, documents)
	}
	r.rounds = append(r.rounds, float64(processCPU()-start)/float64(r.batch)/1e3)
}

func race(b *testing.B, documents [][]byte, state jsonld.CacheState) {
	names := []canon.Engine{canon.Native, canon.Tuned, canon.Stock}
	racers := make([]*racer, len(names))
	var want [sha256.Size]byte
	for i, name := range names {
		e, err := engines.Unguarded(name, canon.RDFC, engines.Config{Loader: contexts.Embedded(), Contexts: state})
		if err != nil {
			b.Fatal(err)
		}
		r := &racer{Canonicalizer: e}
		racers[i] = r
		got := r.once(b, documents) // gate and warm-up
		if i > 0 && got != want {
			b.Fatalf("%s has another digest than %s", name, names[0])
		}
		want = got
		start := time.Now()
		r.once(b, documents)
		r.batch = max(1, int(2*time.Millisecond/max(time.Since(start), time.Microsecond)))
	}
	allocs := testing.AllocsPerRun(10, func() { racers[0].once(b, documents) })
	for b.Loop() {
		for _, r := range racers {
			r.round(b, documents)
		}
	}
	native, tuned, stock := median(racers[0].rounds), median(racers[1].rounds), median(racers[2].rounds)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(native, "native-us")
	b.ReportMetric(stock/native, "stock/native")
	b.ReportMetric(tuned/native, "tuned/native")
	b.ReportMetric(allocs, "native-allocs")
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// processCPU returns user and system time of the process.
func processCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkEnginesGrowth canonicalizes credentials of growing size with the native engine. The process CPU time a quad stays
// level where the cost is linear; exponent is that of the growth from the smallest size, 1 for linear.
func BenchmarkEnginesGrowth(b *testing.B) {
	var smallest float64
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e, err := engines.New(canon.Native, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
			if err != nil {
				b.Fatal(err)
			}
			r := &racer{Canonicalizer: e, batch: max(1, 10_000/n)}
			documents := [][]byte{grown(n)}
			r.once(b, documents)
			b.ReportAllocs()
			for b.Loop() {
				r.round(b, documents)
			}
			total := median(r.rounds)
			if n == 100 {
				smallest = total
			}
			b.ReportMetric(total*1e3/float64(r.form.Lines), "ns/quad")
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
