package engines_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/conform/race"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
)

// loader serves one small context for every URL.
type loader struct{}

func (loader) Load(_ context.Context, url string) (*jsonld.Document, error) {
	if url != "https://example.org/c" && url != "https://www.w3.org/ns/credentials/v2" {
		return nil, fmt.Errorf("no document %q", url)
	}
	return &jsonld.Document{URL: url, Bytes: []byte(`{"@context":{"@vocab":"https://example.org/","id":"@id","type":"@type"}}`)}, nil
}

func engine(tb testing.TB, name canon.Engine, method canon.Method) canon.Canonicalizer {
	tb.Helper()
	c, err := engines.New(name, method, engines.Config{Loader: loader{}})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func unguarded(tb testing.TB, name canon.Engine) canon.Canonicalizer {
	tb.Helper()
	c, err := engines.Unguarded(name, canon.RDFC, engines.Config{Loader: loader{}})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func TestNew(t *testing.T) {
	for _, name := range canon.Engines {
		for _, method := range canon.Methods {
			c, err := engines.New(name, method, engines.Config{})
			var unsupported *canon.UnsupportedError
			if exists := name != canon.Tuned || method != canon.JCS; exists != (c != nil) || exists == errors.As(err, &unsupported) {
				t.Errorf("%s %s: %v, %v", name, method, c, err)
			}
		}
	}
	if _, err := engines.New("fast", canon.JCS, engines.Config{}); err == nil || !strings.Contains(err.Error(), "native") {
		t.Error(err)
	}
	if _, err := engines.New(canon.Native, "urdna", engines.Config{}); err == nil || !strings.Contains(err.Error(), "rdfc") {
		t.Error(err)
	}
}

// sample is a document with its input format.
type sample struct {
	name   string
	method canon.Method
	input  canon.Input
	doc    []byte
}

func samples() []sample {
	return []sample{
		{"nquads", canon.RDFC, canon.NQuads, []byte("_:x <https://example.org/p> _:y .\n_:y <https://example.org/q> \"1\" .\n_:y <https://example.org/q> \"1\" .\n")},
		{"jsonld", canon.RDFC, canon.JSONLD, credential(1, 2)},
		{"plain", canon.RDFC, canon.JSONLD, []byte(`{"@context":{"id":"@id","p":"https://example.org/p","q":"https://example.org/q"},"id":"urn:s","q":{"p":"x"},"p":"y"}`)},
		{"json", canon.JCS, canon.JSON, credential(1, 2)},
	}
}

// TestAgree runs each document through every engine. All give the same bytes, also with reused memory.
func TestAgree(t *testing.T) {
	for _, s := range samples() {
		want := ""
		for _, name := range canon.Engines {
			c, err := engines.New(name, s.method, engines.Config{Loader: loader{}})
			if err != nil {
				continue // see TestNew
			}
			var into canon.Form
			for _, opt := range []canon.Options{{}, {Into: &into}, {Into: &into}} {
				opt.Input = s.input
				form, err := c.Canonicalize(context.Background(), s.doc, opt)
				if err != nil {
					t.Fatalf("%s, %s: %v", s.name, name, err)
				}
				if want == "" {
					want = string(form.Text)
				}
				if string(form.Text) != want || s.method == canon.RDFC && form.Lines != strings.Count(want, "\n") {
					t.Errorf("%s, %s, %+v: %d lines\n%s\nwant\n%s", s.name, name, opt, form.Lines, form.Text, want)
				}
			}
		}
	}
}

// TestGuarded checks that the engines of New refuse documents that Unguarded ones get wrong, also if a
// document has several canonical forms.
func TestGuarded(t *testing.T) {
	const context = `{"@context":{"p":"urn:p","q":{"@id":"urn:q","@type":"@id"}},`
	ties := `"q":[{"q":[{"@id":"_:a","q":"_:b"},{"@id":"_:b","q":"_:a"}]},{"q":[{"@id":"_:c","q":"_:d"},{"@id":"_:d","q":"_:c"}]}]`
	for _, name := range []canon.Engine{canon.Stock, canon.Tuned} {
		for doc, right := range map[string]bool{
			context + `"p":"x"}`:                               true,
			context + `"p":"x","lost":"y"}`:                    false,
			context + `"p":{"@value":"x","@direction":"rtl"}}`: false,
			context + `"p":"x",` + ties + `}`:                  true,
			context + `"p":"x","lost":"y",` + ties + `}`:       false,
			context + `"p":[true,{"@value":"true","@type":"http://www.w3.org/2001/XMLSchema#boolean"}],` + ties + `}`: false,
		} {
			for _, opt := range []canon.Options{{}, {Lossy: true}, {Direction: "i18n-datatype"}, {Issued: true}} {
				form, err := engine(t, name, canon.RDFC).Canonicalize(t.Context(), []byte(doc), opt)
				if right != (err == nil) || right != (form != nil) {
					t.Errorf("%s, %+v: %s: %v", name, opt, doc, err)
				}
			}
			if _, err := unguarded(t, name).Canonicalize(t.Context(), []byte(doc), canon.Options{}); err != nil {
				t.Errorf("%s without a guard: %s: %v", name, doc, err)
			}
		}
	}
}

// TestConcurrent runs every engine in 32 goroutines. It has no limit of time, which they share on a busy machine.
func TestConcurrent(t *testing.T) {
	limits := canon.Limits{Time: -1}
	for _, s := range samples() {
		for _, name := range canon.Engines {
			c, err := engines.New(name, s.method, engines.Config{Loader: loader{}})
			if err != nil {
				continue
			}
			first, err := c.Canonicalize(context.Background(), s.doc, canon.Options{Input: s.input})
			if err != nil {
				t.Fatal(err)
			}
			var group sync.WaitGroup
			for range 32 {
				group.Go(func() {
					var into canon.Form
					for range 10 {
						form, err := c.Canonicalize(context.Background(), s.doc, canon.Options{Input: s.input, Into: &into, Limits: limits})
						if err != nil || string(form.Text) != string(first.Text) {
							t.Errorf("%s, %s: %v", s.name, name, err)
							return
						}
					}
				})
			}
			group.Wait()
		}
	}
}

func TestNativeAllocatesNothing(t *testing.T) {
	if raced {
		t.Skip("the race detector is on")
	}
	for _, s := range samples() {
		c := engine(t, canon.Native, s.method)
		var into canon.Form
		run := func() {
			if _, err := c.Canonicalize(context.Background(), s.doc, canon.Options{Input: s.input, Into: &into}); err != nil {
				t.Fatal(err)
			}
		}
		for range 10 {
			run()
		}
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%s: %v allocations", s.name, n)
		}
	}
}

// TestTold checks that a number whose value JCS changes is reported.
func TestTold(t *testing.T) {
	c := engine(t, canon.Native, canon.JCS)
	form, err := c.Canonicalize(context.Background(), []byte(`{"a":[-0]}`), canon.Options{Lossy: true})
	if err != nil || string(form.Text) != `{"a":[0]}` || len(form.Losses) != 1 || form.Losses[0].Pointer != "/a/0" {
		t.Error(form, err)
	}
	var loss *canon.LossError
	if _, err := c.Canonicalize(context.Background(), []byte(`{"a":[-0]}`), canon.Options{}); !errors.As(err, &loss) || loss.Losses[0].Pointer != "/a/0" {
		t.Error(err)
	}
}

// A hash function that does not exist is refused, also for a document without a blank node to hash.
func TestUnsupportedHash(t *testing.T) {
	c := engine(t, canon.Native, canon.RDFC)
	for _, doc := range []string{`{"@context":{"p":"u:p"},"p":"x"}`, `{"@context":{"p":"u:p"},"p":["x","y"]}`} {
		for range 2 {
			var unsupported *canon.UnsupportedError
			if form, err := c.Canonicalize(context.Background(), []byte(doc), canon.Options{Hash: "sha512"}); form != nil || !errors.As(err, &unsupported) {
				t.Errorf("%s: %v, %v", doc, form, err)
			}
			if form, err := c.Canonicalize(context.Background(), []byte(doc), canon.Options{Hash: canon.SHA384}); err != nil || form.Lines == 0 {
				t.Errorf("%s: %v, %v", doc, form, err)
			}
		}
	}
}

// credential is a credential with a number of achievements, about 900 bytes and 1,000 more for each. The seed gives its
// texts.
func credential(seed uint64, achievements int) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	word := func() string {
		b := make([]byte, 4+r.IntN(8))
		for i := range b {
			b[i] = 'a' + byte(r.IntN(26))
		}
		return string(b)
	}
	text := func(words int) string {
		s := make([]string, words)
		for i := range s {
			s[i] = word()
		}
		return strings.Join(s, " ")
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"@context":["https://www.w3.org/ns/credentials/v2","https://example.org/c"],"id":"urn:uuid:%x","type":["VerifiableCredential","ExampleCredential"],`, r.Uint64())
	fmt.Fprintf(&b, `"issuer":{"id":"did:example:%x","name":%q},"validFrom":"2026-01-01T00:00:00Z","credentialSubject":{"id":"did:example:%x"`, r.Uint64(), text(3), r.Uint64())
	for i := range 16 {
		fmt.Fprintf(&b, `,"%s%d":%q`, word(), i, text(3))
	}
	b.WriteString(`,"achievement":[`)
	for i := range achievements {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"urn:uuid:%x","type":["Achievement"],"name":%q,"description":%q,"creator":{"id":"did:example:%x","type":["Profile"],"name":%q},`, r.Uint64(), text(3), text(30), r.Uint64(), text(2))
		fmt.Fprintf(&b, `"criteria":{"narrative":%q},"creditsAvailable":%d,"tag":[%q,%q],"alignment":[`, text(40), r.IntN(300), word(), word())
		fmt.Fprintf(&b, `{"type":["Alignment"],"targetName":%q,"targetUrl":"https://example.org/%s","targetCode":%q}]}`, text(2), word(), word())
	}
	b.WriteString(`]}}`)
	return []byte(b.String())
}

// BenchmarkEnginesJCS compares the engines of JCS in alternating turns over rotating documents. The ratio
// is that of the medians.
func BenchmarkEnginesJCS(b *testing.B) {
	for _, c := range []struct {
		name         string
		achievements int
	}{{"1kB", 0}, {"100kB", 95}} {
		b.Run("jcs/"+c.name, func(b *testing.B) {
			var docs [][]byte
			for seed := range uint64(64) {
				docs = append(docs, credential(seed, c.achievements))
			}
			ours, theirs := engine(b, canon.Native, canon.JCS), engine(b, canon.Stock, canon.JCS)
			var into canon.Form
			do := func(e canon.Canonicalizer, opt canon.Options) func(i int) {
				return func(i int) {
					if _, err := e.Canonicalize(context.Background(), docs[i%len(docs)], opt); err != nil {
						b.Fatal(err)
					}
				}
			}
			native, stock := do(ours, canon.Options{Into: &into}), do(theirs, canon.Options{})
			race.Run(b, race.Contender{Name: "native", Do: native}, race.Contender{Name: "stock", Do: stock})
			b.ReportMetric(float64(len(docs[0])), "bytes")
			b.ReportMetric(testing.AllocsPerRun(5, func() { native(0) }), "native-allocs")
			b.ReportMetric(testing.AllocsPerRun(5, func() { stock(0) }), "stock-allocs")
		})
	}
}

// The native engine reports ties if a form may be one of several.
func TestTies(t *testing.T) {
	c := engine(t, canon.Native, canon.RDFC)
	form := new(canon.Form)
	for nquads, ties := range map[string]bool{
		"<u:s> <u:p> <u:o> .\n":                              false,
		"_:a <u:p> _:b .\n":                                  false,
		"_:a <u:p> _:b .\n_:b <u:p> _:a .\n":                 true,
		"_:a <u:p> \"1\" .\n_:b <u:p> \"2\" .\n":             false,
		"_:a <u:p> \"1\" <u:g> .\n_:b <u:p> \"1\" <u:g> .\n": true,
	} {
		got, err := c.Canonicalize(context.Background(), []byte(nquads), canon.Options{Input: canon.NQuads, Into: form})
		if err != nil || got.Ties != ties {
			t.Errorf("%s: ties %v, %v", nquads, got.Ties, err)
		}
	}
}

// A dataset of N-Quads and its labelling count against the caller's limit of memory, together.
func TestMemoryOfNQuads(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "_:b%d <u:p> _:c%d .\n", i, i)
	}
	c := engine(t, canon.Native, canon.RDFC)
	for memory, fits := range map[int64]bool{16 << 20: false, 40 << 20: false, 256 << 20: true} {
		_, err := c.Canonicalize(context.Background(), []byte(b.String()), canon.Options{Input: canon.NQuads, Limits: canon.Limits{Memory: memory}})
		var limit *canon.LimitError
		if fits != (err == nil) || !fits && (!errors.As(err, &limit) || limit.Limit != "memory" || limit.Max != memory) {
			t.Errorf("%d bytes: %v", memory, err)
		}
	}
}

