package catalogue_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/engines"
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
	{"simple-20", 0, 25, 1, "66633bae6a92ff0933470867f02e59a7c212f9698c0d92063907543ccfe0ae31"},
	{"simple-20", 1, 25, 1, "87c328a81815c4ec54672be9effe1679fb5a5d977fc04b4ca08a54d75720e98b"},
	{"simple-20", 63, 25, 1, "688576986f62b40239fd28136c968d182df2d5f2a0afa8ca36a977e6ceef15af"},
	{"simple-inline-20", 0, 23, 1, "e51c863066244b798baebb55d8531f5b791fb2e4db5e87d279b750229155863a"},
	{"simple-inline-20", 1, 23, 1, "62cf9d5f29853bbc656465ad87e8f5bf16d10deadc80acc7d8130b0d91457cc0"},
	{"simple-inline-20", 63, 23, 1, "ff9dbbdb52b136642b5d993008753f775dcdc5860538feb9bdcb9186e4569f41"},
	{"ob3", 0, 368, 40, "575590b0d10666212d05fccf754ecef9c93730ad83910c6b4fddbe19fa609f35"},
	{"ob3", 1, 368, 40, "f87433303a0456407429561a76f409c52cc73b92e4ea5afa32d0f562551bcc6c"},
	{"ob3", 63, 368, 40, "90e915d8ecb65579968179caaa2bd6f55b782258a1ee104a1fc53a8ef2b3618a"},
	{"ob-small", 0, 16, 1, "157f63618319a7ad00398a7b1a4f63c8d6b55a540ce0e1a495e9deed645dccc9"},
	{"ob-small", 1, 16, 1, "911caee1f9e0bc7634341c832139081bece985b883c3d80de68a26ed68742610"},
	{"ob-small", 63, 16, 1, "45facb1e184c786ee45cff10812d2929cb4d8acef19a7080eb0f86978b93f391"},
	{"ob-medium", 0, 152, 20, "1f689cac9cf6bb1b732f9623df2885931c682cba4fd67643cd991c0e165f3df5"},
	{"ob-medium", 1, 152, 20, "fb1b9fea437f10aa3211dde8be1ab9abdcf6c679c0484573d2a3a83f9a506b98"},
	{"ob-medium", 63, 152, 20, "72eaef87354ef85ee436b94ea697aae343835ce0d70614f3d699b1f6922f04ad"},
	{"ob-large", 0, 368, 40, "575590b0d10666212d05fccf754ecef9c93730ad83910c6b4fddbe19fa609f35"},
	{"clr-small", 0, 54, 4, "6beb3e0444ae814a1f593bf782cff38ad58c9c8c5e8818a300edfef246118f09"},
	{"clr-small", 1, 54, 4, "a7ff4f68c55713d471bb33d83d9840fe50a7cdb9ecd89b6697a4655c1373b233"},
	{"clr-small", 63, 54, 4, "616b404efad1ec588da137f46c45096516db4747bc1fe178d2c902cf5db39200"},
	{"clr-medium", 0, 319, 39, "b5849f807d694f48709d443b6c91466e926cc1ff81363bb2d4f772eabe83f559"},
	{"clr-medium", 1, 319, 39, "0262560711d011fa9f9775019e482611d670478fd4cc1326b63f0a6400d60f40"},
	{"clr-medium", 63, 319, 39, "d4ba223da6c1acf263e62cbe4226c88b56d9095271b12c61f6958c2a1a718854"},
	{"clr-large", 0, 4068, 377, "f4065a45ce02f728883b4e7a786c94cc98c5cc8bf3ce62b7ec66a736dadc2892"},
	{"clr-large", 63, 4068, 377, "2bca7da787a4b2ca064da3a22c72db0ae5daedb008bb00ca2de8bf0267d6f451"},
	{"elm-small", 0, 84, 0, "0c0939944646fd86a444a3fa0e7a2e0745d6210f7d2bc59a9ec77e511c655683"},
	{"elm-small", 1, 84, 0, "f744d24dee38e85e34c629a93e1559a4c1cb2dc662e835c71a3d50b6661da14c"},
	{"elm-small", 63, 84, 0, "50071f201583a150dcdbbbbfcddeb887a0d2513214bb359ad57f958b1d486ad2"},
	{"elm-medium", 0, 267, 0, "849bbce905c0e2e372173cbb167404238e1484a0b0fbc200cc719d4107a2a243"},
	{"elm-medium", 1, 267, 0, "3ec87a0d0a252f39deef637f7c9cd2ed06c832bf2b3f50aa7a1b0132f17b9555"},
	{"elm-medium", 63, 267, 0, "aca4aafe9ecde108520499f8d57f9e7ae817f929eb37a8776b9df0a76b883732"},
	{"elm-large", 0, 4300, 1, "5077a42712064a647e2ceeb2f0933e2cfbc2e857eeea39294ee4540cee303cfe"},
	{"elm-large", 63, 4300, 1, "bca5ab01c98f43b71098480b99c9beadb1eaa71f574ec7965fca6ba329bdf76c"},
	{"kit-simple", 0, 5, 1, "82557b844daba5c31336a4d82df8b61ce5898120aca6dd73013da10f993eb8b2"},
	{"kit-simple", 1, 5, 1, "48f5acd1f46da75f8eba9d5cfc112ced5685116641eb41b5635f2f5e3436c60e"},
	{"kit-simple", 63, 5, 1, "3c7e3335fb425c5da9a66c4d45f6e77ddcc5e39d46bcff5afdf11321c8bb8750"},
	{"kit-ob3", 0, 32, 4, "c0cae5d0dedbf4c27be66ce156532ba851c6068a2a58829bcec4dd963ab36887"},
	{"kit-ob3", 1, 32, 4, "a22ce6270f78fb209115c3c2f412c4e82ed4355213b10de79f1afd4b0360afe3"},
	{"kit-ob3", 63, 32, 4, "17aa53ff6114b23750093feacb09135c5f830aa6fa90735251dc37dfdf2ef43e"},
	{"kit-dcc", 0, 21, 2, "b90a63ff941b28e0d44ea795f2fffb6ccbf6072346a6b782f4c6b0965c5cb6aa"},
	{"kit-dcc", 1, 21, 2, "7c780ba8607afabb2fe8d62d424852e95ccd83d471ee81cc2dc04a3056778634"},
	{"kit-dcc", 63, 21, 2, "36c7f56363656c79d47685fbdc4342453c94df291127a06652a0171462e2e946"},
	{"synth-bn-10", 0, 43, 10, "42afef37cfe9dffa5fe74a8f449bedd7a7968f6e8d62e8cffc33ca68f7a6b74c"},
	{"synth-bn-10", 1, 43, 10, "17af056e686e091ac82efd26583fecedead7f1258b0a9bc7c90ebe61dbc8a0c6"},
	{"synth-bn-10", 63, 43, 10, "3ed8f5887340fdb6f6cef3b7f87bee4dae8577a4a4147a4abba83b51eaff71e0"},
	{"synth-bn-50", 0, 203, 50, "1c68f6bed167198224bc446276b01fc53c586bb6cb164244094b1b088561c137"},
	{"synth-bn-50", 1, 203, 50, "d9c96e1fb6711d4fdfbb20bac63971a7d9e208d74e55d04c3e338ca1941ec9f6"},
	{"synth-bn-50", 63, 203, 50, "4e7cc0506e66a2fd153f0f404a267ebf6c169ff24ded2d6eecbe012a4b69839f"},
	{"clique-5", 0, 20, 5, "38fdddbfd235905a3d0ac2ee8437ef40b03094f5460beadf2d6261b6e520f33a"},
	{"clique-5", 63, 20, 5, "7ea87c808b48f322cead2d1df754577bc9c7004bd4634cd5ce0be1a5243e61d2"},
	{"ring-16", 0, 16, 16, "4cb7807cd18bfa97f01726530b865ef76b1c7afacb80772647b8a323ad4fc56c"},
	{"ring-16", 63, 16, 16, "83b2073b935c4d35aeeebe546fb8f99998bd8489afaef2563212a9ff85cef9a0"},
	{"chain-16", 0, 15, 16, "042b4e7951ea9a652af3e664ddc19f0e9dd4e85c2e34cc21812add06bae78ace"},
	{"chain-16", 63, 15, 16, "cf593cf4c029b8312b15ae09fdf42c57b14bfb6e8d2357057757d3a407696a19"},
	{"cubic-8", 0, 24, 8, "9c2257fd6be3eae9a26ddaa59d2294a1f206613e6c0b4ec09e3d6704835998c0"},
	{"cubic-8", 63, 24, 8, "38e58be57a6c3dfe48ecb917dd042fd1c0700b1f2f28bd5bb76f7c001c2336e4"},
	{"tree-15", 0, 14, 15, "5d039d619292c3c43733ecabbe50d088159ed7c8ea47eaf8caca1cb4e93198a9"},
	{"tree-15", 63, 14, 15, "c5f9cb43c4d7b85b0c8af4497f4320e1929d103550b351e267161ec5f8df9184"},
	{"pairs-8", 0, 16, 16, "9a9f9f2ec8a0b93d1f94e0c4dded2656ac04be1ff0691f05b22259fe6ac3dd0e"},
	{"pairs-8", 63, 16, 16, "46b51d3f9e0a0557954a33060782bb3743ad027474192a1f48a6b117578e4d33"},
	{"star-8", 0, 8, 9, "5c8937889dac70c5bbb3600caa278bc0e5bb0e3afc0e057e6d821ba073cbea0f"},
	{"star-8", 63, 8, 9, "db72e040ce669842f699fc2dcfa4a4d9eb4171a64aa0c0946a637400cdbc6803"},
}

