package measure

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/profiles"
	"canonscope/schemas"
)

// A job is valid up to the bounds of its members, and not beyond.
func TestJobBounds(t *testing.T) {
	cell := compare.Cell{Format: "fake", Suite: "s", Engine: "stock", Algorithm: "none", Schema: "fake", GC: "100",
		Procs: 1, Contexts: "none"}
	for name, c := range map[string]struct {
		change func(j *Job)
		ok     bool
	}{
		"a window of operations":       {func(j *Job) { j.Window = compare.Window{N: 1} }, true},
		"a window of none":             {func(j *Job) { j.Window = compare.Window{N: 0} }, false},
		"a window of collections":      {func(j *Job) { j.Window = compare.Window{Collections: 1, Least: 0.1, Most: 0.1} }, true},
		"a window without collections": {func(j *Job) { j.Window = compare.Window{Collections: 0, Least: 0.1, Most: 0.1} }, false},
		"a window without a least":     {func(j *Job) { j.Window = compare.Window{Collections: 1, Least: 0, Most: 0.1} }, false},
		"a least above the most":       {func(j *Job) { j.Window = compare.Window{Collections: 1, Least: 0.2, Most: 0.1} }, false},
		"the first document":           {func(j *Job) { j.First = 0 }, true},
		"a document before it":         {func(j *Job) { j.First = -1 }, false},
		"one document":                 {func(j *Job) { j.Documents = 1 }, true},
		"no document":                  {func(j *Job) { j.Documents = 0 }, false},
		"the version before":           {func(j *Job) { j.Version-- }, false},
		"no clock":                     {func(j *Job) { j.Now = time.Time{} }, false},
		"a gate of operations":         {func(j *Job) { j.Kind = Gate }, false},
		"a gate":                       {func(j *Job) { j.Kind, j.Operations = Gate, nil }, true},
		"raw times":                    {func(j *Job) { j.Kind, j.Window = Raw, compare.Window{} }, true},
		"raw times of nothing":         {func(j *Job) { j.Kind, j.Operations = Raw, nil }, false},
		"allocations of one":           {func(j *Job) { j.Kind, j.Operations = Allocs, j.Operations[:1] }, true},
		"allocations of two":           {func(j *Job) { j.Kind = Allocs }, false},
		"a profile": {func(j *Job) {
			j.Sampler = profiles.Signal
			j.Kind, j.ProfileSeconds = Profile, map[compare.Operation]float64{compare.Issue: 0.1, compare.Verify: 0.1}
		}, true},
		"a profile of no time": {func(j *Job) {
			j.Sampler = profiles.Signal
			j.Kind, j.ProfileSeconds = Profile, map[compare.Operation]float64{compare.Issue: 0.1, compare.Verify: 0}
		}, false},
		"no kind":                 {func(j *Job) { j.Kind = "sing" }, false},
		"a cell, not an exchange": {func(j *Job) { j.Cell = cell.With(compare.Issue).ID() }, false},
	} {
		j := Job{Version: Version, Kind: Time, Cell: cell.ID(), Operations: []compare.Operation{compare.Issue, compare.Verify},
			Documents: 1, Now: Now, Window: compare.Window{N: 1}}
		c.change(&j)
		if err := j.Validate(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is packed comes back, and inputs that are cut short anywhere but between two records are refused.
func TestPack(t *testing.T) {
	records := [][]byte{[]byte("a"), {}, bytes.Repeat([]byte("b"), 127), bytes.Repeat([]byte("c"), 128)}
	packed := pack(records)
	ends := map[int]int{0: 0}
	for i := range records {
		ends[len(pack(records[:i+1]))] = i + 1
	}
	for n := range len(packed) + 1 {
		got, err := unpack(packed[:n])
		if want, whole := ends[n]; whole != (err == nil) || !slices.EqualFunc(got, records[:want], bytes.Equal) && whole {
			t.Errorf("the first %d bytes are %d records, %v", n, len(got), err)
		}
	}
	for _, bad := range [][]byte{bytes.Repeat([]byte{0xff}, 11), binary.AppendUvarint(nil, math.MaxUint64), {2, 'a'}} {
		if got, err := unpack(bad); err == nil {
			t.Errorf("%x is %q", bad, got)
		}
	}
}

// A file name is the values of a cell, as a whole up to 120 bytes; a longer one is cut to that with a hash.
func TestFileNames(t *testing.T) {
	if got := fileName("a=x/b=y/c=z"); got != "x_y_z" {
		t.Errorf("%s", got)
	}
	name := strings.Repeat("n", 120)
	if got := fileName("a=" + name); got != name {
		t.Errorf("of 120 bytes: %s", got)
	}
	a, b := fileName("a="+name+"1"), fileName("a="+name+"2")
	for _, got := range []string{a, b} {
		if len(got) != 120 || got[:87] != name[:87] || got[87] != '_' {
			t.Errorf("of 121 bytes: %s", got)
		}
	}
	if a == b || a[88:] != hash([]byte("a=" + name + "1"))[:32] {
		t.Errorf("two cells have the files %s and %s", a, b)
	}
}

// A file of a folder is lost if a byte of it is missing, not if there is more.
func TestLostByte(t *testing.T) {
	for _, spoilt := range []string{runsFile, "flame/a.svg"} {
		f, err := OpenFolder(filepath.Join(t.TempDir(), "results"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		content := func(w io.Writer) error { _, err := w.Write([]byte("abc")); return err }
		if err := errors.Join(f.Append("x"), f.Append("y"), f.Write("flame/a.svg", content), f.Write("flame/b.svg", content)); err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(f.Path, spoilt)
		info, err := os.Stat(at)
		if err != nil {
			t.Fatal(err)
		}
		for change, lose := range map[int64]bool{1: false, 0: false, -1: true} {
			if err := os.Truncate(at, info.Size()+change); err != nil {
				t.Fatal(err)
			}
			names, lost := f.Kept()
			if len(lost) > 0 != lose || lose && !strings.Contains(lost[0].Error(), fmt.Sprintf("cut short: %d bytes of %d", info.Size()-1, info.Size())) {
				t.Errorf("%s with %d bytes more: %v", spoilt, change, lost)
			}
			if want := 2; !lose && len(names) != want || lose && spoilt == runsFile && !slices.Equal(names, []string{"flame"}) {
				t.Errorf("%s with %d bytes more: kept %v", spoilt, change, names)
			}
		}
	}
}

// What is not complete is removed, however much it is and whatever it lies beside.
func TestAllParts(t *testing.T) {
	f, err := OpenFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(f.Path, rawDir), 0o777); err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		for _, name := range []string{partPrefix, rawDir + "/" + partPrefix, "part-", rawDir + "/part-"} {
			if err := os.WriteFile(filepath.Join(f.Path, fmt.Sprint(name, i)), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for dir, want := range map[string]int{".": 9 + 2, rawDir: 9} {
		entries, err := os.ReadDir(filepath.Join(f.Path, dir))
		if err != nil || len(entries) != want {
			t.Errorf("%s has %d entries, want %d; %v", dir, len(entries), want, err)
		}
	}
}

// toy is a format whose operations count and make what its fields say.
type toy struct {
	mu        sync.Mutex
	canonizes bool
	whole     bool               // presents what was issued
	salts     func(i int) int    // of issuing document i
	form      func(i int) []byte // of a canonizing one
	altered   []int              // documents whose presentations were altered
	compared  []int              // documents that were compared
	accepts   bool               // what was altered
	oracle    string
}

func (f *toy) Prepare(c *schemas.Credential, _ compare.Scenario) (*compare.Exchange, error) {
	n := new(compare.Counters)
	if f.canonizes {
		return compare.Canonizing(n, func() ([]byte, error) { n.Canonicalizations++; return f.form(c.Index), nil }), nil
	}
	issue := func() ([]byte, error) {
		n.Salts += f.salts(c.Index)
		return append([]byte("issued:"), c.VCDM...), nil
	}
	show := func(issued []byte) ([]byte, error) {
		if f.whole {
			return issued, nil
		}
		return append([]byte("shown:"), issued...), nil
	}
	verify := func(presented []byte) error {
		n.Verifications++
		if bytes.HasPrefix(presented, []byte("altered")) && !f.accepts {
			return errors.New("is altered")
		}
		return nil
	}
	return compare.Deriving(n, "all", compare.Steps{Issue: issue, Whole: show, Present: show, Verify: verify}), nil
}

type documents struct{}

func (documents) Name() string       { return "toy" }
func (documents) Kind() schemas.Kind { return schemas.Claims }
func (documents) Describe() string   { return "" }
func (documents) Document(_ uint64, i int) (*schemas.Credential, error) {
	return &schemas.Credential{Index: i, VCDM: []byte(strings.Repeat("d", i+1))}, nil
}

// bench returns documents of the toy, drawn.
func (f *toy) bench(t *testing.T, n int, canonize float64) *drawn {
	t.Helper()
	b := &Bench{Format: f, Generator: documents{},
		Check: func(_ context.Context, c *schemas.Credential, _ []byte) (Form, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.compared = append(f.compared, c.Index)
			return Form{Quads: 7, Blank: 2, NDegree: 3, Oracle: f.oracle}, nil
		},
		Tamper: func(c *schemas.Credential, presented []byte) ([]compare.Tampered, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.altered = append(f.altered, c.Index)
			return []compare.Tampered{{What: "a", Bytes: append([]byte("altered:"), presented...)},
				{What: "b", Bytes: append([]byte("altered too:"), presented...)}}, nil
		}}
	d, err := draw(b, &Job{Documents: n, Now: Now, Canonize: canonize})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The gate compares every document, alters the presentation of every eighth, and says the median of the
// sizes, which documents of one shape count alike, and whether the whole is presented.
func TestGateOfAll(t *testing.T) {
	f := &toy{salts: func(int) int { return 3 }, oracle: "other"}
	g, err := f.bench(t, 17, 0).gateAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(f.altered)
	if !slices.Equal(f.altered, []int{0, 8, 16}) || len(f.compared) != 17 {
		t.Errorf("altered are %v, compared %d", f.altered, len(f.compared))
	}
	w := g.Work[compare.Issue]
	if w.Counters != (compare.Counters{Salts: 3}) || w.Tampers != 6 || w.Compared != 17 || w.Documents != 17 ||
		w.Quads != 7 || w.Blank != 2 || w.NDegree != 3 || w.Oracle != "other" || w.Whole || w.Reissued {
		t.Errorf("%+v", w)
	}
	if w.Output != len("issued:")+9 || w.Estimate < 0 || w.Estimate > int64(time.Minute) {
		t.Errorf("of 17 documents: %d bytes in %d ns", w.Output, w.Estimate)
	}
	if w := g.Work[compare.Present]; w.Output != len("shown:issued:")+9 || w.Counters != (compare.Counters{}) {
		t.Errorf("present %+v", w)
	}
	if w := g.Work[compare.Verify]; w.Output != 0 || w.Counters != (compare.Counters{Verifications: 1}) {
		t.Errorf("verify %+v", w)
	}
	for op, want := range map[compare.Operation]string{compare.Present: "issued:", compare.Verify: "shown:issued:",
		compare.VerifyPresented: "shown:issued:"} {
		records, err := unpack(g.Inputs[op])
		if err != nil || len(records) != 17 || string(records[2]) != want+"ddd" {
			t.Errorf("%s has the inputs %q, %v", op, records, err)
		}
	}
	if len(g.Work) != 4 || len(g.Inputs) != 3 {
		t.Errorf("%d operations, %d inputs", len(g.Work), len(g.Inputs))
	}

	whole := &toy{salts: f.salts, whole: true}
	if g, err = whole.bench(t, 2, 0).gateAll(t.Context()); err != nil || !g.Work[compare.Issue].Whole ||
		g.Work[compare.Issue].Compared != 0 || g.Work[compare.Issue].Oracle != "" {
		t.Errorf("%+v, %v", g, err)
	}
}

// Documents whose operations count differently are not of one shape, and verify must refuse what is altered,
// which has to differ.
func TestGateRefuses(t *testing.T) {
	f := &toy{salts: func(i int) int { return i / 3 }}
	if _, err := f.bench(t, 4, 0).gateAll(t.Context()); err == nil || !strings.Contains(err.Error(), "document 3: issue counts") {
		t.Errorf("of two shapes: %v", err)
	}
	if _, err := f.bench(t, 3, 0).gateAll(t.Context()); err != nil {
		t.Errorf("of one shape: %v", err)
	}
	f.accepts = true
	if _, err := f.bench(t, 1, 0).gateAll(t.Context()); err == nil || !strings.Contains(err.Error(), "accepts a presentation with a altered") {
		t.Errorf("what is altered: %v", err)
	}
	d := f.bench(t, 1, 0)
	for want, tamper := range map[string]func(c *schemas.Credential, presented []byte) ([]compare.Tampered, error){
		"a Bench of credentials needs a Tamper": nil,
		"no altered presentation":               func(*schemas.Credential, []byte) ([]compare.Tampered, error) { return nil, nil },
		"altering a changes nothing": func(_ *schemas.Credential, p []byte) ([]compare.Tampered, error) {
			return []compare.Tampered{{What: "a", Bytes: p}}, nil
		},
		"alter the presentation: no": func(*schemas.Credential, []byte) ([]compare.Tampered, error) { return nil, errors.New("no") },
	} {
		d.bench.Tamper = tamper
		if _, err := d.gateAll(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	f.compared = nil
	guarded := f.bench(t, 1, 0)
	guarded.bench.Guard = func(context.Context, *schemas.Credential) error { return errors.New("a known loss") }
	if _, err := guarded.gateAll(t.Context()); err == nil || !strings.Contains(err.Error(), "canonical form: a known loss") || len(f.compared) > 0 {
		t.Errorf("a document that the guard refuses: %v, compared %v", err, f.compared)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.bench(t, 1, 0).gateAll(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// The gate of documents keeps the hash of each form, refuses an empty one, and gives an engine up at the
// deadline, if there is one.
func TestGateOfForms(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	for _, deadline := range []float64{0, 3600} {
		f := &toy{canonizes: true, form: func(i int) []byte { return []byte(strings.Repeat("f", i+1)) }, oracle: "other"}
		g, err := f.bench(t, 3, deadline).gateAll(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		records, err := unpack(g.Inputs[compare.Canonize])
		if err != nil || len(records) != 3 || string(records[2]) != hash([]byte("fff")) || len(g.Inputs) != 1 {
			t.Errorf("inputs %q, %v", records, err)
		}
		if w := g.Work[compare.Canonize]; len(g.Work) != 1 || w.Output != 2 || w.Compared != 3 || w.Whole || w.Tampers != 0 {
			t.Errorf("%+v", g.Work)
		}
	}
	f := &toy{canonizes: true, form: func(i int) []byte { return nil }}
	if _, err := f.bench(t, 1, 0).gateAll(t.Context()); err == nil || !strings.Contains(err.Error(), "canonize: it is empty") {
		t.Errorf("an empty form: %v", err)
	}
	f.form = func(int) []byte { <-hang; return nil }
	limit := new(canon.LimitError)
	if _, err := f.bench(t, 1, 0.001).gateAll(t.Context()); !errors.As(err, &limit) || limit.Limit != "time" || limit.Max != int64(time.Millisecond) {
		t.Errorf("an engine that hangs: %v", err)
	}
}

// Batches double while they take less than 2 ms, a batch that was cut short does not count, and what lies
// between two readings is left out on request.
func TestBatches(t *testing.T) {
	for _, c := range []struct {
		op   time.Duration
		want []int // operations after each batch
	}{
		{time.Millisecond, []int{1, 3, 5, 7}},                    // two operations take 2 ms
		{time.Millisecond - 1, []int{1, 3, 7, 11}},               // and a little less
		{100 * time.Microsecond, []int{1, 3, 7, 15, 31, 63, 95}}, // sixteen take less than 2 ms
		{2 * time.Millisecond, []int{1, 2, 3}},
	} {
		m := cycles(c.op, 0, 0)
		b := newBatches(m.do, m.look)
		for i, want := range c.want {
			if err := b.next(math.MaxInt); err != nil || b.here.ops != want || m.ops != want {
				t.Errorf("%v an operation: %d operations after batch %d, want %d; %v", c.op, b.here.ops, i, want, err)
			}
		}
	}

	m := cycles(us, 0, 0)
	b := newBatches(m.do, m.look)
	for _, want := range []int{1, 2, 3} {
		if b.next(1); b.here.ops != want {
			t.Errorf("%d operations, one at a time, want %d", b.here.ops, want)
		}
	}
	if b.size != 2 {
		t.Errorf("the next batch has %d operations, want 2", b.size)
	}
	before := b.here
	m.do(5)
	if b.skip(); b.here.ops != before.ops || b.here.since(before) != 5*us {
		t.Errorf("%+v after 5 operations that do not count since %+v", b.here, before)
	}
	if err := b.last(7 * us); err != nil || b.here.since(before) < 12*us || b.here.since(before) > 12*us+8*us {
		t.Errorf("7 µs of operations take %v, %v", b.here.since(before)-5*us, err)
	}
	exact := cycles(us, 0, 0) // 1, 2 and 4 operations take just 7 µs
	if err := newBatches(exact.do, exact.look).last(7 * us); err != nil || exact.ops != 7 {
		t.Errorf("7 µs of operations are %d, %v", exact.ops, err)
	}
	was := b.here.ops
	if err := b.last(0); err != nil || b.here.ops == was {
		t.Errorf("at least one operation is done: %d, %v", b.here.ops-was, err)
	}
}

// A window ends just when its time is over; a whole cycle of its least time is enough; it begins with a
// collection also where there were others before.
func TestWindowBounds(t *testing.T) {
	never := func(_, _ time.Duration) bool { return false }
	always := func(_, _ time.Duration) bool { return true }
	for name, c := range map[string]struct {
		every, before int // operations between two collections, collections before
		w             compare.Window
		near          func(_, _ time.Duration) bool
		from, to      int
		ending        compare.Ending
	}{
		"the least without collections": {0, 0, compare.Window{Collections: 2, Least: 0.05, Most: 0.2}, never, 0, 5, compare.Rare},
		"the most without collections":  {0, 0, compare.Window{Collections: 2, Least: 0.05, Most: 0.2}, always, 0, 20, compare.Rare},
		"a cycle of the least time":     {5, 0, compare.Window{Collections: 5, Least: 0.05, Most: 0.1}, always, 5, 10, compare.Rare},
		"a cycle of less":               {4, 0, compare.Window{Collections: 5, Least: 0.05, Most: 0.1}, always, 0, 10, compare.Rare},
		"two cycles":                    {5, 1000, compare.Window{Collections: 2, Least: 0.05, Most: 1}, always, 5, 15, compare.Collections},
		"as many as the time takes":     {2, 0, compare.Window{Collections: 2, Least: 0.06, Most: 1}, always, 2, 8, compare.Collections},
	} {
		m := cycles(10*ms, 0, c.every)
		m.collections = c.before
		from, to, ending, err := window(c.w, newBatches(m.do, m.look), c.near)
		if err != nil || from.ops != c.from || to.ops != c.to || ending != c.ending {
			t.Errorf("%s: from %d to %d, ends for %s, want %d to %d; %v", name, from.ops, to.ops, ending, c.from, c.to, err)
		}
	}
}

var kept [][]byte

// A timing says of an operation what it takes of the processor, of its thread and of the heap.
func TestTimed(t *testing.T) {
	const n, each = 100, 100 * time.Microsecond
	run, err := timed(compare.Window{N: n}, true, func(n int) error {
		for range n {
			kept = kept[:0]
			for range 10 {
				kept = append(kept, make([]byte, 1024))
			}
			for start := threadCPU(); threadCPU()-start < int64(each); {
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if run.Ops != n || run.First < 1 || run.Allocs < 10 || run.Allocs > 20 || run.Bytes < 10_240 || run.Bytes > 20_480 {
		t.Errorf("%d operations from %d, %.1f allocations of %.0f bytes", run.Ops, run.First, run.Allocs, run.Bytes)
	}
	if run.Thread < float64(each) || run.CPU < 0.9*float64(each) || run.CPU > 500*float64(each) ||
		!(math.Abs(run.Wall*n/1e9/run.Window-1) <= 1e-6) {
		t.Errorf("%.0f ns on the thread, %.0f ns, %.0f ns of wall time, a window of %.3f s", run.Thread, run.CPU, run.Wall, run.Window)
	}
}

// A collection is near if the heap, growing as it has done, reaches its goal in the time that is left.
func TestCollectionIsNear(t *testing.T) {
	keep := make([]byte, 64<<20) // so that what this test allocates is little
	runtime.GC()
	h := newHeap()
	h.begin()
	if used := h.used; used < uint64(len(keep)) {
		t.Fatalf("%d bytes are in use, at least %d were allocated", used, len(keep))
	}
	metrics.Read(h.sizes)
	used, goal := float64(h.sizes[0].Value.Uint64()), float64(h.sizes[1].Value.Uint64())
	h.used = uint64(used / 2) // half of it has grown in a second
	need := time.Duration((goal - used) / (used / 2) * float64(time.Second))
	for _, c := range []struct {
		left time.Duration
		want bool
	}{{need * 5 / 4, true}, {need * 3 / 4, false}, {0, false}, {-time.Second, false}} {
		if got := h.near(time.Second, time.Second+c.left); got != c.want {
			t.Errorf("%.0f bytes of %.0f in use, near in %v of %v: %v", used, goal, c.left, need, got)
		}
	}
	if h.used = math.MaxUint64; h.near(time.Second, math.MaxInt64) {
		t.Error("a heap that shrinks comes near its goal")
	}
	runtime.KeepAlive(keep)
}

// The clock of the process covers that of its thread, and both go on with work.
func TestProcessorClocks(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	process, thread := processCPU(), threadCPU()
	if process <= 0 || thread <= 0 {
		t.Fatalf("process %d ns, thread %d ns", process, thread)
	}
	for threadCPU()-thread < int64(20*time.Millisecond) {
	}
	if got := processCPU() - process; got < int64(15*time.Millisecond) {
		t.Errorf("the process took %d ns while its thread took 20 ms", got)
	}
}
