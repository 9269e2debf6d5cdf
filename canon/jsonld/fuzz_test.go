package jsonld_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

var fuzzContexts = jsonld.Map{
	"https://c.example/a": []byte(`{"@context":{"@version":1.1,"id":{"@id":"@id","@protected":true},"type":{"@id":"@type","@protected":true},"T":{"@id":"u:T","@context":{"p":"u:p-of-T","n":{"@id":"u:n","@context":null}}},
		"p":"u:p","r":{"@id":"u:r","@type":"@id","@context":{"p":"u:p-in-r"}},"l":{"@id":"u:l","@container":"@list"},"g":{"@id":"u:g","@container":["@graph","@id"]}}}`),
	"https://c.example/b": []byte(`{"@context":["https://c.example/a",{"@vocab":"u:vocab#","x":{"@reverse":"u:x","@container":"@index","@index":"q"},"j":{"@id":"u:j","@type":"@json"},"lang":{"@id":"u:lang","@container":"@language"}}]}`),
	"https://c.example/n": []byte(`{"@context":{"a":{"@id":"u:a","@context":"https://c.example/n"},"b":{"@id":"u:b","@context":["https://c.example/b","n"],"@container":"@type"}}}`),
}

// form returns the canonical form of a document, or the error in short.
func form(t *testing.T, p *jsonld.Processor, doc []byte, opt jsonld.Options) (string, error) {
	var set rdf.Dataset
	if err := p.ToRDF(context.Background(), doc, opt, &set); err != nil {
		return "", err
	}
	var again rdf.Dataset
	lines := set.AppendNQuads(nil)
	if err := again.ParseNQuads(lines, canon.Limits{}); err != nil {
		t.Fatalf("%q gives lines that do not parse: %v\n%s", doc, err, lines)
	}
	var f canon.Form
	if err := rdfc.Canonicalize(context.Background(), &set, rdfc.Options{Work: 2000}, &f); err != nil {
		return "", err
	}
	return string(f.Text), nil
}

// Whatever the bytes, there is no panic and no endless work; the cache does not change results; the expanded form says what
// the document says; and what safe mode accepts loses nothing.
func FuzzToRDF(f *testing.F) {
	for _, doc := range []string{
		`{"@context":"https://c.example/a","id":"u:s","type":"T","p":["x",{"@value":1.5}],"r":"u:o","l":[["a"],{"p":"b"}],"g":{"u:g1":{"p":"c"}}}`,
		`{"@context":["https://c.example/b",{"@language":"en","@direction":"rtl"}],"x":{"i":{"@id":"u:i"}},"j":[1,{"a":null}],"lang":{"en":"y","@none":["z"]}}`,
		`{"@context":"https://c.example/n","a":{"a":{"b":{"T":{"p":"x"}}}},"@graph":[{"@included":[{"@id":"_:b"}],"@reverse":{"u:q":{"@id":"u:t","@index":"1"}}}]}`,
		`{"@context":{"@version":1.1,"@base":"http://e.example/","@import":"https://c.example/a","nest":"@nest","v":{"@id":"u:v","@nest":"nest"}},"@id":"../a","nest":{"v":{"@set":[{"@list":[]}]}}}`,
		`{"@context":{"@version":1.1,"@propagate":false,"t":{"@id":"u:t","@type":"@vocab","@container":["@graph","@index","@set"],"@index":"u:k","@protected":false,"@prefix":true}},"t":{"@none":["t:x"],"y":{"@value":"z","@type":"@json"}}}`,
		`[{"@type":["u:T","_:t"],"u:p":[[1e21,-0],true,null,{"@value":"é","@language":"EN"}]}]`, `{"\u0040id":"u:\ud83c\udf03","u:p":"\u0000"}`,
		`{"@context":"https://c.example/a","type":"T","r":"u:o","p":"x"}`, `{"@context":["https://c.example/b",{"d":{"@id":"u:d","@type":"u:t"}}],"d":"x","p":"y","v":"\u007f"}`,
		`{"@context":"https://c.example/a","id":"u:s","type":["T","u:U"],"n":{"id":"u:n","p":"x"},"p":{"r":"u:o","type":"T","p":"y"}}`,
	} {
		f.Add([]byte(doc))
	}
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "data", "json-ld-api", "toRdf", "*-in.jsonld")) // where they are there
	for _, file := range files {
		if doc, err := os.ReadFile(file); err == nil {
			f.Add(doc)
		}
	}
	warm := jsonld.New(jsonld.Config{Loader: fuzzContexts, CacheBytes: 1 << 20})
	cold := jsonld.New(jsonld.Config{Loader: fuzzContexts, State: jsonld.Embedded})
	f.Fuzz(func(t *testing.T, doc []byte) {
		limits := canon.Limits{Bytes: 1 << 16}
		lossy := jsonld.Options{Lossy: true, Base: "http://base.example/dir/doc", Limits: limits}
		first, err := form(t, warm, doc, lossy)
		second, err2 := form(t, warm, doc, lossy)
		third, err3 := form(t, cold, doc, lossy)
		if first != second || first != third || (err == nil) != (err2 == nil) || (err == nil) != (err3 == nil) {
			t.Fatalf("%q: %q %v, again %q %v, cold %q %v", doc, first, err, second, err2, third, err3)
		}
		safe := lossy
		safe.Lossy = false
		if fourth, err4 := form(t, cold, doc, safe); err4 == nil && (err != nil || fourth != first) {
			t.Fatalf("%q: safe %q, lossy %q %v", doc, fourth, first, err)
		}
		expanded, err5 := warm.Expand(context.Background(), doc, lossy)
		var syntax *canon.SyntaxError
		var limit *canon.LimitError
		switch {
		case errors.As(err, &syntax) || errors.As(err, &limit):
			return
		case err == nil && err5 != nil:
			t.Fatalf("%q has a dataset and no expanded form: %v", doc, err5)
		case err != nil || err5 != nil || bytes.Contains(expanded, []byte(`"@id":null`)) || bytes.Contains(expanded, []byte(`"@type":[`)) && bytes.Contains(expanded, []byte(`null`)):
			return // the expanded form of a reserved identifier is null, which no document may say
		}
		from, err6 := form(t, warm, expanded, jsonld.Options{Lossy: true, Limits: canon.Limits{Bytes: 1 << 20, Depth: 2000}})
		var e *jsonld.Error
		if errors.As(err6, &e) && e.Code == jsonld.InvalidTypedValue {
			return // a term may give a datatype that is not an IRI, a value object may not
		}
		if err6 != nil && !errors.As(err6, &limit) || err6 == nil && from != first {
			t.Fatalf("%q\nexpanded %s\nsays %q %v, want %q", doc, expanded, from, err6, first)
		}
		if !bytes.HasPrefix(expanded, []byte("[")) {
			t.Fatalf("%q: the expanded form is not an array: %s", doc, expanded)
		}
	})
}
