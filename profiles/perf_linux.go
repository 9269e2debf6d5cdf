//go:build linux && (amd64 || arm64)

package profiles

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"
)

const (
	// perfPeriod is about 1/PerfHz in nanoseconds, and a prime, so that work does not run in step with it.
	perfPeriod = 249_989

	drainEvery = 50 * time.Millisecond // a full ring holds the samples of 100 ms at least
	storeSize  = 4 << 20
)

// perfRing is the size of a ring: what a user may lock for each processor. Tests change it.
var perfRing = 512 << 10

// perfOpen opens an event. Tests replace it.
var perfOpen = func(attr *unix.PerfEventAttr, tid, cpu int) (int, error) {
	return unix.PerfEventOpen(attr, tid, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
}

// perfCapture samples all threads of this process. Each thread has an event for each processor, which
// threads that it creates inherit, and the events of a processor share a ring: the kernel lets inherited
// events have a ring in no other way.
type perfCapture struct {
	events   []int
	rings    []*ring
	userOnly bool
	before   map[string]bool // roots of the goroutines that ran before

	mu     sync.Mutex
	cell   string
	store  []byte // raw samples, outside the heap: they must not change when collections begin
	used   int
	stacks map[sampled]int64
	lost   int64

	symbols *symbols

	stop, stopped chan struct{}
}

// sampled is a stack and the cell that was measured meanwhile.
type sampled struct {
	cell string
	pcs  string // 8 bytes each, the leaf first
}

func perfAttr(userOnly bool) *unix.PerfEventAttr {
	attr := &unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Sample: perfPeriod,
		Sample_type:      unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_CALLCHAIN | perfExtra,
		Sample_regs_user: perfRegisters, Sample_stack_user: perfStackSize,
		Bits: unix.PerfBitDisabled | unix.PerfBitInherit | unix.PerfBitExcludeHv |
			unix.PerfBitExcludeCallchainKernel,
	}
	if userOnly {
		attr.Bits |= unix.PerfBitExcludeKernel
	}
	attr.Size = uint32(binary.Size(attr))
	return attr
}

// probePerf reports whether events can be opened and read.
func probePerf() error {
	p, err := openPerf()
	if err == nil {
		p.close()
	}
	return err
}

// openPerf opens the events, disabled. Time in the kernel is sampled where that is allowed.
func openPerf() (*perfCapture, error) {
	p, err := openEvents(false)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
		p, err = openEvents(true)
	}
	if err != nil {
		return nil, &SamplerError{Perf, perfReason(err)}
	}
	return p, nil
}

func perfReason(err error) string {
	const level = "/proc/sys/kernel/perf_event_paranoid"
	reason := err.Error()
	if !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EPERM) {
		return reason
	}
	if text, err := os.ReadFile(level); err == nil {
		return fmt.Sprintf("%s; %s is %s, it must be 2 or less, and a container must allow the call",
			reason, level, bytes.TrimSpace(text))
	}
	return reason
}

func openEvents(userOnly bool) (*perfCapture, error) {
	p := &perfCapture{userOnly: userOnly, stacks: map[sampled]int64{}, symbols: newSymbols()}
	if err := p.open(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *perfCapture) open() (err error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return fmt.Errorf("read the processors of this process: %w", err)
	}

	threads, err := threadsOf()
	if err != nil {
		return err
	}

	attr := perfAttr(p.userOnly)
	for cpu, left := 0, set.Count(); left > 0; cpu++ {
		if !set.IsSet(cpu) {
			continue
		}
		left--
		if err := p.openCPU(attr, threads, cpu); err != nil {
			return err
		}
	}

	if p.store, err = unix.Mmap(-1, 0, storeSize, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_POPULATE); err != nil {
		return fmt.Errorf("map memory for samples: %w", err)
	}
	return nil
}

// openCPU opens the events of all threads on a processor.
func (p *perfCapture) openCPU(attr *unix.PerfEventAttr, threads []int, cpu int) error {
	owner := -1 // of the ring
	for _, tid := range threads {
		fd, err := perfOpen(attr, tid, cpu)
		if errors.Is(err, unix.ESRCH) {
			continue // the thread has ended
		}
		if err != nil {
			return fmt.Errorf("perf_event_open: %w", err)
		}
		p.events = append(p.events, fd)
		if owner < 0 {
			r, err := mapRing(fd, perfRing)
			if err != nil {
				return fmt.Errorf("map the ring of a perf event: %w", err)
			}
			p.rings, owner = append(p.rings, r), fd
		} else if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_OUTPUT, owner); err != nil {
			return fmt.Errorf("share the ring of a perf event: %w", err)
		}
	}
	return nil
}

// threadsOf lists the threads of this process.
func threadsOf() ([]int, error) {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, fmt.Errorf("list the threads of this process: %w", err)
	}
	var ids []int
	for _, e := range entries {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// startPerf begins to sample. A thread that is created while the events are opened may be missed, so they
// are opened again until none is.
func startPerf() (*perfCapture, error) {
	const tries = 5
	var p *perfCapture
	for try := 1; ; try++ {
		before, err := threadsOf()
		if err != nil {
			return nil, &SamplerError{Perf, err.Error()}
		}
		if p, err = openPerf(); err != nil {
			return nil, err
		}
		after, err := threadsOf()
		if err != nil || try == tries || !slices.ContainsFunc(after, func(id int) bool {
			return !slices.Contains(before, id)
		}) {
			break
		}
		p.close()
	}

	p.stop, p.stopped = make(chan struct{}), make(chan struct{})
	go p.read()
	p.before = goroutineRoots()

	for _, fd := range p.events {
		if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0); err != nil {
			p.halt()
			p.close()
			return nil, &SamplerError{Perf, "enable a perf event: " + err.Error()}
		}
	}
	return p, nil
}

