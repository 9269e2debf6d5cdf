package jsonld_test

import (
	"context"
	"strings"
	"testing"

	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
)

// flatForm returns the canonical form of a flat document.
func flatForm(f *jsonld.Flat) string {
	var b strings.Builder
	for _, s := range f.Statements {
		b.WriteString("_:c14n0 " + string(s.Predicate) + " " + string(s.Object) + " .\n")
	}
	return b.String()
}

// A flat document says in short what it says at length, the first time and again, and whatever else was read between; one
// that is not flat is read at length.
func TestFlat(t *testing.T) {
	const (
		proof  = `{"@version":1.1,"type":"@type","Proof":{"@id":"u:Proof","@context":{"@protected":true,"purpose":{"@id":"u:purpose","@type":"@vocab","@context":{"assert":"u:assert"}},"made":{"@id":"u:made","@type":"u:time"},"by":{"@id":"u:by","@type":"@id"},"suite":"u:suite"}},"text":{"@id":"u:text","@type":"http://www.w3.org/2001/XMLSchema#string"}}`
		others = `{"id":"@id","type":"@type","p":"u:p","also":"u:p","q":{"@id":"u:q","@container":"@list"},"l":{"@id":"u:l","@language":"en"},"j":{"@id":"u:j","@type":"@json"},"r":{"@reverse":"u:r","@type":"@id"},"s":{"@id":"u:s","@container":"@set"},"did":"u:method:","i":{"@id":"u:i","@type":"@id"},"gone":null,"bad":{"@id":"_:bad"}}`
	)
	of := func(context, members string) string { return `{"@context":` + context + `,` + members + `}` }
	documents := []struct {
		doc  string
		flat bool
	}{
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1","purpose":"assert"`), true},
		{of(proof, `"type":"Proof","suite":"c","made":"d","by":"did:x:2","purpose":"assert"`), true},
		{of(proof, `"purpose":"assert","by":"did:x:2","made":"d","suite":"c","type":"Proof"`), true},
		{of(proof, `"type":"Proof","suite":"\u0061\n\u007f\uFFFF \"","made":"b\\","by":"did:x:1","purpose":"assert"`), true},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1","purpose":"u:other"`), true},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"relative","purpose":"assert"`), false},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"_:b","purpose":"assert"`), false},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"u:with space","purpose":"assert"`), false},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1","purpose":"unknown"`), false},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1","purpose":"type"`), false},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1"`), true},
		{of(proof, `"type":"Proof","suite":["a"],"made":"b"`), false},
		{of(proof, `"type":"u:Other","text":"x"`), true},
		{of(proof, `"type":"u:Third","text":"x"`), true},
		{of(proof, `"type":"u:Third","\u0074ext":"x"`), false},
		{of(proof, `"text":"x"`), true},
		{of(proof, `"text":"x","suite":"y"`), false},
		{of(others, `"p":"x","s":"y"`), true},
		{of(others, `"p":"x","also":"y"`), false},
		{of(others, `"p":"x","q":"y"`), false},
		{of(others, `"p":"x","l":"y"`), false},
		{of(others, `"p":"x","j":"y"`), false},
		{of(others, `"p":"x","r":"u:y"`), false},
		{of(others, `"p":"x","id":"u:y"`), false},
		{of(others, `"p":"x","@type":"u:T"`), true},
		{of(others, `"p":"x","@type":"u:T","type":"u:U"`), false},
		{of(others, `"p":"x","gone":"y"`), false},
		{of(others, `"p":"x","bad":"y"`), false},
		{of(others, `"p":"x","i":"did:y"`), true},
		{of(others, `"p":"x","u:p2":"y"`), false},
		{of(`{"@vocab":"u:"}`, `"p":"x"`), false},
		{of(`{"@language":"en","p":"u:p"}`, `"p":"x"`), false},
		{of(`{"@propagate":false,"@version":1.1,"p":"u:p"}`, `"p":"x"`), false},
		{`{"p":"x","@context":{"p":"u:p"}}`, true},
		{`[{"@context":{"p":"u:p"},"p":"x"}]`, false},
		{`{"@context":{"p":"u:p"}}`, false},
	}
	warm := jsonld.New(jsonld.Config{})
	for round := range 3 {
		for i := range documents {
			d := documents[(i*5+round)%len(documents)]
			opt := jsonld.Options{Lossy: true}
			want, err := form(t, warm, []byte(d.doc), opt)
			if err != nil {
				t.Fatalf("%s: %v", d.doc, err)
			}
			opt.Flat = new(jsonld.Flat)
			got, err := form(t, warm, []byte(d.doc), opt)
			if err != nil || got != want {
				t.Errorf("%s\n got %q %v\nwant %q", d.doc, got, err, want)
			}
			if flat := len(opt.Flat.Statements) > 0; flat != d.flat {
				t.Errorf("%s: flat %v", d.doc, flat)
			}
		}
	}
	for _, state := range jsonld.CacheStates[1:] {
		var set rdf.Dataset
		flat := new(jsonld.Flat)
		if err := jsonld.New(jsonld.Config{State: state}).ToRDF(context.Background(), []byte(documents[0].doc), jsonld.Options{Flat: flat}, &set); err != nil || len(flat.Statements) != 0 || len(set.Quads) != 5 {
			t.Errorf("%v: %d statements, %d quads, %v", state, len(flat.Statements), len(set.Quads), err)
		}
	}
}
