package measure

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"

	"golang.org/x/sys/unix"

	"canonscope/compare"
)

// Warm-up of each operation in the process that is timed, at least one operation. The heap of an operation
// that allocates 1 kB a microsecond takes 0.2 s to settle, which only the window of --full waits for.
const (
	warmTime   = 5 * time.Millisecond  // until the code and its pools are warm
	threadTime = 15 * time.Millisecond // on one thread, whose clock is read
	mostSettle = 32 << 20              // bytes until the heap has grown
)

// batchTime is the time of the operations between two readings of the clocks, which take at most a
// thousandth of it.
const batchTime = 2 * time.Millisecond

// steps does the next n operations.
type steps func(n int) error

// mark is a place in a run of operations.
type mark struct {
	ops, collections int
	cpu              int64
	wall             time.Time
}

// since is the CPU time after another mark. CPU time makes windows as long on a busy machine as on an idle
// one.
func (m mark) since(o mark) time.Duration { return time.Duration(m.cpu - o.cpu) }

// batches does operations and reads the clocks between them.
type batches struct {
	do   steps
	look func() mark // its ops are not set
	here mark
	size int // of the next batch
}

func newBatches(do steps, look func() mark) *batches {
	return &batches{do: do, look: look, here: look(), size: 1}
}

// next does a batch of at most the given number of operations. Batches double until they take batchTime.
func (b *batches) next(most int) error {
	n, was := min(b.size, most), b.here
	if err := b.do(n); err != nil {
		return err
	}
	b.here = b.look()
	b.here.ops = was.ops + n
	if n == b.size && b.here.since(was) < batchTime {
		b.size *= 2
	}
	return nil
}

// skip leaves out the operations since the last reading.
func (b *batches) skip() {
	ops := b.here.ops
	b.here = b.look()
	b.here.ops = ops
}

// last does operations for the given time, and at least one.
func (b *batches) last(least time.Duration) error {
	for start := b.here; ; {
		if err := b.next(math.MaxInt); err != nil || b.here.since(start) >= least {
			return err
		}
	}
}

// settled keeps what settle allocates from the stack.
var settled []byte

// settle allocates until the collector has run a few times, once for all operations of a process: from then
// on the heap reaches its goal in memory that was used before. Without this, the first 50 ms of native
// operations used 400 to 1,000 pages of memory for the first time and cost 20 to 40 % more.
func settle() {
	const collections = 4
	cycles := newHeap()
	end := cycles.look().collections + collections
	for n := 0; n < mostSettle && cycles.look().collections < end; {
		for range 16 {
			settled = make([]byte, 4<<10)
			n += len(settled)
		}
	}
	settled = nil
}

// timed warms an operation up and times it over a window, and on one thread after that if it is asked to.
// While the clock runs, nothing forces a collection, stops the world or locks the goroutine to its thread;
// the heap is as earlier operations have left it.
func timed(w compare.Window, threaded bool, do steps) (*compare.Run, error) {
	heap := newHeap()
	b := newBatches(do, heap.look)
	if err := b.last(max(warmTime, seconds(w.Warm))); err != nil {
		return nil, err
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	heap.begin()
	b.skip()
	start := b.here
	from, to, ending, err := window(w, b, heap.near)
	if err != nil {
		return nil, err
	}

	runtime.ReadMemStats(&after)

	n, all, wall := float64(to.ops-from.ops), float64(b.here.ops-start.ops), to.wall.Sub(from.wall)
	thread := 0.0
	if threaded {
		if thread, err = onOneThread(b); err != nil {
			return nil, err
		}
	}

	return &compare.Run{
		Ops: to.ops - from.ops, First: from.ops, CPU: float64(to.since(from)) / n, Wall: float64(wall) / n,
		Thread:      thread,
		Bytes:       float64(after.TotalAlloc-before.TotalAlloc) / all,
		Allocs:      float64(after.Mallocs-before.Mallocs) / all,
		Collections: to.collections - from.collections, Window: wall.Seconds(), Ending: ending,
	}, nil
}

// window does operations until the window is over, and returns its begin and end. near reports whether a
// collection will come before most, after the elapsed CPU time without one.
//
// It begins with the first collection that ends after its start and ends with another: a window that begins
// anywhere but ends with a collection holds half a collection too many on average. If no collection comes
// within the window, the window is what was measured without one.
func window(w compare.Window, b *batches, near func(elapsed, most time.Duration) bool) (
	from, to mark, why compare.Ending, err error,
) {
	least, most := seconds(w.Least), seconds(w.Most)
	start := b.here
	if w.N > 0 {
		for end := start.ops + w.N; b.here.ops < end && err == nil; {
			err = b.next(end - b.here.ops)
		}
		return start, b.here, compare.Counted, err
	}

	last, aligned := start.collections, false
	for {
		if err := b.next(math.MaxInt); err != nil {
			return from, to, "", err
		}
		if b.here.collections > last {
			to = b.here
			switch {
			case aligned:
			case to.collections-last >= w.Collections: // within a batch: where they begin matters little
				from, aligned = start, true
			default:
				from, aligned = to, true
			}
			last = to.collections
			if to.collections-from.collections >= w.Collections && to.since(from) >= least {
				return from, to, compare.Collections, nil
			}
		}

		elapsed := b.here.since(start)
		if elapsed >= most || elapsed >= least && !aligned && !near(elapsed, most) {
			if to.since(from) < least { // not one whole cycle
				from, to = start, b.here
			}
			return from, to, compare.Rare, nil
		}
	}
}

// onOneThread returns the CPU nanoseconds of an operation on its thread alone. The goroutine is locked to
// the thread. That slows collections, so this is not part of the window.
func onOneThread(b *batches) (float64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b.skip()
	before, start := threadCPU(), b.here
	err := b.last(threadTime)
	return float64(threadCPU()-before) / float64(b.here.ops-start.ops), err
}

// heap observes the collector without stopping the program.
type heap struct {
	cycles, sizes []metrics.Sample
	used          uint64 // when the window began
}

func newHeap() *heap {
	return &heap{cycles: []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}},
		sizes: []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/goal:bytes"}}}
}

// look reads the clocks.
func (h *heap) look() mark {
	metrics.Read(h.cycles)
	return mark{collections: int(h.cycles[0].Value.Uint64()), cpu: processCPU(), wall: time.Now()}
}

// begin remembers what is in use.
func (h *heap) begin() {
	metrics.Read(h.sizes)
	h.used = h.sizes[0].Value.Uint64()
}

// near reports whether the heap, growing as it did during elapsed, reaches its goal before most.
func (h *heap) near(elapsed, most time.Duration) bool {
	metrics.Read(h.sizes)
	used, goal := h.sizes[0].Value.Uint64(), h.sizes[1].Value.Uint64()
	if used <= h.used {
		return false
	}
	return float64(goal)-float64(used) <= float64(used-h.used)*float64(most-elapsed)/float64(elapsed)
}

// processCPU returns the CPU nanoseconds this process has used, user and system, all threads.
func processCPU() int64 { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

// threadCPU returns the CPU nanoseconds of the calling thread.
func threadCPU() int64 { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

func clock(id int32) int64 {
	var t unix.Timespec
	if unix.ClockGettime(id, &t) != nil {
		return 0
	}
	return t.Nano()
}
