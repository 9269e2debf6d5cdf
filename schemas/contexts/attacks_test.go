package contexts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/engines"
	"canonscope/schemas/contexts"
)

// Documents that name contexts of experiments are refused by the default loader and leave nothing behind (attacks 1.5: 41
// documents of 380 bytes left 923 MB).
func TestNamedContextsLeaveNothing(t *testing.T) {
	for _, engine := range []canon.Engine{canon.Native, canon.Stock} {
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

// A folder of contexts serves what lies in it and nothing else: an index of others could name any file (attacks, smaller
// finding 16).
func TestFolderServesItsOwnFiles(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "mine")
	for _, d := range []string{dir, filepath.Join(dir, "sub"), filepath.Join(parent, "mine-too")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write := func(file, text string) {
		if err := os.WriteFile(filepath.Join(parent, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, file string) {
		if err := os.Symlink(to, filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(parent, "secret.json")
	write("secret.json", `{"@context":{}}`)
	write("mine-too/secret.json", `{"@context":{}}`)
	write("mine/sub/own.json", `{"@context":{}}`)
	link(secret, "absolute.json")
	link("../secret.json", "relative.json")
	link("..", "up")
	link("sub/own.json", "inner.json")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, serves := range map[string]bool{
		"sub/own.json": true, "mine/sub/own.json": true, "inner.json": true, "sub/../inner.json": true,
		"../secret.json": false, "../..": false, "secret.json": false, secret: false, "mine/../../secret.json": false, "../mine-too/secret.json": false,
		"mine-too/secret.json": false, "absolute.json": false, "relative.json": false, "up/secret.json": false, "mine/up/secret.json": false,
		".": false, "sub": false, "pipe.json": false, "": false,
	} {
		write("mine/index.json", fmt.Sprintf(`[{"url":"https://example.org/c","file":%q}]`, file))
		f, err := contexts.Dir(dir)
		if err == nil {
			_, err = f.Load(context.Background(), "https://example.org/c")
		}
		if serves != (err == nil) {
			t.Errorf("%q: %v", file, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "index.json")); err != nil {
		t.Fatal(err)
	}
	write("index.json", `[{"url":"https://example.org/c","file":"inner.json"}]`)
	link("../index.json", "index.json")
	if _, err := contexts.Dir(dir); err == nil {
		t.Error("an index outside the folder is read")
	}
}

// What a folder keeps is bounded.
func TestFolderIsBounded(t *testing.T) {
	dir := t.TempDir()
	large, err := os.Create(filepath.Join(dir, "large.json"))
	if err == nil {
		err = errors.Join(large.Truncate(40<<20), large.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	const row = `{"url":"https://example.org/c","file":"large.json"}`
	for index, fits := range map[string]bool{"[" + row + "]": true, "[" + row + "," + row + "]": false} {
		if err := os.WriteFile(filepath.Join(dir, "index.json"), []byte(index), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := contexts.Dir(dir)
		if fits != (err == nil) || err != nil && !errors.As(err, new(*canon.LimitError)) {
			t.Errorf("%s: %v", index, err)
		}
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
