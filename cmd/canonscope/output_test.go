package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// full takes no byte.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// An answer that could not be printed is an error, not the exit status of the answer.
func TestAnswerNotPrinted(t *testing.T) {
	dir := t.TempDir()
	made := func(name string, args ...string) string {
		var out, errs strings.Builder
		if status := run(args, strings.NewReader(""), &out, &errs); status != statusDone {
			t.Fatalf("%q: status %d: %s", args, status, &errs)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	key := made("key.json", "key", "generate")
	doc := made("doc.json", "schemas", "generate", "simple-5")
	vc := made("vc.json", "issue", "--suite", "eddsa-rdfc-2022", "--key", key, doc)
	token := made("token.txt", "issue", "--format", "sd-jwt-vc", "--key", key, doc)
	for _, args := range [][]string{{"verify", vc}, {"verify", "--json", vc}, {"verify", doc}, {"verify", "--issuer-key", key, token},
		{"verify", "--json", "--issuer-key", key, token}, {"schemas", "show", "ob3"}, {"schemas", "measure", doc}, {"cells"}, {"help", "run"}} {
		var errs strings.Builder
		status := run(args, strings.NewReader(""), full{}, &errs)
		if status != statusUsage || errs.String() != "canonscope: no space left\n" {
			t.Errorf("%q: status %d, %s", args, status, &errs)
		}
	}
}
