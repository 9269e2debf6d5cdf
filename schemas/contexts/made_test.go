package contexts

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"canonscope/canon/jsonld"
)

func TestMadeContexts(t *testing.T) {
	ctx, loader := context.Background(), Experiments()
	for url, terms := range map[string]int{Padding(0, 0): 1, Padding(250, 3): 251, Scoping("flat"): 104, Scoping("property"): 59} {
		d, err := loader.Load(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Context map[string]any `json:"@context"`
		}
		if err := json.Unmarshal(d.Bytes, &doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.Context) != terms {
			t.Errorf("%s: %d entries, want %d", url, len(doc.Context), terms)
		}
		if scoped := strings.Count(string(d.Bytes), `"@context"`) > 1; scoped != (url == Scoping("property")) {
			t.Errorf("%s: scoped contexts: %v", url, scoped)
		}
	}
	if Scoping("type") != List(false)[4].URL {
		t.Error("the type-scoped compilation is not the published one")
	}
	var unknown *UnknownError
	for _, path := range []string{"", "padding/1", "padding/-1/0", "padding/01/0", "padding/100001/0", "open-badges-3.0.3/other"} {
		if _, err := loader.Load(ctx, madeHost+path); !errors.As(err, &unknown) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// The contexts of experiments are not in the default loader, and their own keeps a bounded number of bytes (attacks 1.5).
func TestExperimentsAreApart(t *testing.T) {
	ctx := context.Background()
	for _, url := range []string{Padding(3, 0), Scoping("flat"), Scoping("property")} {
		with, err := EmbeddedWith()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []jsonld.Loader{Embedded(), with, Chain(Embedded())} {
			if _, err := l.Load(ctx, url); !errors.As(err, new(*UnknownError)) {
				t.Errorf("%s: %v", url, err)
			}
		}
	}
	var before, after runtime.MemStats
	l := Experiments()
	runtime.GC()
	runtime.ReadMemStats(&before)
	for k := range 12 {
		if _, err := l.Load(ctx, Padding(MaxPadding, k)); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > maxMade+16<<20 {
		t.Errorf("12 contexts of %d terms leave %d MiB", MaxPadding, grown>>20)
	}
	runtime.KeepAlive(l)
}
