package jsonld_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
)

const xsd = "http://www.w3.org/2001/XMLSchema#"

// Native numbers get the canonical forms of section 8.6 of the JSON-LD API.
func TestNumbers(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for number, want := range map[string]string{
		"0": `"0"^^<integer>`, "-0": `"0"^^<integer>`, "-0.0": `"0"^^<integer>`, "1": `"1"^^<integer>`, "-17": `"-17"^^<integer>`,
		"1.0": `"1"^^<integer>`, "1e3": `"1000"^^<integer>`, "2.0000000000000001": `"2"^^<integer>`,
		"9007199254740993": `"9007199254740992"^^<integer>`, "1e19": `"10000000000000000000"^^<integer>`, "1e20": `"100000000000000000000"^^<integer>`,
		"9223372036854775808": `"9223372036854775808"^^<integer>`, "999999999999999868928": `"999999999999999868928"^^<integer>`,
		"1e21": `"1.0E21"^^<double>`, "-1e21": `"-1.0E21"^^<double>`, "1.5": `"1.5E0"^^<double>`, "0.97": `"9.7E-1"^^<double>`,
		"2.000000000000001": `"2.000000000000001E0"^^<double>`, "1e-7": `"1.0E-7"^^<double>`, "5e-324": `"4.940656458412465E-324"^^<double>`,
		"1.7976931348623157e308": `"1.797693134862316E308"^^<double>`, "-123.456": `"-1.23456E2"^^<double>`, "1e-400": `"0"^^<integer>`,
		"0.1": `"1.0E-1"^^<double>`, "100.5": `"1.005E2"^^<double>`,
	} {
		lines, _ := nquads(t, p, `{"@id":"u:s","u:p":`+number+`}`, jsonld.Options{})
		want = "<u:s> <u:p> " + strings.Replace(want, "<", "<"+xsd, 1) + " ."
		if len(lines) != 1 || lines[0] != want {
			t.Errorf("%s: %q, want %s", number, lines, want)
		}
	}
	for value, want := range map[string]string{
		`{"@value":2,"@type":"` + xsd + `double"}`:   `"2.0E0"^^<` + xsd + `double>`,
		`{"@value":0,"@type":"` + xsd + `double"}`:   `"0.0E0"^^<` + xsd + `double>`,
		`{"@value":2.5,"@type":"u:dt"}`:              `"2.5E0"^^<u:dt>`,
		`{"@value":2,"@type":"u:dt"}`:                `"2"^^<u:dt>`,
		`{"@value":true,"@type":"u:dt"}`:             `"true"^^<u:dt>`,
		`{"@value":"a","@type":"` + xsd + `string"}`: `"a"`,
		`false`: `"false"^^<` + xsd + `boolean>`,
	} {
		if got := text(t, p, `{"@id":"u:s","u:p":`+value+`}`); got != "<u:s> <u:p> "+want+" .\n" {
			t.Errorf("%s: %s", value, got)
		}
	}
	var e *jsonld.Error
	if err := toRDF(p, `{"@id":"u:s","u:p":1e400}`); !errors.As(err, &e) || e.Pointer != "/u:p" {
		t.Errorf("a number beyond doubles: %v", err)
	}
}

// JSON literals are canonical JSON of any value.
func TestJSONLiterals(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for value, want := range map[string]string{
		`["x"]`: `[\"x\"]`, `"s"`: `\"s\"`, `null`: `null`, `1.23`: `1.23`, `true`: `true`, `{"b":[1.0, 2e0],"a":{"é":"\u0007\n"}}`: `{\"a\":{\"é\":\"\\u0007\\n\"},\"b\":[1,2]}`,
		`{"@context":"https://nowhere.example/","@id":7}`: `{\"@context\":\"https://nowhere.example/\",\"@id\":7}`, `[[],{}]`: `[[],{}]`,
	} {
		doc := `{"@context":{"j":{"@id":"u:j","@type":"@json"}},"@id":"u:s","j":` + value + `}`
		want = `<u:s> <u:j> "` + want + `"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON> .` + "\n"
		if got := text(t, p, doc); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
		if got := text(t, p, `{"@id":"u:s","u:j":{"@type":"@json","@value":`+value+`}}`); got != want {
			t.Errorf("value object of %s: %s, want %s", value, got, want)
		}
	}
}