type goldLoader struct{}

func (goldLoader) LoadDocument(url string) (*ld.RemoteDocument, error) {
	d, err := contexts.Experiments().Load(context.Background(), url)
	if err != nil {
		return nil, err
	}
	var v any
	if err := json.Unmarshal(d.Bytes, &v); err != nil {
		return nil, err
	}
	return &ld.RemoteDocument{DocumentURL: url, Document: v}, nil
}

var native = must(engines.New(canon.Native, canon.RDFC, engines.Config{Loader: contexts.Experiments()}))

// canonical returns the canonical form of a credential, in safe mode.
func canonical(t *testing.T, doc []byte) string {
	t.Helper()
	return canonicalOf(t, &schemas.Credential{VCDM: doc})
}

func canonicalOf(t *testing.T, c *schemas.Credential) string {
	t.Helper()
	f, err := native.Canonicalize(context.Background(), c.VCDM, canon.Options{Input: c.Kind.Input()})
	if err != nil {
		t.Fatal(err)
	}
	return string(f.Text)
}

func blanks(nq string) map[string]bool {
	labels := map[string]bool{}
	for w := range strings.FieldsSeq(nq) {
		if strings.HasPrefix(w, "_:c14n") {
			labels[w] = true
		}
	}
	return labels
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
		nq := canonicalOf(t, document(t, g.schema, g.index))
		sum := sha256.Sum256([]byte(nq))
		if got := hex.EncodeToString(sum[:]); got != g.digest {
			t.Errorf("%s document %d: digest %s, want %s", g.schema, g.index, got, g.digest)
		}
		if n := strings.Count(nq, "\n"); n != g.quads {
			t.Errorf("%s document %d: %d quads, want %d", g.schema, g.index, n, g.quads)
		}
		if n := len(blanks(nq)); n != g.blanks {
			t.Errorf("%s document %d: %d blank nodes, want %d", g.schema, g.index, n, g.blanks)
		}
	}
}

