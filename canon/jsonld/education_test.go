package jsonld_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
	"canonscope/schemas/contexts"
)

// officialContexts serves the official context files.
func officialContexts(tb testing.TB) jsonld.Loader {
	w3c, err := contexts.Dir(official.Dir(tb, "contexts"))
	if err != nil {
		tb.Fatal(err)
	}
	education, err := contexts.Dir(official.Dir(tb, "education", "contexts"))
	if err != nil {
		tb.Fatal(err)
	}
	return contexts.Chain(w3c, education)
}

// withoutProof removes the top-level proof.
func withoutProof(tb testing.TB, doc []byte) []byte {
	var tape jsontape.Tape
	if err := tape.Scan(doc, jsontape.Options{}); err != nil {
		tb.Fatal(err)
	}
	if k := tape.Key(0, "proof"); k > 0 {
		return tape.AppendWithout(nil, 0, k)
	}
	return doc
}

// repaired serves the SURF context with "@context" for the key "context" that its publisher wrote by mistake.
type repaired struct{ jsonld.Loader }

const surfContext = "https://raw.githubusercontent.com/educredentials/obv3-examples/refs/heads/main/contexts/educredential.json"

func (r repaired) Load(ctx context.Context, url string) (*jsonld.Document, error) {
	d, err := r.Loader.Load(ctx, url)
	if err == nil && url == surfContext {
		d = &jsonld.Document{URL: d.URL, Bytes: bytes.ReplaceAll(d.Bytes, []byte(`"context"`), []byte(`"@context"`))}
	}
	return d, err
}

// unwrapped returns the credential in the envelope that ELM files have for upload.
func unwrapped(doc []byte) []byte {
	var envelope struct{ Credential json.RawMessage }
	if err := json.Unmarshal(doc, &envelope); err == nil && envelope.Credential != nil {
		return envelope.Credential
	}
	return doc
}

// canonicalize returns the canonical form of a document, its blank nodes and its losses.
func canonicalize(p *jsonld.Processor, doc []byte) (form canon.Form, blanks int, losses []canon.Loss, err error) {
	var set rdf.Dataset
	if err = p.ToRDF(context.Background(), doc, jsonld.Options{Lossy: true, Losses: &losses}, &set); err != nil {
		return
	}
	err = rdfc.Canonicalize(context.Background(), &set, rdfc.Options{Issued: true}, &form)
	return form, len(form.Issued), losses, err
}

// The official samples have the quads, blank nodes and safe-mode verdicts that jsonld.js finds (measure.json).
func TestEducationSamples(t *testing.T) {
	dir := official.Dir(t, "education")
	text, err := os.ReadFile(filepath.Join(dir, "measure.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID, File      string
		Quads, BNodes *int
		Safe          *bool
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	p := jsonld.New(jsonld.Config{Loader: repaired{officialContexts(t)}})
	for _, row := range rows {
		doc, err := os.ReadFile(filepath.Join(dir, row.File))
		if err != nil {
			t.Error(err)
			continue
		}
		form, blanks, losses, err := canonicalize(p, withoutProof(t, unwrapped(doc)))
		var e *jsonld.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%s: %v", row.ID, err)
			continue
		}
		if row.Quads == nil {
			if e == nil || e.Code != jsonld.LoadingRemoteContextFailed { // contexts that are nowhere to be found
				t.Errorf("%s: %v, want an error of the loader", row.ID, err)
			}
			continue
		}
		if err != nil || form.Lines != *row.Quads || blanks != *row.BNodes {
			t.Errorf("%s: %v; %d quads, %d blank nodes; want %d, %d", row.ID, err, form.Lines, blanks, *row.Quads, *row.BNodes)
		}
		if row.Safe != nil && (len(losses) == 0) != *row.Safe {
			t.Errorf("%s: safe is %v, want %v: %v", row.ID, len(losses) == 0, *row.Safe, losses)
		}
	}
}
