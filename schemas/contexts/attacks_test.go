package contexts_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/engines"
	"canonscope/schemas/contexts"
)

// Documents that name contexts of experiments are refused by the default loader and leave nothing behind (attacks 1.5: 41
// documents of 380 bytes left 923 MB).
func TestNamedContextsLeaveNothing(t *testing.T) {
	for _, engine := range []string{engines.Native, engines.Stock} {
		c, err := engines.New(engine, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
		if err != nil {
			t.Fatal(err)
		}
		refuse := func(from, to int) {
			for n := from; n < to; n++ {
				doc := `{"@context":"` + contexts.Padding(contexts.MaxPadding, n) + `","unused0_00000":"x"}`
				if _, err := c.Canonicalize(context.Background(), []byte(doc), canon.Options{}); err == nil {
					t.Fatalf("%s: %s is accepted", engine, doc)
				}
			}
		}
		heap := func() int64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		refuse(0, 2)
		before := heap()
		refuse(2, 43)
		if grown := heap() - before; grown > 4<<20 {
			t.Errorf("%s: 41 documents leave %d MiB", engine, grown>>20)
		}
		runtime.KeepAlive(c)
	}
}

// Parse answers any bytes with a table or an error (attacks, smaller finding 1: a line of spaces).
func TestParseAnswersAnyBytes(t *testing.T) {
	src, err := os.ReadFile(filepath.Join(official.Dir(t, "attacks"), "contexts-parse.ctx"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := contexts.Parse("f", corpusEntry(t, src)); err == nil {
		t.Error("a line of spaces is accepted")
	}
}

// FuzzParse holds Parse to answering any bytes, with contexts that are JSON.
func FuzzParse(f *testing.F) {
	head := "name n\nurl u\nsha256 " + strings.Repeat("0", 64) + "\nabbr a https://example.org/#\n\n"
	for _, seed := range []string{
		head + " ", head + "\t\n", head + "\n \n", head + "@vocab \n", head + "t a~ null\n\tu a~\n",
		head + "@protected\nt a~ t=@id c=@list {}\n\tu a~\n\nvariant v\nsha256 " + strings.Repeat("1", 64) + "\n- t/u\n+ t/w a~x\n+ / a\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		table, err := contexts.Parse("f", src)
		if err != nil {
			return
		}
		for _, c := range table.Contents {
			if !json.Valid(c.JSON) {
				t.Errorf("%q is not JSON", c.JSON)
			}
		}
	})
}

// corpusEntry returns the one []byte of a file of a Go fuzz corpus.
func corpusEntry(t *testing.T, src []byte) []byte {
	t.Helper()
	_, text, _ := strings.Cut(string(src), "[]byte(")
	text, _, ok := strings.Cut(text, ")\n")
	s, err := strconv.Unquote(text)
	if !ok || err != nil {
		t.Fatalf("%q is no corpus entry: %v", src, err)
	}
	return []byte(s)
}
