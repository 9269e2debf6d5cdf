package measure

import (
	"runtime"
	"runtime/metrics"
	"time"

	"golang.org/x/sys/unix"

	"canonscope/compare"
)

// clocks reads everything a block reports. Allocations come from ReadMemStats, which is exact: runtime/metrics counts a
// small object only when the span around it is full, which a short block shows.
type clocks struct {
	gc  []metrics.Sample
	mem runtime.MemStats
	reading
}

type reading struct {
	bytes, allocs uint64
	collector     float64
	thread, cpu   int64
	wall          time.Time
}

func newClocks() *clocks {
	return &clocks{gc: []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}}
}

// begin starts a block; the calling goroutine must be locked to its thread. What reading itself costs stays outside the
// block at both ends.
func (c *clocks) begin() {
	runtime.ReadMemStats(&c.mem)
	metrics.Read(c.gc)
	c.reading = reading{c.mem.TotalAlloc, c.mem.Mallocs, c.gc[0].Value.Float64(), threadCPU(), processCPU(), time.Now()}
}

// end returns what happened since begin.
func (c *clocks) end() compare.Block {
	wall, cpu, thread := time.Since(c.wall), processCPU(), threadCPU()
	metrics.Read(c.gc)
	runtime.ReadMemStats(&c.mem)
	return compare.Block{
		CPU: cpu - c.cpu, Wall: int64(wall), Thread: thread - c.thread,
		Bytes: int64(c.mem.TotalAlloc - c.bytes), Allocs: int64(c.mem.Mallocs - c.allocs),
		GC: c.gc[0].Value.Float64() - c.collector,
	}
}

// processCPU returns the CPU nanoseconds this process has used, user and system, all threads.
func processCPU() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// threadCPU returns the CPU nanoseconds of the calling thread.
func threadCPU() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return t.Nano()
}
