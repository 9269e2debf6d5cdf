package contexts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/userfile"
)

// Entry is one file of a folder.
type Entry struct {
	URL     string
	File    string // path of the file
	SHA256  string // of its bytes, hexadecimal
	Bytes   []byte
	Primary bool // the one a loader serves for URL
}

// Folder is a folder of context files with their URLs; a jsonld.Loader over the primary ones.
type Folder struct {
	Entries []Entry // in the order of the index
	table
}

var _ jsonld.Loader = (*Folder)(nil)

// Load returns the primary file of url.
func (f *Folder) Load(ctx context.Context, url string) (*jsonld.Document, error) {
	return f.table.Load(ctx, url)
}

// Served returns the bytes that the folder serves for each URL.
func (f *Folder) Served() map[string][]byte {
	served := make(map[string][]byte, len(f.docs))
	for url, d := range f.docs {
		served[url] = d.Bytes
	}
	return served
}

// Given returns a loader over contexts by their URLs.
func Given(docs map[string][]byte) jsonld.Loader {
	t := &table{docs: make(map[string]*jsonld.Document, len(docs)), in: "given with --context"}
	for url, b := range docs {
		t.docs[url] = &jsonld.Document{URL: url, Bytes: b}
	}
	return t
}

// maxFolder bounds the bytes of a folder, which are all kept in memory.
const maxFolder = 64 << 20

// readWithin reads a regular file of a folder and subtracts its size from room.
func readWithin(in *os.Root, file string, room *int64) ([]byte, error) {
	if !filepath.IsLocal(file) {
		return nil, fmt.Errorf("%s lies outside the folder", file)
	}
	switch info, err := in.Stat(file); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", file)
	}
	open, err := in.Open(file)
	if err != nil {
		return nil, err
	}
	defer open.Close()
	b, err := io.ReadAll(io.LimitReader(open, *room+1))
	if err != nil {
		return nil, err
	}
	if *room -= int64(len(b)); *room < 0 {
		return nil, &canon.LimitError{Limit: "bytes of a folder of contexts", Max: maxFolder,
			Done: maxFolder - *room, Where: file}
	}
	return b, nil
}

// Dir reads a folder of context files. Its index.json lists the file of each URL, in one of two shapes:
// {"contexts": [{"url", "file", "sha256"}, ...]}, or a plain list of such objects where "primary": false
// marks other contents of the same URL. Paths are relative to the folder or to its parent. Files, also
// behind links, must lie in the folder and have at most 64 MiB together. A sha256 that differs from that of
// the file is an error.
func Dir(path string) (*Folder, error) {
	in, err := userfile.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("folder of contexts: %w", err)
	}

	defer in.Close()
	room := int64(maxFolder)
	src, err := readWithin(in, "index.json", &room)
	if err != nil {
		return nil, fmt.Errorf("folder of contexts %s: %w (an index.json must list the url and file of each)",
			path, err)
	}

	type row struct {
		URL     string
		File    string
		SHA256  string
		Primary *bool
	}

	var rows []row
	var shape struct{ Contexts []row }
	if json.Unmarshal(src, &rows) != nil {
		var wrong *json.UnmarshalTypeError // mentions Go types
		switch err := json.Unmarshal(src, &shape); {
		case errors.As(err, &wrong):
			return nil, fmt.Errorf(`%s: want a list of {"url", "file"}, or an object with it as "contexts"`,
				filepath.Join(path, "index.json"))
		case err != nil:
			return nil, fmt.Errorf("%s: %w", filepath.Join(path, "index.json"), err)
		}
		rows = shape.Contexts
	}

	if len(rows) == 0 {
		return nil, fmt.Errorf("%s lists no contexts", filepath.Join(path, "index.json"))
	}

	folder, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}

	f := &Folder{table: table{docs: map[string]*jsonld.Document{}, in: "in " + path}}
	for i, r := range rows {
		if r.URL == "" || r.File == "" {
			return nil, fmt.Errorf("%s: entry %d needs url and file", filepath.Join(path, "index.json"), i)
		}
		file := r.File
		b, err := readWithin(in, file, &room)
		if errors.Is(err, fs.ErrNotExist) {
			if rest, ok := strings.CutPrefix(file, filepath.Base(folder)+"/"); ok { // relative to the parent
				file = rest
				b, err = readWithin(in, file, &room)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("context %s: %w", r.URL, err)
		}
		name := filepath.Join(path, file)
		sum := sha256.Sum256(b)
		e := Entry{URL: r.URL, File: name, SHA256: hex.EncodeToString(sum[:]), Bytes: b,
			Primary: r.Primary == nil || *r.Primary}
		if r.SHA256 != "" && r.SHA256 != e.SHA256 {
			return nil, fmt.Errorf("context %s: %s has sha256 %s, the index has %s", r.URL, name, e.SHA256,
				r.SHA256)
		}
		f.Entries = append(f.Entries, e)
		if _, have := f.docs[r.URL]; e.Primary && !have {
			f.docs[r.URL] = &jsonld.Document{URL: r.URL, Bytes: b}
		}
	}

	return f, nil
}
