// Package vectors runs the W3C test vectors of the Data Integrity cryptosuites (the TestVectors folders of
// VC-DI-EdDSA and VC-DI-ECDSA) through any engine. Call [Run].
package vectors

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/canon/userfile"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"

	"github.com/mr-tron/base58"
)

// Engines are the canonicalizers under test.
type Engines struct {
	RDFC canon.Canonicalizer
	JCS  canon.Canonicalizer
}

// set is one folder of a suite that signs whole documents.
type set struct {
	folder, suffix string // files are named canonDoc<suffix>.txt and so on
	suite          string
	document, key  string
}

var sets = []set{
	{"vc-di-eddsa/eddsa-rdfc-2022", "DataInt", "eddsa-rdfc-2022", "vc-di-eddsa/unsigned.json",
		"vc-di-eddsa/keyPair.json"},
	{"vc-di-eddsa/eddsa-rdfc-2022/employ", "DataInt", "eddsa-rdfc-2022", "vc-di-eddsa/employmentAuth.json",
		"vc-di-eddsa/keyPair.json"},
	{"vc-di-eddsa/eddsa-jcs-2022", "JCS", "eddsa-jcs-2022", "vc-di-eddsa/unsigned.json",
		"vc-di-eddsa/keyPair.json"},
	{"vc-di-ecdsa/ecdsa-rdfc-2019-p256", "ECDSAP256", "ecdsa-rdfc-2019", "vc-di-ecdsa/unsigned.json",
		"vc-di-ecdsa/p256KeyPair.json"},
	{"vc-di-ecdsa/ecdsa-rdfc-2019-p256/employ", "ECDSAP256", "ecdsa-rdfc-2019",
		"vc-di-ecdsa/employmentAuth.json", "vc-di-ecdsa/p256KeyPair.json"},
	{"vc-di-ecdsa/ecdsa-rdfc-2019-p384", "ECDSAP384", "ecdsa-rdfc-2019", "vc-di-ecdsa/unsigned.json",
		"vc-di-ecdsa/p384KeyPair.json"},
	{"vc-di-ecdsa/ecdsa-rdfc-2019-p384/employ", "ECDSAP384", "ecdsa-rdfc-2019",
		"vc-di-ecdsa/employmentAuth.json", "vc-di-ecdsa/p384KeyPair.json"},
	{"vc-di-ecdsa/ecdsa-jcs-2019-p256", "JCSECDSAP256", "ecdsa-jcs-2019", "vc-di-ecdsa/unsigned.json",
		"vc-di-ecdsa/p256KeyPair.json"},
	{"vc-di-ecdsa/ecdsa-jcs-2019-p384", "JCSECDSAP384", "ecdsa-jcs-2019", "vc-di-ecdsa/unsigned.json",
		"vc-di-ecdsa/p384KeyPair.json"},
}

// Suite returns the named suite over an engine, or nil.
func (e Engines) Suite(name string) vcdm.Suite {
	s, err := vcdm.SuiteNamed(name)
	if err != nil {
		return nil
	}
	c := e.RDFC
	if s.Method == canon.JCS {
		c = e.JCS
	}
	return s.New(c, vcdm.SDOptions{})
}

// reader collects results.
type reader struct {
	dir     string
	engines Engines
	results []conform.Result
}

// All runs whatever dir holds: the vectors, or artifacts of another implementation.
func All(ctx context.Context, dir string, e Engines) ([]conform.Result, error) {
	if _, err := os.Stat(filepath.Join(dir, "vc-di-eddsa")); err == nil {
		return Run(ctx, dir, e)
	}
	return Interop(ctx, dir, e)
}

// Run runs every vector set below dir, the folder that holds vc-di-eddsa and vc-di-ecdsa, and vc-di-bbs if
// there. ECDSA signs as
// RFC 6979 does. The vectors' issuers do not control the keys that sign, so that is not checked.
func Run(ctx context.Context, dir string, e Engines) ([]conform.Result, error) {
	if _, err := os.Stat(filepath.Join(dir, "vc-di-eddsa")); err != nil {
		return nil, fmt.Errorf("%s holds no Data Integrity vectors: %w", dir, err)
	}
	r := &reader{dir: dir, engines: e}
	for _, s := range sets {
		r.run(ctx, s)
	}
	r.chains(ctx)
	r.selective(ctx)
	r.bbsVectors(ctx)
	r.check("vc-di-eddsa/Ed25519Signature2020", &canon.UnsupportedError{Engine: "canonscope",
		What: "Ed25519Signature2020, kept for old proofs alone"})
	return r.results, nil
}

