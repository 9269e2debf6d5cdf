package vcdm_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/conform/race"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"

	"github.com/mr-tron/base58"
)

// turns races the named contenders.
func turns(b *testing.B, names []string, run ...func(i int)) {
	b.Helper()
	contenders := make([]race.Contender, len(run))
	for c := range run {
		contenders[c] = race.Contender{Name: names[c], Do: run[c]}
	}
	race.Run(b, contenders...)
}

// drawn is 64 rotating documents of one schema, signed and presented.
type drawn struct {
	docs, signed, shown [][]byte
	pointers            [][]string
}

const rotating = 64

func draw(b *testing.B, schema string, signer *vcdm.Signer, options []byte,
	holder func(mandatory []string) (*vcdm.Signer, *vcdm.Holder)) *drawn {
	b.Helper()
	g, err := catalogue.Get(schema)
	if err != nil {
		b.Fatal(err)
	}
	d := &drawn{}
	for i := range rotating {
		c, err := g.Document(1, i)
		if err != nil {
			b.Fatal(err)
		}
		s := signer
		var h *vcdm.Holder
		if holder != nil {
			s, h = holder(c.Mandatory)
		}
		signed, err := s.Add(context.Background(), c.VCDM, options)
		if err != nil {
			b.Fatal(err)
		}
		var shown []byte
		if h != nil {
			shown, err = h.Derive(context.Background(), signed, c.Disclose)
		} else if shown, err = (vcdm.Selector{}).Select(context.Background(), signed,
			append(slices.Clone(c.Mandatory), c.Disclose...)); err == nil {
			shown, err = s.Add(context.Background(), shown, options)
		}
		if err != nil {
			b.Fatal(err)
		}
		d.docs, d.signed, d.shown, d.pointers = append(d.docs, c.VCDM), append(d.signed,
			signed), append(d.shown, shown), append(d.pointers, c.Disclose)
	}
	return d
}

func native(b testing.TB) canon.Canonicalizer {
	return engineWith(b, canon.Native, canon.RDFC, contexts.Embedded())
}

func parsed(key *keys.Secret) vcdm.Resolver {
	return vcdm.Parsed{key.Public().Method(): {ID: key.Public().Method(), Controller: key.Public().DID(),
		Key: key.Public()}}
}

// noted is a canonicalizer that keeps what it returns.
type noted struct {
	canon.Canonicalizer
	texts [][]byte
}

func (n *noted) Canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	form, err := n.Canonicalizer.Canonicalize(ctx, doc, opt)
	if err == nil {
		n.texts = append(n.texts, bytes.Clone(form.Text))
	}
	return form, err
}

// covered is what the signature of a document covers, and the signature.
type covered struct{ config, document, sig []byte }

// hash returns the bytes that are signed.
func (c *covered) hash() [64]byte {
	var data [64]byte
	config, document := sha256.Sum256(c.config), sha256.Sum256(c.document)
	copy(data[:32], config[:])
	copy(data[32:], document[:])
	return data
}

// cover returns what the signatures of documents cover.
func cover(b *testing.B, v vcdm.Verifier, docs [][]byte) (all []covered) {
	b.Helper()
	for _, doc := range docs {
		n := &noted{Canonicalizer: native(b)}
		v.Suites = []vcdm.Suite{vcdm.EdDSARDFC2022(n)}
		if r := v.Verify(context.Background(), doc); !r.Verified {
			b.Fatal(r.Err())
		}
		var d struct{ Proof struct{ ProofValue string } }
		if err := json.Unmarshal(doc, &d); err != nil {
			b.Fatal(err)
		}
		sig, err := base58.Decode(d.Proof.ProofValue[1:])
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, covered{n.texts[0], n.texts[1], sig})
	}
	return all
}

