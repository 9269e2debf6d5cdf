package jsonld_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wantCanonical checks the canonical form of a document in safe mode.
func wantCanonical(t *testing.T, p *jsonld.Processor, name string, doc, want []byte, hash canon.Hash) {
	t.Helper()
	var set rdf.Dataset
	if err := p.ToRDF(context.Background(), doc, jsonld.Options{}, &set); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var form canon.Form
	if err := rdfc.Canonicalize(context.Background(), &set, rdfc.Options{Hash: hash}, &form); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if got, want := strings.TrimSpace(string(form.Text)), strings.TrimSpace(string(want)); got != want {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// The vectors of Data Integrity and Open Badges, and documents that Digital Bazaar's implementation signed, have their
// canonical bytes.
func TestVectors(t *testing.T) {
	p := jsonld.New(jsonld.Config{Loader: officialContexts(t)})
	education := official.Dir(t, "education", "vectors")
	wantCanonical(t, p, "Open Badges 3.0", read(t, education, "obv3p0-document.json"), read(t, education, "obv3p0-document-canon.txt"), "")

	vectors := official.Dir(t, "di-vectors")
	forms, err := filepath.Glob(filepath.Join(vectors, "*", "*", "canonDoc*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	more, _ := filepath.Glob(filepath.Join(vectors, "*", "*", "employ", "canonDoc*.txt"))
	count := 0
	for _, file := range append(forms, more...) {
		dir := filepath.Dir(file)
		if strings.Contains(dir, "jcs") {
			continue
		}
		hash := canon.SHA256
		if strings.Contains(dir, "p384") {
			hash = canon.SHA384
		}
		doc := filepath.Join(dir, "..", "unsigned.json")
		if filepath.Base(dir) == "employ" {
			doc = filepath.Join(dir, "..", "..", "employmentAuth.json")
		}
		wantCanonical(t, p, file, read(t, doc), read(t, file), hash)
		tail := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(file), ".txt"), "canonDoc")
		wantCanonical(t, p, file+" (proof)", read(t, dir, "proofConfig"+tail+".json"), read(t, dir, "proofCanon"+tail+".txt"), hash)
		count++
	}
	if count < 7 {
		t.Errorf("%d sets of Data Integrity vectors, want at least 7", count)
	}

	files, err := filepath.Glob(filepath.Join(official.Dir(t, "interop"), "*-rdfc-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		var f struct {
			Unsigned  json.RawMessage
			Canonical struct{ Document, ProofConfig string }
			Signed    struct {
				Context json.RawMessage `json:"@context"`
				Proof   map[string]json.RawMessage
			}
		}
		if err := json.Unmarshal(read(t, file), &f); err != nil {
			t.Fatal(err)
		}
		hash := canon.SHA256
		if strings.Contains(file, "P-384") {
			hash = canon.SHA384
		}
		wantCanonical(t, p, file, f.Unsigned, []byte(f.Canonical.Document), hash)
		delete(f.Signed.Proof, "proofValue")
		f.Signed.Proof["@context"] = f.Signed.Context
		config, err := json.Marshal(f.Signed.Proof)
		if err != nil {
			t.Fatal(err)
		}
		wantCanonical(t, p, file+" (proof)", config, []byte(f.Canonical.ProofConfig), hash)
	}
	if len(files) != 9 {
		t.Errorf("%d files of interop, want 9", len(files))
	}
}
