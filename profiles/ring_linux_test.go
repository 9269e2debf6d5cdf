//go:build linux && (amd64 || arm64)

package profiles

import (
	"bytes"
	"encoding/binary"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"
)

// kernelRecord makes a record of the kernel: a type, its size and what follows the header.
func kernelRecord(kind uint32, n int, pid uint32) []byte {
	b := make([]byte, n)
	binary.NativeEndian.PutUint32(b, kind)
	binary.NativeEndian.PutUint16(b[6:], uint16(n))
	if n > 8 {
		binary.NativeEndian.PutUint32(b[8:], pid)
	}
	return b
}

// filled is a ring of 64 bytes in which the kernel has written records from a position on.
func filled(from uint64, records ...[]byte) *ring {
	r := &ring{meta: &unix.PerfEventMmapPage{Data_head: from, Data_tail: from}, data: slices.Repeat([]byte{16}, 64)}
	for _, b := range records {
		for _, v := range b {
			r.data[r.meta.Data_head%64] = v
			r.meta.Data_head++
		}
	}
	return r
}

// Each record between the tail and the head is read once, also one that ends with the ring, goes round its end or
// is a header alone; what lies beyond the head is old.
func TestRing(t *testing.T) {
	for _, c := range []struct {
		from  uint64
		sizes []int
	}{{0, nil}, {0, []int{8}}, {40, []int{24, 16}}, {48, []int{24, 8, 16}}, {1000, []int{8, 8, 40, 8}}, {0, []int{64}}, {8, []int{64}}} {
		var records [][]byte
		for i, n := range c.sizes {
			records = append(records, kernelRecord(unix.PERF_RECORD_SAMPLE, n, uint32(i)))
		}
		r := filled(c.from, records...)
		var got [][]byte
		for range 2 {
			r.drain(func(b []byte) { got = append(got, slices.Clone(b)) })
		}
		if !slices.EqualFunc(got, records, slices.Equal) || r.meta.Data_tail != r.meta.Data_head {
			t.Errorf("%v from %d: %d records %v", c.sizes, c.from, len(got), got)
		}
	}
	short := filled(0, kernelRecord(unix.PERF_RECORD_SAMPLE, 8, 0))
	short.data[6] = 7
	short.drain(func([]byte) { t.Error("a record shorter than a header") })
}

// No sample of this process is lost where the store is full, and those of other processes do not count.
func TestStore(t *testing.T) {
	pid := uint32(os.Getpid())
	for _, size := range []int{24, 47, 48, 50, 1000} {
		p := &perfCapture{cell: "x", store: make([]byte, size), stacks: make(map[sampled]int64)}
		lost := kernelRecord(unix.PERF_RECORD_LOST, 24, 0)
		binary.NativeEndian.PutUint64(lost[16:], 5)
		for range 2 {
			p.rings = []*ring{filled(8, kernelRecord(unix.PERF_RECORD_SAMPLE, 24, pid), kernelRecord(unix.PERF_RECORD_SAMPLE, 24, pid)),
				filled(8, lost, kernelRecord(unix.PERF_RECORD_SAMPLE, 24, pid+1)), filled(8, kernelRecord(unix.PERF_RECORD_SAMPLE, 24, pid))}
			p.drain()
		}
		p.fold()
		if got := p.stacks[sampled{"x", ""}]; got != 6 || p.lost != 10 || p.used != 0 {
			t.Errorf("a store of %d bytes: %d samples, %d lost", size, got, p.lost)
		}
	}
}

// A call chain ends with its record, whatever length it states; the marks of contexts in it are no addresses.
func TestChain(t *testing.T) {
	words := func(words ...uint64) (b []byte) {
		for _, w := range words {
			b = binary.NativeEndian.AppendUint64(b, w)
		}
		return b
	}
	symbols := newSymbols()
	defer symbols.close()
	for _, stated := range []uint64{4, 5, 100} {
		p := &perfCapture{stacks: make(map[sampled]int64), symbols: symbols}
		p.count(words(stated, contexts, 7, ^uint64(0), contexts-1))
		for key, n := range p.stacks {
			if got := []byte(key.pcs); n != 1 || len(got) < 16 || !bytes.HasPrefix(got, words(7)) ||
				!bytes.HasSuffix(got, words(contexts-1)) || bytes.Contains(got, words(contexts)) {
				t.Errorf("of %d: %d of %x", stated, n, got)
			}
		}
	}
}

