package engines_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/engines"
	"canonscope/canon/jsontape"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
)

// TestEducation runs the sample credentials of education through every engine. Either all engines give the
// same form, or all refuse the credential, stock and tuned by their guard.
func TestEducation(t *testing.T) {
	dir := official.Dir(t, "education")
	served, err := contexts.Dir(filepath.Join(dir, "contexts"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "examples", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := map[canon.Engine]canon.Canonicalizer{}
	for _, name := range canon.Engines {
		if all[name], err = engines.New(name, canon.RDFC, engines.Config{Loader: served}); err != nil {
			t.Fatal(err)
		}
	}
	agreed, refused := 0, 0
	for _, file := range files {
		doc, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var first []byte
		var firstErr error
		for i, name := range canon.Engines {
			form, err := all[name].Canonicalize(context.Background(), doc, canon.Options{})
			switch {
			case i == 0 && err != nil:
				firstErr = err
				refused++
			case i == 0:
				first = form.Text
				agreed++
			case (err == nil) != (firstErr == nil):
				t.Errorf("%s: %s says %v, %s %v", filepath.Base(file), canon.Engines[0], firstErr, name, err)
			case err == nil && !bytes.Equal(first, form.Text):
				t.Errorf("%s: %s gives another form than %s", filepath.Base(file), name, canon.Engines[0])
			}
		}
	}
	if t.Logf("%d documents agreed, %d refused", agreed, refused); agreed < 20 || refused < 10 {
		t.Error("these are too few to tell anything")
	}
}

// Documents that a default engine once signed without covering all data, and strings with a base direction,
// which another library signed as i18n-datatype.
func TestAttacksAndReports(t *testing.T) {
	c, err := engines.New(canon.Native, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
	if err != nil {
		t.Fatal(err)
	}
	read := func(path ...string) []byte {
		doc, err := os.ReadFile(filepath.Join(official.Dir(t, path[0]), path[1]))
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	for _, file := range []string{"handle.json", "handle-signed.json", "handle-forged.json"} {
		_, err := c.Canonicalize(context.Background(), read("attacks", file), canon.Options{})
		var loss *canon.LossError
		if !errors.As(err, &loss) || loss.Losses[0].Pointer != "/credentialSubject/account" {
			t.Errorf("%s: %v", file, err)
		}
	}
	doc := read("reports", "46-dir-signed.json")
	var tape jsontape.Tape
	if err := tape.Scan(doc, jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	for direction, want := range map[string]string{"": "", canon.I18nDatatype: `"HTML و CSS"^^<https://www.w3.org/ns/i18n#ar_rtl> .`,
		canon.CompoundLiteral: `<http://www.w3.org/1999/02/22-rdf-syntax-ns#direction> "rtl"`} {
		opt := canon.Options{Direction: direction}
		form, err := c.Canonicalize(context.Background(), doc, opt)
		var loss *canon.LossError
		if want == "" {
			if !errors.As(err, &loss) || loss.Losses[0].Pointer != "/name/@value" || !strings.Contains(loss.Losses[0].Reason, canon.I18nDatatype) {
				t.Errorf("without the option: %v", err)
			}
			continue
		}
		if err != nil || !strings.Contains(string(form.Text), want) {
			t.Errorf("%s: %v", direction, err)
			continue
		}
		again, err := c.(canon.Tapes[*jsontape.Tape]).CanonicalizeTape(context.Background(), &tape, opt)
		if err != nil || !bytes.Equal(again.Text, form.Text) {
			t.Errorf("%s, scanned: %v", direction, err)
		}
	}
	var unsupported *canon.UnsupportedError
	if _, err := c.Canonicalize(context.Background(), doc, canon.Options{Direction: "up"}); !errors.As(err, &unsupported) {
		t.Errorf("a direction that is none: %v", err)
	}
}

// Large credentials and datasets are far below the estimated limits of json-gold. There is no limit of
// time, which would depend on the machine.
func TestLegitimateWork(t *testing.T) {
	documents := map[string][]byte{}
	for _, name := range []string{"clr-large", "elm-large", "ob-large"} {
		g, err := catalogue.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := g.Document(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		documents[name] = c.VCDM
	}
	var quads bytes.Buffer
	for i := range 100_000 {
		fmt.Fprintf(&quads, "<urn:s%d> <urn:p> \"value\" .\n", i)
	}
	documents["quads.nq"] = quads.Bytes()
	for _, name := range canon.Engines {
		c, err := engines.New(name, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
		if err != nil {
			t.Fatal(err)
		}
		for file, doc := range documents {
			opt := canon.Options{Limits: canon.Limits{Time: -1}}
			if filepath.Ext(file) == ".nq" {
				opt.Input = canon.NQuads
			}
			if _, err := c.Canonicalize(context.Background(), doc, opt); err != nil {
				t.Errorf("%s: %s: %v", name, file, err)
			}
		}
	}
}
