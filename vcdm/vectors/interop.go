package vectors

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"canonscope/canon/conform"
	"canonscope/canon/userfile"
	"canonscope/vcdm"
)

// artifact is one file of documents that another implementation signed, and how each is to be answered.
type artifact struct {
	Format             string
	Cryptosuite        string
	MandatoryPointers  []string
	SelectivePointers  []string
	Unsigned           json.RawMessage
	Signed             json.RawMessage
	Derived, Subset    json.RawMessage
	Canonical          struct{ Document, ProofConfig string }
	CanonicalOf        string
	Hash               struct{ Algorithm, ProofConfig, Document string }
	Checks             []check
	Presentation       json.RawMessage
	PresentationChecks []check
}

type check struct {
	Name, Why, Expect string
	Document          json.RawMessage
	Challenge, Domain string
}

// artifactFormat is the name of the layout of artifact files.
const artifactFormat = "node-di/1"

// Interop runs the artifacts of another implementation: every document of the files in dir is verified and
// answered as the file expects, canonical forms and hashes are compared, and derived documents are derived
// anew.
func Interop(ctx context.Context, dir string, e Engines) ([]conform.Result, error) {
	files, err := conform.Files(dir, "*.json")
	if err != nil {
		return nil, err
	}
	r := &reader{dir: dir, engines: e}
	for _, f := range files {
		b, err := userfile.ReadAll(f)
		if err != nil {
			return nil, err
		}
		var a artifact
		if json.Unmarshal(b, &a) != nil || a.Format != artifactFormat {
			continue // keys, say
		}
		r.artifact(ctx, strings.TrimSuffix(filepath.Base(f), ".json"), &a)
	}
	if len(r.results) == 0 {
		return nil, fmt.Errorf("%s holds no artifacts in the layout %s", dir, artifactFormat)
	}
	return r.results, nil
}

func (r *reader) artifact(ctx context.Context, name string, a *artifact) {
	var suites []vcdm.Suite
	for _, n := range vcdm.SuiteNames() {
		suites = append(suites, r.engines.Suite(n))
	}

	v := verifier(suites...)
	for _, c := range a.Checks {
		r.expect(name+" "+c.Name, c.Expect, v.VerifyAll(ctx, c.Document).Err())
	}

	for _, c := range a.PresentationChecks {
		p := *v
		p.Purpose, p.Challenge, p.Domain = vcdm.Authentication, c.Challenge, []string{c.Domain}
		r.expect(name+" presentation, "+c.Name, c.Expect, p.VerifyPresentation(ctx, a.Presentation).Err())
	}

	r.canonicalOf(ctx, name, a)

	if a.Cryptosuite == "ecdsa-sd-2023" {
		sd := r.engines.Suite(a.Cryptosuite).(*vcdm.SD)
		derived, err := (&vcdm.Holder{Suite: sd}).Derive(ctx, a.Signed, a.SelectivePointers)
		if err == nil {
			err = sameJSON(derived, a.Derived)
		}
		r.check(name+", derived anew", err)
	} else {
		// The file of selective disclosure over the same claims knows what is mandatory.
		var sibling artifact
		group, _, _ := strings.Cut(name, ".")
		err := r.json(&sibling, group+".ecdsa-sd-2023.json")
		var subset []byte
		if err == nil {
			subset, err = vcdm.Selector{}.Select(ctx, a.Unsigned, append(sibling.MandatoryPointers,
				a.SelectivePointers...))
		}
		if err == nil {
			err = sameJSON(subset, without(a.Subset, "proof"))
		}
		r.check(name+", subset built anew", err)
	}
}

// expect adds the outcome of a document that is to be valid or invalid.
func (r *reader) expect(id, expect string, err error) {
	switch {
	case expect == "valid":
	case expect != "invalid":
		err = fmt.Errorf("expect is %q", expect)
	case err == nil:
		err = fmt.Errorf("accepted, expected invalid")
	default:
		err = nil
	}
	r.check(id, err)
}

// canonicalOf compares canonical forms and, where the file has them, hashes.
func (r *reader) canonicalOf(ctx context.Context, name string, a *artifact) {
	t, suite := r.tapped(a.Cryptosuite)
	doc := a.Signed
	if a.CanonicalOf == "derived" {
		doc = a.Derived
	}
	if err := verifier(suite).Verify(ctx, doc).Err(); err != nil || len(t.texts) < 2 {
		r.check(name+" canonical", fmt.Errorf("%v; %d canonical forms", err, len(t.texts)))
		return
	}
	r.equal(name+" canonical proof options", t.texts[0], a.Canonical.ProofConfig)
	r.equal(name+" canonical document", t.texts[1], a.Canonical.Document)
	if alg := a.Hash.Algorithm; alg == "sha256" || alg == "sha384" {
		got := hexHash(t.texts[0], alg == "sha384") + " " + hexHash(t.texts[1], alg == "sha384")
		r.equal(name+" hashes", got, a.Hash.ProofConfig+" "+a.Hash.Document)
	}
}
