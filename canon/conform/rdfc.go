package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/canon/userfile"
)

// rdfcBase is the base of the ids in the manifest of the RDFC-1.0 test suite.
const rdfcBase = "https://w3c.github.io/rdf-canon/tests/manifest"

// patience is the time limit of a test. An engine without a limit of work fails when it is exceeded.
const patience = 20 * time.Second

// RDFC runs the suite in dir through an engine: the official one if dir has its manifest.jsonld, otherwise
// every pair of files NNN-in.nq and NNN-out.nq. The error means that the suite cannot be read; faults of
// the engine are in the results.
func RDFC(ctx context.Context, dir string, engine canon.Canonicalizer) ([]Result, error) {
	if engine == nil {
		return nil, errNoEngine
	}
	manifest, err := userfile.ReadAll(filepath.Join(dir, "manifest.jsonld"))
	switch {
	case err == nil:
		return rdfcManifest(ctx, dir, manifest, engine)
	case errors.Is(err, os.ErrNotExist):
		return rdfcPairs(ctx, dir, engine)
	}
	return nil, err
}

// rdfcEntry is one entry of the manifest.
type rdfcEntry struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Name   string `json:"name"`
	Action string `json:"action"`
	Result string `json:"result"`
	Hash   string `json:"hashAlgorithm"`
}

func rdfcManifest(
	ctx context.Context, dir string, manifest []byte, engine canon.Canonicalizer,
) ([]Result, error) {
	var m struct {
		Entries []rdfcEntry `json:"entries"`
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "manifest.jsonld"), err)
	}
	if len(m.Entries) == 0 {
		return nil, fmt.Errorf("%s has no entries", filepath.Join(dir, "manifest.jsonld"))
	}
	var results []Result
	for _, e := range m.Entries {
		r := Result{Test: rdfcBase + e.ID, Name: e.Name}
		err := rdfcTest(ctx, dir, e, engine)
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
		results = append(results, r.judge(err))
	}
	return results, nil
}

func rdfcPairs(ctx context.Context, dir string, engine canon.Canonicalizer) ([]Result, error) {
	files, err := Files(dir, "*-in.nq")
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, in := range files {
		id := strings.TrimSuffix(filepath.Base(in), "-in.nq")
		if _, err := os.Stat(filepath.Join(dir, id+"-out.nq")); err != nil {
			continue
		}
		e := rdfcEntry{Type: "rdfc:RDFC10EvalTest", Action: id + "-in.nq", Result: id + "-out.nq"}
		err := rdfcTest(ctx, dir, e, engine)
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
		results = append(results, Result{Test: id, Name: id}.judge(err))
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("%s has neither manifest.jsonld nor pairs of files NNN-in.nq and NNN-out.nq",
			dir)
	}
	return results, nil
}

func rdfcTest(ctx context.Context, dir string, e rdfcEntry, engine canon.Canonicalizer) error {
	doc, err := userfile.ReadAll(filepath.Join(dir, e.Action))
	if err != nil {
		return err
	}

	// Without a limit of steps: the test must run, not fail by an estimate.
	opt := canon.Options{Input: canon.NQuads, Issued: e.Type == "rdfc:RDFC10MapTest",
		Limits: canon.Limits{Steps: -1}}
	switch e.Hash {
	case "", "SHA256":
	case "SHA384":
		opt.Hash = canon.SHA384
	default:
		return &canon.UnsupportedError{Engine: "conform", What: "hash algorithm " + e.Hash}
	}

	form, err := patiently(ctx, doc, opt, engine)
	if e.Type == "rdfc:RDFC10NegativeEvalTest" {
		var limit *canon.LimitError
		switch {
		case err == nil:
			return errors.New("got a canonical form; want an error, since the dataset takes too much work")
		case errors.As(err, &limit) && limit.Limit == "work":
			return nil
		}
		return err
	}
	if err != nil {
		return err
	}

	want, err := userfile.ReadAll(filepath.Join(dir, e.Result))
	if err != nil {
		return err
	}

	switch e.Type {
	case "rdfc:RDFC10EvalTest":
		return sameLines(form.Text, want)
	case "rdfc:RDFC10MapTest":
		return sameMap(form.Issued, want)
	}

	return &canon.UnsupportedError{Engine: "conform", What: "test type " + e.Type}
}

// patiently runs the engine and gives up after a while, since some engines cannot be stopped.
func patiently(
	ctx context.Context, doc []byte, opt canon.Options, engine canon.Canonicalizer,
) (*canon.Form, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		form *canon.Form
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		form, err := engine.Canonicalize(ctx, doc, opt)
		done <- answer{form, err}
	}()
	select {
	case a := <-done:
		return a.form, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(patience):
		return nil, fmt.Errorf("no answer after %v", patience)
	}
}

func sameLines(got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	g, w := bytes.SplitAfter(got, []byte("\n")), bytes.SplitAfter(want, []byte("\n"))
	for i := range max(len(g), len(w)) {
		var a, b []byte
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if !bytes.Equal(a, b) {
			return fmt.Errorf("line %d is %q, want %q", i+1, a, b)
		}
	}
	return nil
}

func sameMap(got map[string]string, want []byte) error {
	if got == nil {
		return &canon.UnsupportedError{Engine: "engine", What: "the issued identifiers map"}
	}
	var w map[string]string
	if err := json.Unmarshal(want, &w); err != nil {
		return err
	}
	for label, id := range w {
		if got[label] != id {
			return fmt.Errorf("issued identifier of %q is %q, want %q", label, got[label], id)
		}
	}
	if len(got) != len(w) {
		return fmt.Errorf("%d issued identifiers, want %d", len(got), len(w))
	}
	return nil
}