// Strings are escaped as RDFC-1.0 demands, however JSON wrote them.
func TestStrings(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for value, want := range map[string]string{
		`plain`: `plain`, `\u0061\/`: `a/`, `\b\t\n\f\r\"\\`: `\b\t\n\f\r\"\\`, `\u0001\u007f`: `\u0001\u007F`, "\x7f": `\u007F`,
		`\ud83c\udf03 🌃`: `🌃 🌃`, `ﬁ\uffff`: `ﬁ\uFFFF`, "\uffff": `\uFFFF`, ``: ``,
	} {
		if got := text(t, p, `{"@id":"u:s","u:p":"`+value+`"}`); got != `<u:s> <u:p> "`+want+"\" .\n" {
			t.Errorf("%q: %s", value, got)
		}
		if got := text(t, p, `{"@id":"u:s","u:p":{"@value":"`+value+`","@type":"u:dt"}}`); got != `<u:s> <u:p> "`+want+"\"^^<u:dt> .\n" {
			t.Errorf("%q with a datatype: %s", value, got)
		}
	}
	if got := text(t, p, `{"\u0040id":"u:\u0073","\u0075:p":"x","@t\u0079pe":"u:\u0054"}`); got != "<u:s> <u:p> \"x\" .\n<u:s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <u:T> .\n" {
		t.Errorf("keys with escapes: %s", got)
	}
}

// References are resolved as RFC 3986 section 5.4 lists.
func TestResolution(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for ref, want := range map[string]string{
		"g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g", "//g": "http://g", "?y": "http://a/b/c/d;p?y",
		"g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s", "g#s": "http://a/b/c/g#s", "g?y#s": "http://a/b/c/g?y#s", ";x": "http://a/b/c/;x",
		"g;x": "http://a/b/c/g;x", "g;x?y#s": "http://a/b/c/g;x?y#s", "": "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/",
		"..": "http://a/b/", "../": "http://a/b/", "../g": "http://a/b/g", "../..": "http://a/", "../../": "http://a/", "../../g": "http://a/g",
		"../../../g": "http://a/g", "../../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g", "g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g",
		"g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g", "./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h",
		"g/../h": "http://a/b/c/h", "g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y", "g?y/./x": "http://a/b/c/g?y/./x",
		"g?y/../x": "http://a/b/c/g?y/../x", "g#s/./x": "http://a/b/c/g#s/./x", "g#s/../x": "http://a/b/c/g#s/../x", "http:g": "http:g", "u:x": "u:x",
	} {
		lines, _ := nquads(t, p, `{"@id":"`+ref+`","u:p":"x"}`, jsonld.Options{Base: "http://a/b/c/d;p?q"})
		if want := "<" + want + "> <u:p> \"x\" ."; len(lines) != 1 || lines[0] != want {
			t.Errorf("%q: %q, want %s", ref, lines, want)
		}
	}
	// The base is part of what the cache knows a context by.
	for _, base := range []string{"http://one.example/", "http://two.example/", ""} {
		for range 2 {
			lines, losses := nquads(t, p, `{"@context":{"@vocab":"v#"},"@id":"u:s","p":"x"}`, jsonld.Options{Base: base})
			if base == "" && len(losses) == 1 || base != "" && len(lines) == 1 && lines[0] == "<u:s> <"+base+"v#p> \"x\" ." {
				continue
			}
			t.Errorf("base %q: %q, lost %q", base, lines, losses)
		}
	}
}

// Base directions as the option wants them; a repeated value is one value.
func TestDirections(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	doc := `{"@context":{"@language":"AR","@direction":"rtl"},"@id":"u:s","u:p":["x","x"],"u:l":{"@list":["x","x"]}}`
	i18n, _ := nquads(t, p, doc, jsonld.Options{RDFDirection: "i18n-datatype"})
	if !slices.Contains(i18n, `<u:s> <u:p> "x"^^<https://www.w3.org/ns/i18n#ar_rtl> .`) || len(i18n) != 7 {
		t.Errorf("%q", i18n)
	}
	compound, _ := nquads(t, p, doc, jsonld.Options{RDFDirection: "compound-literal"})
	if compound = slices.Compact(compound); len(compound) != 1+3+1+4+2*3 {
		t.Errorf("%d quads: %q", len(compound), compound)
	}
}

// The datatype of a directed string holds its language in lower case and its direction (JSON-LD API section 8.2.2 step 13);
// without the option the direction is a loss that says how to keep it.
func TestDirectionDatatype(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	doc := func(value string) string {
		return `{"@context":{"de":{"@id":"u:de","@language":"DE","@direction":"ltr"},"l":{"@id":"u:l","@container":"@language","@direction":"rtl"},"n":{"@id":"u:n","@direction":null},` +
			`"d":"u:d"},"@id":"u:s",` + value + `}`
	}
	for value, want := range map[string]string{
		`"d":{"@value":"x","@language":"ar-EG","@direction":"rtl"}`: `<u:d> "x"^^<https://www.w3.org/ns/i18n#ar-eg_rtl>`,
		`"d":{"@value":"x","@direction":"rtl"}`:                     `<u:d> "x"^^<https://www.w3.org/ns/i18n#_rtl>`,
		`"d":{"@value":"","@direction":"ltr"}`:                      `<u:d> ""^^<https://www.w3.org/ns/i18n#_ltr>`,
		`"d":{"@value":"\"\n","@direction":"ltr"}`:                  `<u:d> "\"\n"^^<https://www.w3.org/ns/i18n#_ltr>`,
		`"de":"x"`:          `<u:de> "x"^^<https://www.w3.org/ns/i18n#de_ltr>`,
		`"l":{"AR":"x"}`:    `<u:l> "x"^^<https://www.w3.org/ns/i18n#ar_rtl>`,
		`"l":{"@none":"x"}`: `<u:l> "x"^^<https://www.w3.org/ns/i18n#_rtl>`,
		`"n":"x"`:           `<u:n> "x"`,
	} {
		lines, losses := nquads(t, p, doc(value), jsonld.Options{RDFDirection: canon.I18nDatatype})
		if len(losses) > 0 || len(lines) != 1 || lines[0] != "<u:s> "+want+" ." {
			t.Errorf("%s: %q, lost %q", value, lines, losses)
		}
		if _, losses := nquads(t, p, doc(value), jsonld.Options{}); (len(losses) == 1) == strings.HasPrefix(value, `"n"`) || len(losses) > 0 && !strings.HasSuffix(losses[0], "choose i18n-datatype or compound-literal") {
			t.Errorf("%s: lost %q", value, losses)
		}
	}
}

