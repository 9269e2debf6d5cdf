// Package sdjwt implements the format sd-jwt-vc: SD-JWT (RFC 9901) and SD-JWT VC
// (draft-ietf-oauth-sd-jwt-vc-19). An [Issuer] makes tokens, a [Holder] presents a part of one, a
// [Verifier] checks a presentation and returns its claims. Each has two engines that accept and refuse the
// same tokens: "stock" uses lestrrat-go/jwx for JOSE and encoding/json for JSON, with salts, disclosures
// and digests in this package; "native" uses the cryptography of the standard library and reads the bytes
// in one pass. [NewFormat] makes exchanges for a comparison.
//
//phase:caller
package sdjwt

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
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

// unless returns an *InvalidError that names the option of [Verifier] to accept the token.
func unless(option, where, rule, format string, args ...any) error {
	return &compare.InvalidError{Of: "SD-JWT", Where: where, Msg: fmt.Sprintf(format, args...), Rule: rule,
		Option: option}
}

// Disclosable selects the claims that become disclosures. A claim inside another disclosable claim makes a
// recursive disclosure (RFC 9901 section 4.2.6).
type Disclosable struct {
	Pointers []string // JSON pointers (RFC 6901) of members and array elements
	// Leaves is a pointer: every leaf at or below it is disclosable. A leaf is a value that is not an
	// object or an array, or is an empty one. "" means none.
	Leaves string
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

// Issue returns the compact SD-JWT of a claims set, a JSON object. Errors are reserved claim names, a
// pointer that names nothing ([canon.PointerError]) and, for an SD-JWT VC, claims that must not be
// disclosable (draft section 2.2.2.3).
func (i *Issuer) Issue(claims []byte, d Disclosable) ([]byte, error) {
	if i == nil || !i.Key.Algorithm().SignsText() {
		return nil, fmt.Errorf("sdjwt: an issuer needs a key, for EdDSA, ES256 or ES384")
	}
	if i.Holder != nil && !i.Holder.Algorithm().SignsText() {
		return nil, fmt.Errorf("sdjwt: the holder's key is empty or for BBS")
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

// Holder presents SD-JWTs that were issued to it. It needs a key only for key binding.
type Holder struct {
	Engine   compare.Engine
	Key      *keys.Secret      // signs the KB-JWT
	Limits   canon.Limits      // Bytes and Depth of the token
	Counters *compare.Counters // counts digests and signatures; nil counts nothing
}

// HolderKey returns the key of a token's holder (cnf.jwk), or nil if the token has none. A verifier accepts
// only a KB-JWT of this key. HolderKey does not check signatures.
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
		err = payload.Scan(b, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth,
			Memory: limits.Memory})
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

// ErrNoKey says that a token holds no key of its issuer.
var ErrNoKey = errors.New("sdjwt: the token holds no key of its issuer")

// Check verifies the signature of a token that was issued to the holder, which Present does not, with the
// issuer's key. Where that is nil, the key is that of the token, for which nothing vouches here: of its
// certificate (x5c), or that its issuer (iss) is the name of as a did:key. A token with neither is
// [ErrNoKey], and one with another signature a [compare.InvalidError].
func (h *Holder) Check(token []byte, key *keys.Public) error {
	if h == nil {
		h = new(Holder)
	}
	token, err := compacted(token, h.Limits)
	if err != nil {
		return err
	}
	jwt, _, _ := bytes.Cut(token, []byte{'~'})
	parts, err := splitJWS("header", jwt)
	if err != nil {
		return err
	}
	head, err := nativeHeaderOf("header", parts[0], h.Limits)
	if err != nil {
		return err
	}
	if key == nil {
		if key, err = keyIn(&head, parts[1], h.Limits); err != nil {
			return err
		}
	}
	return nativeCheck("header", jwt, parts, head, key)
}

// keyIn returns the issuer's key that a token holds.
func keyIn(h *header, payload []byte, limits canon.Limits) (*keys.Public, error) {
	if len(h.x5c) > 0 {
		const rule = "RFC 7515 section 4.1.6"
		der, err := base64.StdEncoding.DecodeString(h.x5c[0])
		if err != nil {
			return nil, wrap("header", rule, err)
		}
		leaf, err := keys.ParseCertificate(der)
		if err != nil {
			return nil, wrap("header", rule, err)
		}
		key, err := keys.PublicOf(leaf.PublicKey)
		return key, wrap("header", rule, err)
	}
	f, err := nativeFacts(payload, limits)
	if err != nil {
		return nil, err
	}
	if multikey, ok := strings.CutPrefix(f.iss.text, "did:key:"); ok {
		key, err := keys.ParsePublic(multikey)
		return key, wrap("/iss", "did:key", err)
	}
	return nil, ErrNoKey
}

// Binding describes the KB-JWT of a presentation (RFC 9901 section 4.3).
type Binding struct {
	Audience string
	Nonce    string
	Now      time.Time // iat; zero means the current time
}

// Present returns the compact SD-JWT with the disclosures of the claims at or below pointers, and the
// disclosures above them that they need. A pointer is a JSON pointer into the claims with everything
// disclosed; one that names nothing is a [canon.PointerError]. If b is not nil, the result has a KB-JWT.
// The issuer's bytes are unchanged. Present checks that digests refer to the disclosures it sends. It does
// not verify the token: a holder does that once, on receipt.
func (h *Holder) Present(token []byte, pointers []string, b *Binding) ([]byte, error) {
	if h == nil {
		h = new(Holder)
	}
	e, err := engineOf(h.Engine)
	if err != nil {
		return nil, err
	}
	if b != nil && (!h.Key.Algorithm().SignsText() || b.Audience == "" || b.Nonce == "") {
		return nil, fmt.Errorf(
			"sdjwt: key binding needs the holder's key, and the Audience and Nonce of the verifier")
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
	AnySubject   bool           // accept an iss that differs from the key or the certificate
	TypeMetadata []byte         // octets of the vct's Type Metadata document, to check with vct#integrity
	Plain        bool           // RFC 9901 only, without the rules of SD-JWT VC
	LegacyTyp    bool           // also accept typ vc+sd-jwt, which drafts before -19 allowed
	Now          time.Time      // zero means the current time
	Leeway       time.Duration
	Audience     string        // name of this verifier, compared with aud of the KB-JWT and of the token
	AnyAudience  bool          // without Audience, accept a token with aud
	Binding      bool          // require a KB-JWT (RFC 9901 section 7.3 step 1)
	Nonce        string        // of the KB-JWT; Binding requires Nonce and Audience
	MaxAge       time.Duration // of the KB-JWT; default 10 minutes
	UnaskedKB    bool          // without Binding, accept a KB-JWT unchecked
	Limits       canon.Limits  // Bytes and Depth of the token
	Counters     *compare.Counters
}

// Result holds the contents of a verified presentation.
type Result struct {
	Issuer    string       // iss, or ""
	Holder    *keys.Public // cnf.jwk, if key binding was checked
	Signer    string       // subject of the signer's certificate; "" with a configured key
	Unchecked []string     // JSON pointers of unchecked claims, such as /status, and /cnf without Binding
	claims    []byte
	value     any
	paths     []byte // JSON pointers of the disclosed claims, each with its endOfPath
}

// endOfPath is a byte that no JSON pointer has, as it is not UTF-8.
const endOfPath = "\xff"

// Disclosed returns the JSON pointers of the claims that came as disclosures.
func (r *Result) Disclosed() []string { return splitPaths(r.paths) }

// splitPaths returns the JSON pointers of a list in which each has its endOfPath.
func splitPaths(paths []byte) []string {
	if len(paths) == 0 {
		return nil
	}
	return strings.Split(string(paths[:len(paths)-len(endOfPath)]), endOfPath)
}

// Verify checks a presentation, compact or in the JWS JSON serialization: structure, signature,
// disclosures, validity period and, depending on the options, key binding and the rules of SD-JWT VC. A
// refusal is an [compare.InvalidError] or a limit error of canon.
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
	case v.Key != nil && !v.Key.Algorithm().SignsText():
		return nil, fmt.Errorf("sdjwt: the issuer's key is empty or for BBS")
	case v.Binding && (v.Audience == "" || v.Nonce == ""):
		return nil, fmt.Errorf("sdjwt: key binding needs the verifier's Audience and a Nonce")
	case !v.Binding && v.Nonce != "":
		return nil, fmt.Errorf("sdjwt: a Nonce is part of a KB-JWT and needs Binding")
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

// Claims returns the processed payload as JSON: the issuer's claims with the disclosed ones, without digests.
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

// fromFacts sets the result of a verified token. leaf is the certificate of the signer, or nil if the key
// was configured.
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
