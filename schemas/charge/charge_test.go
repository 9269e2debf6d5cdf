package charge_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/charge"
	"canonscope/schemas/contexts"
	"canonscope/schemas/shape"
)

// loader finds embedded contexts, and those of the shared data if they are there.
func loader(t *testing.T) jsonld.Loader {
	t.Helper()
	if os.Getenv("CANONSCOPE_DATA") == "" {
		return contexts.Experiments()
	}
	folder, err := contexts.Dir(filepath.Join(official.Dir(t, "education"), "contexts"))
	if err != nil {
		t.Fatal(err)
	}
	return contexts.Chain(contexts.Experiments(), folder)
}

func account(t *testing.T, doc []byte) *charge.Account {
	t.Helper()
	a, err := charge.Document(context.Background(), doc, charge.Options{Loader: loader(t)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func generated(t *testing.T, name string) []byte {
	t.Helper()
	g, err := catalogue.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.Document(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c.VCDM
}

// presentation holds a CLR.
func presentation(t *testing.T) []byte {
	return []byte(`{"@context":["https://www.w3.org/ns/credentials/v2"],"type":"VerifiablePresentation",` +
		`"holder":"did:example:holder","verifiableCredential":[` + string(generated(t, "clr-small")) + `]}`)
}

func documents(t *testing.T) map[string][]byte {
	docs := map[string][]byte{"a presentation": presentation(t)}
	for _, name := range []string{"ob3", "clr-large", "elm-large", "simple-20"} {
		docs[name] = generated(t, name)
	}
	if dir := os.Getenv("CANONSCOPE_DATA"); dir != "" {
		doc, err := os.ReadFile(filepath.Join(official.Dir(t, "education"), "examples", "validator-ob30-complete_v1.json"))
		if err != nil {
			t.Fatal(err)
		}
		docs["the complete badge"] = doc
	}
	return docs
}

// The sums over parts and over terms are the figures of the form and of a second count of the document.
func TestSums(t *testing.T) {
	for name, doc := range documents(t) {
		a := account(t, doc)
		var parts, terms charge.Counts
		for i, p := range a.Parts {
			parts.Add(p.Own)
			all := p.Own
			for _, q := range a.Parts[i+1:] {
				if q.Up == i {
					all.Add(q.All)
				}
			}
			if all != p.All && len(a.Parts) < 3000 {
				t.Errorf("%s: %q has %+v, its parts %+v", name, p.Pointer, p.All, all)
			}
		}
		for _, term := range a.Terms {
			terms.Add(term.Counts)
		}
		if parts != a.Total || terms != a.Total {
			t.Errorf("%s: %+v in all, %+v over parts, %+v over terms", name, a.Total, parts, terms)
		}

		engine, err := engines.New(canon.Native, canon.RDFC, engines.Config{Loader: loader(t)})
		if err != nil {
			t.Fatal(err)
		}
		form, err := engine.Canonicalize(context.Background(), doc, canon.Options{Lossy: true})
		if err != nil {
			t.Fatal(err)
		}
		f, err := shape.Measure(context.Background(), doc, shape.Options{Loader: loader(t), WithProof: true})
		if err != nil {
			t.Fatal(err)
		}
		got := a.Total
		if got.Quads != form.Lines || got.Bytes != len(form.Text) || got.Blank != f.Blank || got.First != f.Blank {
			t.Errorf("%s: %+v; the form has %d lines of %d bytes and %d blank nodes", name, got, form.Lines, len(form.Text), f.Blank)
		}
		if got.Scoped < f.Scoped || got.Scoped > 0 != (f.Scoped > 0) || int64(got.NDegree) > f.Work || (got.NDegree == 0) != (f.Work == 0) {
			t.Errorf("%s: %+v; the shape has %d scoped nodes and work %d", name, got, f.Scoped, f.Work)
		}
		t.Logf("%s: %+v, %d parts, %d terms", name, got, len(a.Parts), len(a.Terms))
	}
}

// A document small enough to charge by hand.
func TestPlaces(t *testing.T) {
	a := account(t, []byte(`{"@context":{"@vocab":"urn:v#","T":{"@id":"urn:v#T","@context":{"q":"urn:v#q"}},"in":{"@id":"urn:v#in","@context":{}},
		"l":{"@id":"urn:v#l","@container":"@list"},"m":{"@id":"urn:v#m","@container":"@index","@index":"urn:v#key"}},
		"@id":"urn:a","@type":"T","p":["x","y","x"],"in":[{"q":"1"},{"q":"2"}],"l":["a","b"],"m":{"k":{"q":"3"}},
		"other":{"@id":"urn:a","p":"y"},"s":{"@set":[{"@id":"_:n"}]},"u":{"@id":"_:n","q":"4"}}`))
	at := map[string]charge.Part{}
	for _, p := range a.Parts {
		at[p.Pointer] = p
	}
	for pointer, want := range map[string]charge.Counts{
		"/@type":     {Quads: 1, Scoped: 1},
		"/p/0":       {Quads: 1, Shared: 1},
		"/p/1":       {Quads: 1, Shared: 1},
		"/p/2":       {Repeated: 1},
		"/other":     {Quads: 1},
		"/other/p":   {Repeated: 1},
		"/in/0":      {Quads: 1, Blank: 1, First: 1, Scoped: 1},
		"/in/0/q":    {Quads: 1},
		"/l/0":       {Quads: 2, Blank: 1, First: 1},
		"/l/1":       {Quads: 2, Blank: 1, First: 1},
		"/m/k":       {Quads: 2, Blank: 1, First: 1},
		"/s/@set/0":  {Quads: 1, Blank: 1, First: 1}, // the first object with the label
		"/u":         {Quads: 1},
		"/u/q":       {Quads: 1},
		"/l":         {Quads: 1}, // its head
		"/@context":  {},
		"/not/there": {},
	} {
		got := at[pointer].Own
		got.Bytes, got.Hashed = 0, 0
		if got != want {
			t.Errorf("%s: %+v, want %+v", pointer, got, want)
		}
	}
	terms := map[string]int{}
	for _, term := range a.Terms {
		terms[term.Name] = term.Quads
	}
	for name, want := range map[string]int{"@type": 1, "p": 2, "in": 2, "q": 4, "l": 5, "m": 1, "k": 1, "s": 1, "u": 1, "other": 1} {
		if terms[name] != want {
			t.Errorf("term %s: %d quads, want %d", name, terms[name], want)
		}
	}
}

// n-degree hashes: a cycle of three, each of which is hashed for each.
func TestNDegree(t *testing.T) {
	a := account(t, []byte(`{"@context":{"@vocab":"urn:v#","to":{"@id":"urn:v#to","@type":"@id"}},
		"@graph":[{"@id":"_:x","to":"_:y"},{"@id":"_:y","to":"_:z"},{"@id":"_:z","to":"_:x"}]}`))
	if got := a.Total; got.First != 3 || got.NDegree != 9 || got.Related != 18 || got.Blank != 3 {
		t.Errorf("%+v", got)
	}
	for _, p := range a.Parts {
		if p.Depth == 2 && (p.Own.NDegree != 3 || p.Own.Blank != 1) {
			t.Errorf("%s: %+v", p.Pointer, p.Own)
		}
	}
}

// What is lost is listed, and the rest is counted.
func TestLoss(t *testing.T) {
	a := account(t, []byte(`{"@context":{},"@id":"urn:a","none":1,"urn:p":2}`))
	if len(a.Losses) != 1 || a.Losses[0].Pointer != "/none" || a.Total.Quads != 1 {
		t.Errorf("%+v", a)
	}
}
