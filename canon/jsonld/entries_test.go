package jsonld_test

import (
	"context"
	"errors"
	"testing"

	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
)

// Two entries that both are @type are one array (JSON-LD API section 5.1.2 step 13.4.4.4), which a value object cannot have;
// either alone would make the dataset depend on the order of keys. Included blocks hold node objects with something in
// them (step 13.4.6), since they are expanded without an active property.
func TestEntriesThatAreRefused(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for doc, want := range map[string]jsonld.Code{
		`{"@context":{"t":"@type"},"u:p":{"@value":"x","@type":"u:a","t":"u:b"}}`:   jsonld.InvalidTypedValue,
		`{"@context":{"t":"@type"},"u:p":{"t":"u:b","@value":"x","@type":"u:a"}}`:   jsonld.InvalidTypedValue,
		`{"@context":{"t":"@type"},"u:p":{"@value":"x","@type":"@json","t":"u:b"}}`: jsonld.InvalidTypedValue,
		`{"u:p":{"@included":{"@id":"u:x"}}}`:                                       jsonld.InvalidIncludedValue,
		`{"u:p":{"@included":"x"}}`:                                                 jsonld.InvalidIncludedValue,
		`{"u:p":{"@included":{"@list":["x"]}}}`:                                     jsonld.InvalidIncludedValue,
	} {
		var d rdf.Dataset
		err := p.ToRDF(context.Background(), []byte(doc), jsonld.Options{Lossy: true}, &d)
		var e *jsonld.Error
		if !errors.As(err, &e) || e.Code != want {
			t.Errorf("%s: %v, want %s", doc, err, want)
		}
	}
}

// An empty @reverse is no entry of its object (step 13.4.13).
func TestEmptyReverse(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for doc, want := range map[string]string{
		`{"@id":"u:s","u:p":{"@value":"v","@reverse":{}}}`:    "<u:s> <u:p> \"v\" .\n",
		`{"@id":"u:s","@reverse":{},"@type":"u:T"}`:           "<u:s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <u:T> .\n",
		`{"@id":"u:s","@reverse":{"u:p":{"@id":"u:o"}}}`:      "<u:o> <u:p> <u:s> .\n",
		`{"@id":"u:s","u:p":{"@set":["a"],"@reverse":{}}}`:    "<u:s> <u:p> \"a\" .\n",
		`{"@id":"u:s","u:p":{"@reverse":{},"@id":"u:other"}}`: "<u:s> <u:p> <u:other> .\n",
	} {
		var d rdf.Dataset
		if err := p.ToRDF(context.Background(), []byte(doc), jsonld.Options{}, &d); err != nil {
			t.Errorf("%s: %v", doc, err)
		} else if got := string(d.AppendNQuads(nil)); got != want {
			t.Errorf("%s: %s, want %s", doc, got, want)
		}
	}
	if _, losses := nquads(t, p, `{"@id":"u:s","@reverse":{}}`, jsonld.Options{}); len(losses) != 1 {
		t.Errorf("a free-floating node: %v", losses)
	}
}

// A number that is too small for a double is not 0.
func TestUnderflow(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for number, lost := range map[string]int{"1e-400": 1, "-0.0000001e-400": 1, "0": 0, "-0": 0, "0.000": 0, "0e7": 0, "0E-9": 0, "5e-324": 0} {
		if _, losses := nquads(t, p, `{"@id":"u:s","u:p":`+number+`}`, jsonld.Options{}); len(losses) != lost {
			t.Errorf("%s: losses %v", number, losses)
		}
	}
}
