package shape_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/jsonld"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
	"canonscope/schemas/shape"
)

func measure(t *testing.T, doc []byte) *shape.Figures {
	t.Helper()
	f, err := shape.Measure(context.Background(), doc, shape.Options{Loader: contexts.Experiments()})
	if err != nil {
		t.Fatal(err)
	}
	return f
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

// The figures of documents small enough to count by hand.
func TestFigures(t *testing.T) {
	f := measure(t, []byte(`{ "@context": {"@vocab": "https://example.org/#", "T": {"@id": "https://example.org/#T",
		"@context": {"p": "https://example.org/#q"}}, "in": {"@id": "https://example.org/#in", "@context": {}}},
		"@id": "urn:a", "@type": "T", "p": ["x", "é"], "in": [{"p": "x"}, {"p": "x"}], "proof": {"v": 1}, "none": null }`))
	want := shape.Figures{Bytes: 259, Values: 21, Depth: 5, NonASCII: 1, Longest: 23, Quads: 7, Blank: 2,
		NonUnique: 2, InlineBytes: 166, Scoped: 3}
	f.Losses = nil
	f.Work = 0
	got, _ := json.Marshal(f)
	exp, _ := json.Marshal(want)
	if !bytes.Equal(got, exp) {
		t.Errorf("got  %s\nwant %s", got, exp)
	}
}

func TestProofIsLeftOut(t *testing.T) {
	doc := generated(t, "simple-20")
	signed := append(bytes.TrimSuffix(bytes.Clone(doc), []byte("}")),
		`,"proof":{"type":"DataIntegrityProof","cryptosuite":"eddsa-jcs-2022","proofPurpose":"assertionMethod"}}`...)
	plain := measure(t, doc)
	if got := measure(t, signed); got.Quads != plain.Quads || got.Bytes != plain.Bytes {
		t.Errorf("with a proof: %+v, without: %+v", got, plain)
	}
	with, err := shape.Measure(context.Background(), signed, shape.Options{Loader: contexts.Experiments(), WithProof: true})
	if err != nil || with.Quads != plain.Quads+4 || with.Graphs != 1 {
		t.Errorf("proof kept: %+v %v", with, err)
	}
}

// The compilations of one vocabulary differ in their scoped contexts.
func TestScoping(t *testing.T) {
	typed, flat, property := measure(t, generated(t, "ob3")), measure(t, generated(t, "ob3:scoping=flat")), measure(t, generated(t, "ob3:scoping=property"))
	if typed.Quads != flat.Quads || typed.Quads != property.Quads {
		t.Errorf("quads %d, %d, %d", typed.Quads, flat.Quads, property.Quads)
	}
	// Flat leaves what VCDM scopes: the credential, 5 endorsements, and their proofs.
	if typed.Scoped <= property.Scoped || property.Scoped <= flat.Scoped || flat.Scoped != 11 {
		t.Errorf("scoped nodes: %d type-scoped, %d property-scoped, %d flat", typed.Scoped, property.Scoped, flat.Scoped)
	}
	if elm := measure(t, generated(t, "elm-large")); elm.Scoped != 2 {
		t.Errorf("elm-large enters %d scoped contexts, only its credential and credentialSchema of VCDM v1 should", elm.Scoped)
	}
}

// The nodes that enter a scoped context, as a second implementation that knew nothing of package jsonld counted them.
func TestScopedNodes(t *testing.T) {
	for name, want := range map[string]int{
		"simple-20": 1, "simple-inline-20": 0, "elm-small": 2, "elm-medium": 2, "elm-large": 2,
		"ob3": 62, "ob3:scoping=flat": 11, "ob3:scoping=property": 44, "ob3:nested-contexts=inline": 62,
		"ob-small": 4, "ob-small:scoping=flat": 1, "ob-small:scoping=property": 2,
		"ob-medium": 24, "ob-medium:scoping=property": 20, "ob-large": 62,
		"clr-small": 12, "clr-small:scoping=flat": 5, "clr-medium": 75, "clr-medium:scoping=flat": 21,
		"clr-large": 837, "clr-large:scoping=flat": 64, "clr-large:scoping=property": 649,
	} {
		if f := measure(t, generated(t, name)); f.Scoped != want {
			t.Errorf("%s: %d nodes enter a scoped context, want %d", name, f.Scoped, want)
		}
	}
}

type documents map[string]string

func (d documents) Load(_ context.Context, url string) (*jsonld.Document, error) {
	if text, ok := d[url]; ok {
		return &jsonld.Document{URL: url, Bytes: []byte(text)}, nil
	}
	return nil, &contexts.UnknownError{URL: url, In: "given"}
}

// A scoped context may refer to the document that contains it; null, @import and maps are followed.
func TestScopesOfEveryForm(t *testing.T) {
	l := documents{
		"urn:self": `{"@context":{"@vocab":"urn:v#","in":{"@id":"urn:v#in","@context":["urn:self",{"more":"urn:v#more"}]}}}`,
		"urn:more": `{"@context":{"@vocab":"urn:v#","T":{"@id":"urn:v#T","@context":{"p":"urn:v#q"}},"t":"@type",
			"free":{"@id":"urn:v#free","@context":null},
			"byKey":{"@id":"urn:v#byKey","@container":"@index","@context":{"x":"urn:v#x"}},
			"raw":{"@id":"urn:v#raw","@type":"@json"}}}`,
	}
	for doc, want := range map[string]int{
		`{"@context":"urn:self","in":{"in":{"in":{"more":"x"}}}}`:                                                         3,
		`{"@context":"urn:more","t":"T","p":{"t":"T","p":{"p":"x"}}}`:                                                     2,
		`{"@context":"urn:more","free":{"@type":"urn:v#Other","urn:p":{"t":"T"}}}`:                                        1,
		`{"@context":"urn:more","byKey":{"T":{"x":"1"},"p":[{"x":"2"},{"t":"T","x":"3"}]}}`:                               3,
		`{"@context":"urn:more","raw":{"t":"T","byKey":{"a":{}}}}`:                                                        0,
		`{"@context":{"@version":1.1,"@import":"urn:more","p":"urn:v#p"},"p":{"t":["U","T"],"@graph":[{"@type":"T"}]}}`:   2,
		`{"@context":["urn:more",null,{"p":"urn:v#p"}],"p":{"@type":"urn:v#T","p":"x"}}`:                                  0,
		`{"@context":"urn:more","p":{"@context":{"T":{"@id":"urn:v#T"}},"t":"T","p":"x"},"s":{"@set":[{"@type":["T"]}]}}`: 1,
	} {
		f, err := shape.Measure(context.Background(), []byte(doc), shape.Options{Loader: l})
		if err != nil {
			t.Errorf("%s: %v", doc, err)
		} else if f.Scoped != want {
			t.Errorf("%s: %d nodes enter a scoped context, want %d", doc, f.Scoped, want)
		}
	}
}

// Every document of the catalogue is clean in safe mode.
func TestCatalogueIsClean(t *testing.T) {
	for _, name := range catalogue.Names() {
		if f := measure(t, generated(t, name)); len(f.Losses) > 0 {
			t.Errorf("%s: %v", name, f.Losses)
		}
	}
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	var syntax *canon.SyntaxError
	if _, err := shape.Measure(ctx, []byte("{"), shape.Options{}); !errors.As(err, &syntax) {
		t.Errorf("malformed: %v", err)
	}
	var limit *canon.LimitError
	deep := []byte(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000))
	if _, err := shape.Measure(ctx, deep, shape.Options{}); !errors.As(err, &limit) {
		t.Errorf("deep: %v", err)
	}
	var unknown *contexts.UnknownError
	if _, err := shape.Measure(ctx, []byte(`{"@context":"https://example.org/none"}`), shape.Options{Loader: contexts.Experiments()}); !errors.As(err, &unknown) {
		t.Errorf("unknown context: %v", err)
	}
	var forbidden *jsonld.Error
	if _, err := shape.Measure(ctx, generated(t, "elm-vcdm2"), shape.Options{Loader: contexts.Experiments()}); !errors.As(err, &forbidden) ||
		forbidden.Code != jsonld.ProtectedTermRedefinition {
		t.Errorf("elm-vcdm2: %v", err)
	}
}

