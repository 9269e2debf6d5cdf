package engines_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"canonscope/canon"
)

// fault is a document that json-gold gets wrong.
type fault struct {
	name  string
	input canon.Input
	doc   string
	want  string // the canonical form by the specifications; "" if there is none
	lost  bool   // the specifications drop data: native refuses the document unless Lossy
	stock string // the form of json-gold, without an error
	guard string // part of the guard's error
}

// faults lists the known faults of json-gold: first JSON-LD to RDF, then RDFC-1.0, then its reader of
// N-Quads.
func faults() []fault {
	const (
		xsd     = "^^<http://www.w3.org/2001/XMLSchema#"
		jsonLit = "^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>"
		vc      = "https://www.w3.org/2018/credentials#verifiableCredential"
		kept    = "<urn:s> <urn:p> \"kept\" .\n"
		rdfType = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
	)
	long := "https://example.org/" + strings.Repeat("x", 2083-len("https://example.org/"))
	of := func(value string) string { return `{"@id":"urn:s","urn:p":` + value + `}` }
	is := func(object string) string { return "<urn:s> <urn:p> " + object + " .\n" }
	list := []fault{
		// JSON-LD API section 5.1.2: the container of verifiableCredential is that of its term, not of its scoped context.
		{"the credential of a presentation has a graph of its own", canon.JSONLD,
			`{"@context":{"@version":1.1,"vc":{"@id":"` + vc + `","@type":"@id","@container":"@graph","@context":null}},"@id":"urn:vp","vc":{"@id":"urn:vc","urn:p":"x"}}`,
			"<urn:vc> <urn:p> \"x\" _:c14n0 .\n<urn:vp> <" + vc + "> _:c14n0 .\n", false,
			"<urn:vc> <urn:p> \"x\" .\n<urn:vp> <" + vc + "> <urn:vc> .\n", "the graph container"},

		// JSON-LD API sections 5.1.2 and 5.2.2: faults that do not show in the expanded form.
		{"two keys for the types of a node", canon.JSONLD, `{"@context":{"type":"@type"},"@id":"urn:s","@type":"urn:T","type":["urn:U"]}`,
			"<urn:s> " + rdfType + " <urn:T> .\n<urn:s> " + rdfType + " <urn:U> .\n", false, "<urn:s> " + rdfType + " <urn:U> .\n", "differs from that of the native engine"},
		{"reference that the base makes absolute", canon.JSONLD, `{"@context":{"@base":"https://example.org/"},"@id":"é","urn:p":"x"}`,
			"<https://example.org/é> <urn:p> \"x\" .\n", false, "<https://example.org/%C3%A9> <urn:p> \"x\" .\n", "differs from that of the native engine"},
		{"scoped context of @nest", canon.JSONLD, `{"@context":{"@version":1.1,"n":{"@id":"@nest","@context":{"p":"urn:q"}},"p":"urn:p"},"@id":"urn:s","n":{"p":"x"}}`,
			"<urn:s> <urn:q> \"x\" .\n", false, "<urn:s> <urn:p> \"x\" .\n", "differs from that of the native engine"},
		{"scoped context of a property that does not propagate", canon.JSONLD,
			`{"@context":{"@version":1.1,"n":{"@id":"urn:n","@context":{"@propagate":false,"n":{"@id":"urn:m","@type":"@id"}}}},"@id":"urn:s","n":{"@id":"urn:o","n":"urn:x"}}`,
			"<urn:o> <urn:m> <urn:x> .\n<urn:s> <urn:n> <urn:o> .\n", false, "<urn:o> <urn:n> <urn:x> .\n<urn:s> <urn:n> <urn:o> .\n", "differs from that of the native engine"},

		// Data that the specifications drop: json-gold drops them silently, also in its safe mode.
		{"undefined term", canon.JSONLD, `{"@id":"urn:s","urn:p":"kept","term":"x"}`, kept, true, kept, "undefined term"},
		{"relative type", canon.JSONLD, `{"@id":"urn:s","@type":"Rel","urn:p":"kept"}`, kept, true,
			"<urn:s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <Rel> .\n" + kept, `relative IRI "Rel"`},
		{"relative id", canon.JSONLD, `{"@id":"3841453-234a","urn:p":"x"}`, "", true, "", "relative IRI"},
		{"empty id", canon.JSONLD, `{"@id":"","urn:p":"x"}`, "", true, "", "relative IRI"},
		{"nothing to sign", canon.JSONLD, `{"@id":"urn:s"}`, "", true, "", "has no statements"},
		{"language tag", canon.JSONLD, of(`["kept",{"@value":"x","@language":"en_US"}]`), kept, true, kept, "invalid language tag"},
		{"direction", canon.JSONLD, of(`{"@value":"kept","@direction":"rtl"}`), kept, true, kept, "@direction"},

		// RFC 3987 bounds no length and knows no registry of hosts: these are IRIs, and their statements have to be signed.
		{"long IRI", canon.JSONLD, of(`["kept",{"@id":"` + long + `"}]`), kept + is("<"+long+">"), false, kept, "does not accept the URL"},
		{"long property", canon.JSONLD, `{"@id":"urn:s","urn:p":"kept","` + long + `":"x"}`,
			"<urn:s> <" + long + "> \"x\" .\n" + kept, false, kept, "does not accept the URL"},
		{"long datatype", canon.JSONLD, of(`["kept",{"@value":"x","@type":"` + long + `"}]`), kept + is(`"x"^^<`+long+">"), false, kept, "does not accept the URL"},
		{"host that begins with a hyphen", canon.JSONLD, of(`["kept",{"@id":"https://-bad.example/"}]`), kept + is("<https://-bad.example/>"), false, kept, "does not accept the URL"},
		{"no host", canon.JSONLD, of(`["kept",{"@id":"https:///x"}]`), kept + is("<https:///x>"), false, kept, "does not accept the URL"},

		// An IRI holds no ">": the form must not be that of <urn:a> in the graph <urn:g>.
		{"IRI with N-Quads inside", canon.JSONLD, of(`{"@id":"urn:a> <urn:g"}`), "", true, is("<urn:a> <urn:g>"), "invalid IRI"},

		// JSON-LD API section 8.6: integers below 1e21 are integers.
		{"integer of 2^63 and beyond", canon.JSONLD, of("1e19"), is(`"10000000000000000000"` + xsd + "integer>"), false, is(`"1.0E19"` + xsd + "double>"), "2^63"},
		{"negative integer beyond 2^63", canon.JSONLD, of("-1e20"), is(`"-100000000000000000000"` + xsd + "integer>"), false, is(`"-1.0E20"` + xsd + "double>"), "2^63"},
		// Not a fault of json-gold, but a loss that native reports.
		{"number of 17 digits", canon.JSONLD, of("0.12345678901234566"), is(`"1.234567890123457E-1"` + xsd + "double>"), true,
			is(`"1.234567890123457E-1"` + xsd + "double>"), "rounded"},
		{"integer that is no double", canon.JSONLD, of("9007199254740993"), is(`"9007199254740992"` + xsd + "integer>"), true,
			is(`"9007199254740992"` + xsd + "integer>"), "becomes 9007199254740992"},

		// RDFC-1.0 appendix A: \b, \f, \u00XX.
		{"control characters", canon.JSONLD, of(`"\b\f\u0001\u007f"`), is(`"\b\f\u0001\u007F"`), false, is("\"\b\f\x01\x7f\""), "control characters"},
		{"control characters in N-Quads", canon.NQuads, is(`"\b\f\u0001\u007F"`), is(`"\b\f\u0001\u007F"`), false, is("\"\b\f\x01\x7f\""), "control characters"},
		{"no character of XML", canon.JSONLD, of(`"\uFFFE\uFFFF"`), is(`"\uFFFE\uFFFF"`), false, is("\"\uFFFE\uFFFF\""), "control characters"},
		{"no character of XML in N-Quads", canon.NQuads, is(`"\uFFFE"`), is(`"\uFFFE"`), false, is("\"\uFFFE\""), "control characters"},
		// A dataset is a set (RDF 1.1 Concepts section 4): a statement written in two ways is one statement.
		{"value written in two ways", canon.JSONLD, of(`[true,{"@value":"true","@type":"http://www.w3.org/2001/XMLSchema#boolean"}]`), is(`"true"` + xsd + "boolean>"), false,
			is(`"true"`+xsd+"boolean>") + is(`"true"`+xsd+"boolean>"), "two ways"},
		// RDFC-1.0 section 4.4.3: every label is issued anew. json-gold merges two nodes.
		{"labels that begin with c14n", canon.NQuads, "_:c14n0 <u:p> _:x .\n_:x <u:q> \"1\" .\n_:c14n0 <u:q> \"2\" .\n",
			"_:c14n0 <u:q> \"1\" .\n_:c14n1 <u:p> _:c14n0 .\n_:c14n1 <u:q> \"2\" .\n", false,
			"_:c14n0 <u:p> _:c14n0 .\n_:c14n0 <u:q> \"1\" .\n_:c14n0 <u:q> \"2\" .\n", "begin with c14n"},
		// RDFC-1.0 section 4.4.3 step 2.1: a quad is one of the quads of a node, however often it holds the node. The SHA-256 of
		// "_:a <u:q> \"1\" .\n" is below that of "_:a <u:p> _:a .\n", and above that of the line twice.
		{"quad that holds a node twice", canon.NQuads, "_:x <u:p> _:x .\n_:y <u:q> \"1\" .\n",
			"_:c14n0 <u:q> \"1\" .\n_:c14n1 <u:p> _:c14n1 .\n", false, "_:c14n0 <u:p> _:c14n0 .\n_:c14n1 <u:q> \"1\" .\n", "holds a blank node twice"},
		{"node that refers to itself", canon.JSONLD, `[{"@id":"_:x","u:p":{"@id":"_:x"}},{"@id":"_:y","u:q":"1"}]`,
			"_:c14n0 <u:q> \"1\" .\n_:c14n1 <u:p> _:c14n1 .\n", false, "_:c14n0 <u:p> _:c14n0 .\n_:c14n1 <u:q> \"1\" .\n", "holds a blank node twice"},

		// N-Quads: no relative IRI, no space in one, no surrogates, UTF-8 alone, and a tag for each rdf:langString.
		{"relative IRI in N-Quads", canon.NQuads, "<s> <u:p> \"x\" .\n", "", false, "<s> <u:p> \"x\" .\n", "relative IRI"},
		{"escaped space in an IRI", canon.NQuads, "<u:s\\u0020x> <u:p> \"x\" .\n", "", false, "<u:s x> <u:p> \"x\" .\n", "an IRI cannot hold"},
		{"escaped surrogate", canon.NQuads, is(`"\uD800"`), "", false, is("\"\uFFFD\""), "surrogate"},
		{"bytes that are no UTF-8", canon.NQuads, is("\"\xff\""), "", false, is("\"\uFFFD\""), "invalid UTF-8"},
		{"blank node inside angle brackets", canon.NQuads, is(`"x" <_:g>`), "", false, is(`"x" _:c14n0`), "relative IRI"},
		{"name of the default graph", canon.NQuads, is(`"x" <@default>`), "", false, is(`"x"`), "relative IRI"},
		{"rdf:langString without a tag", canon.NQuads, is(`"x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>`), "", false, is(`"x"@`), "needs a language tag"},
	}
	// JSON-LD 1.1 section 10.2: the canonical JSON of any value.
	const garbled = "JSON Canonicalization error "
	for _, j := range []struct{ value, canonical, stock string }{
		{`[1,2,3]`, `[1,2,3]`, garbled + "Unexpected EOF reached"},
		{`["TAMPERED"]`, `[\"TAMPERED\"]`, garbled + "Unexpected EOF reached"},
		{`"s"`, `\"s\"`, garbled + "Expected '{' but got 's'"},
		{`null`, `null`, garbled + "Unexpected EOF reached"},
		{`1.23`, `1.23`, "1.23E0"},
	} {
		list = append(list, fault{"JSON literal " + j.value, canon.JSONLD, of(`{"@type":"@json","@value":` + j.value + `}`),
			is(`"` + j.canonical + `"` + jsonLit), false, is(`"` + j.stock + `"` + jsonLit), "JSON literal"})
	}
	return list
}