// check adds a result: a nil error passes, an unsupported construct is skipped.
func (r *reader) check(id string, err error) {
	r.results = append(r.results, conform.Result{Test: id, Name: id}.Answer("accept", err))
}

// equal adds a result that compares two texts.
func (r *reader) equal(id, got, want string) {
	var err error
	if got != want {
		err = fmt.Errorf("got %s, want %s", clip(got, want), clip(want, got))
	}
	r.check(id, err)
}

// clip shortens a text to where it differs from another.
func clip(s, other string) string {
	i := 0
	for i < len(s) && i < len(other) && s[i] == other[i] {
		i++
	}
	from, to := max(0, i-20), min(len(s), i+60)
	return fmt.Sprintf("...%q (at %d)", s[from:to], i)
}

func (r *reader) read(path ...string) ([]byte, error) {
	return userfile.ReadAll(filepath.Join(append([]string{r.dir}, path...)...))
}

// text reads a file whose trailing newline does not count.
func (r *reader) text(path ...string) string {
	b, err := r.read(path...)
	if err != nil {
		return err.Error()
	}
	return strings.TrimRight(string(b), "\n")
}

// pair is a key pair file; the EdDSA vectors call the secret half private.
type pair struct {
	PublicKeyMultibase, SecretKeyMultibase, PrivateKeyMultibase string
}

func (p pair) secret() (*keys.Secret, error) {
	s, err := keys.ParseSecret(p.SecretKeyMultibase + p.PrivateKeyMultibase)
	if err != nil {
		return nil, err
	}
	if s.Public().Multikey() != p.PublicKeyMultibase {
		return nil, fmt.Errorf("the public key of %s is not %s", p.PublicKeyMultibase, s.Public().Multikey())
	}
	return s.Deterministic(), nil
}

// files reads files one after the other, until one cannot be read.
type files struct {
	*reader
	err error
}

func (r *reader) files() *files { return &files{reader: r} }

func (f *files) read(path ...string) (b []byte) {
	if f.err == nil {
		b, f.err = f.reader.read(path...)
	}
	return b
}

func (f *files) json(v any, path ...string) {
	if f.err == nil {
		f.err = f.reader.json(v, path...)
	}
}

func (f *files) key(path string) *keys.Secret {
	var p pair
	f.json(&p, path)
	return f.secret(p)
}

func (f *files) secret(p pair) (s *keys.Secret) {
	if f.err == nil {
		s, f.err = p.secret()
	}
	return s
}

func (r *reader) json(v any, path ...string) error {
	b, err := r.read(path...)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// tap keeps the canonical texts that a suite hashed: those of the proof options, then of the document.
type tap struct {
	canon.Canonicalizer
	texts []string
}

func (t *tap) Canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	f, err := t.Canonicalizer.Canonicalize(ctx, doc, opt)
	if err == nil {
		t.texts = append(t.texts, string(f.Text))
	}
	return f, err
}

// run signs the set's document and compares every step with its file.
func (r *reader) run(ctx context.Context, s set) {
	f := r.files()
	key, doc, options := f.key(s.key), f.read(s.document), f.read(s.folder, "proofConfig"+s.suffix+".json")
	published := f.read(s.folder, "signed"+s.suffix+".json")
	if f.err != nil {
		r.check(s.folder+" input", f.err)
		return
	}

	t, suite := r.tapped(s.suite)
	if vcdm.MethodOf(s.suite) == canon.RDFC {
		// The files show the configuration, with the document's context already in it.
		options = without(options, "@context")
	}

	signed, err := (&vcdm.Signer{Suite: suite, Key: key}).Add(ctx, doc, options)
	if err != nil {
		r.check(s.folder+" sign", err)
		return
	}

	config, document, value := t.texts[0], t.texts[1], proofValue(signed)
	hash := func(text string) string { return hexHash(text, key.Algorithm() == keys.ES384) }
	sig, _ := base58.Decode(strings.TrimPrefix(value, "z"))
	for _, step := range []struct{ name, file, got string }{
		{"canonDoc", "canonDoc", strings.TrimRight(document, "\n")},
		{"docHash", "docHash", hash(document)},
		{"proofCanon", "proofCanon", strings.TrimRight(config, "\n")},
		{"proofHash", "proofHash", hash(config)},
		{"combinedHash", "combinedHash", hash(config) + hash(document)},
		{"signature", "sigHex", hex.EncodeToString(sig)},
		{"proofValue", "sigBTC58", value},
	} {
		r.equal(s.folder+" "+step.name, step.got, r.text(s.folder, step.file+s.suffix+".txt"))
	}

	r.check(s.folder+" signed document", sameJSON(signed, published))
	r.check(s.folder+" verify", verifier(suite).Verify(ctx, published).Err())
}

