package jsonld_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
)

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Attack 15: what is kept of contexts stays within the bound, whatever it is: context documents, compiled definitions, long
// vocabularies.
func TestKeptMemory(t *testing.T) {
	const bound = 4 << 20
	padding := strings.Repeat(" ", 256<<10)
	terms := func(n int) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(`"t%d":"u:t%d"`, i, i)
		}
		return strings.Join(parts, ",")
	}
	long := `"u:` + strings.Repeat("x", 256<<10) + `"`
	many := terms(2000)
	for name, c := range map[string]struct {
		context func(n int) string // of the URL with this number
		doc     string             // with the URL
	}{
		"documents":    {func(int) string { return `{"@context":{"p":"u:p"}` + padding + `}` }, `{"@context":%q,"p":"x"}`},
		"definitions":  {func(n int) string { return fmt.Sprintf(`{"@context":{"p%d":"u:p",%s}}`, n, many) }, `{"@context":%q,"t1":"x"}`},
		"vocabularies": {func(n int) string { return fmt.Sprintf(`{"@context":{"p%d":"u:p","@vocab":%s}}`, n, long) }, `{"@context":%q,"a":"x","b":"x","c":"x"}`},
		"refused":      {func(int) string { return `{"@context":{"p":"u:p"}` + padding + `}` }, `{"@context":%q,"p":"@x","q":"lost"}`},
	} {
		for _, state := range jsonld.CacheStates {
			p := jsonld.New(jsonld.Config{State: state, CacheBytes: bound, Loader: loaderFunc(func(_ context.Context, url string) (*jsonld.Document, error) {
				var n int
				if _, err := fmt.Sscanf(url, "https://c.example/%d", &n); err != nil {
					return nil, err
				}
				return &jsonld.Document{URL: url, Bytes: []byte(c.context(n))}, nil
			})})
			before, documents := heap(), 100
			if raced {
				documents /= 10
			}
			var set rdf.Dataset
			for n := range documents {
				err := p.ToRDF(context.Background(), fmt.Appendf(nil, c.doc, fmt.Sprintf("https://c.example/%d", n)), jsonld.Options{}, &set)
				if (err != nil) != (name == "refused") {
					t.Fatalf("%s, %v: %v", name, state, err)
				}
			}
			if kept := int64(heap()) - int64(before); kept > 2*bound {
				t.Errorf("%s, %v: %d bytes are kept, the bound is %d", name, state, kept, bound)
			}
			if got := p.Stats().Bytes; got > bound {
				t.Errorf("%s, %v: counts %d bytes", name, state, got)
			}
			runtime.KeepAlive(p)
		}
	}
}

// Attack 15: who waits for a load that another call has begun is not cancelled with that call.
func TestSharedLoad(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	loads := 0
	var mu sync.Mutex
	p := jsonld.New(jsonld.Config{Loader: loaderFunc(func(ctx context.Context, url string) (*jsonld.Document, error) {
		mu.Lock()
		loads++
		first := loads == 1
		mu.Unlock()
		if first {
			close(begun)
			<-ctx.Done()
			<-finish
			return nil, ctx.Err()
		}
		return &jsonld.Document{URL: url, Bytes: []byte(`{"@context":{"p":"u:p"}}`)}, nil
	})})
	doc := []byte(`{"@context":"https://c.example/","p":"x"}`)
	call := func(ctx context.Context) error { return p.ToRDF(ctx, doc, jsonld.Options{}, new(rdf.Dataset)) }

	first, cancel := context.WithCancel(context.Background())
	errs := make(chan error, 3)
	go func() { errs <- call(first) }()
	<-begun
	impatient, giveUp := context.WithCancel(context.Background())
	second := make(chan error, 1)
	go func() { second <- call(context.Background()) }()
	third := make(chan error, 1)
	go func() { third <- call(impatient) }()
	giveUp()
	if err := <-third; !errors.Is(err, context.Canceled) {
		t.Errorf("who no longer wants to wait: %v", err)
	}
	cancel()
	close(finish)
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("who was cancelled: %v", err)
	}
	if err := <-second; err != nil {
		t.Errorf("who waited: %v", err)
	}
}

// A loader that panics leaves nobody waiting.
func TestPanickingLoader(t *testing.T) {
	panics := true
	p := jsonld.New(jsonld.Config{Loader: loaderFunc(func(_ context.Context, url string) (*jsonld.Document, error) {
		if panics {
			panic("loader")
		}
		return &jsonld.Document{URL: url, Bytes: []byte(`{"@context":{"p":"u:p"}}`)}, nil
	})})
	call := func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("%v", v)
			}
		}()
		return p.ToRDF(context.Background(), []byte(`{"@context":"https://c.example/","p":"x"}`), jsonld.Options{}, new(rdf.Dataset))
	}
	if err := call(); err == nil || err.Error() != "loader" {
		t.Errorf("the caller's loader panics: %v", err)
	}
	panics = false
	if err := call(); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

// The documents that one operation loads are bounded, and calls that share a budget share the bound.
func TestDocumentsOfAnOperation(t *testing.T) {
	p := jsonld.New(jsonld.Config{State: jsonld.Cold, Loader: jsonld.Map{"https://c.example/": []byte(`{"@context":{"p":"u:p"}}`)}})
	ctx := canon.WithBudget(context.Background(), canon.Limits{Documents: 3})
	for n := range 4 {
		var limit *canon.LimitError
		err := p.ToRDF(ctx, []byte(`{"@context":"https://c.example/","p":"x"}`), jsonld.Options{}, new(rdf.Dataset))
		if n < 3 && err != nil || n == 3 && (!errors.As(err, &limit) || limit.Limit != "documents") {
			t.Errorf("call %d: %v", n+1, err)
		}
	}
}