// TestKnownFaults gives each engine documents that json-gold gets wrong. Native follows the specifications,
// or refuses documents that they forbid or would lose. json-gold does neither, and the guard refuses the
// document. The test fails when json-gold corrects a fault.
func TestKnownFaults(t *testing.T) {
	ctx := context.Background()
	native, stock, guarded := engine(t, canon.Native, canon.RDFC), unguarded(t, canon.Stock), engine(t, canon.Stock, canon.RDFC)
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			doc, opt := []byte(f.doc), canon.Options{Input: f.input}
			if f.stock == f.want && !f.lost {
				t.Fatal("this is no fault")
			}
			form, err := native.Canonicalize(ctx, doc, canon.Options{Input: f.input, Lossy: true})
			switch refused := f.want == "" && !f.lost; {
			case refused && err == nil:
				t.Errorf("native accepts it: %q", form.Text)
			case !refused && (err != nil || string(form.Text) != f.want):
				t.Errorf("native: %v, %+v, want\n%s", err, form, f.want)
			}
			var loss *canon.LossError
			if _, err := native.Canonicalize(ctx, doc, opt); errors.As(err, &loss) != f.lost {
				t.Errorf("native, unless told to go on: %v", err)
			}
			if form, err = stock.Canonicalize(ctx, doc, opt); err != nil || string(form.Text) != f.stock {
				t.Errorf("stock: %v, %+v, want\n%q", err, form, f.stock)
			}
			if _, err = guarded.Canonicalize(ctx, doc, opt); err == nil || !strings.Contains(err.Error(), f.guard) {
				t.Errorf("the guard says %v, want %q", err, f.guard)
			}
		})
	}
}

