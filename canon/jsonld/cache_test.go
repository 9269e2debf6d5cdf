package jsonld_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
)

// text returns the dataset of a document as N-Quads.
func text(t testing.TB, p *jsonld.Processor, doc string) string {
	t.Helper()
	var set rdf.Dataset
	if err := p.ToRDF(context.Background(), []byte(doc), jsonld.Options{}, &set); err != nil {
		t.Errorf("%s: %v", doc, err)
	}
	return string(set.AppendNQuads(nil))
}

// A scoped context that is in order in one place and not in another is checked in both, whatever the call did before.
func TestScopedContextIsChecked(t *testing.T) {
	const terms = `"@version":1.1,"k":"u:k#","@vocab":"u:v#","N":{"@id":"u:N","@context":{"@vocab":null,"k":"u:k2#"}},
		"U":{"@id":"u:U","@context":{"z":"k:z","V":{"@id":"u:V","@context":[{"w":{"@id":"u:w","@type":"needs-a-vocabulary"}}]}}}`
	for _, before := range []string{"", `{"@context":{` + terms + `},"u:p":"x"}`} {
		p := jsonld.New(jsonld.Config{})
		if before != "" {
			text(t, p, before)
		}
		for range 3 {
			var set rdf.Dataset
			err := p.ToRDF(context.Background(), []byte(`{"@context":{`+terms+`},"N":{"U":{"z":"x"}}}`), jsonld.Options{}, &set)
			if e := new(jsonld.Error); !errors.As(err, &e) || e.Code != jsonld.InvalidScopedContext {
				t.Errorf("after %q: %v", before, err)
			}
		}
	}
}

// Contexts that alternate, at the top, in nodes and through types and properties, never change one another.
func TestAlternatingContexts(t *testing.T) {
	documents := []string{
		`{"@context":{"p":"u:one"},"@id":"u:s","p":"x"}`,
		`{"@context":{"p":"u:two"},"@id":"u:s","p":"x"}`,
		`{"@context":{"p":{"@id":"u:two","@type":"@id"}},"@id":"u:s","p":"u:x"}`,
		`{"@context":[{"p":"u:one"},{"q":"u:q"}],"@id":"u:s","p":{"@context":{"p":"u:two"},"@id":"u:n","p":"x"},"q":{"@context":{"p":"u:three"},"@id":"u:m","p":"x"}}`,
		`{"@context":[{"p":"u:one"},{"q":"u:r"}],"@id":"u:s","q":{"@context":{"p":"u:two"},"@id":"u:n","p":"x"},"p":{"@context":{"p":"u:three"},"@id":"u:m","p":"x"}}`,
		`{"@context":{"@version":1.1,"T":{"@id":"u:T","@context":{"p":"u:of-T"}},"p":"u:p"},"@id":"u:s","@type":"T","p":{"@id":"u:n","p":"x"}}`,
		`{"@context":{"@version":1.1,"T":{"@id":"u:T","@context":{"p":"u:in-T"}},"p":"u:p"},"@id":"u:s","@type":"T","p":{"@id":"u:n","p":"x"}}`,
		`{"@context":{"@version":1.1,"r":{"@id":"u:r","@context":{"p":"u:in-r"}},"p":"u:p"},"@id":"u:s","r":{"@id":"u:n","p":"x"},"p":"y"}`,
		`{"@context":{"@version":1.1,"r":{"@id":"u:r","@context":null},"p":"u:p"},"@id":"u:s","r":{"@id":"u:n","u:q":"x"},"p":"y"}`,
		`{"@context":"https://c.example/a","@id":"u:s","p":"x"}`,
		`{"@context":["https://c.example/a",{"p":"u:here"}],"@id":"u:s","p":"x"}`,
		`{"@context":["https://c.example/a","https://c.example/b"],"@id":"u:s","p":"x","pre:q":"y","q":"z"}`,
		`{"@context":["https://c.example/b","https://c.example/a"],"@id":"u:s","p":"x","q":"z"}`,
		`{"@context":[{"pre":"u:other#"},"https://c.example/b"],"@id":"u:s","q":"z"}`,
		`{"@context":[{"@vocab":"u:vocab#"},"https://c.example/v"],"@id":"u:s","w":"z"}`,
		`{"@context":[{"@vocab":"u:lexis#"},"https://c.example/v"],"@id":"u:s","w":"z"}`,
		`{"@context":{"@version":1.1,"@import":"https://c.example/a","p":"u:over"},"@id":"u:s","p":"x"}`,
	}
	loader := jsonld.Map{
		"https://c.example/a": []byte(`{"@context":{"p":"u:a","pre":"u:pre#"}}`),
		"https://c.example/b": []byte(`{"@context":{"q":{"@id":"pre:q"}}}`),
		"https://c.example/v": []byte(`{"@context":{"w":{"@type":"u:dt"}}}`),
	}
	want := make([]string, len(documents))
	for i, doc := range documents {
		want[i] = text(t, jsonld.New(jsonld.Config{Loader: loader}), doc)
	}
	for _, state := range jsonld.CacheStates {
		p := jsonld.New(jsonld.Config{Loader: loader, State: state})
		for round := range 3 {
			for i := range documents {
				n := (i*7 + round) % len(documents)
				if got := text(t, p, documents[n]); got != want[n] {
					t.Errorf("%v: %s\n%s, want\n%s", state, documents[n], got, want[n])
				}
			}
		}
		// From many goroutines at once, the result is the same.
		var wg sync.WaitGroup
		for g := range 32 {
			wg.Go(func() {
				for i := range 4 * len(documents) {
					n := (i*5 + g) % len(documents)
					if got := text(t, p, documents[n]); got != want[n] {
						t.Errorf("%v, shared: %s\n%s, want\n%s", state, documents[n], got, want[n])
					}
				}
			})
		}
		wg.Wait()
	}
}