// All documents of a schema have one shape: the same keys, the same array lengths and the same length of every value.
func TestOneShape(t *testing.T) {
	for _, name := range catalogue.Names() {
		oneShape(t, name)
	}
	for _, name := range []string{
		"simple-20:attributes=33", "ob3:non-ascii=50", "ob3:identical=50", "ob-medium:blank=30", "clr-medium:associations=7:languages=4",
		"clr-small:evidence=3", "elm-medium:depth=2", "elm-small:languages=24:language-maps=5",
	} {
		oneShape(t, name)
	}
}

func oneShape(t *testing.T, name string) {
	first := document(t, name, 0)
	documents := 64
	if len(first.VCDM) > 20_000 {
		documents = 4
	}
	want := outline(t, first.VCDM)
	seen := map[string]bool{}
	for i := range documents {
		c := document(t, name, i)
		if len(c.VCDM) != len(first.VCDM) {
			t.Errorf("%s document %d has %d bytes, document 0 has %d", name, i, len(c.VCDM), len(first.VCDM))
		}
		if outline(t, c.VCDM) != want {
			t.Errorf("%s document %d has another shape than document 0", name, i)
		}
		if seen[string(c.VCDM)] {
			t.Errorf("%s document %d repeats an earlier one", name, i)
		}
		seen[string(c.VCDM)] = true
		if again := document(t, name, i); i%16 == 3 && !bytes.Equal(again.VCDM, c.VCDM) {
			t.Errorf("%s document %d is not the same twice", name, i)
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
		read, err := catalogue.Parse(c.VCDM)
		if err != nil {
			t.Fatal(err)
		}
		if c.Kind != schemas.Claims || !slices.Equal(c.Types, read.Types) || c.Issuer != read.Issuer ||
			!slices.Equal(c.Mandatory, read.Mandatory) {
			t.Errorf("%s: %q %q %q %q, the document says %q %q %q", name, c.Kind, c.Types, c.Issuer, c.Mandatory,
				read.Types, read.Issuer, read.Mandatory)
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

// The sizes stay within 15 % of measured documents: bytes, JSON values, depth, quads and blank nodes.
func TestAnchors(t *testing.T) {
	quads := map[string][2]int{}
	for _, g := range golden {
		quads[g.schema] = [2]int{g.quads, g.blanks}
	}
	for name, want := range map[string][5]int{
		"ob-small":   {841, 27, 5, 15, 1},
		"ob-medium":  {5300, 172, 7, 140, 21},
		"ob-large":   {15828, 545, 11, 356, 40},
		"clr-small":  {3300, 106, 8, 54, 4},
		"clr-medium": {22207, 491, 12, 292, 41},
		"clr-large":  {274000, 5971, 10, 3970, 434},
		"elm-small":  {4511, 167, 10, 89, 0},
		"elm-medium": {111131, 925, 11, 292, 0},
		"elm-large":  {209000, 7300, 15, 4406, 1},
	} {
		doc := document(t, name, 0).VCDM
		var v any
		if err := json.Unmarshal(doc, &v); err != nil {
			t.Fatal(err)
		}
		values, depth := count(v)
		got := [5]int{len(doc), values, depth, quads[name][0], quads[name][1]}
		for i, what := range []string{"bytes", "values", "depth", "quads", "blank nodes"} {
			if 100*got[i] < 85*want[i] || 100*got[i] > 115*want[i] {
				t.Errorf("%s: %d %s, the measured document has %d", name, got[i], what, want[i])
			}
		}
	}
}

// count returns the number of JSON values and the depth, the root being 1.
func count(v any) (values, depth int) {
	values = 1
	each := func(e any) {
		n, d := count(e)
		values, depth = values+n, max(depth, d)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			each(e)
		}
	case []any:
		for _, e := range v {
			each(e)
		}
	}
	return values, depth + 1
}

// Axes that change how a document is written and not what it says leave its canonical form as it is.
func TestAxesAtOneForm(t *testing.T) {
	for _, name := range []string{"ob3", "clr-medium:endorsements=4"} {
		want := canonical(t, document(t, name, 2).VCDM)
		for _, axis := range []string{"scoping=flat", "scoping=property", "nested-contexts=none", "nested-contexts=inline", "contexts=3",
			"unused-terms=50", "contexts=2:unused-terms=20", "blank=100", "nested-contexts=none:scoping=flat"} {
			if canonical(t, document(t, name+":"+axis, 2).VCDM) != want {
				t.Errorf("%s:%s has another canonical form", name, axis)
			}
		}
	}
}

// Each axis changes what it says it changes.
func TestAxes(t *testing.T) {
	lines := func(name string) int { return strings.Count(canonical(t, document(t, name, 0).VCDM), "\n") }
	ob := lines("ob3")
	for name, want := range map[string]int{
		"ob3:blank=0": ob, "ob3:blank=37": ob, "ob3:identical=100": ob, "ob3:non-ascii=100": ob,
		"ob3:tags=10": ob + 8, "ob3:depth=4": ob + 3*3, "ob3:languages=5": ob + 4*3, "ob3:evidence=0": ob - 2*5 - 1 - 2,
		"ob3:alignments=7": ob + 5*8, "ob3:results=0": ob - 3*4 - 2*8,
		"clr-medium:associations=55": 319 + 50*5, "simple-20:attributes=50": 25 + 30,
	} {
		if got := lines(name); got != want {
			t.Errorf("%s: %d quads, want %d", name, got, want)
		}
	}
	// What stays blank are the cells of two lists and the graphs of five proofs.
	if n := len(blanks(canonical(t, document(t, "ob3:blank=0", 0).VCDM))); n != 8+5 {
		t.Errorf("blank=0 leaves %d blank nodes", n)
	}
	big := document(t, "ob3:embedded-bytes=100000", 0)
	if n := len(big.VCDM) - len(document(t, "ob3", 0).VCDM); n < 99_000 || n > 101_000 {
		t.Errorf("embedded-bytes=100000 adds %d bytes", n)
	}
	for name, want := range map[string]int{"clr-large:achievements=3": 3, "elm-small:achievements=9": 9} {
		c := document(t, name, 0)
		var subject struct{ VerifiableCredential, HasClaim []json.RawMessage }
		if err := json.Unmarshal(c.Subject, &subject); err != nil {
			t.Fatal(err)
		}
		if n := len(subject.VerifiableCredential) + len(subject.HasClaim); n != want {
			t.Errorf("%s has %d", name, n)
		}
	}
	if strings.Contains(string(document(t, "clr-medium:proofs=removed", 0).VCDM), `"proof"`) {
		t.Error("proofs=removed leaves a proof")
	}
	for _, a := range must(catalogue.Axes("")) {
		used := false
		for _, name := range catalogue.Names() {
			for _, b := range must(catalogue.Axes(name)) {
				if b.Name != a.Name {
					continue
				}
				used = true
				if d := must(a.Value(name)); d != "as published" {
					if _, err := catalogue.Get(name + ":" + a.Name + "=" + d); err != nil {
						t.Errorf("the default of axis %s is refused: %v", a.Name, err)
					}
				}
			}
		}
		if !used {
			t.Errorf("no schema has axis %s", a.Name)
		}
	}
}

func TestAxisValue(t *testing.T) {
	for _, a := range must(catalogue.Axes("ob3")) {
		if a.Name == "tags" && must(a.Value("ob3:tags=7")) != "7" {
			t.Error("the value of an axis in a name is not shown")
		}
	}
	if _, err := must(catalogue.Axes("simple-20"))[0].Value("ob3"); err == nil {
		t.Error("ob3 has attributes")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Ten associations among twelve achievements: in a tree no source repeats and each target has at most four, a chain's ends
// follow each other, a clique ties the first five to each other. The bytes stand.
func TestTopology(t *testing.T) {
	sizes := make(map[int]bool)
	for _, topology := range []string{"tree", "chain", "clique"} {
		c := document(t, "clr-medium:achievements=12:associations=10:topology="+topology, 0)
		sizes[len(c.VCDM)] = true
		var subject struct {
			VerifiableCredential []struct {
				CredentialSubject struct{ Achievement struct{ ID string } }
			}
			Association []struct{ SourceID, TargetID string }
		}
		if err := json.Unmarshal(c.Subject, &subject); err != nil {
			t.Fatal(err)
		}
		place := make(map[string]int)
		for i, v := range subject.VerifiableCredential {
			place[v.CredentialSubject.Achievement.ID] = i
		}
		pairs := make(map[[2]int]bool)
		for j, a := range subject.Association {
			source, ok := place[a.SourceID]
			target, also := place[a.TargetID]
			pairs[[2]int{source, target}] = true
			good := ok && also && target < source
			switch topology {
			case "tree":
				good = good && source == j+1 && target == j/4
			case "chain":
				good = good && source == j+1 && target == j
			case "clique":
				good = good && source < 5
			}
			if !good {
				t.Errorf("%s: association %d ties %d to %d", topology, j, source, target)
			}
		}
		if len(pairs) != 10 {
			t.Errorf("%s: %d different pairs of 10", topology, len(pairs))
		}
	}
	if len(sizes) != 1 {
		t.Errorf("the bytes differ: %v", sizes)
	}
}

func TestPresets(t *testing.T) {
	for _, p := range catalogue.Presets() {
		if len(p.Schemas) < 2 || len(p.Labels) != len(p.Schemas) {
			t.Errorf("preset %s compares nothing", p.Name)
		}
		if got, err := catalogue.PresetNamed(p.Name); err != nil || got.About != p.About {
			t.Errorf("preset %s: %+v, %v", p.Name, got, err)
		}
		for _, name := range p.Schemas {
			document(t, name, 0)
		}
	}
}

// The ELM context after VCDM v2 is an error by the protected term description (JSON-LD API, create term definition, 27).
func TestNegatives(t *testing.T) {
	for _, name := range catalogue.Negatives() {
		var v any
		if err := json.Unmarshal(document(t, name, 0).VCDM, &v); err != nil {
			t.Fatal(err)
		}
		opt := ld.NewJsonLdOptions("")
		opt.DocumentLoader = goldLoader{}
		if _, err := ld.NewJsonLdProcessor().ToRDF(v, opt); err == nil || !strings.Contains(err.Error(), "protected term") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFile(t *testing.T) {
	c := document(t, "ob-medium", 3)
	path := filepath.Join(t.TempDir(), "my credential.json")
	write := func(doc string) string {
		if err := os.WriteFile(path, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	signed := strings.TrimSuffix(string(c.VCDM), "}") + `,"proof":{"type":"DataIntegrityProof"}}`
	g := must(catalogue.Get(write(signed)))
	name, doc, err := catalogue.ReadFile(path)
	if err != nil || g.Name() != name || !regexp.MustCompile(`^file:my%20credential\.json@[0-9a-f]{8}$`).MatchString(name) {
		t.Errorf("name %q, read as %q: %v", g.Name(), name, err)
	}
	if title, ok := schemas.FileTitle(name); !ok || !strings.HasPrefix(title, "my credential.json@") {
		t.Errorf("title %q", title)
	}
	if _, err := catalogue.OfFile(name, doc[1:]); err == nil || !strings.Contains(err.Error(), "another hash") {
		t.Errorf("other bytes: %v", err)
	}
	if _, err := catalogue.Get(name); err == nil || !strings.Contains(err.Error(), "give its path") {
		t.Errorf("the name alone: %v", err)
	}
	again := must(must(catalogue.OfFile(name, doc)).Document(9, 5))
	if !bytes.Equal(again.VCDM, c.VCDM) || !bytes.Equal(again.Subject, c.Subject) || again.Issuer != c.Issuer ||
		!slices.Equal(again.Types, c.Types) || !slices.Equal(again.Mandatory, c.Mandatory) || !slices.Equal(again.Disclose, []string{"/credentialSubject/id"}) {
		t.Errorf("read back as %+v", again)
	}
	if _, err := catalogue.With(g, "results", "1"); err == nil || !strings.Contains(err.Error(), "JSON pointer") {
		t.Errorf("axis of a file: %v", err)
	}
	for doc, want := range map[string]string{
		`{"type":"T","issuer":"urn:i","credentialSubject":[{"a":1},{}]}`: "needs a credentialSubject", `{"@context":{},"issuer":"urn:i"}`: "needs a type",
		`{`: "JSON line 1", `{"type":"T","credentialSubject":{}}`: "needs an issuer", `{"type":["T"],"issuer":{"name":"x"}}`: "needs an issuer",
		`{"type":"T","issuer":"urn:i","credentialSubject":[]}`: "needs a credentialSubject",
	} {
		if _, err := catalogue.Get(write(doc)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", doc, err)
		}
	}
	if _, err := catalogue.Get("absent.json"); err == nil || !strings.Contains(err.Error(), "nor a readable file") {
		t.Errorf("absent: %v", err)
	}
	if _, err := catalogue.Get(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
}

func TestGetErrors(t *testing.T) {
	for _, name := range []string{"", "nothing", "simple", "simple-", "simple-x", "simple-inline-"} {
		if _, err := catalogue.Get(name); err == nil || !strings.Contains(err.Error(), "simple-20, simple-inline-20, ob3") && !strings.Contains(err.Error(), "did you mean \"simple-") {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"simple-0": "simple-N exists for N from 1 to 10000", "simple-020": "from 1 to", "simple-10001": "from 1 to",
		"simple-inline-0": "simple-inline-N exists for", "ring-2": "ring-N exists for N from 3 to 200000",
		"cubic-7": "an even N from 4 to", "clique-301": "from 2 to 300", "ring-5:attributes=1": "has no axis",
		"ob3:flavour=1": "has no axis", "ob3:results": "not AXIS=VALUE", "ob3:results=-1": "from 0 to 100", "ob3:results=x": "a number",
		"ob3:results=NaN": "a number", "ob3:results=1e9": "from 0 to 100", "ob3:scoping=round": "type, flat, property", "elm-small:results=1": "has no axis",
	} {
		if _, err := catalogue.Get(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	g, err := catalogue.Get("ob3:results=2")
	if err != nil {
		t.Fatal(err)
	}
	if g, err = catalogue.With(g, "tags", "0"); err != nil || g.Name() != "ob3:results=2:tags=0" {
		t.Errorf("with: %v %v", g, err)
	}
	if _, err := g.Document(seed, -1); err == nil {
		t.Error("document -1 is drawn")
	}
}