// BenchmarkEdDSARDFC compares eddsa-rdfc-2022 with the bare signature and SHA-256 of the same canonical
// bytes. The bare side has the same signatures in turn: one and the same would let the processor learn its
// digits.
func BenchmarkEdDSARDFC(b *testing.B) {
	key, err := keys.Generate(keys.EdDSA)
	if err != nil {
		b.Fatal(err)
	}
	suite := vcdm.EdDSARDFC2022(native(b))
	signer := &vcdm.Signer{Suite: suite, Key: key}
	o := vcdm.Options{Created: created, Method: key.Public().Method(), Purpose: vcdm.AssertionMethod}
	options := o.AppendJSON(nil, suite.Name())
	d := draw(b, "simple-20", signer, options, nil)
	v := &vcdm.Verifier{Suites: []vcdm.Suite{suite}, Resolver: parsed(key), Purpose: vcdm.AssertionMethod,
		Now: func() time.Time { return now }, AnyForm: true, AnyIssuer: true}
	secret := key.Crypto().(ed25519.PrivateKey)
	public := key.Public().Crypto().(ed25519.PublicKey)
	bare := func(docs [][]byte) func(i int) {
		all := cover(b, *v, docs)
		return func(i int) {
			c := &all[i%rotating]
			if hash := c.hash(); !ed25519.Verify(public, hash[:], c.sig) {
				b.Fatal("refused")
			}
		}
	}
	verify := func(docs [][]byte) func(i int) {
		return func(i int) {
			if r := v.Verify(context.Background(), docs[i%rotating]); !r.Verified {
				b.Fatal(r.Err())
			}
		}
	}
	b.Run("verify", func(b *testing.B) {
		turns(b, []string{"bare", "verify"}, bare(d.signed),
			verify(d.signed))
	})
	b.Run("verify-5-of-20", func(b *testing.B) {
		turns(b, []string{"bare", "verify"}, bare(d.shown),
			verify(d.shown))
	})
	b.Run("issue", func(b *testing.B) {
		all := cover(b, *v, d.signed)
		turns(b, []string{"bare", "issue"}, func(i int) {
			hash := all[i%rotating].hash()
			ed25519.Sign(secret, hash[:])
		}, func(i int) {
			if _, err := signer.Add(context.Background(), d.docs[i%rotating], options); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// BenchmarkECDSASD compares ecdsa-sd-2023 with the bare P-256 operations that it cannot do without.
func BenchmarkECDSASD(b *testing.B) {
	for _, schema := range []string{"simple-20", "ob3"} {
		b.Run(schema, func(b *testing.B) { benchSD(b, schema) })
	}
}

func benchSD(b *testing.B, schema string) {
	key, err := keys.Generate(keys.ES256)
	if err != nil {
		b.Fatal(err)
	}
	engine := native(b)
	o := vcdm.Options{Created: created, Method: key.Public().Method(), Purpose: vcdm.AssertionMethod}
	options := o.AppendJSON(nil, sd)
	holder := &vcdm.Holder{Suite: vcdm.ECDSASD2023(engine, vcdm.SDOptions{})}
	var mandatory []string
	counts := &vcdm.Counts{}
	d := draw(b, schema, nil, options, func(m []string) (*vcdm.Signer, *vcdm.Holder) {
		mandatory = m
		*counts = vcdm.Counts{}
		return &vcdm.Signer{Suite: vcdm.ECDSASD2023(engine, vcdm.SDOptions{Mandatory: m}), Key: key,
			Counts: counts}, holder
	})
	signatures := counts.Signatures
	signer := &vcdm.Signer{Suite: vcdm.ECDSASD2023(engine, vcdm.SDOptions{Mandatory: mandatory}), Key: key}
	checked := &vcdm.Counts{}
	v := &vcdm.Verifier{Suites: []vcdm.Suite{holder.Suite}, Resolver: parsed(key),
		Purpose: vcdm.AssertionMethod, Now: func() time.Time { return now }, AnyForm: true, AnyIssuer: true,
		Counts: checked}
	if r := v.Verify(context.Background(), d.shown[0]); !r.Verified {
		b.Fatal(r.Err())
	}
	checks := checked.Verifications
	digest := sha256.Sum256([]byte("x"))
	priv := key.Crypto().(*ecdsa.PrivateKey)
	sig, err := ecdsa.SignASN1(rand.Reader, priv, digest[:])
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%s: %d signatures to issue, %d to verify", schema, signatures, checks)
	b.Run("issue", func(b *testing.B) {
		turns(b, []string{"bare", "issue"}, func(int) {
			k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				b.Fatal(err)
			}
			for i := range signatures {
				if i == 0 {
					k = priv
				}
				if _, err := ecdsa.SignASN1(rand.Reader, k, digest[:]); err != nil {
					b.Fatal(err)
				}
			}
		}, func(i int) {
			if _, err := signer.Add(context.Background(), d.docs[i%rotating], options); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("derive", func(b *testing.B) {
		turns(b, []string{"derive"}, func(i int) {
			if _, err := holder.Derive(context.Background(), d.signed[i%rotating],
				d.pointers[i%rotating]); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("verify", func(b *testing.B) {
		turns(b, []string{"bare", "verify"}, func(int) {
			for range checks {
				if !ecdsa.VerifyASN1(&priv.PublicKey, digest[:], sig) {
					b.Fatal("refused")
				}
			}
		}, func(i int) {
			if r := v.Verify(context.Background(), d.shown[i%rotating]); !r.Verified {
				b.Fatal(r.Err())
			}
		})
	})
}

// BenchmarkArtifact times the three operations of every suite on the document of 20 attributes that the
// artifacts of another implementation are made of, so that both can be run in turn.
func BenchmarkArtifact(b *testing.B) {
	var a struct {
		MandatoryPointers, SelectivePointers []string
		Unsigned                             json.RawMessage
	}
	readJSON(b, &a, official.Dir(b, "interop"), "simple20.ecdsa-sd-2023.json")
	l := newLab(b)
	ctx := context.Background()
	type signing struct {
		suite string
		key   *keys.Secret
	}
	var all []signing
	for _, s := range everySuite {
		all = append(all, signing{s, l.key(s)})
		if strings.HasPrefix(s, "ecdsa-") && s != sd { // with P-384 too
			key, err := keys.Generate(keys.ES384)
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, signing{s, key})
		}
	}
	for _, c := range all {
		s, key := c.suite, c.key
		o := l.options(s)
		o.Method = key.Public().Method()
		options := o.AppendJSON(nil, s)
		signer := &vcdm.Signer{Suite: l.suite(s, a.MandatoryPointers...), Key: key}
		h := &vcdm.Holder{}
		if derives(s) {
			h.Suite = l.suite(s).(*vcdm.SD)
		}
		v := l.verifier()
		v.Resolver = parsed(key)
		issue := func() []byte {
			out, err := signer.Add(ctx, a.Unsigned, options)
			if err != nil {
				b.Fatal(err)
			}
			return out
		}
		signed := issue()
		present := func() []byte {
			var out []byte
			var err error
			if derives(s) {
				out, err = h.Derive(ctx, signed, a.SelectivePointers)
			} else if out, err = (vcdm.Selector{}).Select(ctx, signed,
				append(slices.Clone(a.MandatoryPointers), a.SelectivePointers...)); err == nil {
				out, err = signer.Add(ctx, out, options)
			}
			if err != nil {
				b.Fatal(err)
			}
			return out
		}
		shown := present()
		b.Run(s+"/"+string(key.Algorithm()), func(b *testing.B) {
			turns(b, []string{"issue", "present", "verify"}, func(int) { issue() }, func(int) { present() },
				func(int) {
					if r := v.Verify(ctx, shown); !r.Verified {
						b.Fatal(r.Err())
					}
				})
		})
	}
}