// Of a sample the locations are kept that hold the frames to be kept, the last in part, and a mark where the stack
// was cut; of no frame nothing is kept.
func TestCutter(t *testing.T) {
	one, two := &profile.Location{ID: 1, Line: make([]profile.Line, 1)}, &profile.Location{ID: 2, Line: make([]profile.Line, 2)}
	for _, c := range []struct {
		keep []string
		want []int // lines of the locations
	}{{nil, nil}, {[]string{"a"}, []int{1}}, {[]string{"a", "b"}, []int{1, 1}}, {[]string{"a", "b", "c"}, []int{1, 2}},
		{[]string{"a", cutFrame}, []int{1, 1}}, {[]string{cutFrame}, []int{1}}} {
		cut := &cutter{profile: &profile.Profile{Location: []*profile.Location{one, two}}, parts: map[part]*profile.Location{}}
		s := &profile.Sample{Location: []*profile.Location{one, two}}
		cut.sample(s, c.keep)
		var got []int
		ids := make(map[uint64]bool)
		for _, l := range s.Location {
			got = append(got, len(l.Line))
			ids[l.ID] = true
		}
		if !slices.Equal(got, c.want) || len(ids) != len(got) {
			t.Errorf("%v: %v, want %v, ids %v", c.keep, got, c.want, ids)
		}
	}
}

// A leaf is where it is; a return address is after its call, which may be in another line.
func TestStackOfAddresses(t *testing.T) {
	s := newSymbols()
	defer s.close()

	line := func(l *profile.Location) int64 { return l.Line[len(l.Line)-1].Line }
	pc := uint64(reflect.ValueOf(loops).Pointer()) + 1
	for line(s.location(pc)) == line(s.location(pc-1)) { // loops has several
		pc++
	}

	address := binary.NativeEndian.AppendUint64(nil, pc)
	stack, whole := s.stack(append(address, address...))
	if whole || len(stack) != 2 {
		t.Fatalf("%d locations, to the root: %v", len(stack), whole)
	}
	if got, want := line(stack[0]), line(s.location(pc)); got != want {
		t.Errorf("the leaf is in line %d, want %d", got, want)
	}
	if got, want := line(stack[1]), line(s.location(pc-1)); got != want {
		t.Errorf("the call is in line %d, want %d", got, want)
	}
}

// A refusal by the system names the setting that decides; another error is given as it is.
func TestPerfReason(t *testing.T) {
	level, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	if err != nil {
		t.Skip("needs the setting: ", err)
	}
	for _, err := range []error{unix.EACCES, unix.EPERM} {
		if got, want := perfReason(err), "perf_event_paranoid is "+strings.TrimSpace(string(level)); !strings.Contains(got, want) {
			t.Errorf("%s: does not say %q", got, want)
		}
	}
	if got := perfReason(unix.ENOSYS); got != unix.ENOSYS.Error() {
		t.Errorf("%q for %v", got, unix.ENOSYS)
	}
}

// A stack that does not pass through Do belongs to the operation if it is as deep as the kernel walks, or, as a
// whole, of a goroutine that is new and not of the runtime.
func TestStarted(t *testing.T) {
	p := &perfCapture{before: map[string]bool{"main.main": true}}
	deep := make([]string, perfDepth())
	for name, c := range map[string]struct {
		names []string
		whole bool
		want  bool
	}{
		"as deep as it goes":  {deep, false, true},
		"deeper":              {append(deep, ""), false, true},
		"a frame less":        {deep[1:], false, false},
		"nothing":             {nil, true, false},
		"a new goroutine":     {[]string{"x.leaf", "x.root"}, true, true},
		"one that was before": {[]string{"x.leaf", "main.main"}, true, false},
		"one of the runtime":  {[]string{"x.leaf", "runtime.gcBgMarkWorker"}, true, false},
		"one of its packages": {[]string{"x.leaf", "runtime/pprof.profileWriter"}, true, false},
	} {
		if got := p.started(c.names, c.whole); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A profile of which CPU time is the one value can be of operations; one without CPU time cannot.
func TestOperationsOfOneValue(t *testing.T) {
	for kind, ok := range map[string]bool{"cpu": true, "alloc_space": false, "": false} {
		p := &profile.Profile{}
		if kind != "" {
			p.SampleType = []*profile.ValueType{{Type: kind, Unit: "nanoseconds"}}
		}
		if err := Operations(p, Rules{}, 5); (err == nil) != ok {
			t.Errorf("%q: %v", kind, err)
		}
	}
}
