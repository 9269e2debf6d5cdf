package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/schemas"
)

// TestLoop prints the CPU nanoseconds of an operation of a cell in a straight loop of a second, with as much
// alive as another variable says. Other tests run it in builds of their own. It is a test of the command because
// a collection marks what the command's packages keep.
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
	credentials := make([]*schemas.Credential, documents)
	defer runtime.KeepAlive(credentials) // a campaign's processes keep them, too
	for i := range exchanges {
		var err error
		if credentials[i], err = bench.Generator.Document(1, i); err != nil {
			t.Fatal(err)
		}
		scenario := bench.Scenario
		scenario.Now, scenario.Limits, scenario.Seed = measure.Now, measure.Limits, 1
		x, err := bench.Format.Prepare(credentials[i], scenario)
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
	during(50 * time.Millisecond) // until contexts and pools are there, which are alive, too
	ballast := pad(alive)
	defer runtime.KeepAlive(ballast)
	during(100 * time.Millisecond)
	before, from := cpuUsed(t), ops
	during(last)
	return float64(cpuUsed(t)-before) / float64(ops-from)
}

func cpuUsed(t *testing.T) int64 {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