// The public samples have the figures that were recorded with jsonld 9.0.0 and rdf-canonize 5.0.0.
func TestPublicSamples(t *testing.T) {
	dir := official.Dir(t, "education")
	folder, err := contexts.Dir(filepath.Join(dir, "contexts"))
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(dir, "measure.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID, File                      string
		Values, Depth, CtxURLs        int
		CtxBytes, Graphs, BnNonUnique int
		Quads, Bnodes                 *int
		Safe                          bool
	}
	if err := json.Unmarshal(index, &rows); err != nil {
		t.Fatal(err)
	}
	measured, refused, repaired := 0, 0, 0
	for _, r := range rows {
		doc, err := os.ReadFile(filepath.Join(dir, r.File))
		if err != nil {
			t.Fatal(err)
		}
		f, err := shape.Measure(context.Background(), doc, shape.Options{Loader: folder})
		if r.Quads == nil {
			refused++
			if err == nil {
				t.Errorf("%s: measured, but no tool could", r.ID)
			}
			continue
		}
		if err != nil && strings.HasPrefix(r.ID, "surf-") {
			repaired++
			r.CtxBytes++ // the key grows by one character
			f, err = shape.Measure(context.Background(), doc, shape.Options{Loader: repair{folder}})
		}
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		measured++
		if f.Quads != *r.Quads || f.Blank != *r.Bnodes || f.NonUnique != r.BnNonUnique || f.Graphs != r.Graphs {
			t.Errorf("%s: %d quads, %d blank nodes, %d not unique, %d graphs; recorded %d, %d, %d, %d", r.ID, f.Quads, f.Blank, f.NonUnique,
				f.Graphs, *r.Quads, *r.Bnodes, r.BnNonUnique, r.Graphs)
		}
		if f.Contexts != r.CtxURLs || f.ContextBytes != r.CtxBytes {
			t.Errorf("%s: %d contexts of %d bytes; recorded %d of %d", r.ID, f.Contexts, f.ContextBytes, r.CtxURLs, r.CtxBytes)
		}
		if (len(f.Losses) == 0) != r.Safe {
			t.Errorf("%s: losses %v; recorded as clean: %v", r.ID, f.Losses, r.Safe)
		}
	}
	if measured != len(rows)-5 || refused != 5 || repaired != 14 {
		t.Errorf("%d measured, %d refused, %d repaired of %d", measured, refused, repaired, len(rows))
	}
}

// repair writes "@context" for the key "context" of one term: published so, it makes the scoped context invalid.
type repair struct{ jsonld.Loader }

func (r repair) Load(ctx context.Context, url string) (*jsonld.Document, error) {
	d, err := r.Loader.Load(ctx, url)
	if err != nil {
		return nil, err
	}
	return &jsonld.Document{URL: d.URL, Bytes: bytes.ReplaceAll(d.Bytes, []byte(`"context":`), []byte(`"@context":`))}, nil
}

// Contexts in contexts, and many in a list, make no key dearer: it is looked up in one table.
func TestManyContexts(t *testing.T) {
	var keys strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&keys, `,"k%d":"x"`, i)
	}
	for name, doc := range map[string]string{
		"in a list": `{"@context":[{}` + strings.Repeat(",{}", 30_000) + `]` + keys.String() + `}`,
		"nested":    strings.Repeat(`{"@context":{"a":"urn:a"},"a":`, 400) + "{" + keys.String()[1:] + "}" + strings.Repeat("}", 400),
	} {
		f, err := shape.Measure(context.Background(), []byte(doc), shape.Options{})
		if err != nil || f.Values < 30_000 || f.Scoped != 0 {
			t.Errorf("%s: %+v %v", name, f, err)
		}
	}
}
