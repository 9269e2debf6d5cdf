package rdfc_test

import (
	"context"
	"fmt"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/family"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

// BenchmarkState times the parts of a canonicalization with warm memory.
func BenchmarkState(b *testing.B) {
	for _, c := range []struct {
		family family.Name
		n      int
	}{{family.Simple, 25}, {family.Ground, 100}, {family.Ground, 1000}, {family.Ground, 10_000}, {family.Ground, 100_000}, {family.Ground, 1_000_000},
		{family.Unique, 100}, {family.Unique, 1000}, {family.Unique, 10_000}, {family.Unique, 100_000}, {family.Unique, 1_000_000},
		{family.Pairs, 100}, {family.Pairs, 10_000}, {"chain", 100}, {"ring", 100}} {
		var doc []byte
		if c.family == "chain" || c.family == "ring" {
			doc = family.Shuffled(graph(b, fmt.Sprintf("%s-%d", c.family, c.n)), 1)
		} else {
			doc = family.NQuads(c.family, c.n, 1)
		}
		var d rdf.Dataset
		if err := d.ParseNQuads(doc, canon.Limits{Bytes: 1 << 30, Memory: 4 << 30}); err != nil {
			b.Fatal(err)
		}
		name := fmt.Sprintf("%s/%d", c.family, c.n)
		perQuad := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(d.Quads)), "ns/quad")
		}
		b.Run("parse/"+name, func(b *testing.B) {
			b.ReportAllocs()
			var d rdf.Dataset
			for range b.N {
				d.Reset()
				if err := d.ParseNQuads(doc, canon.Limits{Bytes: 1 << 30, Memory: 4 << 30}); err != nil {
					b.Fatal(err)
				}
			}
			perQuad(b)
		})
		b.Run("run/"+name, func(b *testing.B) {
			b.ReportAllocs()
			var s rdfc.State
			var text []byte
			var budget canon.Budget
			for range b.N {
				var err error
				budget.Reset(canon.Limits{Memory: 4 << 30})
				if text, err = s.Run(context.Background(), &d, rdfc.Options{Budget: &budget}, text[:0]); err != nil {
					b.Fatal(err)
				}
			}
			perQuad(b)
		})
	}
}
