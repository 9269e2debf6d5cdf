//phase:caller
package sdjwt

import (
	"cmp"
	"crypto/x509"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"canonscope/compare/internal/baseline"
	"canonscope/vcdm/keys"
)

const (
	ruleVC      = "draft-ietf-oauth-sd-jwt-vc-19 section 2.2.2.3"
	ruleTime    = "RFC 7519 section 4.1"
	ruleBinding = "RFC 9901 section 7.3"
)

// protected lists the claims of an SD-JWT VC that must not be selectively disclosable, as a whole or in part.
var protected = [...]string{"iss", "nbf", "exp", "cnf", "vct", "vct#integrity", "aka_vcts", "status"}

// protectedName returns a name that is protected, or "".
func protectedName[T string | []byte](name T) string {
	for _, p := range protected {
		if string(name) == p {
			return p
		}
	}
	return ""
}

// unread lists the claims that refer to a credential's status, schema or other resources, or that state its
// validity with the terms of VCDM. None of them is checked here.
var unread = []string{"status", "status_list", "credentialStatus", "credentialSchema", "relatedResource",
	"refreshService", "termsOfUse", "evidence", "validFrom", "validUntil", "issuanceDate", "expirationDate"}

// header holds the parts of a JOSE header that the rules need.
type header struct {
	alg, typ string
	hasX5C   bool
	x5c      []string // base64, leaf first; nil unless an array of strings
	crit     bool     // has crit; no extension is supported (RFC 7515 section 4.1.11)
	wrong    string   // a parameter of the wrong type, or ""
}

// parameter records a header parameter whose type differs from RFC 7515 section 4.1. It also records b64,
// which changes the signed bytes and would have to be in crit (RFC 7797 section 6).
func (h *header) parameter(name []byte, text, object, texts bool) {
	ok := true
	switch string(name) {
	case "alg", "typ", "cty", "kid", "jku", "x5u", "x5t", "x5t#S256":
		ok = text
	case "jwk":
		ok = object
	case "x5c":
		ok = texts
	case "b64":
		ok = false
	}
	if !ok && (h.wrong == "" || string(name) < h.wrong) {
		h.wrong = string(name)
	}
}

// scalar is a claim: absent, present with its expected type, or present with another type.
type scalar struct {
	present, typed bool
	text           string
	number         float64
}

// facts holds the parts of a processed payload that the rules need. Each engine fills it from its
// representation.
type facts struct {
	iss, vct, sub, nonce, sdHash scalar // strings
	iat, nbf, exp                scalar // numbers
	aud                          scalar // a string; typed is false for an array
	bound                        bool   // has cnf, of any type
	auds                         []string
	akaPresent                   bool
	aka                          []string // nil unless an array of strings
	cnf                          []byte   // the member jwk of cnf, JSON, or nil
	unread                       []string // present claims of the list unread
	integrity                    scalar   // vct#integrity
	disclosedTop                 string   // first protected claim that is or holds a disclosure, or ""
}

// checkHeader applies RFC 9901 section 7.1 step 2.1: the key decides the algorithm.
func checkHeader(where string, h header, key *keys.Public) error {
	if h.wrong != "" && h.wrong != "alg" {
		return invalid(where, "RFC 7515 section 4.1", "%q has the wrong type or must not be present", h.wrong)
	}
	if want := string(key.Algorithm()); h.alg != want {
		return invalid(where, "RFC 9901 section 7.1 step 2, RFC 8725 section 3.1",
			"alg is %q, the key needs %q", h.alg, want)
	}
	if h.crit {
		return invalid(where, "RFC 7515 section 4.1.11", "crit names extensions; none is supported")
	}
	return nil
}