// goroutineRoots returns the functions that the goroutines began with.
func goroutineRoots() map[string]bool {
	roots := map[string]bool{}
	var b bytes.Buffer
	if pprof.Lookup("goroutine").WriteTo(&b, 0) != nil {
		return roots
	}
	p, err := profile.Parse(&b)
	if err != nil {
		return roots
	}
	for _, s := range p.Sample {
		if names := stack(s, nil); len(names) > 0 {
			roots[names[len(names)-1]] = true
		}
	}
	return roots
}

func (p *perfCapture) read() {
	defer close(p.stopped)
	ticker := time.NewTicker(drainEvery)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.drain()
		}
	}
}

// enter sets the cell of the samples that follow.
func (p *perfCapture) enter(cell string) {
	p.mu.Lock()
	same := p.cell == cell
	p.mu.Unlock()
	if same {
		return
	}
	p.drain()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fold()
	p.cell = cell
}

// drain empties the rings into the store.
func (p *perfCapture) drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	pid := uint32(os.Getpid())
	for _, r := range p.rings {
		r.drain(func(record []byte) {
			switch binary.NativeEndian.Uint32(record) {
			case unix.PERF_RECORD_LOST:
				p.lost += int64(binary.NativeEndian.Uint64(record[16:]))
			case unix.PERF_RECORD_SAMPLE:
				if binary.NativeEndian.Uint32(record[8:]) != pid {
					return // a child that this process has started
				}
				if p.used+len(record) > len(p.store) {
					p.fold()
				}
				p.used += copy(p.store[p.used:], record)
			}
		})
	}
}

// fold counts the stacks of the store and empties it.
func (p *perfCapture) fold() {
	for at := 0; at < p.used; {
		n := int(binary.NativeEndian.Uint16(p.store[at+6:]))
		p.count(p.store[at+16 : at+n])
		at += n
	}
	p.used = 0
}

// count adds a sample, from its call chain on.
func (p *perfCapture) count(record []byte) {
	words := make([]uint64, len(record)/8)
	for i := range words {
		words[i] = binary.NativeEndian.Uint64(record[8*i:])
	}
	end := 1 + min(int(words[0]), len(words)-1)
	chain, word := words[1:end], returnWord(words[end:])
	chain = slices.DeleteFunc(chain, func(pc uint64) bool { return pc >= contexts })

	var key []byte
	for i, pc := range chain {
		key = binary.NativeEndian.AppendUint64(key, pc)
		if i > 0 {
			continue
		}
		next := uint64(0)
		if len(chain) > 1 {
			next = chain[1]
		}
		if caller := p.symbols.caller(pc, word, next); caller != 0 {
			key = binary.NativeEndian.AppendUint64(key, caller)
		}
	}

	p.stacks[sampled{p.cell, string(key)}]++
}

// contexts is where the marks in a call chain begin, which are no addresses.
const contexts = ^uint64(4094) // PERF_CONTEXT_MAX, -4095

// halt ends sampling and reading.
func (p *perfCapture) halt() {
	for _, fd := range p.events {
		_ = unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_DISABLE, 0)
	}
	close(p.stop)
	<-p.stopped
	p.drain()
}

// close gives back what openPerf took.
func (p *perfCapture) close() {
	for _, r := range p.rings {
		r.close()
	}
	for _, fd := range p.events {
		_ = unix.Close(fd)
	}
	p.symbols.close()
	_ = unix.Munmap(p.store) // refuses nil
	p.rings, p.events, p.store = nil, nil, nil
}

// finish writes the samples into a recording, as runtime/pprof does.
func (p *perfCapture) finish(r *Recording) error {
	defer p.close()
	p.fold()
	out := p.symbols.profile
	cpu := &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	out.SampleType = []*profile.ValueType{{Type: "samples", Unit: "count"}, cpu}
	out.PeriodType, out.Period = cpu, perfPeriod
	out.DurationNanos, out.TimeNanos = int64(r.Wall), time.Now().Add(-r.Wall).UnixNano()

	var names []string
	for _, key := range slices.SortedFunc(maps.Keys(p.stacks), sampled.compare) {
		n := p.stacks[key]
		locations, whole := p.symbols.stack([]byte(key.pcs))
		sample := &profile.Sample{Location: locations, Value: []int64{n, n * perfPeriod}}
		names = stack(sample, names)
		if key.cell != "" && (passesDo(sample) || p.started(names, whole)) {
			sample.Label = map[string][]string{CellLabel: {key.cell}}
		}
		out.Sample = append(out.Sample, sample)
	}

	r.Profile, r.Lost, r.UserOnly = out, p.lost, p.userOnly
	return out.CheckValid()
}

func (s sampled) compare(o sampled) int {
	return cmp.Or(strings.Compare(s.cell, o.cell), strings.Compare(s.pcs, o.pcs))
}

// started reports whether a stack that does not pass through Do belongs to the operation all the same: a
// goroutine that was not there before, nor is one of the runtime's, or a stack that is deeper than the
// kernel walks.
func (p *perfCapture) started(names []string, whole bool) bool {
	if !whole || len(names) == 0 {
		return len(names) >= perfDepth()
	}
	root := names[len(names)-1]
	return !p.before[root] && !strings.HasPrefix(root, "runtime.") && !strings.HasPrefix(root, "runtime/")
}

// perfDepth is how many frames the kernel walks.
var perfDepth = sync.OnceValue(func() int {
	const usual = 127
	text, _ := os.ReadFile("/proc/sys/kernel/perf_event_max_stack")
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return usual
	}
	return n
})
