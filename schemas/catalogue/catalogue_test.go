package catalogue_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"

	"github.com/piprate/json-gold/ld"
)

const seed = 1

// golden holds the SHA-256 of canonical N-Quads, recorded with the npm packages jsonld 9.0.0 and rdf-canonize 5.0.0 over
// the official context files in safe mode.
var golden = []struct {
	schema string
	index  int
	quads  int
	blanks int
	digest string
}{
	{"simple-20", 0, 25, 1, "104801ed73617e802c834a833bd474a1c0fb1b5e5d5db365e265c9f521d24339"},
	{"simple-20", 1, 25, 1, "a15b0f5c0cdff0f56d2390320e15cecbeb7d7582b33a06d0f3d104dee3e73b86"},
	{"simple-20", 63, 25, 1, "46e5b5682825a18cc81b7c9a8b515c0971cf37dcc54ca91deb3ef2fe7f7ebaf7"},
	{"simple-inline-20", 0, 23, 1, "0f58c2bcc80f3fb2a869eb2363ea09762c10cc7fffe284e38a257a5d1267377f"},
	{"simple-inline-20", 1, 23, 1, "090bb840ab4d163e5d80430b382400b59cb9eaf5eb671d0777aa38a9aa15abea"},
	{"simple-inline-20", 63, 23, 1, "81900923d1cff2a936455d7693658ee072528c7431d86c49fc99eddb7a9ecc83"},
	{"ob3", 0, 376, 40, "fea3180f7507d4d67f69d26126ea8ff01cbad3637ffaf2a2bade27f1941182b5"},
	{"ob3", 1, 376, 40, "9d792825927535d7019dff8bad5b7353f864fcf41fa10359bc3a88d7ccd19e8d"},
	{"ob3", 63, 376, 40, "28c194b31e8cf83bd1a315faf4996a8b09706f2192d2dc0f58129354b554e6ab"},
}

type goldLoader struct{}

func (goldLoader) LoadDocument(url string) (*ld.RemoteDocument, error) {
	d, err := contexts.Embedded().Load(context.Background(), url)
	if err != nil {
		return nil, err
	}
	var v any
	if err := json.Unmarshal(d.Bytes, &v); err != nil {
		return nil, err
	}
	return &ld.RemoteDocument{DocumentURL: url, Document: v}, nil
}

func canonical(t *testing.T, doc []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatal(err)
	}
	opt := ld.NewJsonLdOptions("")
	opt.Algorithm = ld.AlgorithmURDNA2015
	opt.Format = "application/n-quads"
	opt.DocumentLoader = goldLoader{}
	nq, err := ld.NewJsonLdProcessor().Normalize(v, opt)
	if err != nil {
		t.Fatal(err)
	}
	return nq.(string)
}