// issuerKey returns the configured key, or the key of x5c in the protected header with its certificate
// after a check of the chain (draft-ietf-oauth-sd-jwt-vc-19 section 2.5). A token without either is
// refused: the draft permits no other way to a key.
//
//phase:validate fallback
func (v *Verifier) issuerKey(h header) (*keys.Public, *x509.Certificate, error) {
	const where, rule = "header", "draft-ietf-oauth-sd-jwt-vc-19 section 2.5"
	if v.Key != nil {
		return v.Key, nil, nil
	}
	if !h.hasX5C {
		return nil, nil, invalid(where, rule, "has no x5c, and no key of the issuer is known")
	}

	if v.Roots == nil || len(h.x5c) == 0 {
		return nil, nil, invalid(where, rule,
			"x5c must be an array of certificates, and trust anchors must be known")
	}

	ders := make([][]byte, min(len(h.x5c), keys.MaxChain+1)) // a longer chain is refused
	for i, text := range h.x5c[:len(ders)] {
		der, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, nil, invalid(where, "RFC 7515 section 4.1.6", "x5c %d is not base64: %v", i, err)
		}
		ders[i] = der
	}

	chain, key, err := keys.Signer(ders, v.Roots, baseline.Now(v.Now))
	switch {
	case keys.OutOfTime(err):
		return nil, nil, unless("Now", where, rule, "x5c: %v", err)
	case err != nil:
		return nil, nil, invalid(where, rule, "x5c: %v", err)
	}

	if keys.IsAuthority(chain[0]) {
		return nil, nil, invalid(where, "RFC 5280 section 4.2.1.9",
			"x5c: the signer's certificate is that of an authority, which signs certificates")
	}

	return key, chain[0], nil
}

// checkIssuer compares iss with the key that signed, if iss names a key, and with the signer's certificate:
// another holder of a certificate under the same roots is not this issuer (RFC 9901 section 7.1 step 2.3).
//
// Departure: iss is compared with the URIs and DNS names of the certificate, as in
// draft-ietf-oauth-sd-jwt-vc-09 section 3.5. In later drafts the issuer is the certificate's subject, which
// is applied without iss; these drafts do not define what iss means beside a certificate.
//
//phase:validate
func (v *Verifier) checkIssuer(f *facts, key *keys.Public, leaf *x509.Certificate) error {
	const rule = "RFC 9901 section 7.1 step 2.3"
	switch {
	case v.AnySubject:
		return nil
	case key.Contradicts(f.iss.text):
		return unless("AnySubject", "/iss", rule, "%q is not the key that signed, %s", f.iss.text, key.DID())
	case leaf == nil:
		return nil
	case !f.iss.present && keys.SubjectOf(leaf) == "":
		return invalid("header", rule, "neither iss nor the certificate in x5c names the issuer")
	case !f.iss.present || f.iss.text != "" && names(leaf, f.iss.text):
		return nil
	}
	return unless("AnySubject", "/iss", rule,
		"%q is not a name (SAN) in the signer's certificate, which is that of %s", f.iss.text,
		keys.SubjectOf(leaf))
}

// names reports whether an issuer is a URI of a certificate, or an https URL whose host is a DNS name of it.
func names(leaf *x509.Certificate, issuer string) bool {
	if slices.ContainsFunc(leaf.URIs, func(u *url.URL) bool { return u.String() == issuer }) {
		return true
	}
	u, err := url.Parse(issuer)
	return err == nil && u.Scheme == "https" && u.User == nil &&
		slices.ContainsFunc(leaf.DNSNames,
			func(name string) bool { return strings.EqualFold(name, u.Hostname()) })
}

// unchecked lists the references of a verified token that no check has covered.
//
//phase:validate fallback
func (v *Verifier) unchecked(f *facts, kb []byte) (out []string) {
	for _, name := range f.unread {
		out = append(out, "/"+name)
	}
	if f.aud.present && v.Audience == "" {
		out = append(out, "/aud")
	}
	if f.bound && !v.Binding {
		out = append(out, "/cnf")
	}
	// Type metadata that could be fetched, or that was given but is not bound to the token.
	if !v.Plain && (strings.HasPrefix(f.vct.text, "https://") || v.TypeMetadata != nil &&
		!f.integrity.present) {
		out = append(out, "/vct")
	}
	if f.integrity.present && (v.Plain || v.TypeMetadata == nil) {
		out = append(out, "/vct#integrity")
	}
	slices.Sort(out)
	if len(kb) > 0 && !v.Binding {
		out = append(out, "KB-JWT")
	}
	return out
}