// counter is a loader that counts.
type counter struct {
	jsonld.Loader
	calls atomic.Int64
}

func (c *counter) Load(ctx context.Context, url string) (*jsonld.Document, error) {
	c.calls.Add(1)
	return c.Loader.Load(ctx, url)
}

// The states keep what they say, and Stats shows it.
func TestCacheStates(t *testing.T) {
	doc := `{"@context":["https://c.example/a",{"q":"u:q"}],"@id":"u:s","@type":"T","p":"x","q":"y"}`
	for _, c := range []struct {
		state                    jsonld.CacheState
		loads, compiled, applied int64 // by a second call
	}{
		{jsonld.Warm, 0, 0, 0},
		{jsonld.Embedded, 0, 1, 4}, // the inline context; and the active contexts: a, inline, scoped, and its fork
		{jsonld.Documents, 0, 3, 4},
		{jsonld.Cold, 1, 3, 4},
	} {
		loader := &counter{Loader: jsonld.Map{"https://c.example/a": []byte(`{"@context":{"@version":1.1,"p":"u:p","T":{"@id":"u:T","@context":{"r":"u:r"}}}}`)}}
		p := jsonld.New(jsonld.Config{Loader: loader, State: c.state})
		text(t, p, doc)
		before := p.Stats()
		if before.Loads != 1 || before.Compiled != 3 || loader.calls.Load() != 1 {
			t.Errorf("%v: first call: %+v, %d calls of the loader", c.state, before, loader.calls.Load())
		}
		text(t, p, doc)
		after := p.Stats()
		loads, compiled, applied := after.Loads-before.Loads, after.Compiled-before.Compiled, after.Applied-before.Applied
		if loads != c.loads || compiled != c.compiled || (applied == 0) != (c.applied == 0) {
			t.Errorf("%v: second call: %d loads, %d compiled, %d applied; want %d, %d, %d", c.state, loads, compiled, applied, c.loads, c.compiled, c.applied)
		}
		if (c.state == jsonld.Warm) != (after.Families == 1) {
			t.Errorf("%v: keeps %d root contexts", c.state, after.Families)
		}
	}
}

