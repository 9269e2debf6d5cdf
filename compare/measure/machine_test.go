package measure_test

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
)

// What processes measure over their windows is what an operation costs in a loop of seconds, with as much
// alive.
func TestSteadyState(t *testing.T) {
	if os.Getenv("CANONSCOPE_MACHINE") == "" {
		t.Skip("needs a machine that does nothing else: set CANONSCOPE_MACHINE=1")
	}
	p := plan()
	p.Window, p.Runs, p.Documents, p.Deadline = measure.DefaultWindow, 5, 64, time.Hour
	for _, id := range []string{
		"format=mdoc/suite=cose-sign1/engine=native/alg=EdDSA/schema=simple-20/gc=100/procs=2/contexts=none",
		"format=sd-jwt-vc/suite=jws/engine=native/alg=EdDSA/schema=simple-20/gc=100/procs=2/contexts=none",
		"format=vcdm/suite=eddsa-rdfc-2022/engine=native/alg=EdDSA/schema=simple-20/gc=100/procs=2/contexts=warm",
	} {
		c, err := compare.ParseCell(id)
		if err != nil {
			t.Fatal(err)
		}
		p.Cells = append(p.Cells, c.With(compare.Issue), c.With(compare.Present))
	}
	c, _ := run(t, p)
	for _, r := range c.Results {
		if r.State != compare.Measured {
			t.Fatalf("%s: %s: %s", r.ID, r.State, r.Reason)
		}
		got, want := r.CPU(), loop(t, r.Cell, p.Documents, r.Runs[0].LiveHeap, 2*time.Second)
		t.Logf("%s: %.0f ns, %.0f in a loop: %.2f", r.ID, got, want, got/want)
		if math.Abs(got/want-1) > 0.1 {
			t.Errorf("%s: %.0f ns, %.0f in a loop", r.ID, got, want)
		}
	}
}

// TestLoop prints the CPU nanoseconds of an operation of a cell in a straight loop of a second, with as much
// alive as another variable says. Other tests run it in builds of their own.
func TestLoop(t *testing.T) {
	id := os.Getenv("CANONSCOPE_LOOP")
	if id == "" {
		t.Skip("set CANONSCOPE_LOOP to the id of a cell")
	}
	cell, err := compare.ParseCell(id)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GOMAXPROCS(cell.Procs)
	alive, _ := strconv.ParseInt(os.Getenv("CANONSCOPE_LOOP_HEAP"), 10, 64)
	fmt.Printf("loop %.1f ns\n", loop(t, cell, 64, alive, time.Second))
}

// pad allocates until so many bytes are alive.
func pad(alive int64) (out [][]byte) {
	const size = 4 << 10
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	for n := int64(mem.HeapAlloc); n < alive; n += size {
		out = append(out, make([]byte, size))
	}
	return out
}

// loop is the CPU nanoseconds of an operation over some time, after a tenth of a second, with so many bytes
// alive.
func loop(t *testing.T, cell compare.Cell, documents int, alive int64, last time.Duration) float64 {
	t.Helper()
	bench, err := matrix.Open(cell.Exchange())
	if err != nil {
		t.Fatal(err)
	}
	exchanges := make([]*compare.Exchange, documents)
	given := make([][]byte, documents) // what the operation is given
	for i := range exchanges {
		credential, err := bench.Generator.Document(1, i)
		if err != nil {
			t.Fatal(err)
		}
		scenario := bench.Scenario
		scenario.Now, scenario.Limits, scenario.Seed = measure.Now, measure.Limits, 1
		x, err := bench.Format.Prepare(credential, scenario)
		if err != nil {
			t.Fatal(err)
		}
		if exchanges[i] = x; x.Canonizes {
			continue
		}
		if given[i], err = x.Issue(); err != nil {
			t.Fatal(err)
		}
		switch cell.Operation {
		case compare.Verify:
			given[i], err = x.Whole(given[i])
		case compare.VerifyPresented:
			given[i], err = x.Present(given[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	ballast := pad(alive)
	defer runtime.KeepAlive(ballast)
	ops := 0
	during := func(d time.Duration) {
		for start := time.Now(); time.Since(start) < d; ops++ {
			i := ops % documents
			switch x := exchanges[i]; cell.Operation {
			case compare.Canonize:
				_, err = x.Canonize()
			case compare.Issue:
				_, err = x.Issue()
			case compare.Present:
				_, err = x.Present(given[i])
			default:
				err = x.Verify(given[i])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	during(100 * time.Millisecond)
	before, from := used(t), ops
	during(last)
	return float64(used(t)-before) / float64(ops-from)
}

func used(t *testing.T) int64 {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
