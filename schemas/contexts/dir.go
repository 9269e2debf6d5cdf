package contexts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"canonscope/canon/jsonld"
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

// Dir reads a folder of context files. Its index.json says which file holds which URL, in one of two shapes:
// {"contexts": [{"url", "file", "sha256"}, ...]}, or a plain list of such objects where "primary": false marks other
// contents of the same URL. Files are relative to the folder or to its parent. A sha256 that the file does not have is
// an error.
func Dir(path string) (*Folder, error) {
	src, err := os.ReadFile(filepath.Join(path, "index.json"))
	if err != nil {
		return nil, fmt.Errorf("folder of contexts: %w (it needs an index.json that gives each url its file)", err)
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
		var wrong *json.UnmarshalTypeError // speaks of Go
		switch err := json.Unmarshal(src, &shape); {
		case errors.As(err, &wrong):
			return nil, fmt.Errorf(`%s: want a list of {"url", "file"}, or an object with it as "contexts"`, filepath.Join(path, "index.json"))
		case err != nil:
			return nil, fmt.Errorf("%s: %w", filepath.Join(path, "index.json"), err)
		}
		rows = shape.Contexts
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s lists no contexts", filepath.Join(path, "index.json"))
	}
	f := &Folder{table: table{docs: map[string]*jsonld.Document{}, in: "in " + path}}
	for i, r := range rows {
		if r.URL == "" || r.File == "" {
			return nil, fmt.Errorf("%s: entry %d needs url and file", filepath.Join(path, "index.json"), i)
		}
		name := filepath.Join(path, r.File)
		b, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			name = filepath.Join(filepath.Dir(path), r.File)
			b, err = os.ReadFile(name)
		}
		if err != nil {
			return nil, fmt.Errorf("context %s: %w", r.URL, err)
		}
		sum := sha256.Sum256(b)
		e := Entry{URL: r.URL, File: name, SHA256: hex.EncodeToString(sum[:]), Bytes: b, Primary: r.Primary == nil || *r.Primary}
		if r.SHA256 != "" && r.SHA256 != e.SHA256 {
			return nil, fmt.Errorf("context %s: %s has sha256 %s, the index says %s", r.URL, name, e.SHA256, r.SHA256)
		}
		f.Entries = append(f.Entries, e)
		if _, have := f.docs[r.URL]; e.Primary && !have {
			f.docs[r.URL] = &jsonld.Document{URL: r.URL, Bytes: b}
		}
	}
	return f, nil
}