// json-gold returns an error for features that it lacks: SHA-384 in RDFC-1.0, comments in N-Quads, and a
// limit of work. Native has such a limit by default.
func TestStockCannot(t *testing.T) {
	ctx := context.Background()
	native, stock := engine(t, canon.Native, canon.RDFC), engine(t, canon.Stock, canon.RDFC)
	quad := []byte("# a comment\n_:x <u:p> \"1\" .\n")
	for _, opt := range []canon.Options{{Hash: canon.SHA384}, {Limits: canon.Limits{Work: 10}}, {}} {
		opt.Input = canon.NQuads
		if form, err := native.Canonicalize(ctx, quad, opt); err != nil || string(form.Text) != "_:c14n0 <u:p> \"1\" .\n" {
			t.Errorf("native, %+v: %v", opt, err)
		}
		_, err := stock.Canonicalize(ctx, quad, opt)
		var unsupported *canon.UnsupportedError
		if asked := opt.Hash != "" || opt.Limits.Work != 0; err == nil || errors.As(err, &unsupported) != asked {
			t.Errorf("stock, %+v: %v", opt, err)
		}
	}
	var clique strings.Builder
	for i := range 10 {
		for k := range 10 {
			if i != k {
				fmt.Fprintf(&clique, "_:e%d <u:p> _:e%d .\n", i, k)
			}
		}
	}
	_, err := native.Canonicalize(ctx, []byte(clique.String()), canon.Options{Input: canon.NQuads})
	var limit *canon.LimitError
	if !errors.As(err, &limit) {
		t.Errorf("a clique of 10 nodes: %v", err)
	}
}
