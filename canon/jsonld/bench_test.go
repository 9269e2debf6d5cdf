package jsonld_test

import (
	"context"
	"testing"
	"time"

	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
)

// BenchmarkToRDF turns rotating documents into datasets, warm, and scans them in turns: "scans" is the time of one document
// in units of scanning it, its lower bound.
func BenchmarkToRDF(b *testing.B) {
	for _, name := range []string{"simple-20", "simple-inline-20", "ob3", "elm-large", "clr-large"} {
		b.Run(name, func(b *testing.B) {
			g, err := catalogue.Get(name)
			if err != nil {
				b.Fatal(err)
			}
			documents := make([][]byte, 8)
			for i := range documents {
				c, err := g.Document(1, i)
				if err != nil {
					b.Fatal(err)
				}
				documents[i] = c.VCDM
			}
			p := jsonld.New(jsonld.Config{Loader: contexts.Embedded()})
			var set rdf.Dataset
			var tape jsontape.Tape
			call := func(i int) {
				if err := p.ToRDF(context.Background(), documents[i%len(documents)], jsonld.Options{}, &set); err != nil {
					b.Fatal(err)
				}
			}
			scan := func(i int) {
				if err := tape.Scan(documents[i%len(documents)], jsontape.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			call(0)
			scan(0)
			b.ReportAllocs()
			var converting, scanning time.Duration
			for i := 0; b.Loop(); i += 8 {
				start := time.Now()
				for n := range 8 {
					call(i + n)
				}
				middle := time.Now()
				for n := range 8 {
					scan(i + n)
				}
				converting += middle.Sub(start)
				scanning += time.Since(middle)
			}
			b.ReportMetric(float64(converting.Nanoseconds())/float64(8*b.N), "ns/doc")
			b.ReportMetric(float64(converting)/float64(scanning), "scans")
			b.ReportMetric(float64(converting.Nanoseconds())/float64(8*b.N)/float64(len(set.Quads)), "ns/quad")
		})
	}
}
