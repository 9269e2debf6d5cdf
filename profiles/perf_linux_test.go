//go:build linux && (amd64 || arm64)

package profiles

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// needPerf skips a test where the system does not allow perf events.
func needPerf(t *testing.T) {
	t.Helper()
	if err := Perf.Available(); err != nil {
		t.Skip("needs perf_event_open: ", err)
	}
}

var sink int

// spin is a leaf without a frame, so that the call chains of the kernel lack its caller.
//
//go:noinline
func spin(n int) int {
	x := n
	for i := range n {
		x += i * x
	}
	return x
}

const unit = 20_000

//go:noinline
func loop10(unit int) { sink += spin(1 * unit) }

//go:noinline
func loop30(unit int) { sink += spin(3 * unit) }

//go:noinline
func loop60(unit int) { sink += spin(6 * unit) }

// loops has a random length, because the timer of a sampler would beat with a constant one.
func loops() {
	n := unit/2 + rand.IntN(unit)
	loop10(n)
	loop30(n)
	loop60(n)
}

// record samples f for some CPU time of the process.
func record(t *testing.T, s Sampler, cpu time.Duration, f func()) *Recording {
	t.Helper()
	c, err := Start(s)
	if err != nil {
		t.Fatal(err)
	}
	Do("cell", func() {
		begin := processCPU()
		for f(); processCPU()-begin < cpu; {
			f()
		}
	})
	r, err := c.Stop()
	if err != nil {
		t.Fatal(err)
	}
	if r.Sampler != s || !strings.HasPrefix(fmt.Sprint(r.Profile.Comments), "[sampler "+string(s)+":") {
		t.Fatalf("sampler %s, comments %q, want %s", r.Sampler, r.Profile.Comments, s)
	}
	return r
}

// counts returns the samples whose stack holds a function, and all in the operation.
func counts(r *Recording, function string) (n, all int64) {
	var names []string
	for _, s := range r.Profile.Sample {
		if len(s.Label[CellLabel]) == 0 {
			continue
		}
		all += s.Value[0]
		if names = stack(s, names); slices.Contains(names, "canonscope/profiles."+function) {
			n += s.Value[0]
		}
	}
	return n, all
}

// within reports whether k of n agrees with a share, by a score interval that holds all but 7 of a million.
func within(k, n int64, share float64) bool {
	const z = 4.5
	return math.Abs(float64(k)/float64(n)-share) <= z*math.Sqrt(share*(1-share)/float64(n))
}

func TestSamplersAgree(t *testing.T) {
	needPerf(t)
	signal := record(t, Signal, 900*time.Millisecond, loops)
	perf := record(t, Perf, 500*time.Millisecond, loops)
	for function, share := range map[string]float64{"loop10": 0.1, "loop30": 0.3, "loop60": 0.6} {
		for _, r := range []*Recording{signal, perf} {
			if n, all := counts(r, function); all < 20 || !within(n, all, share) {
				t.Errorf("%s: %s has %d of %d samples, want %.0f %%", r.Sampler, function, n, all, 100*share)
			}
		}
	}
	if n, all := counts(perf, "spin"); n < all*9/10 || all < 1000 {
		t.Errorf("%d of %d samples are of spin", n, all)
	}
	if c := perf.Coverage(); c < 0.8 || perf.Lost != 0 {
		t.Errorf("coverage %.2f, %d lost", c, perf.Lost)
	}
	t.Logf("coverage: signal %.3f, perf %.3f", signal.Coverage(), perf.Coverage())
}

var kept [][]byte

//go:noinline
func allocate() {
	kept = nil
	for range 2000 {
		kept = append(kept, make([]byte, 2048))
	}
}

// Both samplers know what is the operation: all that it calls, and not the collector's threads.
func TestPerfForeground(t *testing.T) {
	needPerf(t)
	for _, r := range []*Recording{record(t, Signal, 500*time.Millisecond, allocate),
		record(t, Perf, 200*time.Millisecond, allocate)} {
		inside, workers := 0, 0
		var names []string
		for _, s := range r.Profile.Sample {
			names = stack(s, names)
			labelled := len(s.Label[CellLabel]) > 0
			switch {
			case slices.Contains(names, "canonscope/profiles.allocate"):
				inside++
				if !labelled && !strings.Contains(names[0], "__tsan") { // the race detector's C++ cuts the stack off
					t.Errorf("%s: not in the operation: %v", r.Sampler, names)
				}
			case slices.Contains(names, "runtime.gcBgMarkWorker"):
				workers++
				if labelled {
					t.Errorf("%s: in the operation: %v", r.Sampler, names)
				}
			}
		}
		if inside == 0 || r.Sampler == Perf && workers == 0 {
			t.Errorf("%s: %d stacks in the operation, %d of the collector", r.Sampler, inside, workers)
		}
	}
}

//go:noinline
func threadSpin(done func() bool) (sum int) {
	for !done() {
		sum += spin(unit)
	}
	return sum
}

