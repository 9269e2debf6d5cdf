package main

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/canon/engines"
	"canonscope/canon/jcs"
	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
	"canonscope/canon/stock"
	"canonscope/compare"
	"canonscope/compare/di"
	"canonscope/compare/mdoc"
	"canonscope/compare/measure"
	"canonscope/compare/report"
	"canonscope/compare/sdjwt"
	"canonscope/profiles"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
	"canonscope/schemas/shape"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/vectors"
)

// noDocument is a loader, and noMethod a resolver, that answers neither with what was asked for nor with an error.
type (
	noDocument struct{}
	noMethod   struct{ method *vcdm.Method }
)

func (noDocument) Load(context.Context, string) (*jsonld.Document, error) { return nil, nil }

func (r noMethod) Resolve(context.Context, string, string) (*vcdm.Method, error) {
	return r.method, nil
}

// TestHalfFilledValuesAreErrors hands the packages what a caller may leave out, or take from a function whose error it did
// not look at: each answers with an error, and none panics.
func TestHalfFilledValuesAreErrors(t *testing.T) {
	ctx := context.Background()
	g, err := catalogue.Get("simple-5")
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.Document(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	cfg := engines.Config{Loader: contexts.Embedded()}
	native, err := engines.New(canon.Native, canon.RDFC, cfg)
	if err != nil {
		t.Fatal(err)
	}
	key, err := keys.Generate(keys.EdDSA)
	if err != nil {
		t.Fatal(err)
	}
	p256, err := keys.Generate(keys.ES256)
	if err != nil {
		t.Fatal(err)
	}
	suite := vcdm.EdDSARDFC2022(native)
	options := func(k *keys.Secret, suite string) []byte {
		return (&vcdm.Options{Created: "2026-01-01T00:00:00Z", Method: k.Public().Method(), Purpose: vcdm.AssertionMethod}).AppendJSON(nil, suite)
	}
	signed, err := (&vcdm.Signer{Suite: suite, Key: key}).Add(ctx, c.VCDM, options(key, suite.Name()))
	if err != nil {
		t.Fatal(err)
	}
	base, err := (&vcdm.Signer{Suite: vcdm.ECDSASD2023(native, vcdm.SDOptions{}), Key: p256}).Add(ctx, c.VCDM, options(p256, "ecdsa-sd-2023"))
	if err != nil {
		t.Fatal(err)
	}
	made, token, certificate, issued := baselines(t, c, key)
	add := func(s *vcdm.Signer, k *keys.Secret, suite string) error {
		_, err := s.Add(ctx, c.VCDM, options(k, suite))
		return err
	}
	verify := func(v *vcdm.Verifier) error { return v.VerifyAll(ctx, signed).Err() }
	var unknown vcdm.Suite
	remote := []byte(`{"@context":"https://example.org/c","a":"b"}`)
	scenario := compare.Scenario{Now: time.Now()}
	job := `{"version":2,"kind":"gate","documents":1,"cell":"format=x/suite=x/engine=x/alg=x/schema=x/gc=100/procs=1/contexts=none"}`
	serve := func(open measure.Opener) error {
		var out strings.Builder
		if err := measure.Serve(ctx, strings.NewReader(job), &out, open); err != nil {
			return err
		}
		if strings.Contains(out.String(), `"event":"failed"`) {
			return errors.New(out.String())
		}
		return nil
	}
	exchange := func(f compare.Preparer, err error) error {
		if err != nil {
			return err
		}
		x, err := f.Prepare(c, scenario)
		if err != nil {
			return err
		}
		_, err = x.Issue()
		return err
	}

	for name, call := range map[string]func() error{
		"vcdm.Signer":                     func() error { return add(&vcdm.Signer{}, key, suite.Name()) },
		"vcdm.Signer nil":                 func() error { return add(nil, key, suite.Name()) },
		"vcdm.Signer without a key":       func() error { return add(&vcdm.Signer{Suite: suite}, key, suite.Name()) },
		"vcdm.Signer with an empty key":   func() error { return add(&vcdm.Signer{Suite: suite, Key: &keys.Secret{}}, key, suite.Name()) },
		"vcdm.Signer of an unknown suite": func() error { return add(&vcdm.Signer{Suite: unknown, Key: key}, key, suite.Name()) },
		"vcdm.Signer of a nil SD":         func() error { return add(&vcdm.Signer{Suite: (*vcdm.SD)(nil), Key: p256}, p256, "ecdsa-sd-2023") },
		"vcdm.Signer of an empty SD":      func() error { return add(&vcdm.Signer{Suite: &vcdm.SD{}, Key: p256}, p256, "ecdsa-sd-2023") },
		"vcdm.Holder":                     func() error { _, err := (&vcdm.Holder{}).Derive(ctx, base, []string{"/issuer"}); return err },
		"vcdm.Holder nil":                 func() error { _, err := (*vcdm.Holder)(nil).Derive(ctx, base, []string{"/issuer"}); return err },
		"vcdm.Holder of an empty SD": func() error {
			_, err := (&vcdm.Holder{Suite: &vcdm.SD{}}).Derive(ctx, base, []string{"/issuer"})
			return err
		},
		"vcdm.Verifier":                     func() error { return verify(&vcdm.Verifier{}) },
		"vcdm.Verifier nil":                 func() error { return verify(nil) },
		"vcdm.Verifier of an unknown suite": func() error { return verify(&vcdm.Verifier{Suites: []vcdm.Suite{unknown}}) },
		"vcdm.Verifier of a nil SD":         func() error { return verify(&vcdm.Verifier{Suites: []vcdm.Suite{(*vcdm.SD)(nil)}}) },
		"vcdm.Verifier without a resolver": func() error {
			return verify(&vcdm.Verifier{Suites: []vcdm.Suite{suite}, Resolver: (*vcdm.Documents)(nil)})
		},
		"vcdm.Verifier without a method": func() error { return verify(&vcdm.Verifier{Suites: []vcdm.Suite{suite}, Resolver: noMethod{}}) },
		"vcdm.Verifier without a key": func() error {
			return verify(&vcdm.Verifier{Suites: []vcdm.Suite{suite}, Resolver: noMethod{&vcdm.Method{}}})
		},
		"vcdm.Verifier with an empty key": func() error {
			return verify(&vcdm.Verifier{Suites: []vcdm.Suite{suite}, Resolver: noMethod{&vcdm.Method{Key: &keys.Public{}}}})
		},
		"vcdm.Parsed": func() error {
			return verify(&vcdm.Verifier{Suites: []vcdm.Suite{suite}, Resolver: vcdm.Parsed{key.Public().Method(): nil}})
		},
		"vcdm.Documents nil": func() error {
			_, err := (*vcdm.Documents)(nil).Resolve(ctx, "https://example.org/c#k", vcdm.AssertionMethod)
			return err
		},
		"vcdm.WithDirection": func() error {
			return add(&vcdm.Signer{Suite: vcdm.WithDirection(nil, ""), Key: key}, key, suite.Name())
		},
		"vectors.Engines": func() error {
			return add(&vcdm.Signer{Suite: vectors.Engines{}.Suite("eddsa-rdfc-2022"), Key: key}, key, "eddsa-rdfc-2022")
		},

		"keys.Secret":     func() error { _, err := (&keys.Secret{}).Sign(nil); return err },
		"keys.Secret nil": func() error { _, err := (*keys.Secret)(nil).Sign(nil); return err },
		"keys.Public":     func() error { return refused((&keys.Public{}).Verify(nil, make([]byte, 64))) },
		"keys.Public nil": func() error { return refused((*keys.Public)(nil).Verify(nil, make([]byte, 64))) },

		"canon loader": func() error { return canonize(engines.New(canon.Native, canon.RDFC, engines.Config{}))(ctx, remote) },
		"canon loader of nothing": func() error {
			return canonize(engines.New(canon.Native, canon.RDFC, engines.Config{Loader: noDocument{}}))(ctx, remote)
		},
		"stock loader": func() error { return canonize(engines.New(canon.Stock, canon.RDFC, engines.Config{}))(ctx, remote) },
		"stock loader of nothing": func() error {
			return canonize(engines.New(canon.Stock, canon.RDFC, engines.Config{Loader: noDocument{}}))(ctx, remote)
		},
		"stock cold": func() error { return canonize(stock.Cold(noDocument{}), nil)(ctx, remote) },
		"tuned loader of nothing": func() error {
			return canonize(engines.New(canon.Tuned, canon.RDFC, engines.Config{Loader: noDocument{}}))(ctx, remote)
		},
		"stock.Guard":          func() error { return stock.Guard(ctx, remote, canon.Options{}, nil) },
		"engines.Undetermined": func() error { _, err := engines.Undetermined(ctx, remote, canon.Options{}, nil); return err },
		"engines.NewProcessor": func() error {
			p, err := engines.NewProcessor(canon.Stock, engines.Config{})
			if err != nil {
				return err
			}
			_, err = p.Expand(ctx, remote, jsonld.Options{})
			return err
		},
		"jsonld.Processor": func() error {
			_, err := new(jsonld.Processor).Expand(ctx, []byte(`{"@context":{"a":"urn:a"},"a":"b"}`), jsonld.Options{})
			return err
		},
		"jsonld.Processor nil": func() error {
			_, err := (*jsonld.Processor)(nil).Expand(ctx, []byte(`{"a":"b"}`), jsonld.Options{})
			return err
		},
		"jsonld dataset": func() error {
			return jsonld.New(jsonld.Config{}).ToRDF(ctx, []byte(`{"@context":{"a":"urn:a"},"a":"b"}`), jsonld.Options{}, nil)
		},
		"jsonld.Session": func() error { return new(jsonld.Session).ToRDF(ctx, remote, &jsonld.Options{}, new(rdf.Dataset)) },
		"stock dataset": func() error {
			return stock.NewProcessor(nil).ToRDF(ctx, []byte(`{"@context":{"a":"urn:a"},"a":"b"}`), jsonld.Options{}, nil)
		},
		"jsonld.Map":     func() error { _, err := jsonld.Map(nil).Load(ctx, "https://example.org/c"); return err },
		"jcs node":       func() error { _, _, err := jcs.AppendNode(nil, nil, 0, jcs.Options{}); return err },
		"jcs empty":      func() error { _, _, err := jcs.AppendNode(nil, new(jsontape.Tape), 0, jcs.Options{}); return err },
		"rdfc dataset":   func() error { return rdfc.Canonicalize(ctx, nil, rdfc.Options{}, new(canon.Form)) },
		"rdfc form":      func() error { return rdfc.Canonicalize(ctx, new(rdf.Dataset), rdfc.Options{}, nil) },
		"rdfc state":     func() error { _, err := new(rdfc.State).Run(ctx, nil, rdfc.Options{}, nil); return err },
		"rdfc nodes":     func() error { _, err := rdfc.Undetermined(ctx, nil, rdfc.Options{}); return err },
		"conform.RDFC":   func() error { _, err := conform.RDFC(ctx, t.TempDir(), nil); return err },
		"conform.JCS":    func() error { _, err := conform.JCS(ctx, t.TempDir(), nil); return err },
		"conform.JSONLD": func() error { _, err := conform.JSONLD(ctx, t.TempDir(), nil); return err },

		"contexts.Chain":   func() error { _, err := contexts.Chain(nil, nil).Load(ctx, "https://example.org/c"); return err },
		"contexts.Chain 0": func() error { _, err := contexts.Chain().Load(ctx, "https://example.org/c"); return err },
		"contexts.Folder":  func() error { _, err := new(contexts.Folder).Load(ctx, "https://example.org/c"); return err },
		"contexts.HTTP": func() error {
			_, err := contexts.NewHTTP(contexts.HTTPConfig{}).Load(ctx, "https://example.org/c")
			return err
		},
		"shape.Measure":  func() error { _, err := shape.Measure(ctx, remote, shape.Options{}); return err },
		"catalogue.With": func() error { _, err := catalogue.With(nil, "tags", "1"); return err },
		"catalogue.Axis": func() error { _, err := new(catalogue.Axis).Value("simple-5"); return err },

		"compare.Exchange issue":   func() error { _, err := new(compare.Exchange).Issue(); return err },
		"compare.Exchange present": func() error { _, err := new(compare.Exchange).Present(nil); return err },
		"compare.Exchange verify":  func() error { return new(compare.Exchange).Verify(nil) },
		"compare.Exchange checking": func() error {
			x := new(compare.Exchange).Checking("", nil, nil)
			_, err := x.Issue()
			return err
		},
		"di canonicalizer":     func() error { return exchange(di.NewFormat("eddsa-rdfc-2022", nil, "EdDSA")) },
		"di jcs canonicalizer": func() error { return exchange(di.NewFormat("eddsa-jcs-2022", nil, "EdDSA")) },
		"di credential": func() error {
			f, _ := di.NewFormat("eddsa-rdfc-2022", native, "EdDSA")
			_, err := f.Prepare(nil, scenario)
			return err
		},
		"di empty": func() error {
			f, err := di.NewFormat("eddsa-rdfc-2022", native, "EdDSA")
			if err != nil {
				return err
			}
			x, err := f.Prepare(&schemas.Credential{}, scenario)
			if err != nil {
				return err
			}
			_, err = x.Issue()
			return err
		},
		"sdjwt credential": func() error { _, err := sdjwt.NewFormat("native", "EdDSA").Prepare(nil, scenario); return err },
		"mdoc credential":  func() error { _, err := mdoc.NewFormat("native", "EdDSA").Prepare(nil, scenario); return err },

		"measure.Serve": func() error { return serve(nil) },
		"measure.Bench nil": func() error {
			return serve(func(compare.Cell, compare.Given) (*measure.Bench, error) { return nil, nil })
		},
		"measure.Bench": func() error {
			return serve(func(compare.Cell, compare.Given) (*measure.Bench, error) { return new(measure.Bench), nil })
		},
		"measure.Bench partial": func() error {
			return serve(func(compare.Cell, compare.Given) (*measure.Bench, error) {
				return &measure.Bench{Generator: g, Format: sdjwt.NewFormat("native", "EdDSA")}, nil
			})
		},
		"measure.Run":    func() error { _, err := measure.Run(ctx, measure.Plan{}, nil, nil, nil); return err },
		"measure.Folder": func() error { return new(measure.Folder).Append(1) },

		"report.Text":     func() error { return report.Text(io.Discard, nil, report.NewTable(nil, nil), false) },
		"report.Bench":    func() error { return report.Bench(io.Discard, nil) },
		"report.Kept":     func() error { return report.Kept(io.Discard, nil, "", nil) },
		"report.Markdown": func() error { return report.Markdown(io.Discard, nil, report.Table{}) },
		"report.HTML":     func() error { return new(report.Report).HTML(io.Discard, nil) },
		"report.GrowthText": func() error {
			return report.GrowthText(io.Discard, nil, report.Table{}, []report.Growth{report.NewGrowth(nil, compare.Experiment{})}, false)
		},
		"mdoc.Certificate":                 func() error { _, err := mdoc.Certificate(nil, "urn:x"); return err },
		"mdoc.Certificate of an empty key": func() error { _, err := mdoc.Certificate(&keys.Public{}, "urn:x"); return err },

		"profiles.Capture":    func() error { _, err := new(profiles.Capture).Stop(); return err },
		"profiles.Merge":      func() error { _, err := profiles.Merge(); return err },
		"profiles.Merge nil":  func() error { _, err := profiles.Merge(nil, &profiles.Recording{}); return err },
		"profiles.FlameSVG":   func() error { return profiles.FlameSVG(io.Discard, nil, profiles.Rules{}, profiles.FlameOptions{}) },
		"profiles.Folded":     func() error { return profiles.Folded(io.Discard, nil, profiles.Rules{}) },
		"profiles.Speedscope": func() error { return profiles.Speedscope(io.Discard, nil, profiles.Rules{}, "") },
		"profiles.Attribute": func() error {
			profiles.Attribute(nil, profiles.LoadRules())
			profiles.Attribute(&profile.Profile{}, profiles.Rules{})
			return errNothing
		},
		"profiles.Annotate": func() error { profiles.Annotate(nil, profiles.LoadRules()); return errNothing },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("panics: %v\n%s", p, debug.Stack())
				}
			}()
			if err := call(); err == nil {
				t.Error("no error")
			}
		})
	}
	for _, e := range []canon.Engine{canon.Native, canon.Stock} {
		for name, call := range map[string]func() error{
			"sdjwt.Issuer": func() error {
				_, err := (&sdjwt.Issuer{Engine: e, Key: &keys.Secret{}}).Issue(made, sdjwt.Disclosable{})
				return err
			},
			"sdjwt.Verifier":                   func() error { _, err := (&sdjwt.Verifier{Engine: e}).Verify(token); return err },
			"sdjwt.Verifier with an empty key": func() error { _, err := (&sdjwt.Verifier{Engine: e, Key: &keys.Public{}}).Verify(token); return err },
			"sdjwt.Holder with an empty key": func() error {
				_, err := (&sdjwt.Holder{Engine: e, Key: &keys.Secret{}}).Present(token, nil, &sdjwt.Binding{Audience: "a", Nonce: "n"})
				return err
			},
			"sdjwt.Issuer for an empty holder": func() error {
				_, err := (&sdjwt.Issuer{Engine: e, Key: key, Holder: &keys.Public{}}).Issue(made, sdjwt.Disclosable{})
				return err
			},
			"mdoc.Issuer": func() error {
				_, err := (&mdoc.Issuer{Engine: e, Key: &keys.Secret{}, Chain: [][]byte{certificate}, Device: key.Public()}).Issue(made)
				return err
			},
			"mdoc.Issuer for an empty device": func() error {
				_, err := (&mdoc.Issuer{Engine: e, Key: key, Chain: [][]byte{certificate}, Device: &keys.Public{}}).Issue(made)
				return err
			},
			"mdoc.Verifier":                   func() error { _, err := (&mdoc.Verifier{Engine: e}).Verify(issued); return err },
			"mdoc.Verifier with an empty key": func() error { _, err := (&mdoc.Verifier{Engine: e, Key: &keys.Public{}}).Verify(issued); return err },
			"mdoc.Verifier with device authentication": func() error {
				_, err := (&mdoc.Verifier{Engine: e, Key: key.Public(), Device: &mdoc.DeviceAuth{}}).Verify(issued)
				return err
			},
			"mdoc.Holder with an empty key": func() error {
				_, err := (&mdoc.Holder{Engine: e, Key: &keys.Secret{}}).Present(issued, []string{"/credentialSubject"}, []byte{0x83, 0xf6, 0xf6, 0xf6})
				return err
			},
		} {
			t.Run(name+"/"+string(e), func(t *testing.T) {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("panics: %v\n%s", p, debug.Stack())
					}
				}()
				if err := call(); err == nil {
					t.Error("no error")
				}
			})
		}
	}
}

var errNothing = errors.New("no error to return")

func refused(ok bool) error {
	if ok {
		return nil
	}
	return errNothing
}

func canonize(c canon.Canonicalizer, err error) func(context.Context, []byte) error {
	return func(ctx context.Context, doc []byte) error {
		if err != nil {
			return err
		}
		_, err := c.Canonicalize(ctx, doc, canon.Options{})
		return err
	}
}
