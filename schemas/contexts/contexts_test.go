package contexts

import (
	"context"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
)

// folders are the official files: W3C bytes first, then the education folder with its variants.
func folders(t *testing.T) []*Folder {
	var fs []*Folder
	for _, sub := range [][]string{{"contexts"}, {"education", "contexts"}} {
		f, err := Dir(official.Dir(t, sub...))
		if err != nil {
			t.Fatal(err)
		}
		fs = append(fs, f)
	}
	return fs
}

func TestEqualToOfficialFiles(t *testing.T) {
	fs := folders(t)
	for _, c := range List(false) {
		found := false
		for _, f := range fs {
			for _, e := range f.Entries {
				if e.URL != c.URL || !e.Primary {
					continue
				}
				diff, err := Differences(c.JSON, e.Bytes)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range diff {
					t.Errorf("%s and %s: %s", c.Name, e.File, d)
				}
				// The status list file of the folder is a re-serialized copy, so its hash is not the official one.
				if !found && e.SHA256 != c.SHA256 && c.Name != "bitstring-status-list-v1" {
					t.Errorf("%s: recorded sha256 %s, %s has %s", c.Name, c.SHA256, e.File, e.SHA256)
				}
				found = true
			}
		}
		if !found {
			t.Errorf("%s: no official file of %s", c.Name, c.URL)
		}
	}
}

func TestVariantsEqualTheirFiles(t *testing.T) {
	bySum := map[string]Entry{}
	for _, f := range folders(t) {
		for _, e := range f.Entries {
			bySum[e.SHA256] = e
		}
	}
	n := 0
	for _, c := range List(true) {
		e, ok := bySum[c.SHA256]
		if !ok {
			continue
		}
		if sum := sha512.Sum384(e.Bytes); hex.EncodeToString(sum[:]) != c.SHA384 {
			t.Errorf("%s@%s: recorded sha384 %s, %s has %x", c.Name, c.Variant, c.SHA384, e.File, sum)
		}
		diff, err := Differences(c.JSON, e.Bytes)
		if err != nil || len(diff) > 0 {
			t.Errorf("%s@%s and %s: %v %v", c.Name, c.Variant, e.File, diff, err)
		}
		n++
	}
	if n != len(List(true))-1 { // all but the status list, see above
		t.Errorf("compared %d of %d contents", n, len(List(true)))
	}
}

