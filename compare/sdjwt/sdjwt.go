// Package sdjwt is the format sd-jwt-vc: SD-JWT (RFC 9901) and SD-JWT VC (draft-ietf-oauth-sd-jwt-vc-19). An [Issuer]
// makes tokens, a [Holder] presents a part of one, a [Verifier] checks a presentation and returns its claims. Each has
// two engines that accept and refuse the same tokens: "stock" does JOSE with lestrrat-go/jwx and JSON with encoding/json,
// salts, disclosures and digests being ours; "native" is the standard library's cryptography and one pass over the bytes.
// [NewFormat] makes exchanges for a comparison.
//
//phase:caller
package sdjwt

import (
	"cmp"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/internal/baseline"
	"canonscope/vcdm/keys"
)

func invalid(where, rule, format string, args ...any) error {
	return &compare.InvalidError{Of: "SD-JWT", Where: where, Rule: rule, Msg: fmt.Sprintf(format, args...)}
}

// unless is invalid where an option of [Verifier] decides.
func unless(option, where, rule, format string, args ...any) error {
	return &compare.InvalidError{Of: "SD-JWT", Where: where, Msg: fmt.Sprintf(format, args...), Rule: rule, Option: option}
}

// Disclosable says which claims become disclosures. A claim inside another disclosable claim makes a recursive
// disclosure (RFC 9901 section 4.2.6).
type Disclosable struct {
	Pointers []string // JSON pointers (RFC 6901) of members and array elements
	Leaves   string   // every leaf at or below this pointer: values that are no object and no array, or empty ones; "" means none
}

// Issuer makes SD-JWTs. The zero value of an option means its default; Key is required.
type Issuer struct {
	Engine   compare.Engine    // canon.Stock or canon.Native, the default
	Key      *keys.Secret      // signs
	Typ      string            // typ header; default dc+sd-jwt
	KeyID    string            // kid header; "" leaves it out
	Hash     string            // _sd_alg: sha-256 (default), sha-384, sha-512
	Holder   *keys.Public      // written to cnf.jwk; nil leaves it out
	Decoys   int               // decoy digests in each object that has disclosures (RFC 9901 section 4.2.5)
	Salts    io.Reader         // default crypto/rand
	Limits   canon.Limits      // Bytes and Depth of the claims
	Counters *compare.Counters // counts salts, digests, signatures; nil counts nothing
}

// Issue returns the compact SD-JWT of a claims set, a JSON object. Reserved claim names, a pointer to nothing, which is a
// [canon.PointerError], and, for an SD-JWT VC, a disclosable claim that must not be one (draft section 2.2.2.3) are errors.
func (i *Issuer) Issue(claims []byte, d Disclosable) ([]byte, error) {
	if i == nil || i.Key.Algorithm() == "" {
		return nil, fmt.Errorf("sdjwt: an issuer needs a key")
	}
	if i.Holder != nil && i.Holder.Algorithm() == "" {
		return nil, fmt.Errorf("sdjwt: the holder's key is empty")
	}
	e, err := engineOf(i.Engine)
	if err != nil {
		return nil, err
	}
	if _, err := hashOf(i.hash()); err != nil {
		return nil, err
	}
	return e.issue(i, claims, d)
}

func (i *Issuer) typ() string      { return cmp.Or(i.Typ, typVC) }
func (i *Issuer) hash() string     { return cmp.Or(i.Hash, defaultHash) }
func (i *Issuer) salts() io.Reader { return cmp.Or(i.Salts, rand.Reader) }

// Holder presents SD-JWTs it was issued. It needs no key but for key binding.
type Holder struct {
	Engine   compare.Engine
	Key      *keys.Secret      // signs the KB-JWT
	Limits   canon.Limits      // Bytes and Depth of the token
	Counters *compare.Counters // counts digests and signatures; nil counts nothing
}

// HolderKey returns the key of a token's holder (cnf.jwk), whose KB-JWT a verifier accepts, or nil where the token names none.
// It checks no signature.
func HolderKey(token []byte, limits canon.Limits) (*keys.Public, error) {
	token, err := compacted(token, limits)
	if err != nil {
		return nil, err
	}
	r := newReader(token, limits, nil)
	defer r.free()
	jwt, _, err := r.split()
	if err != nil {
		return nil, err
	}
	parts, err := splitJWS("JWT", jwt)
	if err != nil {
		return nil, err
	}
	var payload jsontape.Tape
	b, err := b64.DecodeString(string(parts[1]))
	if err == nil {
		err = payload.Scan(b, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth, Memory: limits.Memory})
	}
	if err != nil {
		return nil, wrap("payload", "RFC 7519 section 7.2", err)
	}
	cnf := payload.Get(0, "cnf")
	if cnf < 0 {
		return nil, nil
	}
	jwk := payload.Get(cnf, "jwk")
	if jwk < 0 {
		return nil, nil
	}
	key, err := keys.ParsePublicJWK(payload.Raw(jwk))
	return key, wrap("/cnf/jwk", "RFC 7800 section 3.2", err)
}

// Binding asks for a KB-JWT (RFC 9901 section 4.3).
type Binding struct {
	Audience string
	Nonce    string
	Now      time.Time // iat; zero is the present
}

