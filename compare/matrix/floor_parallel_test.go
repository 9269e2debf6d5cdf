package matrix_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/compare"
	"canonscope/schemas/contexts"
)

// alone names the operation that a process does by itself for BenchmarkFloorParallel, which starts it.
const alone = "CANONSCOPE_BENCH_ALONE"

// span is how long operations are counted.
const span = time.Second

// loads returns the operations that are done in parallel: each worker makes its own.
func loads(b testing.TB, name string) func() func(i int) {
	switch name {
	case "canonize":
		var documents [][]byte
		for _, c := range credentials(b, "ob3", 64) {
			documents = append(documents, c.VCDM)
		}
		e := native(b, contexts.Embedded(), jsonld.Warm)
		return func() func(int) {
			c, _ := canonizes(b, name, e, canon.Options{}, documents)
			return c.Do
		}
	case "verify":
		cell := compare.Cell{Format: compare.VCDM, Suite: "eddsa-rdfc-2022", Schema: "ob3", Contexts: compare.Warm}
		return func() func(int) {
			w := newWhole(b, cell)
			return func(i int) { verify(b, w.exchange[i%64], w.whole[i%64]) }
		}
	}
	b.Fatal("unknown operation " + name)
	return nil
}

// perSecond counts the operations of some workers.
func perSecond(make func() func(i int), workers int) float64 {
	all := []func(int){}
	for range workers {
		do := make()
		do(0)
		all = append(all, do)
	}
	var done atomic.Int64
	var wait sync.WaitGroup
	start := time.Now()
	for _, do := range all {
		wait.Go(func() {
			n := 0
			for ; time.Since(start) < span; n++ {
				do(n)
			}
			done.Add(int64(n))
		})
	}
	wait.Wait()
	return float64(done.Load()) / time.Since(start).Seconds()
}

// A process that is started to do an operation by itself prints how often it did it.
func TestAlone(t *testing.T) {
	name := os.Getenv(alone)
	if name == "" {
		t.Skip("this is a part of BenchmarkFloorParallel")
	}
	fmt.Printf("rate %f\n", perSecond(loads(t, name), 1))
}

// BenchmarkFloorParallel compares 16 goroutines with as many separate processes as there are processors, each
// with one. It means something on a machine that does nothing else.
func BenchmarkFloorParallel(b *testing.B) {
	if os.Getenv("CANONSCOPE_MACHINE") == "" {
		b.Skip("needs a machine alone: CANONSCOPE_MACHINE=1")
	}
	for _, name := range []string{"canonize", "verify"} {
		b.Run(name, func(b *testing.B) {
			var together, apart []float64
			for b.Loop() {
				together = append(together, perSecond(loads(b, name), 16))
				apart = append(apart, separate(b, name, 2))
			}
			slices.Sort(together)
			slices.Sort(apart)
			one, two := together[len(together)/2], apart[len(apart)/2]
			b.ReportMetric(one, "goroutines/s")
			b.ReportMetric(two, "processes/s")
			b.ReportMetric(one/two, "goroutines/processes")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// separate returns what processes with one processor each reach together.
func separate(b *testing.B, name string, n int) (total float64) {
	results := make([]string, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			c := exec.Command(os.Args[0], "-test.run", "^TestAlone$")
			c.Env = append(os.Environ(), alone+"="+name, "GOMAXPROCS=1")
			out, err := c.CombinedOutput()
			if err != nil {
				b.Errorf("%v: %s", err, out)
			}
			results[i] = string(out)
		})
	}
	wait.Wait()
	for _, out := range results {
		_, text, _ := strings.Cut(out, "rate ")
		rate, err := strconv.ParseFloat(strings.TrimSpace(strings.SplitN(text, "\n", 2)[0]), 64)
		if err != nil {
			b.Fatal(out, err)
		}
		total += rate
	}
	return total
}
