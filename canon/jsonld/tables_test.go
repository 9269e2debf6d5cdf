package jsonld_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
)

// rows returns the names of the rows of a table in the package documentation.
func rows(t *testing.T, table string) (names []string) {
	_, after, ok := strings.Cut(string(read(t, "doc.go")), "// # "+table+"\n")
	if !ok {
		t.Fatalf("the package documentation has no %q", table)
	}
	after, _, _ = strings.Cut(after, "// # ")
	for line := range strings.Lines(after) {
		if row, ok := strings.CutPrefix(line, "//   - "); ok {
			name, _, _ := strings.Cut(row, ":")
			names = append(names, name)
		}
	}
	return names
}

// Each row of what safe mode lets pass: documents that differ in it alone have one form, and what is near it has another or is
// refused.
func TestHarmless(t *testing.T) {
	const context = `{"@context":"https://c.example/all",`
	p := jsonld.New(jsonld.Config{Loader: finderContexts})
	rest := rows(t, "What safe mode lets pass")
	for _, c := range []struct {
		row         string
		same, other []string
	}{
		{"empty values", []string{`"id":"u:1","p":"a"}`, `"id":"u:1","p":"a","q":[]}`, `"id":"u:1","p":["a",[]],"q":{"@set":[[]]},"type":[],"graph":[],"@included":[],"back":[]}`,
			`"id":"u:1","p":"a","nest":[{"q":[]}],"@reverse":{"q":[]},"lang":[],"r":[],"rback":[],"g":[],"ids":[]}`},
			[]string{`"id":"u:1","p":"a","u:q":[]}`, `"id":"u:1","p":"a","_:q":[]}`, `"id":"u:1","p":"a","1:q":[]}`, `"id":"u:1","p":"a","lang":{"en":[]}}`, `"id":"u:1","p":"a","ids":{"u:2":[]}}`,
				`"id":"u:1","p":"a","types":{"u:T":{"@set":[]}}}`, `"id":"u:1","p":"a","gix":{"none":[]}}`, `"id":"u:1","p":"a","list":[]}`, `"id":"u:1","p":"a","j":[]}`,
				`"id":"u:1","p":"a","q":{"@list":[]}}`, `"id":"u:1","p":"a","back":{"u:q":[]}}`, `"id":"u:1","p":"a","nest":{"u:q":[]}}`, `"id":"u:1","p":"a","@reverse":{"u:q":[]}}`}},
		{"empty maps", []string{`"id":"u:1","p":"a"}`, `"id":"u:1","p":"a","lang":{},"ids":{},"types":{},"pix":{},"ix":{},"gids":{},"@reverse":{},"nest":{}}`,
			`"id":"u:1","p":"a","@reverse":{"q":[]},"nest":[{"nest":{}},{"lang":{}}]}`},
			[]string{`"id":"u:1","p":"a","q":{}}`, `"id":"u:1","p":"a","graph":{}}`, `"id":"u:1","p":"a","@included":[{}]}`, `"id":"u:1","p":"a","g":{}}`}},
		{"arrays and sets", []string{`"id":"u:1","p":["a"],"list":["b",["c"]]}`, `"id":"u:1","p":"a","list":["b",{"@set":["c"]}]}`, `"id":"u:1","p":[["a"]],"list":{"@list":["b",{"@list":["c"]}]}}`,
			`"id":"u:1","p":{"@set":[{"@set":"a"}]},"list":{"@set":["b",{"@set":["c"]}]}}`},
			[]string{`"id":"u:1","p":{"@set":["a"],"@index":"x"},"list":["b",["c"]]}`, `"id":"u:1","p":["a"],"list":["b","c"]}`, `"id":"u:1","p":["a"],"list":["b",["c"],[]]}`}},
		{"order and repetition", []string{`"id":"u:1","p":["a","b"],"q":{"id":"u:2","p":"c"}}`, `"q":[{"p":"c","id":"u:2"},{"id":"u:2"}],"p":["b","a","b"],"id":"u:1"}`},
			[]string{`"id":"u:1","p":["a","b"],"q":{"id":"u:2","p":"c"},"list":["a"]}`}},
		{"spelling of statements", []string{`"id":"u:1","type":["T","u:U"],"t":["a","b"],"r":"u:2","ids":{"u:3":{"p":"c"}},"types":{"u:V":{"p":"d"}}}`,
			`"@id":"u:1","r":["u:2",{"id":"u:2"}],"t":["b","a",{"@value":"a"}],"u:t":"a","type":["u:U","u:T","T"],"ids":{"u:3":[{"id":"u:3","p":"c"},{}]},"types":{"u:V":{"type":"u:V","p":"d"}}}`,
			`"id":"u:1","type":["T","u:U"],"t":["a","b"],"nest":{"r":"u:2"},"ids":{"u:3":{"nest":{"p":"c"}}},"types":{"none":{"type":"u:V","p":"d"}}}`, `"id":"u:1","type":["T","u:U"],"t":["a","b"],"r":"u:2","ids":{"@none":{"id":"u:3","p":"c"}},"types":{"@none":{"@type":"u:V","p":"d"}}}`},
			[]string{`"id":"u:1","type":["T","u:U"],"t":["a","b"],"r":"u:2","ids":{"u:4":{"id":"u:3","p":"c"}},"types":{"u:V":{"p":"d"}}}`,
				`"id":"u:1","type":["T","u:U"],"t":["a","b"],"r":"u:2","ids":{"@alice":{"id":"u:3","p":"c"}},"types":{"u:V":{"p":"d"}}}`}},
		{"spelling of scalars", []string{`"id":"u:1","p":["a",1,true,{"@value":"b","@language":"en"}],"lang":{"de":"c"},"j":[1]}`,
			`"\u0069d":"u\u003a1","p":[{"@value":"\u0061","@type":"http://www.w3.org/2001/XMLSchema#string"},1.0,true,{"@value":"b","@language":"EN"}],"lang":{"De":"c"},"j":[1e0]}`},
			[]string{`"id":"u:1","p":["a",1,true,{"@value":"b","@language":"en"}],"lang":{"dE-x":"c"},"j":[1]}`}},
		{"spelling of literals", []string{`"id":"u:1","p":[5,true],"j":[1],"list":["a"]}`,
			`"id":"u:1","p":[{"@value":"5","@type":"http://www.w3.org/2001/XMLSchema#integer"},{"@value":"true","@type":"http://www.w3.org/2001/XMLSchema#boolean"}],
 "j":[1],"u:list":{"http://www.w3.org/1999/02/22-rdf-syntax-ns#first":"a","http://www.w3.org/1999/02/22-rdf-syntax-ns#rest":{"@id":"http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"}}}`,
			`"id":"u:1","p":[5,true],"u:j":{"@value":"[1]","@type":"http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON"},"list":["a"]}`},
			[]string{`"id":"u:1","p":["5",true],"j":[1],"list":["a"]}`, `"id":"u:1","p":[5,"true"],"j":[1],"list":["a"]}`}},
		{"objects of one id", []string{`"id":"u:1","p":"a","q":[{"id":"u:2","p":"b"},{"id":"u:2","r":"u:3"}]}`, `"id":"u:1","p":"a","q":{"id":"u:2","p":"b","r":"u:3"}}`,
			`"id":"u:1","q":[{"id":"u:2","p":"b","r":"u:3"},{"id":"u:2"}],"@included":{"id":"u:1","p":"a"}}`},
			[]string{`"id":"u:1","p":"a","q":[{"id":"u:2","p":"b"},{"id":"u:4","r":"u:3"}]}`}},
		{"labels of blank nodes", []string{`"id":"_:a","p":"a","q":{"p":"b","r":"_:c"},"r":"_:c"}`, `"p":"a","q":{"id":"_:b","p":"b","r":"_:a"},"r":"_:a"}`},
			[]string{`"id":"_:a","p":"a","q":{"p":"b","r":"_:c"},"r":"_:d"}`, `"id":"_:a","p":"a","q":{"p":"b","r":"_:c"},"r":"_:c","graph":[{"id":"_:x","p":[]}]}`}},
		{"unused definitions", []string{`"id":"u:1","p":"a","q":{"p":"b"}}`, `"id":"u:1","p":"a","q":{"@context":{"unused":"u:x"},"p":"b"}}`, `"id":"u:1","p":"a","q":{"@context":[],"p":"b"}}`},
			[]string{`"id":"u:1","p":"a","q":{"p":"b"},"nest":{"@context":{"unused":"u:x"}}}`, `"id":"u:1","p":"a","q":{"p":"b"},"nest":{"@context":7}}`,
				`"id":"u:1","p":"a","q":{"p":"b"},"@reverse":{"@context":{"unused":"u:x"}}}`, `"id":"u:1","p":"a","q":{"@context":{"p":"u:x"},"p":"b"}}`}},
		{"places of free nodes", []string{`"graph":[{"id":"u:1","p":"a","q":{"id":"u:2"}},{"id":"u:3","p":"b"}]}`, `"@included":[{"id":"u:1","p":"a","q":{"id":"u:2"}},{"id":"u:3","p":"b"}]}`,
			`"id":"u:1","p":"a","q":{"id":"u:2","@included":{"id":"u:3","p":"b"}}}`},
			[]string{`"id":"u:1","p":"a","q":{"id":"u:2"},"graph":{"id":"u:3","p":"b"}}`, `"id":"u:4","@included":[{"id":"u:1","p":"a","q":{"id":"u:2"}},{"id":"u:3","p":"b"}]}`}},
	} {
		t.Run(c.row, func(t *testing.T) {
			if rest = slices.DeleteFunc(rest, func(name string) bool { return name == c.row }); t.Failed() {
				return
			}
			want, err := form(t, p, []byte(context+c.same[0]), jsonld.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, doc := range c.same[1:] {
				if got, err := form(t, p, []byte(context+doc), jsonld.Options{}); err != nil || got != want {
					t.Errorf("%s\n got %s%v\nwant %s", doc, got, err, want)
				}
			}
			for _, doc := range c.other {
				if got, err := form(t, p, []byte(context+doc), jsonld.Options{}); err == nil && got == want {
					t.Errorf("%s is accepted and changes nothing", doc)
				}
			}
		})
	}
	if len(rest) > 0 {
		t.Errorf("no test for the rows %q", rest)
	}
}

// Each row of where letter and practice differ.
func TestDecisions(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	rest := rows(t, "Where specification and practice differ")
	rest = slices.DeleteFunc(rest, func(name string) bool { return strings.HasPrefix(name, "protected terms, null") }) // a test of contexts
	for _, c := range []struct {
		row, doc string
		code     jsonld.Code // or
		form     string      // or
		lost     string
	}{
		{"@type beside @list or @set", `{"u:p":{"@type":"u:T","@list":["x"]}}`, jsonld.InvalidSetOrListObject, "", ""},
		{"@type beside @list or @set", `{"u:p":{"@type":["u:T"],"@set":["x"]}}`, jsonld.InvalidSetOrListObject, "", ""},
		{"an id map or type map of values or lists", `{"@context":{"m":{"@id":"u:m","@container":"@id"}},"m":{"u:1":"x"}}`, jsonld.InvalidValueObject, "", ""},
		{"an id map or type map of values or lists", `{"@context":{"m":{"@id":"u:m","@container":"@type"}},"m":{"u:T":{"@list":["x"]}}}`, jsonld.InvalidValueObject, "", ""},
		{"an empty object in @included", `{"u:p":{"@included":{}}}`, jsonld.InvalidIncludedValue, "", ""},
		{"@reverse beside a reverse term", `{"@context":{"r":{"@reverse":"u:r"}},"@id":"u:1","r":{"@id":"u:2"},"@reverse":{"u:q":{"@id":"u:3"}}}`, "", "<u:2> <u:r> <u:1> .\n<u:3> <u:q> <u:1> .\n", ""},
		{"@reverse beside a reverse term", `{"@context":{"r":{"@reverse":"u:r"}},"@id":"u:1","@reverse":{"u:q":{"@id":"u:3"}},"r":{"@id":"u:2"}}`, "", "<u:2> <u:r> <u:1> .\n<u:3> <u:q> <u:1> .\n", ""},
		{"@propagate in an array of contexts", `{"@context":[{"@propagate":false,"t":"u:t"}],"@id":"u:1","t":{"@id":"u:2","t":"x"}}`, "", "<u:1> <u:t> <u:2> .\n<u:2> <u:t> \"x\" .\n", ""},
		{"@index that names the term being defined", `{"@context":{"t":{"@id":"u:t","@container":"@index","@index":"t"}},"t":{}}`, jsonld.CyclicIRIMapping, "", ""},
		{"@protected of a context that is not a boolean", `{"@context":{"@protected":1,"t":"u:t"},"t":"x"}`, jsonld.InvalidProtectedValue, "", ""},
		{"IRIs with spaces in definitions", `{"@context":{"t":"u:a b","s":"u:s"},"@id":"u:1","s":"x"}`, "", "<u:1> <u:s> \"x\" .\n", ""},
		{"IRIs with spaces in definitions", `{"@context":{"t":"u:a b"},"@id":"u:1","t":"x"}`, "", "", "/t invalid IRI as property"},
		{"several errors in one document", `{"@context":{"t":7},"@id":7}`, jsonld.InvalidTermDefinition, "", ""},
		{"an inline context that holds only @context", `{"@context":[{"@context":{"t":"u:t"}}],"@id":"u:1","t":"x"}`, "", "<u:1> <u:t> \"x\" .\n", ""},
		{"an inline context that holds only @context", `{"@context":[{"s":"u:s"},{"\u0040context":{"t":"s"}}],"@id":"u:1","t":"x"}`, "", "<u:1> <u:s> \"x\" .\n", ""},
		{"an inline context that holds only @context", `{"@context":{"t":{"@id":"u:t","@context":[{"@context":{"t":"u:inner"}}]}},"@id":"u:1","t":{"@id":"u:2","t":"x"}}`, "", "<u:1> <u:t> <u:2> .\n<u:2> <u:inner> \"x\" .\n", ""},
		{"an inline context that holds only @context", `{"@context":[{"@context":{"@propagate":false,"t":"u:t"}}],"@id":"u:1","t":{"@id":"u:2","t":"x"}}`, "", "<u:1> <u:t> <u:2> .\n<u:2> <u:t> \"x\" .\n", ""},
		{"an inline context that holds only @context", `{"@context":{"@context":{"t":"u:t"}},"t":"x"}`, jsonld.KeywordRedefinition, "", ""},
		{"an inline context that holds only @context", `{"@context":[{"@context":{"t":"u:t"},"s":"u:s"}],"t":"x"}`, jsonld.KeywordRedefinition, "", ""},
		{"an inline context that holds only @context", `{"@context":[{"@context":{"@context":{"t":"u:t"}}}],"t":"x"}`, jsonld.KeywordRedefinition, "", ""},
		{"an inline context that holds only @context", `{"@context":[{"@context":[{"t":"u:t"}]}],"t":"x"}`, jsonld.KeywordRedefinition, "", ""},
		{"an inline context that holds only @context", `{"@context":{"t":{"@id":"u:t","@context":{"@context":{"t":"u:inner"}}}},"@id":"u:1","t":"x"}`, jsonld.InvalidScopedContext, "", ""},
		{"@direction of a number or boolean", `{"@id":"u:1","u:p":{"@value":5,"@direction":"rtl"}}`, "", "", "/u:p/@value @direction of a value that is not a string"},
		{"@language and @direction of a node object", `{"@id":"u:1","u:p":{"u:q":"x","@language":"de"}}`, "", "", "/u:p/@language @language outside a value object"},
		{"@language and @direction of a node object", `{"@id":"u:1","u:p":"x","@direction":"ltr"}`, "", "", "/@direction @direction outside a value object"},
	} {
		rest = slices.DeleteFunc(rest, func(name string) bool { return name == c.row })
		for _, direction := range []string{"", canon.I18nDatatype} {
			got, err := form(t, p, []byte(c.doc), jsonld.Options{RDFDirection: direction})
			var e *jsonld.Error
			var lost *canon.LossError
			switch {
			case c.code != "":
				if !errors.As(err, &e) || e.Code != c.code {
					t.Errorf("%s: %s: %v, want %q", c.row, c.doc, err, c.code)
				}
			case c.lost != "":
				if !errors.As(err, &lost) || len(lost.Losses) != 1 || lost.Losses[0].Pointer+" "+lost.Losses[0].Reason != c.lost {
					t.Errorf("%s: %s: %v, want the loss %q", c.row, c.doc, err, c.lost)
				}
			case err != nil || got != c.form:
				t.Errorf("%s: %s: %s%v, want %s", c.row, c.doc, got, err, c.form)
			}
		}
	}
	if len(rest) > 0 {
		t.Errorf("no test for the rows %q", rest)
	}
}

// The losses of facts on attacks: part 1 numbers 2 and 8, part 2 A1. Without the option all of them have a form.
func TestAttackLosses(t *testing.T) {
	const context = `{"@context":["https://c.example/all",{"void":{"@id":"u:void","@container":"@index","@index":"q","@context":{"q":null}}}],`
	p := jsonld.New(jsonld.Config{Loader: finderContexts})
	for doc, want := range map[string][]string{
		// number 2: null of IRI Expansion
		`"id":"u:1","r":"@alice"}`:                                     {"/r reserved @id value"},
		`"id":"u:1","r":["u:2","@mallory"]}`:                           {"/r/1 reserved @id value"},
		`"id":"u:1","v":"@evil"}`:                                      {"/v reserved @id value"},
		`"id":"u:1","v":["w","gone"]}`:                                 {"/v/1 term mapped to null as @id"},
		`"id":"u:1","p":"x","type":["T","gone"]}`:                      {"/type/1 term mapped to null as @type"},
		`"id":"u:1","p":"x","rback":"@alice"}`:                         {"/rback reserved @id value"},
		`"id":"u:1","rlist":["u:2","@alice"]}`:                         {"/rlist/1 reserved @id value"},
		`"id":"u:1","rg":"@alice"}`:                                    {"/rg reserved @id value"},
		`"id":"u:1","ids":{"u:2":{"p":"x"},"@Mathematics":{"p":"A"}}}`: {"/ids/@Mathematics reserved @id value"},
		`"id":"u:1","gids":{"@Mathematics":{"p":"A"}}}`:                {"/gids/@Mathematics reserved @id value"},
		`"id":"u:1","types":{"@Mathematics":{"p":"A"}}}`:               {"/types/@Mathematics reserved @type value"},
		`"id":"u:1","rids":{"u:2":"@alice"}}`:                          {"/rids/u:2 key of an id map that differs from the @id", "/rids/u:2 reserved @id value"},
		`"id":"u:1","rpix":{"@alice":{"p":"x"}}}`:                      {"/rpix/@alice reserved @id value"},
		`"id":"u:1","scope":{"pix":{"a":{"p":"x"}}}}`:                  {`/scope/pix/a the index property "q" is mapped to null`},
		// number 8
		`"id":"u:1","p":"x","@language":"de"}`:                              {"/@language @language outside a value object"},
		`"id":"u:1","q":{"p":"x","@direction":"rtl","@language":"de"}}`:     {"/q/@direction @direction outside a value object", "/q/@language @language outside a value object"},
		`"id":"u:1","ids":{"u:EVIL":{"id":"u:2","p":"x"}}}`:                 {"/ids/u:EVIL key of an id map that differs from the @id"},
		`"id":"u:1","gids":{"u:EVIL":{"id":"u:2","graph":{"p":"x"}}}}`:      {"/gids/u:EVIL key of an id map that differs from the @id"},
		`"id":"u:1","p":"x","nest":{"@context":{"degree":[]}}}`:             {"/nest/@context @context of a nested object, which is never read"},
		`"id":"u:1","p":"x","nest":[{"q":"y"},{"nest":{"@context":"z"}}]}`:  {"/nest/1/nest/@context @context of a nested object, which is never read"},
		`"id":"u:1","p":"x","@reverse":{"@context":{"degree":"u:degree"}}}`: {"/@reverse/@context @context of @reverse"},
		`"id":"u:1","p":{"@set":["x"],"@index":"LOST"}}`:                    {"/p/@index @index of a set"},
		`"id":"u:1","p":"x","q":{"@set":[],"@index":"LOST"}}`:               {"/q/@index @index of a set"},
		`"id":"u:1","p":"x","r":{"@direction":"rtl"}}`:                      {"/r/@direction @direction outside a value object"},
		`"id":"u:1","p":"x","u:I owe you five":[]}`:                         {"/u:I owe you five empty array under a key that is not a term"},
		`"id":"u:1","lang":{"none":"x","en":[]}}`:                           {"/lang/en key of a map without a value"},
		`"id":"u:1","p":"x","ids":{"u:2":[]}}`:                              {"/ids/u:2 key of a map without a value"},
		`"id":"u:1","p":"x","gpix":{"a":[[]]}}`:                             {"/gpix/a key of a map without a value"},
		`"id":"u:1","p":"x","types":{"u:T":{"@set":[]}}}`:                   {"/types/u:T key of a map without a value"},
		// A1
		`"id":"u:1","g":{"id":"u:LOST"}}`:                                      {"/g/id @id of a node without a statement"},
		`"id":"u:1","g":[{"id":"u:2","p":"x"},{"id":"u:1"}]}`:                  {"/g/1/id @id of a node without a statement"},
		`"id":"u:1","rg":"u:LOST"}`:                                            {"/rg @id of a node without a statement"},
		`"id":"u:1","gids":{"u:2":{"id":"u:LOST"}}}`:                           {"/gids/u:2/id @id of a node without a statement"},
		`"id":"u:1","gids":{"u:2":{"p":[]}}}`:                                  {"/gids/u:2 node object without a statement"},
		`"id":"u:LOST","type":[]}`:                                             {"/id @id of a node without a statement"},
		`"id":"u:LOST","p":[]}`:                                                {"/id @id of a node without a statement"},
		`"id":"u:LOST","back":[]}`:                                             {"/id @id of a node without a statement"},
		`"id":"u:LOST","graph":[]}`:                                            {"/id @id of a node without a statement"},
		`"id":"u:LOST","@included":[{"id":"u:2","p":"x"}]}`:                    {"/id @id of a node without a statement"},
		`"id":"u:LOST","graph":[{"id":"u:2","graph":[{"id":"u:3","p":"x"}]}]}`: {"/id @id of a node without a statement"},
		`"graph":[{"id":"u:LOST","p":[]},{"id":"u:2","p":"x"}]}`:               {"/graph/0/id @id of a node without a statement"},
		`"@included":[{"id":"u:LOST","lang":{}},{"id":"u:2","p":"x"}]}`:        {"/@included/0/id @id of a node without a statement"},
		`"id":"u:1","q":{"p":"x","@included":{"id":"u:LOST","p":[]}}}`:         {"/q/@included/id @id of a node without a statement"},
		`"id":"u:1","p":"x","graph":[{"p":[]}]}`:                               {"/graph/0 node object without a statement"},
		`"p":[]}`:                                                              {" node object without a statement"},
		`"id":"_:LOST","p":[]}`:                                                {"/id @id of a node without a statement"},
	} {
		if _, losses := nquads(t, p, context+doc, jsonld.Options{}); !slices.Equal(losses, want) {
			t.Errorf("%s: lost %q, want %q", doc, losses, want)
		}
	}
	// What a statement tells of is not lost.
	for _, doc := range []string{`"id":"u:1","q":{"id":"u:2","p":[]}}`, `"id":"u:1","graph":[{"id":"u:2","p":"x"}]}`, `"@included":[{"id":"u:2","p":"x"}]}`, `"id":"u:1","back":{"id":"u:2","p":[]}}`,
		`"id":"u:1","graph":[{"@included":[{"id":"u:2","p":"x"}]}]}`, `"id":"u:1","list":[{"id":"u:2"},{"p":[]}]}`, `"id":"u:1","@reverse":{"p":{"id":"u:2"}}}`} {
		if _, losses := nquads(t, p, context+doc, jsonld.Options{}); len(losses) > 0 {
			t.Errorf("%s: lost %q", doc, losses)
		}
	}
}

// A3, and 02e of the reports: a @context of the top-level object that does not propagate is that of the object, and not of what
// is in it.
func TestPropagateAtTheTop(t *testing.T) {
	const expand = `{"@propagate":false,"t":"u:expand"}`
	p := jsonld.New(jsonld.Config{Loader: jsonld.Map{"https://c.example/still": []byte(`{"@context":{"@propagate":false,"t":"u:t"}}`)}})
	for _, c := range []struct{ doc, expandContext, want string }{
		{`{"@context":{"@propagate":false,"t":"u:t"},"@id":"u:1","t":"x"}`, "", "<u:1> <u:t> \"x\" .\n"},
		{`{"@context":"https://c.example/still","@id":"u:1","t":"x"}`, "", "<u:1> <u:t> \"x\" .\n"},
		{`{"@context":{"@propagate":false,"t":"u:t"},"@id":"u:1","t":{"@id":"u:2","u:p":"x"}}`, "", "<u:1> <u:t> <u:2> .\n<u:2> <u:p> \"x\" .\n"},
		{`{"@context":{"@propagate":false,"t":"u:t"},"@id":"u:1","t":{"@id":"u:2","t":"x"}}`, "", "data would be lost at \"/t/t\": undefined term"},
		{`{"@context":{"@propagate":false,"t":"u:t"},"@graph":[{"@id":"u:2","t":"x"}]}`, "", "data would be lost at \"/@graph/0/t\": undefined term"},
		{`{"@context":{"@propagate":false,"t":{"@id":"u:t","@type":"@id"}},"@id":"u:1","t":"u:2"}`, "", "<u:1> <u:t> <u:2> .\n"},
		{`[{"@context":{"@propagate":false,"t":"u:t"},"@id":"u:1","t":"x"}]`, "", "<u:1> <u:t> \"x\" .\n"},
		{`{"@id":"u:1","u:p":{"@context":{"@propagate":false,"t":"u:t"},"@id":"u:2","t":"x"}}`, "", "<u:1> <u:p> <u:2> .\n<u:2> <u:t> \"x\" .\n"},
		{`{"@id":"u:1","t":"x"}`, expand, "data would be lost at \"/t\": undefined term"},
		{`[{"@id":"u:1","t":"x"}]`, expand, "data would be lost at \"/0/t\": undefined term"},
		{`{"@context":{"s":"u:s"},"@id":"u:1","s":"y","t":"x"}`, expand, "data would be lost at \"/t\": undefined term"},
		{`{"@context":{"@propagate":false,"s":"u:s"},"@id":"u:1","s":"y"}`, expand, "<u:1> <u:s> \"y\" .\n"},
	} {
		for range 2 { // the second time with kept contexts
			got, err := form(t, p, []byte(c.doc), jsonld.Options{ExpandContext: c.expandContext})
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("%s: %s, want %s", c.doc, got, c.want)
			}
		}
	}
	doc := read(t, filepath.Join(official.Dir(t, "reports"), "02e.json"))
	if got := text(t, p, string(doc)); got != "<http://ex.org/1> <http://ex.org/p> \"1\" .\n" {
		t.Errorf("02e.json: %s", got)
	}
}

