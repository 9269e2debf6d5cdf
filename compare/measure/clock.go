package measure

import (
	"runtime/metrics"
	"time"

	"golang.org/x/sys/unix"

	"canonscope/compare"
)

// clocks reads everything a block reports.
type clocks struct {
	samples []metrics.Sample
	reading
}

type reading struct {
	bytes, allocs uint64
	gc            float64
	thread, cpu   int64
	wall          time.Time
}

func newClocks() *clocks {
	return &clocks{samples: []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/allocs:objects"}, {Name: "/cpu/classes/gc/total:cpu-seconds"}}}
}

// begin starts a block; the calling goroutine must be locked to its thread. What reading itself costs stays outside the
// block at both ends.
func (c *clocks) begin() {
	metrics.Read(c.samples)
	c.reading = reading{c.samples[0].Value.Uint64(), c.samples[1].Value.Uint64(), c.samples[2].Value.Float64(),
		threadCPU(), processCPU(), time.Now()}
}

// end returns what happened since begin.
func (c *clocks) end() compare.Block {
	wall, cpu, thread := time.Since(c.wall), processCPU(), threadCPU()
	metrics.Read(c.samples)
	return compare.Block{
		CPU: cpu - c.cpu, Wall: int64(wall), Thread: thread - c.thread,
		Bytes: int64(c.samples[0].Value.Uint64() - c.bytes), Allocs: int64(c.samples[1].Value.Uint64() - c.allocs),
		GC: c.samples[2].Value.Float64() - c.gc,
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