// Present returns the compact SD-JWT with those disclosures that reveal the claims at or below pointers, and those above
// them that they need. A pointer is a JSON pointer into the claims with everything disclosed. b asks for key binding; nil
// does not. The issuer's bytes stay as they are. Present checks that digests refer to what it sends; it does not verify the
// token, which a holder does once, on receipt. A pointer to nothing is a [canon.PointerError].
func (h *Holder) Present(token []byte, pointers []string, b *Binding) ([]byte, error) {
	if h == nil {
		h = new(Holder)
	}
	e, err := engineOf(h.Engine)
	if err != nil {
		return nil, err
	}
	if b != nil && (h.Key.Algorithm() == "" || b.Audience == "" || b.Nonce == "") {
		return nil, fmt.Errorf("sdjwt: key binding needs the holder's key, and the Audience and Nonce of the verifier")
	}
	if token, err = compacted(token, h.Limits); err != nil {
		return nil, err
	}
	return e.present(h, token, pointers, b)
}

// Verifier checks presentations. Key or Roots is required.
type Verifier struct {
	Engine       compare.Engine
	Key          *keys.Public   // the issuer's; it fixes the algorithm
	Roots        *x509.CertPool // without Key: trust anchors of x5c in the protected header
	AnySubject   bool           // accept an iss that names another key (did:key, did:jwk), or with Roots no name of the certificate
	TypeMetadata []byte         // octets of the vct's Type Metadata document, checked against vct#integrity; nil does not
	Plain        bool           // RFC 9901 alone: no rules of SD-JWT VC on typ, vct and what may be disclosed
	LegacyTyp    bool           // also accept typ vc+sd-jwt, which drafts before -19 allowed
	Now          time.Time      // zero is the present
	Leeway       time.Duration
	Audience     string        // this verifier; checked in the KB-JWT, and against aud if the token has one
	AnyAudience  bool          // accept a token with aud without an Audience to compare it with
	Binding      bool          // require a KB-JWT; its presence alone asks for nothing (RFC 9901 section 7.3 step 1)
	Nonce        string        // of the KB-JWT; with Binding it and Audience are required
	MaxAge       time.Duration // of the KB-JWT; default 10 minutes
	UnaskedKB    bool          // accept, without checking it, a KB-JWT that was not required
	Limits       canon.Limits  // Bytes and Depth of the token
	Counters     *compare.Counters
}

// Result is what a verified presentation says.
type Result struct {
	Issuer    string       // iss; "" where there is none
	Holder    *keys.Public // cnf.jwk, if key binding was checked
	Signer    string       // subject of the certificate in x5c whose key signed; "" if the key was configured
	Unchecked []string     // JSON pointers of claims that a reader may rely on and nobody has checked, such as /status, and /cnf without Binding
	claims    []byte
	value     any
	paths     []byte // JSON pointers of what was disclosed, one after the other
	ends      []int
}

// Disclosed returns the JSON pointers of the claims that came as disclosures.
func (r *Result) Disclosed() []string {
	var out []string
	start := 0
	for _, end := range r.ends {
		out = append(out, string(r.paths[start:end]))
		start = end
	}
	return out
}

// Verify checks a presentation, compact or in the JWS JSON serialization: form, signature, disclosures, validity period and,
// as the options ask, key binding and the rules of SD-JWT VC. A refusal is an [compare.InvalidError] or a limit error of canon.
//
//phase:validate fallback
func (v *Verifier) Verify(token []byte) (*Result, error) {
	if v == nil {
		v = new(Verifier)
	}
	e, err := engineOf(v.Engine)
	if err != nil {
		return nil, err
	}
	switch {
	case v.Key != nil && v.Key.Algorithm() == "":
		return nil, fmt.Errorf("sdjwt: the issuer's key is empty")
	case v.Binding && (v.Audience == "" || v.Nonce == ""):
		return nil, fmt.Errorf("sdjwt: key binding needs the verifier's Audience and a Nonce")
	case !v.Binding && v.Nonce != "":
		return nil, fmt.Errorf("sdjwt: a Nonce is of the KB-JWT, which only a verifier with Binding asks for")
	}
	if token, err = compacted(token, v.Limits); err != nil {
		return nil, err
	}
	return e.verify(v, token)
}

// engine is one implementation of the three operations.
type engine interface {
	issue(i *Issuer, claims []byte, d Disclosable) ([]byte, error)
	present(h *Holder, token []byte, pointers []string, b *Binding) ([]byte, error)
	verify(v *Verifier, token []byte) (*Result, error)
}

func engineOf(name compare.Engine) (engine, error) {
	return baseline.EngineOf[engine](name, compare.SDJWT, stock{}, native{})
}

// Claims returns the processed payload as JSON: the issuer's claims with what was disclosed, without digests.
func (r *Result) Claims() ([]byte, error) {
	if r.claims == nil {
		b, err := json.Marshal(r.value)
		if err != nil {
			return nil, err
		}
		r.claims = b
	}
	return r.claims, nil
}

// fromFacts notes what a verified token says. leaf is the certificate of its signer, nil if the key was configured.
func (r *Result) fromFacts(v *Verifier, f *facts, leaf *x509.Certificate, kb []byte) error {
	if f.cnf != nil && v.Binding {
		key, err := keys.ParsePublicJWK(f.cnf)
		if err != nil {
			return invalid("/cnf/jwk", "RFC 7800 section 3.2", "%v", err)
		}
		r.Holder = key
	}
	r.Issuer = f.iss.text
	if leaf != nil {
		r.Signer = keys.SubjectOf(leaf)
	}
	r.Unchecked = v.unchecked(f, kb)
	return nil
}
