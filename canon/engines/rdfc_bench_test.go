package engines_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/family"
	"canonscope/canon/conform/race"
	"canonscope/canon/engines"
)

// BenchmarkEnginesRDFC canonicalizes generated N-Quads with the native and the stock engine in turns and
// hashes the result. It reports nanoseconds of process CPU per quad of each, and their ratio, which a busy
// machine disturbs least. Sizes are numbers of quads, or of blank nodes for chains and rings. Lines are in
// the order of generation; shuffled lines cost more if the dataset exceeds the processor's caches. The
// stock engine is left out above the size where it becomes too slow.
func BenchmarkEnginesRDFC(b *testing.B) {
	for _, f := range []struct {
		name  family.Name
		sizes []int
		stock int    // largest size for the stock engine
		seed  uint64 // 0 keeps the order of the lines
	}{
		{family.Simple, []int{25}, 25, 0},
		{family.Ground, []int{100, 1000, 10_000, 100_000, 1_000_000}, 10_000, 0},
		{family.Ground, []int{1000, 1_000_000}, 0, 1},
		{family.Unique, []int{100, 1000, 10_000, 100_000, 1_000_000}, 10_000, 0},
		{family.Pairs, []int{100, 1000, 10_000, 100_000}, 10_000, 0},
		{"chain", []int{20, 40, 100, 160, 400, 1000}, 160, 0},
		{"ring", []int{20, 40, 100, 160, 400, 1000}, 160, 0},
	} {
		for _, n := range f.sizes {
			name := fmt.Sprintf("%s/%d", f.name, n)
			if f.seed != 0 {
				name = fmt.Sprintf("%s-shuffled/%d", f.name, n)
			}
			b.Run(name, func(b *testing.B) {
				var doc []byte
				if f.name == "chain" || f.name == "ring" {
					doc = graph(b, fmt.Sprintf("%s-%d", f.name, n), 0)
				} else {
					doc = family.NQuads(f.name, n, f.seed)
				}
				quads := bytes.Count(doc, []byte("\n"))
				opt := canon.Options{Input: canon.NQuads, Limits: canon.Limits{Bytes: 1 << 30, Memory: 4 << 30, Time: -1, Steps: -1}, Into: new(canon.Form)}
				contenders := []race.Contender{contender(b, canon.Native, doc, opt)}
				if n <= f.stock {
					contenders = append(contenders, contender(b, canon.Stock, doc, opt))
				}
				for engine, us := range race.Run(b, contenders...) {
					b.ReportMetric(us*1e3/float64(quads), engine+"-cpu-ns/quad")
				}
			})
		}
	}
}

// contender canonicalizes and hashes a document with an engine.
func contender(b *testing.B, engine canon.Engine, doc []byte, opt canon.Options) race.Contender {
	b.Helper()
	e, err := engines.Unguarded(engine, canon.RDFC, engines.Config{})
	if err != nil {
		b.Fatal(err)
	}
	return race.Contender{Name: string(engine), Do: func(int) {
		form, err := e.Canonicalize(context.Background(), doc, opt)
		if err != nil {
			b.Fatal(err)
		}
		if sha256.Sum256(form.Text) == [sha256.Size]byte{} {
			b.Fatal("no digest")
		}
	}}
}