// Goroutines that need one context at the same time load it once.
func TestSingleFlight(t *testing.T) {
	start := make(chan struct{})
	loader := &counter{Loader: loaderFunc(func(context.Context, string) (*jsonld.Document, error) {
		<-start
		return &jsonld.Document{Bytes: []byte(`{"@context":{"p":"u:p"}}`)}, nil
	})}
	p := jsonld.New(jsonld.Config{Loader: loader})
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() { text(t, p, `{"@context":"https://c.example/a","@id":"u:s","p":"x"}`) })
	}
	close(start)
	wg.Wait()
	if n := loader.calls.Load(); n != 1 {
		t.Errorf("%d loads", n)
	}
}

type loaderFunc func(ctx context.Context, url string) (*jsonld.Document, error)

func (f loaderFunc) Load(ctx context.Context, url string) (*jsonld.Document, error) {
	return f(ctx, url)
}

// A loader that fails is asked again, and its error is in the chain.
func TestLoaderError(t *testing.T) {
	cause := errors.New("down")
	fail := true
	p := jsonld.New(jsonld.Config{Loader: loaderFunc(func(_ context.Context, url string) (*jsonld.Document, error) {
		if fail {
			return nil, cause
		}
		return &jsonld.Document{URL: url, Bytes: []byte(`{"@context":{"p":"u:p"}}`)}, nil
	})})
	doc := `{"@context":["https://c.example/a"],"@id":"u:s","p":"x"}`
	err := toRDF(p, doc)
	var e *jsonld.Error
	if !errors.As(err, &e) || e.Code != jsonld.LoadingRemoteContextFailed || e.Pointer != "/@context/0" || !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	fail = false
	if err := toRDF(p, doc); err != nil {
		t.Error(err)
	}
	if err := toRDF(jsonld.New(jsonld.Config{}), doc); !errors.As(err, &e) || e.Code != jsonld.LoadingRemoteContextFailed {
		t.Errorf("without a loader: %v", err)
	}
}

// The cache stays within its bound and drops what was used longest ago.
func TestCacheBound(t *testing.T) {
	p := jsonld.New(jsonld.Config{CacheBytes: 200_000})
	hot := `{"@context":{"hot":"u:hot"},"@id":"u:s","hot":"x"}`
	for i := range 2000 {
		text(t, p, fmt.Sprintf(`{"@context":{"p":"u:p%d"},"@id":"u:s","p":"x"}`, i))
		text(t, p, hot)
		if s := p.Stats(); s.Bytes > 300_000 {
			t.Fatalf("%d bytes after %d contexts", s.Bytes, i)
		}
	}
	s := p.Stats()
	if s.Evicted < 1000 || s.Families < 10 {
		t.Errorf("%+v", s)
	}
	compiled := s.Compiled
	text(t, p, hot)
	if s := p.Stats(); s.Compiled != compiled {
		t.Error("the context in constant use was dropped")
	}
	// Ever new contexts inside documents of one root context count, too.
	p = jsonld.New(jsonld.Config{CacheBytes: 200_000})
	for i := range 2000 {
		text(t, p, fmt.Sprintf(`{"@context":{"q":"u:q"},"@id":"u:s","q":{"@context":{"p":"u:p%d"},"@id":"u:n","p":"x"}}`, i))
		if s := p.Stats(); s.Bytes > 300_000 {
			t.Fatalf("%d bytes after %d contexts", s.Bytes, i)
		}
	}
}

