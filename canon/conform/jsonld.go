package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
	"canonscope/canon/userfile"
)

// jsonldBase is the base of the ids and files of the JSON-LD suites.
const jsonldBase = "https://w3c.github.io/json-ld-api/tests/"

// JSONLDProcessor is the interface that the JSON-LD suites test. For an option or algorithm that it does
// not have it returns a *canon.UnsupportedError. Other errors are judged by the code of the *jsonld.Error
// in them.
type JSONLDProcessor interface {
	Expand(ctx context.Context, doc []byte, opt jsonld.Options) ([]byte, error)
	ToRDF(ctx context.Context, doc []byte, opt jsonld.Options, into *rdf.Dataset) error
}

// JSONLDLoader serves the files of the JSON-LD suites in dir under the URLs of the suites.
func JSONLDLoader(dir string) jsonld.Loader { return suiteFiles(dir) }

type suiteFiles string

func (dir suiteFiles) Load(_ context.Context, url string) (*jsonld.Document, error) {
	file, ok := strings.CutPrefix(url, jsonldBase)
	if !ok || !filepath.IsLocal(file) {
		return nil, fmt.Errorf("%q is not part of the suite", url)
	}
	b, err := userfile.ReadAll(filepath.Join(string(dir), file))
	if err != nil {
		return nil, err
	}
	return &jsonld.Document{URL: url, Bytes: b}, nil
}

type jsonldEntry struct {
	ID      string   `json:"@id"`
	Type    []string `json:"@type"`
	Name    string   `json:"name"`
	Input   string   `json:"input"`
	Expect  string   `json:"expect"`
	Code    string   `json:"expectErrorCode"`
	Options struct {
		SpecVersion    string `json:"specVersion"`
		ProcessingMode string `json:"processingMode"`
		Base           string `json:"base"`
		ExpandContext  string `json:"expandContext"`
		RDFDirection   string `json:"rdfDirection"`
		Generalized    bool   `json:"produceGeneralizedRdf"`
	} `json:"option"`
}

// JSONLD runs the expand and toRdf suites of the JSON-LD API in dir through a processor. Losses are
// allowed, as the suites require. Tests for version or processing mode 1.0 and for generalized RDF are
// skipped. Datasets are compared by their canonical forms, expanded documents by value: the order of arrays
// matters only in lists.
func JSONLD(ctx context.Context, dir string, p JSONLDProcessor) ([]Result, error) {
	if p == nil {
		return nil, errNoEngine
	}
	var results []Result
	for _, name := range []string{"expand", "toRdf"} {
		file := filepath.Join(dir, name+"-manifest.jsonld")
		text, err := userfile.ReadAll(file)
		if err != nil {
			return nil, err
		}
		var m struct {
			Sequence []jsonldEntry `json:"sequence"`
		}
		if err := json.Unmarshal(text, &m); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, e := range m.Sequence {
			err := jsonldTest(ctx, dir, &e, p)
			if ctx.Err() != nil {
				return results, ctx.Err()
			}
			r := Result{Test: jsonldBase + name + "-manifest" + e.ID, Name: e.Name}
			results = append(results, r.judge(err))
		}
	}
	return results, nil
}

func jsonldTest(ctx context.Context, dir string, e *jsonldEntry, p JSONLDProcessor) error {
	switch o := &e.Options; {
	case o.ProcessingMode == "json-ld-1.0":
		return &canon.UnsupportedError{Engine: "jsonld", What: "processing mode json-ld-1.0"}
	case o.SpecVersion == "json-ld-1.0":
		return &canon.UnsupportedError{Engine: "jsonld", What: "version 1.0 of the specification"}
	case o.Generalized:
		return &canon.UnsupportedError{Engine: "jsonld", What: "generalized RDF"}
	}

	doc, err := userfile.ReadAll(filepath.Join(dir, e.Input))
	if err != nil {
		return err
	}

	opt := jsonld.Options{Lossy: true, Base: jsonldBase + e.Input, RDFDirection: e.Options.RDFDirection,
		Limits: canon.Limits{Steps: -1}}
	if e.Options.Base != "" {
		opt.Base = e.Options.Base
	}

	if f := e.Options.ExpandContext; f != "" {
		text, err := userfile.ReadAll(filepath.Join(dir, f))
		if err != nil {
			return err
		}
		opt.ExpandContext = string(text)
	}

	expands := slices.Contains(e.Type, "jld:ExpandTest")
	var expanded []byte
	var set rdf.Dataset
	if expands {
		expanded, err = p.Expand(ctx, doc, opt)
	} else {
		err = p.ToRDF(ctx, doc, opt, &set)
	}

	if slices.Contains(e.Type, "jld:NegativeEvaluationTest") {
		return sameCode(err, e.Code)
	}
	if err != nil || slices.Contains(e.Type, "jld:PositiveSyntaxTest") {
		return err
	}

	want, err := userfile.ReadAll(filepath.Join(dir, e.Expect))
	if err != nil {
		return err
	}
	if expands {
		return sameExpanded(expanded, want)
	}

	return sameDataset(ctx, &set, want)
}

// sameCode compares an error with the code that a negative test expects.
func sameCode(err error, code string) error {
	var unsupported *canon.UnsupportedError
	var e *jsonld.Error
	switch {
	case err == nil:
		return fmt.Errorf("no error, want %q", code)
	case errors.As(err, &unsupported):
		return err
	case !errors.As(err, &e) || string(e.Code) != code:
		return fmt.Errorf("want the error %q, got: %w", code, err)
	}
	return nil
}

// sameDataset compares a dataset with N-Quads by dataset isomorphism.
func sameDataset(ctx context.Context, got *rdf.Dataset, nquads []byte) error {
	var want rdf.Dataset
	if err := want.ParseNQuads(nquads, canon.Limits{}); err != nil {
		return err
	}
	var forms [2][]byte
	for i, set := range []*rdf.Dataset{got, &want} {
		var state rdfc.State
		text, err := state.Run(ctx, set, rdfc.Options{}, nil)
		if err != nil {
			return err
		}
		forms[i] = text
	}
	if !bytes.Equal(forms[0], forms[1]) {
		return fmt.Errorf("got\n%s\nwant\n%s", forms[0], forms[1])
	}
	return nil
}

// sameExpanded compares expanded documents by value.
func sameExpanded(got, want []byte) error {
	var forms [2]string
	for i, text := range [][]byte{got, want} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return err
		}
		forms[i] = unordered(v, false)
	}
	if forms[0] != forms[1] {
		return fmt.Errorf("got\n%s\nwant\n%s", forms[0], forms[1])
	}
	return nil
}

// unordered writes a value so that equal values give equal text. It sorts arrays unless their order matters.
func unordered(v any, ordered bool) string {
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for k, e := range v {
			text := unordered(e, k == "@list" || k == "@value")
			if s, ok := e.(string); ok && k == "@language" {
				text = strconv.Quote(strings.ToLower(s))
			}
			parts = append(parts, strconv.Quote(k)+":"+text)
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, unordered(e, false))
		}
		if !ordered {
			slices.Sort(parts)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case string:
		return strconv.Quote(v)
	case json.Number:
		f, _ := v.Float64()
		return strconv.FormatFloat(f, 'g', -1, 64)
	}

	return fmt.Sprint(v)
}
