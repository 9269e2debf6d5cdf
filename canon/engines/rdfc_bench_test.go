package engines_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/conform/family"
	"canonscope/canon/engines"
)

// BenchmarkEnginesRDFC canonicalizes generated N-Quads with the native and the stock engine in turns and hashes the result.
// It reports nanoseconds per quad of each, and their ratio, which a busy machine disturbs least. Sizes are quads, for chains
// and cycles blank nodes. Lines stand in the order in which a program would write them; shuffled ones cost more where the
// dataset exceeds the processor's caches. The stock engine stops at the size where it becomes too slow.
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
		{family.Chain, []int{20, 40, 100, 160, 400, 1000}, 160, 0},
		{family.Cycle, []int{20, 40, 100, 160, 400, 1000}, 160, 0},
	} {
		for _, n := range f.sizes {
			name := fmt.Sprintf("%s/%d", f.name, n)
			if f.seed != 0 {
				name = fmt.Sprintf("%s-shuffled/%d", f.name, n)
			}
			b.Run(name, func(b *testing.B) {
				doc := family.NQuads(f.name, n, f.seed)
				quads := bytes.Count(doc, []byte("\n"))
				opt := canon.Options{Input: canon.NQuads, Limits: canon.Limits{Bytes: 1 << 30}, Into: new(canon.Form)}
				b.ReportAllocs()
				native := timer(b, engines.Native, doc, opt)
				native() // warm memory
				if n > f.stock {
					var total time.Duration
					for b.Loop() {
						total += native()
					}
					b.ReportMetric(float64(total)/float64(b.N)/float64(quads), "native-ns/quad")
					return
				}
				stock := timer(b, engines.Stock, doc, opt)
				one, two, rounds := time.Duration(0), time.Duration(0), 0
				for b.Loop() {
					if two <= one { // the stock engine gets as much time as the native one
						b.StopTimer()
						two += stock()
						rounds++
						b.StartTimer()
					}
					one += native()
				}
				perNative, perStock := float64(one)/float64(b.N), float64(two)/float64(rounds)
				b.ReportMetric(perNative/float64(quads), "native-ns/quad")
				b.ReportMetric(perStock/float64(quads), "stock-ns/quad")
				b.ReportMetric(perStock/perNative, "stock/native")
			})
		}
	}
}

// timer returns a function that canonicalizes and hashes doc once and tells how long that took.
func timer(b *testing.B, engine string, doc []byte, opt canon.Options) func() time.Duration {
	b.Helper()
	e, err := engines.New(engine, canon.RDFC, engines.Config{})
	if err != nil {
		b.Fatal(err)
	}
	return func() time.Duration {
		start := time.Now()
		form, err := e.Canonicalize(context.Background(), doc, opt)
		if err != nil {
			b.Fatal(err)
		}
		if sha256.Sum256(form.Text) == [sha256.Size]byte{} {
			b.Fatal("no digest")
		}
		return time.Since(start)
	}
}