// Threads that are created while samples are taken are sampled too, and goroutines that the operation starts
// are part of it.
func TestPerfThreads(t *testing.T) {
	needPerf(t)
	var used time.Duration
	r := record(t, Perf, 0, func() {
		var wg sync.WaitGroup
		var mu sync.Mutex
		for range 4 {
			wg.Go(func() {
				runtime.LockOSThread() // for ever: the thread ends with the goroutine, so each needs a new one
				var u unix.Rusage
				cpu := func() time.Duration {
					_ = unix.Getrusage(unix.RUSAGE_THREAD, &u)
					return time.Duration(u.Utime.Nano() + u.Stime.Nano())
				}
				begin := cpu()
				threadSpin(func() bool { return cpu()-begin >= 50*time.Millisecond })
				mu.Lock()
				used += cpu() - begin
				mu.Unlock()
			})
		}
		wg.Wait()
	})
	n, _ := counts(r, "threadSpin")
	if got := time.Duration(n * perfPeriod); n == 0 || got < used*8/10 || got > used*11/10 {
		t.Errorf("%v of %v in new threads were sampled", got, used)
	}
}

func TestPerfDenied(t *testing.T) {
	defer func(open func(*unix.PerfEventAttr, int, int) (int, error)) { perfOpen = open }(perfOpen)
	perfOpen = func(*unix.PerfEventAttr, int, int) (int, error) { return -1, unix.EACCES }
	_, err := Start(Perf)
	if denied := (*SamplerError)(nil); !errors.As(err, &denied) || denied.Sampler != Perf ||
		!strings.Contains(denied.Reason, "perf_event_open: permission denied") {
		t.Errorf("perf: %v", err)
	}
	if err := Perf.Available(); err == nil {
		t.Error("perf is available though it is denied")
	}
	c, err := Start(Auto)
	if err != nil {
		t.Fatal(err)
	}
	Do("cell", loops)
	r, err := c.Stop()
	if err != nil {
		t.Fatal(err)
	}
	if r.Sampler != Signal || !strings.Contains(r.Fallback, "permission denied") {
		t.Errorf("sampler %s, fallback %q", r.Sampler, r.Fallback)
	}
}

// A system that lets a process sample its own code alone gets a profile that says what is missing.
func TestPerfUserOnly(t *testing.T) {
	needPerf(t)
	defer func(open func(*unix.PerfEventAttr, int, int) (int, error)) { perfOpen = open }(perfOpen)
	open := perfOpen
	perfOpen = func(attr *unix.PerfEventAttr, tid, cpu int) (int, error) {
		if attr.Bits&unix.PerfBitExcludeKernel == 0 {
			return -1, unix.EACCES
		}
		return open(attr, tid, cpu)
	}
	r := record(t, Perf, 100*time.Millisecond, func() {
		for range 1000 {
			_, _ = os.Stat(".")
		}
	})
	if !r.UserOnly || !strings.Contains(r.Warning(), "the kernel") ||
		!strings.Contains(strings.Join(r.Profile.Comments, ""), "user time only") {
		t.Errorf("coverage %.2f, warning %q, comments %q", r.Coverage(), r.Warning(), r.Profile.Comments)
	}
}

func TestPerfLost(t *testing.T) {
	needPerf(t)
	defer func(size int) { perfRing = size }(perfRing)
	perfRing = 1 // a page
	if r := record(t, Perf, 200*time.Millisecond, loops); r.Lost == 0 {
		t.Errorf("%d samples lost from a ring of one page", r.Lost)
	}
}

func inlined() { sink += spin(unit) }

// Inlined calls have their own lines, as in other profiles.
func TestPerfInlined(t *testing.T) {
	needPerf(t)
	r := record(t, Perf, 50*time.Millisecond, func() { inlined() })
	lines := 0
	for _, l := range r.Profile.Location {
		for i, line := range l.Line {
			if line.Function.Name == "canonscope/profiles.inlined" && i+1 < len(l.Line) {
				lines++
			}
		}
	}
	if lines == 0 {
		t.Error("no location has an inlined call")
	}
}

// Each part of the time has the cell that Do was called with.
func TestPerfCells(t *testing.T) {
	needPerf(t)
	c, err := Start(Perf)
	if err != nil {
		t.Fatal(err)
	}
	Do("a", func() { loop60(unit) })
	for range 200 {
		Do("b", func() { loop10(unit) })
	}
	for range 200 {
		Do("c", func() { loop30(unit) })
	}
	r, err := c.Stop()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	seen := 0
	for _, s := range r.Profile.Sample {
		names = stack(s, names)
		for function, cell := range map[string]string{"loop10": "b", "loop30": "c", "loop60": "a"} {
			if slices.Contains(names, "canonscope/profiles."+function) {
				seen++
				if !slices.Equal(s.Label[CellLabel], []string{cell}) {
					t.Errorf("a sample of %s has the labels %v, want %s", function, s.Label, cell)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no samples")
	}
}