// The contents seen at one URL differ in exactly these terms.
func TestVariantDifferences(t *testing.T) {
	for ref, want := range map[string]string{
		"open-badges-3.0.3@specification-2025-04": "/@context/endorsementJwt /@context/jti",
		"open-badges-3.0.3@branch-localization": "/@context/Achievement/@context/inLanguage /@context/Related/@context/inLanguage " +
			"/@context/awardedDate /@context/endorsementJwt /@context/inLanguage /@context/jti",
		"open-badges-3.0.3@branch-image-typo": "/@context/Achievement/@context/inLanguage /@context/Related/@context/inLanguage " +
			"/@context/awardedDate /@context/endorsementJwt /@context/image /@context/inLanguage /@context/jti",
		"open-badges-3.0.1@branch-impl-guide": "/@context/awardedDate",
		"elm-edc-ap@3.2": "/@context/CredentialStatus /@context/Proof /@context/TermsOfUse /@context/nationalID/@id " +
			"/@context/resultDestribution /@context/resultDistribution",
	} {
		v, err := Find(ref)
		if err != nil {
			t.Fatal(err)
		}
		base, err := Find(v.URL)
		if err != nil {
			t.Fatal(err)
		}
		diff, err := Differences(base.JSON, v.JSON)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range diff {
			got = append(got, d.Path)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: differs at %v, want %s", ref, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	absent := [][]string{
		{"open-badges-extensions", "elm-edc-ap", "bitstring-status-list-v1"},
		nil,
	}
	for i, f := range folders(t) {
		all, missing, err := f.Check()
		if err != nil {
			t.Fatal(err)
		}
		if !Proven(all) || strings.Join(missing, " ") != strings.Join(absent[i], " ") {
			t.Errorf("folder %d: proven %v, absent %v", i, Proven(all), missing)
		}
		for _, c := range all {
			if !c.Equal {
				t.Errorf("%s has a content that is not embedded: %v", c.File, c.Differences)
			}
			if i == 0 && !c.Official {
				t.Errorf("%s has not the recorded hash", c.File)
			}
		}
		// A file that says something else is found.
		for j := range f.Entries {
			if f.Entries[j].URL == "https://www.w3.org/ns/credentials/v2" {
				f.Entries[j].Bytes = []byte(strings.Replace(string(f.Entries[j].Bytes), "schema.org/name", "schema.org/game", 1))
			}
		}
		all, _, err = f.Check()
		if err != nil || Proven(all) {
			t.Errorf("folder %d: a changed context passes: %v", i, err)
		}
	}
}

func TestLoaders(t *testing.T) {
	ctx := context.Background()
	const v2 = "https://www.w3.org/ns/credentials/v2"
	a, err := Embedded().Load(ctx, v2)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := Embedded().Load(ctx, v2)
	if &a.Bytes[0] != &b.Bytes[0] {
		t.Error("the embedded loader renders a context more than once")
	}
	var unknown *UnknownError
	if _, err := Embedded().Load(ctx, "https://example.org/none"); !errors.As(err, &unknown) || unknown.URL != "https://example.org/none" {
		t.Errorf("unknown URL: %v", err)
	}
	elm := "http://data.europa.eu/snb/model/context/edc-ap"
	with, err := EmbeddedWith("elm-edc-ap@3.2")
	if err != nil {
		t.Fatal(err)
	}
	d, err := with.Load(ctx, elm)
	if err != nil || !strings.Contains(string(d.Bytes), "resultDistribution") {
		t.Errorf("variant 3.2 is not served: %v", err)
	}
	if _, err := EmbeddedWith("elm-edc-ap@9"); err == nil || !strings.Contains(err.Error(), "3.1, 3.2") {
		t.Errorf("unknown variant: %v", err)
	}
	if _, err := Find("nothing"); err == nil || !strings.Contains(err.Error(), "credentials-v2") {
		t.Errorf("unknown context: %v", err)
	}

	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mine.json", `{"@context":{}}`)
	write("index.json", `[{"url":"https://example.org/mine","file":"mine.json"}]`)
	mine, err := Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	both := Chain(mine, Embedded())
	for _, url := range []string{"https://example.org/mine", v2} {
		if _, err := both.Load(ctx, url); err != nil {
			t.Error(err)
		}
	}
	if _, err := both.Load(ctx, "https://example.org/none"); !errors.As(err, &unknown) {
		t.Errorf("unknown URL in a chain: %v", err)
	}
	for name, index := range map[string]string{
		"not JSON": `[`, "no entries": `{"contexts":[]}`, "no file": `[{"url":"u","file":"absent.json"}]`,
		"no url": `[{"file":"mine.json"}]`, "wrong hash": `[{"url":"u","file":"mine.json","sha256":"00"}]`,
		"no list": `{"contexts":5}`, "no entry": `[5]`,
	} {
		write("index.json", index)
		if _, err := Dir(dir); err == nil || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Dir(filepath.Join(dir, "absent")); err == nil {
		t.Error("an absent folder is accepted")
	}
}

func TestParseErrors(t *testing.T) {
	head := "name n\nurl u\nsha256 " + strings.Repeat("0", 64) + "\nabbr a https://example.org/#\n\n"
	if _, err := Parse("ok", []byte(head+"t a~\n\tu a~ t=@id\n\nvariant v\nsha256 "+strings.Repeat("1", 64)+"\n- t/u\n")); err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]string{
		"no header":            "\nt a~\n",
		"unknown header":       "color red\n\nt a~\n",
		"no terms":             strings.TrimRight(head, "\n"),
		"unknown abbreviation": head + "t b~\n",
		"no IRI":               head + "t\n",
		"unknown attribute":    head + "t a~ x=1\n",
		"orphan":               head + "\tt a~\n",
		"too deep":             head + "t a~\n\t\tu a~\n",
		"twice":                head + "t a~\nt a~\n",
		"unknown keyword":      head + "@base a~\n",
		"variant without term": head + "t a~\n\nvariant v\nsha256 " + strings.Repeat("1", 64) + "\n- u\n",
		"variant without name": head + "t a~\n\n- t\n",
		"white space":          head + " ",
		"too long":             head + strings.Repeat("t", maxFacts) + " a~\n",
		"too many variants":    head + strings.Repeat("t", maxFacts/2) + " a~\n" + strings.Repeat("\nvariant v\nsha256 "+strings.Repeat("1", 64)+"\n", 500),
		"too much in all":      strings.Replace(head, "/#", strings.Repeat("/", maxFacts/2), 1) + "t a~ " + strings.Repeat("t=a~ ", 300) + "\n",
	} {
		if _, err := Parse(name, []byte(src)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Documents that are compared are bounded.
func TestDifferencesOfLarge(t *testing.T) {
	large := []byte(`"` + strings.Repeat("x", 2<<20) + `"`)
	var limit *canon.LimitError
	if _, err := Differences(large, []byte("{}")); !errors.As(err, &limit) {
		t.Error(err)
	}
	if d, err := Differences(large[:100], large[:100]); err == nil {
		t.Errorf("%v of documents that are cut", d)
	}
}
