package engines_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"syscall"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/conform/family"
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
				b.ReportAllocs()
				native := timer(b, canon.Native, doc, opt)
				native(1) // warm up
				one, two, rounds := time.Duration(0), time.Duration(0), 0
				stock := timer(b, canon.Stock, doc, opt)
				chunk := max(1, int(5*time.Millisecond/max(1, native(1))))
				b.ResetTimer()
				for done := 0; done < b.N; done += chunk {
					if n <= f.stock && two <= one { // the stock engine gets as much time as the native one
						b.StopTimer()
						two += stock(1)
						rounds++
						b.StartTimer()
					}
					one += native(min(chunk, b.N-done))
				}
				perNative, perStock := float64(one)/float64(b.N), float64(two)/float64(rounds)
				b.ReportMetric(perNative/float64(quads), "native-cpu-ns/quad")
				if rounds > 0 {
					b.ReportMetric(perStock/float64(quads), "stock-cpu-ns/quad")
					b.ReportMetric(perStock/perNative, "stock/native")
				}
			})
		}
	}
}

// timer returns a function that canonicalizes and hashes doc n times and returns the process CPU time.
func timer(b *testing.B, engine canon.Engine, doc []byte, opt canon.Options) func(n int) time.Duration {
	b.Helper()
	e, err := engines.Unguarded(engine, canon.RDFC, engines.Config{})
	if err != nil {
		b.Fatal(err)
	}
	return func(n int) time.Duration {
		start := processCPU(b)
		for range n {
			form, err := e.Canonicalize(context.Background(), doc, opt)
			if err != nil {
				b.Fatal(err)
			}
			if sha256.Sum256(form.Text) == [sha256.Size]byte{} {
				b.Fatal("no digest")
			}
		}
		return processCPU(b) - start
	}
}

func processCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