// tapped returns a suite over a canonicalizer that keeps its texts.
func (r *reader) tapped(name string) (*tap, vcdm.Suite) {
	t := &tap{Canonicalizer: r.engines.RDFC}
	if vcdm.MethodOf(name) == canon.JCS {
		t.Canonicalizer = r.engines.JCS
	}
	return t, Engines{t, t}.Suite(name)
}

// hexHash returns the SHA-256 or SHA-384 hash of a text in hexadecimal.
func hexHash(text string, sha384 bool) string {
	if sha384 {
		return fmt.Sprintf("%x", sha512.Sum384([]byte(text)))
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// verifier is one whose clock is after every vector was made. The vectors are about proofs: their
// issuers have other names than their keys, and some documents are not credentials of today.
func verifier(suites ...vcdm.Suite) *vcdm.Verifier {
	return &vcdm.Verifier{Suites: suites, Purpose: vcdm.AssertionMethod, AnyIssuer: true, AnyForm: true,
		AnyPeriod: true, Now: func() time.Time {
			return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		}}
}

// chains runs the proof sets and chains of VC-DI-EdDSA B.5.
func (r *reader) chains(ctx context.Context) {
	const folder = "vc-di-eddsa/proof-set-chain"
	var pairs map[string]pair
	if err := r.json(&pairs, folder, "multiKeyPairs.json"); err != nil {
		r.check(folder+" keys", err)
		return
	}

	suite := r.engines.Suite("eddsa-rdfc-2022")
	for _, step := range []struct{ name, from, key, options, want string }{
		{"set of one", "unsigned.json", "keyPair1", "proofSetConfig1.json", "signedProofSet1.json"},
		{"set of two", "signedProofSet1.json", "keyPair2", "proofSetConfig2.json", "signedProofSet2.json"},
		{"chain with a list", "signedProofSet2.json", "keyPair3", "proofChainConfig1.json",
			"signedProofChain1.json"},
		{"chain with a string", "signedProofChain1.json", "keyPair4", "proofChainConfig2.json",
			"signedProofChain2.json"},
	} {
		id := folder + " " + step.name
		f := r.files()
		key, doc, options := f.secret(pairs[step.key]), f.read(folder, step.from), f.read(folder,
			step.options)
		published := f.read(folder, step.want)
		if f.err != nil {
			r.check(id, f.err)
			continue
		}
		signed, err := (&vcdm.Signer{Suite: suite, Key: key}).Add(ctx, doc, without(options, "@context"))
		if err == nil {
			err = sameProofs(signed, published)
		}
		r.check(id, err)
		r.check(id+", verify", verifier(suite).VerifyAll(ctx, published).Err())
	}
}

func proofValue(signed []byte) string {
	var d struct{ Proof struct{ ProofValue string } }
	if err := json.Unmarshal(signed, &d); err != nil {
		return err.Error()
	}
	return d.Proof.ProofValue
}

// without returns an object without one member.
func without(b []byte, key string) []byte {
	return edited(b, func(m map[string]json.RawMessage) { delete(m, key) })
}

// edited returns an object after a change of its members.
func edited(b []byte, change func(m map[string]json.RawMessage)) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(b, &m) != nil {
		return b
	}
	change(m)
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // it was JSON before
	}
	return b
}

// sameJSON compares two documents by value.
func sameJSON(a, b []byte) error {
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		return err
	}
	if err := json.Unmarshal(b, &y); err != nil {
		return err
	}
	if reflect.DeepEqual(x, y) {
		return nil
	}
	i, _ := json.Marshal(x)
	j, _ := json.Marshal(y)
	return fmt.Errorf("got %s, want %s", clip(string(i), string(j)), clip(string(j), string(i)))
}

// sameProofs compares two documents by value, where a proof and a list of that proof count as the same.
func sameProofs(a, b []byte) error {
	return sameJSON(listProof(a), listProof(b))
}

func listProof(b []byte) []byte {
	return edited(b, func(m map[string]json.RawMessage) {
		if p := m["proof"]; len(p) > 0 && !bytes.HasPrefix(p, []byte("[")) {
			m["proof"] = slices.Concat([]byte{'['}, p, []byte{']'})
		}
	})
}