// A warm document allocates nothing, whatever it is made of.
func TestNoAllocations(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	doc := []byte(`{"@context":{"@version":1.1,"@vocab":"u:vocab#","@language":"de-AT","id":"@id","type":"@type","T":{"@id":"u:T","@context":{"p":"u:p","n":{"@id":"u:n","@type":"u:dt"}}},
		"l":{"@id":"u:l","@container":"@list"},"g":{"@id":"u:g","@container":"@graph"},"lang":{"@id":"u:lang","@container":"@language"},"ref":{"@type":"@id"},"w":{"@type":"@vocab"},"pre":"u:pre#"},
		"id":"u:s","type":["T","pre:U"],"p":["a","b \u00e9\n",{"@value":"c","@language":"EN"},1,2.5,true],"n":"x","l":[1,["y"],{"id":"u:z"}],"g":[{"p":"in"},{"id":"_:b","q":"x"}],
		"lang":{"fr":"f","en":["g","h"]},"ref":["u:r","pre:r"],"w":"word","pre:q":{"r":"s"},"http://e.example/p":"t"}`)
	var set rdf.Dataset
	call := func() {
		if err := p.ToRDF(context.Background(), doc, jsonld.Options{}, &set); err != nil {
			t.Fatal(err)
		}
	}
	call()
	if n := testing.AllocsPerRun(100, call); n >= 1 && !raced { // the race detector makes pools forget
		t.Errorf("%v allocations", n)
	}
	if len(set.Quads) != 31 {
		t.Errorf("%d quads:\n%s", len(set.Quads), set.AppendNQuads(nil))
	}
}

