// Package race times contenders in turns, for benchmarks that compare engines. Call [Run].
package race

import (
	"slices"
	"syscall"
	"testing"
	"time"
)

// Contender is one that is timed. Do does an operation on input i.
type Contender struct {
	Name string
	Do   func(i int)
}

// A contender runs about as long as the slowest operation between two looks at the clock, within these
// bounds: what others leave behind, a running collection or a cold cache, is little of that.
const shortest, longest = 2 * time.Millisecond, 50 * time.Millisecond

// Run lets contenders run in turns until the benchmark has enough, so that noise of the machine meets all
// alike. It reports and returns the median process CPU of an operation of each, the garbage collector
// included, as NAME-us, and the ratios to the first, as NAME/FIRST.
func Run(b *testing.B, contenders ...Contender) map[string]float64 {
	b.Helper()
	next, batch, rounds := make([]int, len(contenders)), make([]int, len(contenders)), make([][]float64,
		len(contenders))
	took, round := make([]time.Duration, len(contenders)), shortest
	for c, x := range contenders {
		x.Do(0) // warm-up
		start := time.Now()
		x.Do(1)
		next[c], took[c] = 2, max(time.Since(start), time.Microsecond)
		round = min(max(round, took[c]), longest)
	}
	for c := range contenders {
		batch[c] = max(1, int(round/took[c]))
	}

	for b.Loop() {
		for c, x := range contenders {
			start := processCPU(b)
			for range batch[c] {
				x.Do(next[c])
				next[c]++
			}
			rounds[c] = append(rounds[c], float64(processCPU(b)-start)/float64(batch[c])/1e3)
		}
	}

	medians := make(map[string]float64)
	for c, x := range contenders {
		slices.Sort(rounds[c])
		medians[x.Name] = rounds[c][len(rounds[c])/2]
		b.ReportMetric(medians[x.Name], x.Name+"-us")
		if first := contenders[0].Name; c > 0 {
			b.ReportMetric(medians[x.Name]/medians[first], x.Name+"/"+first)
		}
	}

	b.ReportMetric(0, "ns/op") // meaningless: the time of all contenders together
	return medians
}

// processCPU returns user and system time of the process.
func processCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