// A server that collects garbage between documents pays for the engine's memory once, not after each collection.
func TestCollectionsLeaveMemory(t *testing.T) {
	g, err := catalogue.Get("ob3")
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.Document(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engines.Unguarded(canon.Native, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
	if err != nil {
		t.Fatal(err)
	}
	var form canon.Form
	opt := canon.Options{Into: &form}
	do := func() {
		f, err := e.Canonicalize(context.Background(), c.VCDM, opt)
		if err != nil {
			t.Fatal(err)
		}
		form = *f
	}
	for range 3 {
		do()
	}

	least := uint64(math.MaxUint64)
	for range 5 {
		runtime.GC()
		runtime.GC() // the second empties what a sync.Pool has saved from the first
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		least = min(least, after.Mallocs-before.Mallocs)
	}
	if least > 3 {
		t.Errorf("after collections, a canonicalization makes %d allocations", least)
	}
}

// What an idle engine keeps does not grow with the documents that it has served.
func TestKeptIsSmall(t *testing.T) {
	heap := func() uint64 {
		for range 3 {
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	document := func(value string, terms int) string {
		var b strings.Builder
		fmt.Fprintf(&b, `{"@context":{"@vocab":"https://example.org/%s#"},"@id":"urn:s","p":"%s"`, strings.Repeat("v", min(terms, 8<<10)), value)
		for i := range terms {
			fmt.Fprintf(&b, `,"p%d":1`, i)
		}
		return b.String() + "}"
	}
	for name, doc := range map[string]string{
		"escapes": document(strings.Repeat(`\t`, 4<<20), 0),
		"plain":   document(strings.Repeat("x", 10<<20), 0),
		"terms":   document("x", 2000),
	} {
		for _, state := range jsonld.CacheStates {
			e, err := engines.Unguarded(canon.Native, canon.RDFC, engines.Config{Loader: loader{}, Contexts: state})
			if err != nil {
				t.Fatal(err)
			}
			before := heap()
			for _, doc := range []string{doc, document("x", 3)} {
				if _, err := e.Canonicalize(context.Background(), []byte(doc), canon.Options{}); err != nil {
					t.Fatal(name, state, err)
				}
			}
			if after := heap(); after > before+6<<20 {
				t.Errorf("%s, %v: the engine keeps %d bytes", name, state, after-before)
			}
			runtime.KeepAlive(e)
		}
	}
}

// Memory that is kept refers to no document but the last.
func TestKeptDocuments(t *testing.T) {
	e, err := engines.Unguarded(canon.Native, canon.RDFC, engines.Config{Loader: loader{}})
	if err != nil {
		t.Fatal(err)
	}
	var gone atomic.Int32
	for n := 40; n > 0; n-- { // each has fewer terms than those before
		doc := make([]byte, 0, 64<<10)
		doc = append(doc, `{"@context":{"@vocab":"u:v#"},"@id":"urn:s"`...)
		for i := range n {
			doc = fmt.Appendf(doc, `,"p%d":"%d"`, i, i)
		}
		doc = append(doc, '}')
		if _, err := e.Canonicalize(context.Background(), doc, canon.Options{}); err != nil {
			t.Fatal(err)
		}
		runtime.AddCleanup(&doc[0], func(int) { gone.Add(1) }, 0)
	}
	for range 1000 { // a cleanup runs some time after the collection
		runtime.GC()
		if gone.Load() >= 38 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := gone.Load(); n < 38 {
		t.Errorf("%d of 40 documents are free", n)
	}
	runtime.KeepAlive(e)
}
