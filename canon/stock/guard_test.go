package stock_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/stock"
)

func TestGuard(t *testing.T) {
	loader := contexts()
	long := "https://example.org/" + strings.Repeat("x", 2083)
	terms := `"@context":{"@version":1.1,"p":"https://example.org/p","q":{"@id":"https://example.org/q","@type":"@id"},"d":{"@id":"https://example.org/d","@type":"https://example.org/D"},
		"verifiableCredential":{"@id":"https://www.w3.org/2018/credentials#verifiableCredential","@type":"@id","@container":"@graph","@context":null}}`
	for _, c := range []struct{ doc, want string }{
		{person, ""},
		{"{" + terms + `,"@id":"urn:x","p":["a\n\té",1,-0,0.1,9007199254740994,1e21,true,null,{"@value":"x","@language":"en-GB"}],"q":"_:b","d":"7"}`, ""},
		{"{" + terms + `,"p":[{"@value":{"a":[1.5,"é\u0001",null]},"@type":"@json"},{"@value":true,"@type":"@json"},{"@value":7,"@type":"@json"}]}`, ""},
		{"{" + terms + `,"p":{"@value":[1,"x"],"@type":"@json"}}`, "JSON literals"},
		{"{" + terms + `,"p":{"@value":"x","@type":"@json"}}`, "JSON literals"},
		{"{" + terms + `,"p":{"@value":null,"@type":"@json"}}`, "JSON literals"},
		{"{" + terms + `,"p":{"@value":1.5,"@type":"@json"}}`, "as JSON literals"},
		{"{" + terms + `,"p":{"@value":{"a":"\u007f"},"@type":"@json"}}`, "control characters"},
		{"{" + terms + `,"p":9007199254740993}`, "9007199254740993 becomes 9007199254740992"},
		{"{" + terms + `,"p":1e-400}`, "1e-400 becomes 0"},
		{"{" + terms + `,"p":0.12345678901234566}`, "rounded to 1.234567890123457E-01"},
		{"{" + terms + `,"p":1e19}`, "2^63"},
		{"{" + terms + `,"p":-1e19}`, "2^63"},
		{"{" + terms + `,"unknown":"x"}`, "undefined term"},
		{"{" + terms + `,"@id":"relative","p":"x"}`, "relative IRI"},
		{"{" + terms + `,"@type":"Rel","p":"x"}`, "relative IRI"},
		{"{" + terms + `,"q":"` + long + `"}`, "does not accept the URL"},
		{"{" + terms + `,"q":"https://example.org/a b"}`, "invalid IRI"},
		{"{" + terms + `,"p":{"@value":"x","@language":"e n"}}`, "invalid language tag"},
		{"{" + terms + `,"p":{"@value":"x","@direction":"rtl"}}`, "@direction"},
		{"{" + terms + `,"p":"a\u0001"}`, "control characters"},
		{"{" + terms + `,"p":"a\u007f"}`, "control characters"},
		{"{" + terms + `,"p":"a\uFFFE"}`, "control characters"},
		{"{" + terms + `,"p":"\uFFFF"}`, "control characters"},
		{"{" + terms + `,"p":{"@value":{"a":"\uFFFF"},"@type":"@json"}}`, "control characters"},
		{"{" + terms + `,"p":[true,{"@value":"true","@type":"http://www.w3.org/2001/XMLSchema#boolean"}]}`, "two ways"},
		{"{" + terms + `,"p":["x","x",{"@value":"x"},{"@value":"x","@language":"en"},1,1]}`, ""},
		{"{" + terms + `,"verifiableCredential":{"@id":"urn:vc","https://example.org/p":"x"}}`, "graph container"},
		{`{"@context":"https://example.org/no","p":"x"}`, "no document"},
		{`{"p":1,"p":2}`, "duplicate key"},
		{`{}`, "has no statements"},
	} {
		err := stock.Guard(context.Background(), []byte(c.doc), canon.Options{}, loader)
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.doc, err, c.want)
		}
		if c.want == "" || c.want == "duplicate key" || c.want == "no document" {
			continue
		}
		// json-gold accepts the documents that the guard refuses.
		if _, err := canonicalize(stock.RDFC(loader), c.doc, canon.Options{}); err != nil {
			t.Errorf("%s: %v", c.doc, err)
		}
	}
	for doc, want := range map[string]string{
		"_:a <u:p> \"x\\n\\té\" .\n":               "",
		"_:c14n0 <u:p> _:x .\n_:x <u:q> \"1\" .\n": "c14n",
		"<u:s> <u:p> \"\\b\" .\n":                  "control characters",
		"<u:s> <u:p> \"\\\\b\\\\u00\" .\n":         "",
		"<u:s> <u:p> \"\\\\\\n\\uFFFF\" .\n":       "control characters",
		"<u:s> <u:p> \"\\u0001\" .\n":              "control characters",
		"<u:s> <u:p> \"\\u007F\" .\n":              "control characters",
		"<s> <u:p> \"x\" .\n":                      "IRI",
		"<u:s> <u:p> \"\\uD800\" .\n":              "surrogate",
	} {
		err := stock.Guard(context.Background(), []byte(doc), canon.Options{Input: canon.NQuads}, nil)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", doc, err, want)
		}
	}
	var loss *canon.LossError
	err := stock.Guard(context.Background(), []byte("{"+terms+`,"@id":"r1","q":"`+long+`","p":{"@value":"x","@language":"e n"}}`), canon.Options{}, nil)
	if !errors.As(err, &loss) || len(loss.Losses) != 3 || loss.Losses[0].Pointer != "/0/@id" {
		t.Errorf("%v", err)
	}
	// json-gold has no rdfDirection; that matters only for a document with a direction.
	for value, want := range map[string]bool{`"x"`: false, `{"@value":"x","@direction":"rtl"}`: true} {
		err := stock.Guard(context.Background(), []byte("{"+terms+`,"p":`+value+"}"), canon.Options{Direction: "i18n-datatype"}, nil)
		if unsupported := new(canon.UnsupportedError); errors.As(err, &unsupported) != want || (err != nil) != want {
			t.Errorf("%s with a Direction: %v", value, err)
		}
	}
}