func document(t *testing.T, name string, i int) *schemas.Credential {
	t.Helper()
	g, err := catalogue.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.Document(seed, i)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGoldenDigests(t *testing.T) {
	for _, g := range golden {
		nq := canonical(t, document(t, g.schema, g.index).VCDM)
		sum := sha256.Sum256([]byte(nq))
		if got := hex.EncodeToString(sum[:]); got != g.digest {
			t.Errorf("%s document %d: digest %s, want %s", g.schema, g.index, got, g.digest)
		}
		if n := strings.Count(nq, "\n"); n != g.quads {
			t.Errorf("%s document %d: %d quads, want %d", g.schema, g.index, n, g.quads)
		}
		blanks := map[string]bool{}
		for _, w := range strings.Fields(nq) {
			if strings.HasPrefix(w, "_:c14n") {
				blanks[w] = true
			}
		}
		if len(blanks) != g.blanks {
			t.Errorf("%s document %d: %d blank nodes, want %d", g.schema, g.index, len(blanks), g.blanks)
		}
	}
}

// All documents of a schema have one shape: the same keys, the same array lengths and the same length of every value.
func TestOneShape(t *testing.T) {
	for _, name := range catalogue.Names() {
		first := document(t, name, 0)
		seen := map[string]bool{}
		for i := range 64 {
			c := document(t, name, i)
			if len(c.VCDM) != len(first.VCDM) {
				t.Errorf("%s document %d has %d bytes, document 0 has %d", name, i, len(c.VCDM), len(first.VCDM))
			}
			if got, want := outline(t, c.VCDM), outline(t, first.VCDM); got != want {
				t.Errorf("%s document %d has another shape than document 0", name, i)
			}
			if seen[string(c.VCDM)] {
				t.Errorf("%s document %d repeats an earlier one", name, i)
			}
			seen[string(c.VCDM)] = true
			if again := document(t, name, i); !bytes.Equal(again.VCDM, c.VCDM) {
				t.Errorf("%s document %d is not the same twice", name, i)
			}
		}
	}
}

// outline is the document with every string replaced by its length.
func outline(t *testing.T, doc []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatal(err)
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				v[k] = walk(e)
			}
		case []any:
			for i, e := range v {
				v[i] = walk(e)
			}
		case string:
			return len(v)
		case float64:
			return "number"
		}
		return v
	}
	b, err := json.Marshal(walk(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What a credential says about itself is what stands in its document.
func TestCredentialFields(t *testing.T) {
	for _, name := range append(catalogue.Names(), "simple-1", "simple-500", "simple-inline-3") {
		c := document(t, name, 7)
		if c.Schema != name || c.Index != 7 {
			t.Errorf("%s: named %s %d", name, c.Schema, c.Index)
		}
		var doc map[string]json.RawMessage
		if err := json.Unmarshal(c.VCDM, &doc); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(doc["credentialSubject"], c.Subject) {
			t.Errorf("%s: Subject is not the bytes in the document", name)
		}
		var types []string
		if err := json.Unmarshal(doc["type"], &types); err != nil || strings.Join(types, " ") != strings.Join(c.Types, " ") {
			t.Errorf("%s: types %v, the document says %s", name, c.Types, doc["type"])
		}
		if c.ValidFrom != "" && string(doc["validFrom"]) != `"`+c.ValidFrom+`"` {
			t.Errorf("%s: ValidFrom %s, the document says %s", name, c.ValidFrom, doc["validFrom"])
		}
		if !bytes.Contains(doc["issuer"], []byte(`"`+c.Issuer+`"`)) {
			t.Errorf("%s: Issuer %s, the document says %.80s", name, c.Issuer, doc["issuer"])
		}
		if len(c.Disclose) == 0 || len(c.Mandatory) == 0 {
			t.Errorf("%s: nothing to disclose", name)
		}
		for _, p := range append(c.Disclose, c.Mandatory...) {
			var at any
			if err := json.Unmarshal(c.VCDM, &at); err != nil {
				t.Fatal(err)
			}
			for _, step := range strings.Split(p, "/")[1:] {
				switch v := at.(type) {
				case map[string]any:
					at = v[step]
				case []any:
					at = v[int(step[0]-'0')]
				default:
					at = nil
				}
			}
			if at == nil {
				t.Errorf("%s: pointer %s finds nothing", name, p)
			}
		}
	}
	c := document(t, "simple-20", 0)
	if len(c.Disclose) != 5 {
		t.Errorf("simple-20 discloses %d of 20", len(c.Disclose))
	}
	var subject map[string]string
	if err := json.Unmarshal(c.Subject, &subject); err != nil || len(subject) != 20 {
		t.Errorf("simple-20 has %d attributes: %v", len(subject), err)
	}
	for k, v := range subject {
		if len(v) != 24 {
			t.Errorf("simple-20 %s has %d characters", k, len(v))
		}
	}
}

func TestGetErrors(t *testing.T) {
	for _, name := range []string{"", "nothing", "simple", "simple-", "simple-0", "simple-020", "simple-x", "simple-10001", "simple-inline-"} {
		if _, err := catalogue.Get(name); err == nil || !strings.Contains(err.Error(), "simple-20, simple-inline-20, ob3") {
			t.Errorf("%q: %v", name, err)
		}
	}
	g, err := catalogue.Get("ob3")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Document(seed, -1); err == nil {
		t.Error("document -1 is drawn")
	}
}