// A node that says the same directed string twice says it once, also where the IRIs of many terms lie between.
func TestDirectionOnce(t *testing.T) {
	terms, nodes := `"@version":1.1`, ""
	for i := range 600 {
		terms += fmt.Sprintf(`,"p%d":"u:p%d"`, i, i)
		nodes += fmt.Sprintf(`{"@id":"u:s","p%d":{"@value":"x","@direction":"ltr","@language":"en-%d"}},`, i, i)
	}
	doc := `{"@context":{` + terms + `},"@id":"u:o","u:n":[` + nodes + strings.TrimSuffix(nodes, ",") + `]}`
	lines, _ := nquads(t, jsonld.New(jsonld.Config{}), doc, jsonld.Options{RDFDirection: "compound-literal"})
	n := 0
	for _, line := range lines {
		n += strings.Count(line, "#value> ")
	}
	if n != 600 {
		t.Errorf("%d strings", n)
	}
}

// What is out of scope is refused by its name.
func TestOutOfScope(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	for want, err := range map[string]error{
		"HTML":            toRDF(p, "\n<!DOCTYPE html><script type=\"application/ld+json\">{}</script>"),
		"json-ld-1.0":     p.ToRDF(context.Background(), []byte(`{}`), jsonld.Options{ProcessingMode: "json-ld-1.0"}, new(rdf.Dataset)),
		"rdfDirection up": p.ToRDF(context.Background(), []byte(`{}`), jsonld.Options{RDFDirection: "up"}, new(rdf.Dataset)),
	} {
		var unsupported *canon.UnsupportedError
		if !errors.As(err, &unsupported) || !strings.Contains(unsupported.What, want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Each quad knows its value, and the pointer leads there.
func TestOrigins(t *testing.T) {
	doc := []byte(`{"@context":{"p":"u:p","l":{"@id":"u:l","@container":"@list"},"g":{"@id":"u:g","@container":"@graph"},"lang":{"@id":"u:lang","@container":"@language"},
		"back":{"@reverse":"u:back"},"n":{"@id":"u:n","@container":"@index","@index":"p"}},
		"@id":"u:s","@type":["u:T","u:U"],"p":["a",{"@value":"b"},{"@id":"u:o","p":"c"}],"l":["d",{"p":"e"}],"g":{"p":"f"},"lang":{"en":"g"},"back":{"@id":"u:b"},"n":{"k/~":{"@id":"u:i"}}}`)
	var set rdf.Dataset
	var origins jsonld.Origins
	if err := jsonld.New(jsonld.Config{}).ToRDF(context.Background(), doc, jsonld.Options{Origins: &origins}, &set); err != nil {
		t.Fatal(err)
	}
	if len(origins.Quads) != len(set.Quads) {
		t.Fatalf("%d origins of %d quads", len(origins.Quads), len(set.Quads))
	}
	var got []string
	for i, q := range set.Quads {
		o := origins.Quads[i]
		if o.Type != strings.HasSuffix(string(set.Terms[q.P].Text), "#type>") {
			t.Errorf("quad %d: type is %v", i, o.Type)
		}
		got = append(got, origins.Tape.Pointer(int(o.Node))+" "+string(set.Terms[q.P].Text[len(set.Terms[q.P].Text)-3:])+" "+origins.Pointer(i))
	}
	slices.Sort(got)
	want := []string{" :g> /g", " :l> /l", " :n> /n/k~1~0", " :p> /p/0", " :p> /p/1/@value", " :p> /p/2", " ck> /back", " ng> /lang/en", " pe> /@type/0", " pe> /@type/1",
		" st> /l/0", " st> /l/0", " st> /l/1", " st> /l/1", "/g :p> /g/p", "/l/1 :p> /l/1/p", "/n/k~1~0 :p> /n/k~1~0", "/p/2 :p> /p/2/p"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