// The dataset does not refer to memory that a later call reuses.
func TestDatasetStands(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	doc := func(s string) []byte {
		return []byte(strings.ReplaceAll(`{"@context":{"@vocab":"u:v#"},"@id":"u:S","S":"a\nS","k":{"@value":"S","@type":"u:dt-S"},"m":{"@value":"S","@language":"en"}}`, "S", s))
	}
	var one, two rdf.Dataset
	first := doc("one")
	if err := p.ToRDF(context.Background(), first, jsonld.Options{}, &one); err != nil {
		t.Fatal(err)
	}
	want := string(one.AppendNQuads(nil))
	for range 10 {
		if err := p.ToRDF(context.Background(), doc("two"), jsonld.Options{}, &two); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(one.AppendNQuads(nil)); got != want {
		t.Errorf("%s became\n%s", want, got)
	}
}

// A definition that is kept while the terms around it are not is compiled for the terms that are there, whatever
// place in memory these have.
func TestKeptAmongPassing(t *testing.T) {
	p := jsonld.New(jsonld.Config{State: jsonld.Embedded, Loader: jsonld.Map{"https://c.example/": []byte(
		`{"@context":{"q":{"@id":"p:q","@context":{"r":"p:r"}}}}`)}})
	for i := range 20 {
		ns := fmt.Sprintf("https://n%d.example/", i%3)
		doc := fmt.Sprintf(`{"@context":[{"p":%q},"https://c.example/"],"@id":"u:s","q":{"@id":"u:o","r":"x"}}`, ns)
		if got, want := text(t, p, doc), fmt.Sprintf("<u:s> <%sq> <u:o> .\n<u:o> <%sr> \"x\" .\n", ns, ns); got != want && got != swapped(want) {
			t.Fatalf("document %d: %s, not %s", i, got, want)
		}
	}
}

// A definition that is kept knows the vocabulary for which it was compiled, also if its text was a term's, which ends
// with the call.
func TestKeptVocabulary(t *testing.T) {
	for _, state := range jsonld.CacheStates {
		p := jsonld.New(jsonld.Config{State: state, Loader: jsonld.Map{"https://c.example/": []byte(`{"@context":{"p":{"@id":"q"}}}`)}})
		session := p.Session()
		var set rdf.Dataset
		for i := range 20 {
			ns := fmt.Sprintf("https://n%d.example/", i%3)
			doc := fmt.Sprintf(`{"@context":[{"v":%q},{"@vocab":"v"},"https://c.example/"],"@id":"u:s","p":"x"}`, ns)
			if err := session.ToRDF(context.Background(), []byte(doc), &jsonld.Options{}, &set); err != nil {
				t.Fatal(err)
			}
			if got, want := string(set.AppendNQuads(nil)), fmt.Sprintf("<u:s> <%sq> \"x\" .\n", ns); got != want {
				t.Fatalf("%v, document %d: %s, not %s", state, i, got, want)
			}
		}
	}
}

// The names of scoped contexts that a document enters outlive the dataset.
func TestEnteredStays(t *testing.T) {
	for _, state := range jsonld.CacheStates {
		session := jsonld.New(jsonld.Config{State: state}).Session()
		var set rdf.Dataset
		var entered []jsonld.Entered
		convert := func(name string, into *[]jsonld.Entered) {
			doc := strings.ReplaceAll(`{"@context":{"@version":1.1,"N":{"@id":"u:N","@context":{"z":"u:z"}}},"@id":"u:s","N":{"@id":"u:o","z":"x"}}`, "N", name)
			if err := session.ToRDF(context.Background(), []byte(doc), &jsonld.Options{Entered: into}, &set); err != nil {
				t.Fatal(err)
			}
		}
		convert("aaa", &entered)
		convert("bbb", nil)
		if len(entered) != 1 || entered[0].Term != "aaa" {
			t.Errorf("%v: %+v", state, entered)
		}
	}
}

// A panic of the loader, from which the caller recovers, leaves nothing to the next call.
func TestLoaderPanic(t *testing.T) {
	for _, state := range jsonld.CacheStates {
		panics := true
		session := jsonld.New(jsonld.Config{State: state, Loader: loaderFunc(func(_ context.Context, url string) (*jsonld.Document, error) {
			if url == "https://c.example/2" && panics {
				panic("loader")
			}
			return &jsonld.Document{URL: url, Bytes: []byte(`{"@context":{"p":"u:right-p"}}`)}, nil
		})}).Session()
		var set rdf.Dataset
		convert := func(doc string) error {
			return session.ToRDF(context.Background(), []byte(doc), &jsonld.Options{}, &set)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			convert(`{"@context":["https://c.example/1","https://c.example/2"],"@id":"u:s","p":"x"}`)
		}()
		if err := convert(`{"@context":[{"p":"u:wrong-p"},"https://c.example/1"],"@id":"u:s","p":"x"}`); err != nil {
			t.Fatalf("%v: %v", state, err)
		}
		if got, want := string(set.AppendNQuads(nil)), "<u:s> <u:right-p> \"x\" .\n"; got != want {
			t.Errorf("%v: %s, not %s", state, got, want)
		}
	}
}

func swapped(lines string) string {
	a, b, _ := strings.Cut(strings.TrimSuffix(lines, "\n"), "\n")
	return b + "\n" + a + "\n"
}

// A dataset does not change when the processor goes on to other documents, whatever the cache keeps.
func TestDatasetStays(t *testing.T) {
	for _, state := range jsonld.CacheStates {
		p := jsonld.New(jsonld.Config{State: state, Loader: jsonld.Map{
			"https://a.example/": []byte(`{"@context":{"p":{"@id":"https://a.example/p","@type":"https://a.example/t"}}}`),
			"https://b.example/": []byte(`{"@context":{"p":{"@id":"https://b.example/q","@type":"https://b.example/u"}}}`)}})
		var set rdf.Dataset
		convert := func(url, ns string, into *rdf.Dataset) {
			doc := fmt.Sprintf(`{"@context":[%q,{"r":"%sr"}],"@id":"u:s","p":"x","r":{"@id":"u:o","p":"y"}}`, url, ns)
			if err := p.ToRDF(context.Background(), []byte(doc), jsonld.Options{}, into); err != nil {
				t.Fatal(err)
			}
		}
		convert("https://a.example/", "https://c.example/", &set)
		before := string(set.AppendNQuads(nil))
		for range 3 {
			convert("https://b.example/", "https://d.example/", new(rdf.Dataset))
		}
		if after := string(set.AppendNQuads(nil)); after != before || !strings.Contains(before, "<https://a.example/p>") {
			t.Errorf("%v: %s became %s", state, before, after)
		}
	}
}
