package claimstest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"canonscope/canon/conform/official"
	"canonscope/compare"
	"canonscope/vcdm/keys"
)

// Files returns an operation of a format on files, with its options set.
func Files(
	t testing.TB, d *compare.Definition, op compare.Operation, options map[string]any,
) *compare.Files {
	t.Helper()
	f := d.Files[op]()
	for _, o := range f.Options {
		if v, ok := options[o.Name]; ok {
			reflect.ValueOf(o.To).Elem().Set(reflect.ValueOf(v))
			delete(options, o.Name)
		}
	}
	if len(options) > 0 {
		t.Fatalf("%s has no options %v", op, options)
	}
	return f
}

// KeyFile is a key as an option has it.
func KeyFile(k *keys.Secret) compare.KeyFile {
	return compare.KeyFile{Path: "k.pem", Secret: k, Public: k.Public()}
}

// WriteJSON writes a file that [ReadJSON] reads.
func WriteJSON(t testing.TB, v any, path ...string) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(filepath.Join(path...), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Link puts files of a folder of the official data into another folder.
func Link(t testing.TB, dir, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		from, to := filepath.Join(official.Dir(t, folder), name), filepath.Join(dir, name)
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
}
