package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/compare"
	"canonscope/compare/di"
	"canonscope/compare/matrix"
	"canonscope/compare/mdoc"
	"canonscope/compare/measure"
	"canonscope/compare/report"
	"canonscope/compare/sdjwt"
	"canonscope/profiles"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
	"canonscope/schemas/jsonschema"
	"canonscope/schemas/shape"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/rules"
)

// TestExportedFunctionsAnswerAnyBytes calls what the packages export for bytes and texts of others with what they take, with
// what is left of that where it is cut, and with what is none: each answers, an error or not, and none panics.
func TestExportedFunctionsAnswerAnyBytes(t *testing.T) {
	ctx := context.Background()
	key, err := keys.Generate(keys.EdDSA)
	if err != nil {
		t.Fatal(err)
	}
	g, err := catalogue.Get("simple-5")
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.Document(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	made, token, certificate, issued := baselines(t, c, key)
	rdfc, err := engines.New(canon.Native, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
	if err != nil {
		t.Fatal(err)
	}
	suite := vcdm.EdDSARDFC2022(rdfc)
	options := vcdm.Options{Created: "2026-01-01T00:00:00Z", Method: key.Public().Method(), Purpose: vcdm.AssertionMethod}
	proof := options.AppendJSON(nil, suite.Name())
	signer := &vcdm.Signer{Suite: suite, Key: key}
	signed, err := signer.Add(ctx, c.VCDM, proof)
	if err != nil {
		t.Fatal(err)
	}
	other, err := keys.Generate(keys.ES256)
	if err != nil {
		t.Fatal(err)
	}
	options.Method = other.Public().Method()
	base, err := (&vcdm.Signer{Suite: vcdm.ECDSASD2023(rdfc, vcdm.SDOptions{Mandatory: []string{"/issuer"}}), Key: other}).Add(ctx, c.VCDM, options.AppendJSON(nil, "ecdsa-sd-2023"))
	if err != nil {
		t.Fatal(err)
	}
	tables := "name n\nurl u\nsha256 " + strings.Repeat("0", 64) + "\nabbr a https://example.org/#\n\nt a~ t=@id c=@list {}\n\tu a~\n \n"
	sd := vcdm.ECDSASD2023(rdfc, vcdm.SDOptions{})
	folder := t.TempDir()

	for name, f := range map[string]struct {
		sample []byte
		call   func(b []byte)
	}{
		"contexts.Parse":       {[]byte(tables), func(b []byte) { contexts.Parse("f", b) }},
		"contexts.Differences": {contexts.List(false)[2].JSON, func(b []byte) { contexts.Differences(b, b); contexts.Differences([]byte("{}"), b) }},
		"contexts.Dir": {[]byte(`[{"url":"https://example.org/c","file":"index.json"}]`), func(b []byte) {
			if err := os.WriteFile(filepath.Join(folder, "index.json"), b, 0o600); err != nil {
				t.Fatal(err)
			}
			if f, err := contexts.Dir(folder); err == nil {
				f.Load(ctx, "https://example.org/c")
				f.Check()
			}
		}},
		"names": {[]byte("elm-edc-ap@3.2"), func(b []byte) {
			s := string(b)
			contexts.Find(s)
			contexts.EmbeddedWith(s)
			contexts.Embedded().Load(ctx, s)
			contexts.Experiments().Load(ctx, s)
			contexts.NewHTTP(contexts.HTTPConfig{Allow: []string{"none.invalid"}}).Load(ctx, s)
			jsonschema.Schema(s)
			catalogue.Get(s)
			catalogue.Axes(s)
			catalogue.PresetNamed(s)
			compare.ParseCell(s)
			report.Short(s)
			di.NewFormat(s, rdfc, keys.Algorithm(s))
			vcdm.SuiteNamed(s)
			keys.ParsePublic(s)
			keys.ParseSecret(s)
			keys.ParseMethod(s)
			keys.Generate(keys.Algorithm(s))
			keys.FromSeed(keys.Algorithm(s), b)
		}},
		"made contexts": {[]byte(contexts.Padding(3, 1)), func(b []byte) { contexts.Experiments().Load(ctx, string(b)) }},
		"axes": {[]byte("simple-5:attributes=3"), func(b []byte) {
			catalogue.Get(string(b))
			catalogue.With(g, string(b), string(b))
			matrix.Along(ctx, compare.Given{}, []string{"simple-5"}, []string{string(b)}, 1)
			matrix.Presets(ctx, compare.Given{}, []string{string(b)}, 1)
			matrix.Select(matrix.Filter{Schemas: []string{string(b)}, Suites: []string{string(b)}}, matrix.DefaultPolicy)
		}},
		"cells": {[]byte("format=vcdm/suite=eddsa-jcs-2022/engine=native/alg=EdDSA/schema=simple-5/gc=100/procs=2/contexts=none"), func(b []byte) {
			if cell, err := compare.ParseCell(string(b)); err == nil {
				matrix.Open(cell)
			}
			matrix.Open(compare.Cell{Schema: string(b)})
		}},
		"rules":  {[]byte("digest canonscope/x.F\n- harness main.\n"), func(b []byte) { profiles.ParseRules(b) }},
		"counts": {[]byte(`{"parse":{"samples":1}}`), func(b []byte) { new(profiles.Counts).UnmarshalJSON(b) }},
		"jobs": {[]byte(`{"version":2,"cell":"x"}` + "\n"), func(b []byte) {
			measure.Serve(ctx, strings.NewReader(string(b)), io.Discard, matrix.OpenGiven)
		}},
		"jsonschema.Compile": {[]byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"string"}}}`), func(b []byte) {
			for _, e := range append(jsonschema.Engines, "") {
				jsonschema.Compile(b, jsonschema.Options{Engine: e, Resources: map[string][]byte{"https://example.org/": b}})
			}
		}},
		"credentials": {c.VCDM, func(b []byte) {
			jsonschema.Detect(b, canon.Limits{})
			jsonschema.Outdated("vcdm2", b, canon.Limits{})
			shape.Measure(ctx, b, shape.Options{})
			shape.Measure(ctx, b, shape.Options{Loader: contexts.Embedded()})
			catalogue.Parse(b)
			c := &schemas.Credential{Types: []string{"x"}, VCDM: b, Subject: b, Issuer: string(b)}
			sdjwt.NewFormat(canon.Native, keys.EdDSA).Prepare(c, compare.Scenario{Disclose: []string{string(b)}})
			rules.CheckCredential(b, canon.Limits{})
			rules.CheckPresentation(b, canon.Limits{})
			rules.CheckRelated(b, canon.Limits{}, nil)
			rules.CheckContexts(b, canon.Limits{}, string(b))
			rules.WithIssuer(b, string(b), canon.Limits{})
			rules.Validity(b, canon.Limits{})
			rules.PartyOf(b, canon.Limits{})
			rules.VerifierNeeds(b, canon.Limits{})
			rules.IsPresentation(b, canon.Limits{})
			vcdm.SuiteOf(b, canon.Limits{})
			rules.NewPresentation(string(b), b)
			rules.NewPresentation("", b)
			signer.Add(ctx, b, proof)
			vcdm.Selector{}.Select(ctx, b, []string{string(b), "/issuer"})
		}},
		"proof options": {proof, func(b []byte) { signer.Add(ctx, c.VCDM, b) }},
		"base proofs": {base, func(b []byte) {
			(&vcdm.Holder{Suite: sd}).Derive(ctx, b, []string{"/issuer"})
			(&vcdm.Holder{}).Derive(ctx, b, []string{"/issuer"})
		}},
		"signed credentials": {signed, func(b []byte) {
			v := vcdm.Verifier{Suites: []vcdm.Suite{suite, sd}, Resolver: &vcdm.Documents{}}
			v.VerifyAll(ctx, b)
			v.VerifyPresentation(ctx, b)
			(&vcdm.Verifier{}).VerifyAll(ctx, b)
			(&vcdm.Verifier{Suites: v.Suites}).VerifyAll(ctx, b)
			(&vcdm.Signer{}).Add(ctx, b, proof)
			(&vcdm.Signer{Suite: suite}).Add(ctx, b, proof)
			(&vcdm.Documents{}).Resolve(ctx, string(b), string(b))
		}},
		"controller documents": {[]byte(`{"@context":"https://www.w3.org/ns/cid/v1","id":"https://c.example/","verificationMethod":[{"id":"https://c.example/#k"}],"assertionMethod":["#k"]}`), func(b []byte) {
			d := &vcdm.Documents{Document: func(context.Context, string) ([]byte, error) { return b, nil }}
			d.Resolve(ctx, "https://c.example/#k", vcdm.AssertionMethod)
			d.Resolve(ctx, string(b), string(b))
		}},
		"key files": {key.MultikeyJSON(), func(b []byte) { keys.ParseFile(b) }},
		"JWKs":      {key.JWK(), func(b []byte) { keys.ParsePublicJWK(b); keys.ParseSecretJWK(b) }},
		"COSE keys": {key.Public().COSE(), func(b []byte) { keys.ParsePublicCOSE(b); keys.PublicFromBytes(b) }},
		"messages": {key.Public().Bytes(), func(b []byte) {
			key.Public().Verify(b, b)
			keys.Signer([][]byte{b}, nil, measure.Now)
		}},
		"SD-JWTs": {token, func(b []byte) {
			sdjwt.IsToken(b)
			if in, err := sdjwt.Inspect(b, canon.Limits{}); err == nil {
				in.Print(io.Discard)
				in.Line()
				in.JSON()
			}
			if in, err := sdjwt.InspectForeign(b, canon.Limits{}); err == nil {
				in.Print(io.Discard)
				in.Line()
				in.JSON()
			}
			sdjwt.Foreign(b)
			sdjwt.HolderKey(b, canon.Limits{})
			sdjwt.Compact(b, canon.Limits{})
			for _, e := range []canon.Engine{canon.Native, canon.Stock, "no engine"} {
				(&sdjwt.Verifier{Engine: e, Key: key.Public()}).Verify(b)
				(&sdjwt.Verifier{Engine: e}).Verify(b)
				(&sdjwt.Holder{Engine: e}).Present(b, []string{string(b)}, nil)
			}
		}},
		"claims": {made, func(b []byte) {
			for _, e := range []canon.Engine{canon.Native, canon.Stock} {
				(&sdjwt.Issuer{Engine: e, Key: key}).Issue(b, sdjwt.Disclosable{Leaves: "/credentialSubject", Pointers: []string{string(b)}})
				(&sdjwt.Issuer{Engine: e}).Issue(b, sdjwt.Disclosable{})
				(&mdoc.Issuer{Engine: e, Key: key, Chain: [][]byte{certificate}, Device: key.Public()}).Issue(b)
				(&mdoc.Issuer{Engine: e, Key: key, Chain: [][]byte{b}, Device: key.Public()}).Issue(made)
				(&mdoc.Issuer{Engine: e}).Issue(b)
			}
		}},
		"mdocs": {issued, func(b []byte) {
			mdoc.Decode(b)
			mdoc.Decode([]byte(hex.EncodeToString(b)))
			if in, err := mdoc.Inspect(b, canon.Limits{}); err == nil {
				in.Print(io.Discard)
				in.Line()
				in.JSON()
			}
			mdoc.DeviceKey(b, canon.Limits{})
			for _, e := range []canon.Engine{canon.Native, canon.Stock, "no engine"} {
				(&mdoc.Verifier{Engine: e, Key: key.Public(), Device: &mdoc.DeviceAuth{Transcript: b}}).Verify(b)
				(&mdoc.Verifier{Engine: e}).Verify(b)
				(&mdoc.Holder{Engine: e}).Present(b, []string{"/credentialSubject", string(b)}, nil)
				(&mdoc.Holder{Engine: e, Key: key}).Present(issued, []string{"/credentialSubject"}, b)
			}
		}},
		"certificates": {certificate, func(b []byte) {
			mdoc.Certificate(key.Public(), string(b))
			keys.Signer([][]byte{b, b}, nil, measure.Now)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inputs := [][]byte{nil, {}, f.sample, append(f.sample[:len(f.sample):len(f.sample)], f.sample...)}
			for _, s := range []string{" ", "\n \n", "\x00", "\xff\xfe", "{", "}", "[", "{}", "[]", "null", "0", "-", `"`, `""`, `{"":""}`, "[[[[", "~", "~~", "..", ".", "a.b.c", "a.b.c~", ":",
				"=", "/", "//", "@", "#", "%", "%zz", "-1", "1e400", "\xa0", "\xbf\xff", "\x9b\xff\xff\xff\xff\xff\xff\xff\xff", "\xd8\x18\x40", "did:key:", "did:key:z#", "z", "zz", "u", "{\"@context\":null}"} {
				inputs = append(inputs, []byte(s))
			}
			step := max(1, len(f.sample)/24)
			for i := 0; i < len(f.sample); i += step {
				changed := append([]byte(nil), f.sample...)
				changed[i] ^= 0x5a
				inputs = append(inputs, f.sample[:i], f.sample[i:], changed)
			}
			for _, in := range inputs {
				func() {
					defer func() {
						if p := recover(); p != nil {
							t.Errorf("%.20q: panics: %v %s", in, p, debug.Stack())
						}
					}()
					f.call(append([]byte(nil), in...))
				}()
			}
		})
	}
}

// baselines returns the claims of a credential, and an SD-JWT and an mdoc of them with the certificate of its key.
func baselines(t *testing.T, c *schemas.Credential, key *keys.Secret) (made []byte, token, certificate, issued []byte) {
	t.Helper()
	made = fmt.Appendf(nil, `{"iss":%q,"nbf":1767225600,"exp":1798761600,"vct":"urn:x","credentialSubject":%s}`, c.Issuer, c.Subject)
	token, err := (&sdjwt.Issuer{Key: key}).Issue(made, sdjwt.Disclosable{Leaves: "/credentialSubject"})
	if err != nil {
		t.Fatal(err)
	}
	certificate, err = mdoc.Certificate(key.Public(), "urn:issuer")
	if err != nil {
		t.Fatal(err)
	}
	issued, err = (&mdoc.Issuer{Key: key, Chain: [][]byte{certificate}, Device: key.Public()}).Issue(made)
	if err != nil {
		t.Fatal(err)
	}
	return made, token, certificate, issued
}