// A4: a reverse property gets its place in the expanded form with its first value (13.13.4), and both forms refuse alike.
func TestEmptyReverseExpanded(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	const head = `{"@context":{"r":{"@reverse":"u:r"},"s":{"@reverse":"u:s"},"q":"u:q","rev":"@reverse"},"@id":"u:1",`
	for doc, want := range map[string]string{
		`"r":[]}`:                                `[{"@id":"u:1","@reverse":{}}]`,
		`"r":[],"s":{"@id":"u:2"},"q":[]}`:       `[{"@id":"u:1","@reverse":{"u:s":[{"@id":"u:2"}]},"u:q":[]}]`,
		`"r":[[],{"@id":"u:2"}]}`:                `[{"@id":"u:1","@reverse":{"u:r":[{"@id":"u:2"}]}}]`,
		`"@reverse":{"q":[]}}`:                   `[{"@id":"u:1","@reverse":{}}]`,
		`"@reverse":{"r":[]},"q":"x"}`:           `[{"@id":"u:1","u:q":[{"@value":"x"}]}]`,
		`"@reverse":{"r":{"@id":"u:2"},"q":[]}}`: `[{"@id":"u:1","@reverse":{},"u:r":[{"@id":"u:2"}]}]`,
		`"@reverse":{"q":[]},"rev":{}}`:          "colliding keywords",
	} {
		got, err := p.Expand(context.Background(), []byte(head+doc), jsonld.Options{Lossy: true})
		var d rdf.Dataset
		err2 := p.ToRDF(context.Background(), []byte(head+doc), jsonld.Options{Lossy: true}, &d)
		if (err == nil) != (err2 == nil) {
			t.Errorf("%s: %v, and as a dataset %v", doc, err, err2)
		}
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", doc, err)
			}
			continue
		}
		var a, b any
		if json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(want), &b) != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %s, want %s", doc, got, want)
		}
	}
}

// The text false would be the same literal as the boolean, and counts as true to most readers of JSON.
func TestTextUnderBoolean(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	doc := func(value string) []byte {
		return []byte(`{"@context":{"id":"@id","adult":{"@id":"u:adult","@type":"http://www.w3.org/2001/XMLSchema#boolean"}},"id":"u:1","adult":` + value + `}`)
	}
	for range 2 {
		if _, err := form(t, p, doc("false"), jsonld.Options{}); err != nil {
			t.Error(err)
		}
		var loss *canon.LossError
		if _, err := form(t, p, doc(`"false"`), jsonld.Options{}); !errors.As(err, &loss) || loss.Losses[0].Pointer != "/adult" {
			t.Errorf("a text: %v", err)
		}
	}
}