// typVC is the typ header of an SD-JWT VC (draft-ietf-oauth-sd-jwt-vc-19 section 2.2.1).
const typVC = "dc+sd-jwt"

// legacyTyp is the typ header of drafts before -19.
const legacyTyp = "vc+sd-jwt"

// checkTyp applies draft-ietf-oauth-sd-jwt-vc-19 section 2.2.1.
//
//phase:validate
func (v *Verifier) checkTyp(h header) error {
	if v.Plain || h.typ == typVC || v.LegacyTyp && h.typ == legacyTyp {
		return nil
	}
	option := "Plain"
	if h.typ == legacyTyp {
		option = "LegacyTyp"
	}
	return unless(option, "header", "draft-ietf-oauth-sd-jwt-vc-19 section 2.2.1", "typ is %q, want %q",
		h.typ, typVC)
}

// checkFacts checks the validity period and audience (RFC 9901 section 7.1 step 6), the issuer's name, and
// the rules of SD-JWT VC.
//
//phase:validate
func (v *Verifier) checkFacts(f *facts, key *keys.Public, leaf *x509.Certificate) error {
	if err := checkPeriod("payload", f, baseline.Now(v.Now), v.Leeway); err != nil {
		return err
	}

	switch {
	case f.iat.present && !f.iat.typed:
		return invalid("/iat", "RFC 7519 section 4.1.6", "is not a number")
	case f.iat.present && seconds(baseline.Now(v.Now))+v.Leeway.Seconds() < f.iat.number:
		return unless("Now", "/iat", "RFC 7519 section 4.1.6", "issued at %s, which is in the future",
			stamp(f.iat.number))
	case f.aud.present && !(v.Audience == "" && v.AnyAudience):
		if err := checkAudience(f, v.Audience); err != nil {
			return err
		}
	}

	if err := v.checkIssuer(f, key, leaf); err != nil {
		return err
	}
	if v.Plain {
		return nil
	}

	switch {
	case f.disclosedTop != "":
		return invalid("/"+f.disclosedTop, ruleVC, "must not be selectively disclosable, nor anything in it")
	case !f.vct.present || !f.vct.typed || f.vct.text == "":
		return unless("Plain", "/vct", "draft-ietf-oauth-sd-jwt-vc-19 section 2.2.2.1",
			"must be a string that names the type")
	case f.iss.present && !f.iss.typed:
		return invalid("/iss", "RFC 7519 section 4.1.1", "is not a string")
	case f.sub.present && !f.sub.typed:
		return invalid("/sub", "RFC 7519 section 4.1.2", "is not a string")
	case f.akaPresent && len(f.aka) == 0:
		return invalid("/aka_vcts", "draft-ietf-oauth-sd-jwt-vc-19 section 2.2.2.2",
			"must be an array of at least one string")
	}

	if f.integrity.present && v.TypeMetadata != nil {
		if err := checkIntegrity(v.TypeMetadata, f.integrity); err != nil {
			return err
		}
	}

	if slices.Contains(f.aka, f.vct.text) {
		return invalid("/aka_vcts", "draft-ietf-oauth-sd-jwt-vc-19 section 2.2.2.2",
			"must not hold the value of vct")
	}

	return nil
}

// checkAudience requires that aud, if present, names this verifier. A verifier without a name is in no
// audience.
func checkAudience(f *facts, audience string) error {
	const where, rule = "/aud", "RFC 7519 section 4.1.3"
	if audience == "" {
		return unless("AnyAudience", where, rule,
			"is present, but the verifier has no audience to compare it with")
	}
	if f.aud.typed && f.aud.text == audience || slices.Contains(f.auds, audience) {
		return nil
	}
	return invalid(where, rule, "does not name %q", audience)
}

func seconds(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

// checkPeriod requires nbf <= now < exp, each if present. leeway extends both ends (RFC 7519 sections 4.1.4
// and 4.1.5).
func checkPeriod(where string, f *facts, now time.Time, leeway time.Duration) error {
	t, slack := seconds(now), leeway.Seconds()
	switch {
	case f.exp.present && !f.exp.typed:
		return invalid(where, ruleTime, "exp is not a number")
	case f.nbf.present && !f.nbf.typed:
		return invalid(where, ruleTime, "nbf is not a number")
	case f.exp.present && t-slack >= f.exp.number:
		return unless("Now", where, ruleTime, "expired at %s", stamp(f.exp.number))
	case f.nbf.present && t+slack < f.nbf.number:
		return unless("Now", where, ruleTime, "not valid before %s", stamp(f.nbf.number))
	}
	return nil
}

func stamp(seconds float64) string {
	if seconds < -1e11 || seconds > 1e11 {
		return strconv.FormatFloat(seconds, 'g', -1, 64) + " s"
	}
	return time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339)
}

// checkBinding applies RFC 9901 section 7.3 step 5 to a KB-JWT with a valid signature.
//
//phase:validate
func (v *Verifier) checkBinding(h header, f *facts, sdHash string) error {
	const where = "KB-JWT"
	maxAge := cmp.Or(v.MaxAge, 10*time.Minute)
	switch age := seconds(baseline.Now(v.Now)) - f.iat.number; {
	case h.typ != "kb+jwt":
		return invalid(where, ruleBinding+" step 5.4", "typ is %q, want %q", h.typ, "kb+jwt")
	case !f.iat.present || !f.iat.typed:
		return invalid(where, ruleBinding+" step 5.5", "iat must be a number")
	case age > (maxAge + v.Leeway).Seconds():
		return unless("Now", where, ruleBinding+" step 5.5", "iat is %.0f s old, at most %s allowed", age,
			maxAge)
	case age < -v.Leeway.Seconds():
		return unless("Now", where, ruleBinding+" step 5.5", "iat is %.0f s in the future", -age)
	case !f.aud.present || !f.aud.typed || f.aud.text != v.Audience:
		return invalid(where, ruleBinding+" step 5.6", "aud must be the string %q", v.Audience)
	case !f.nonce.present || !f.nonce.typed || f.nonce.text != v.Nonce:
		return invalid(where, ruleBinding+" step 5.6", "nonce must be the string %q", v.Nonce)
	case !f.sdHash.present || !f.sdHash.typed || f.sdHash.text != sdHash:
		return invalid(where, ruleBinding+" step 5.7", "sd_hash does not cover this SD-JWT")
	}
	return checkPeriod(where, f, baseline.Now(v.Now), v.Leeway)
}

// bindingPolicy refuses a token with a missing or unexpected KB-JWT, before anything else is checked.
//
//phase:validate fallback
func (v *Verifier) bindingPolicy(kb []byte) error {
	switch {
	case v.Binding && len(kb) == 0:
		return invalid("KB-JWT", ruleBinding+" step 2", "is missing; this verifier requires key binding")
	case !v.Binding && len(kb) > 0 && !v.UnaskedKB:
		return unless("UnaskedKB", "KB-JWT", ruleForm, "is present where an SD-JWT without one is expected")
	}
	return nil
}

// checkIntegrity checks a document against integrity metadata (Subresource Integrity section 3,
// draft-ietf-oauth-sd-jwt-vc-19 section 6). The strongest of its hashes decides.
func checkIntegrity(document []byte, metadata scalar) error {
	const where, rule = "/vct#integrity", "draft-ietf-oauth-sd-jwt-vc-19 section 6"
	if !metadata.typed {
		return invalid(where, rule, "is not a string")
	}
	var s baseline.Sum
	for _, h := range []struct{ prefix, name string }{{"sha512-", "sha-512"}, {"sha384-", "sha-384"},
		{"sha256-", "sha-256"}} {
		n, known, match := hashes.Into(&s, h.name, document), false, false
		for value := range strings.FieldsSeq(metadata.text) {
			digest, ok := strings.CutPrefix(value, h.prefix)
			digest, _, _ = strings.Cut(digest, "?")
			known = known || ok
			match = match || ok && digest == base64.StdEncoding.EncodeToString(s[:n])
		}
		if match {
			return nil
		}
		if known {
			return invalid(where, rule, "does not match the type metadata")
		}
	}
	return invalid(where, rule, "has no known hash")
}
