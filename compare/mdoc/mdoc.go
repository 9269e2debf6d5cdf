// Package mdoc implements the format mdoc of ISO/IEC 18013-5: an [Issuer] makes IssuerSigned data, a
// [Holder] presents some of its elements, a [Verifier] checks a presentation and returns its elements. Each
// has two engines that accept and refuse the same bytes: "stock" encodes and decodes with fxamacker/cbor,
// "native" writes the fixed shapes directly and reads in one pass. Both read only CBOR that a strict scan
// has accepted. [NewFormat] makes exchanges for a comparison.
//
//phase:caller
package mdoc

import (
	"cmp"
	"crypto/rand"
	"crypto/x509"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/baseline"
	"canonscope/vcdm/keys"
)

func invalid(where, rule, format string, args ...any) error {
	return &compare.InvalidError{Of: "mdoc", Where: where, Rule: rule, Msg: fmt.Sprintf(format, args...)}
}

// unless returns an *InvalidError that names the option of [Verifier] to accept the mdoc.
func unless(option, where, rule, format string, args ...any) error {
	return &compare.InvalidError{Of: "mdoc", Where: where, Msg: fmt.Sprintf(format, args...), Rule: rule,
		Option: option}
}

// Issuer makes mdocs. Key, Chain and Device are required; the zero value of another option means its default.
type Issuer struct {
	Engine   compare.Engine    // canon.Stock or canon.Native, the default
	Key      *keys.Secret      // of the document signer
	Chain    [][]byte          // x5chain: DER certificates, the signer's first
	Device   *keys.Public      // deviceKey
	Digest   string            // SHA-256 (default), SHA-384, SHA-512
	Elements []string          // JSON pointers of values that are one element each, however deep
	Salts    io.Reader         // 16 bytes for each element; default crypto/rand
	Limits   canon.Limits      // Bytes and Depth of the claims
	Counters *compare.Counters // counts salts, digests, signatures; nil counts nothing
}

// below is what the pointers of elements begin with, and their identifiers leave out.
const below = "/credentialSubject/"

// Issue returns the IssuerSigned bytes of a claims set {"iss", "nbf", "exp", "vct", "credentialSubject"}, a
// JSON object. Other claims are refused. iss may be missing and is ignored, since the certificate names the
// issuer. vct becomes both docType and namespace, nbf and exp become the validity period, and each leaf
// below credentialSubject becomes one element. A leaf is a value that is not an object or an array, or is
// an empty one. The identifier of the element is the leaf's JSON pointer below credentialSubject without
// the first slash, such as "name" or "result/0/value", and "0/name" of a list of subjects. Strings become
// tstr, numbers without fraction and exponent int, other numbers float. Integers beyond 64 bits are a
// [canon.UnsupportedError].
//
// Each value that a pointer of Elements names, such as /credentialSubject/result, is one element instead; its
// objects become maps with keys of tstr, its arrays arrays. A pointer that is not below credentialSubject is
// refused, and one to nothing is a [canon.PointerError].
func (i *Issuer) Issue(claims []byte) ([]byte, error) {
	if i == nil || !i.Key.Algorithm().SignsText() || !i.Device.Algorithm().SignsText() || len(i.Chain) == 0 {
		return nil, fmt.Errorf("mdoc: an issuer needs a key, its certificate chain and the device's key")
	}
	e, err := engineOf(i.Engine)
	if err != nil {
		return nil, err
	}
	if _, err := hashOf(i.digest()); err != nil {
		return nil, err
	}
	for _, p := range i.Elements {
		if !strings.HasPrefix(p, below) {
			return nil, invalid(p, ruleShape, "is not below /credentialSubject, and cannot be an element")
		}
	}
	return e.issue(i, claims)
}

func (i *Issuer) digest() string   { return cmp.Or(i.Digest, "SHA-256") }
func (i *Issuer) salts() io.Reader { return cmp.Or(i.Salts, rand.Reader) }

var hashes = baseline.Hashes{"SHA-256", "SHA-384", "SHA-512"}

// hashOf returns a digestAlgorithm (ISO/IEC 18013-5 section 9.1.2.5).
func hashOf(name string) (func() hash.Hash, error) {
	if h := hashes.New(name); h != nil {
		return h, nil
	}
	return nil, invalid("MSO", "ISO/IEC 18013-5 section 9.1.2.5",
		"digestAlgorithm %q: use SHA-256, SHA-384 or SHA-512", name)
}

// Holder presents mdocs that were issued to it. It needs a key only for device authentication.
type Holder struct {
	Engine   compare.Engine
	Key      *keys.Secret // the device's
	Limits   canon.Limits
	Counters *compare.Counters
}

// DeviceKey returns the device key in the MSO of IssuerSigned bytes. It does not check the issuer's
// signature.
func DeviceKey(issued []byte, limits canon.Limits) (*keys.Public, error) {
	r := newNativeReader(limits)
	defer r.free()
	if err := r.scan(issued); err != nil {
		return nil, err
	}
	s, err := view(issued).issuerSigned()
	if err != nil {
		return nil, err
	}
	h, err := r.sign1(issued, s.issuerAuth)
	if err != nil {
		return nil, err
	}
	m, _, err := r.mso(h.payload)
	if err != nil {
		return nil, err
	}
	key, err := keys.ParsePublicCOSE(m.deviceKey)
	if err != nil {
		return nil, invalid("deviceKey", ruleDevice, "%v", err)
	}
	return key, nil
}

// Check verifies what an issuer has sent, which Present does not: the signature by the first certificate of
// x5chain, for which nothing vouches here, and the digests of all elements. The validity period does not
// matter. A refusal is an [compare.InvalidError] or a limit error of canon.
func (h *Holder) Check(issued []byte) error {
	if h == nil {
		h = new(Holder)
	}
	r := newNativeReader(h.Limits)
	defer r.free()
	if err := r.scan(issued); err != nil {
		return err
	}
	s, err := view(issued).issuerSigned()
	if err != nil {
		return err
	}
	auth, err := r.sign1(issued, s.issuerAuth)
	if err != nil {
		return err
	}
	m, _, err := r.mso(auth.payload)
	if err != nil {
		return err
	}

	v := &Verifier{Lenient: true, Limits: h.Limits}
	if v.Now, err = v.date("validFrom", m.from); err != nil {
		return err
	}
	if len(auth.x5chain) == 0 {
		return invalid("x5chain", ruleIssue, "is missing")
	}
	leaf, err := keys.ParseCertificate(auth.x5chain[0])
	if err != nil {
		return invalid("x5chain", ruleIssue, "%v", err)
	}
	if v.Key, err = keys.PublicOf(leaf.PublicKey); err != nil {
		return invalid("x5chain", ruleIssue, "%v", err)
	}
	return nativeDocument(v, new(Document), issued, "")
}

// Present returns issued data with only the elements that pointers name: /NAMESPACE/IDENTIFIER as in
// [Element.Pointer], or /credentialSubject/IDENTIFIER if only one namespace has the element. A pointer also
// names the elements whose identifier continues with a slash; /NAMESPACE names all elements of a namespace,
// /credentialSubject all elements. A pointer that names nothing is a [canon.PointerError]. Items and
// issuerAuth keep their bytes. Without a transcript the result is IssuerSigned; with one it is a
// DeviceResponse with a device signature over that SessionTranscript (CBOR).
func (h *Holder) Present(issued []byte, pointers []string, transcript []byte) ([]byte, error) {
	if h == nil {
		h = new(Holder)
	}
	e, err := engineOf(h.Engine)
	if err != nil {
		return nil, err
	}
	wanted := make([]want, len(pointers))
	for i, p := range pointers {
		if wanted[i], err = wantOf(p); err != nil {
			return nil, err
		}
	}
	if transcript != nil && (!h.Key.Algorithm().SignsText() || !isTranscript(transcript)) {
		return nil, fmt.Errorf(
			"mdoc: device authentication needs the device's key and a SessionTranscript, which is an array")
	}
	out, err := e.present(h, issued, wanted)
	if err != nil || transcript == nil {
		return out, err
	}
	return e.bind(h, out, transcript)
}

// Verifier checks presentations. Key or Roots is required. With a Key, certificates are not checked.
type Verifier struct {
	Engine   compare.Engine
	Key      *keys.Public   // the document signer's
	Leaf     []byte         // with Key: the certificate, DER, that x5chain must start with; nil accepts any
	Roots    *x509.CertPool // trust anchors of x5chain
	AnyUsage bool           // with Roots: accept certificates of an authority or without usage mdlDS
	DocType  string         // expected; "" accepts any
	Now      time.Time      // zero means the current time
	Leeway   time.Duration  // extends the validity period at both ends
	Device   *DeviceAuth    // require device authentication; nil ignores it
	Lenient  bool           // accept tag 18 around issuerAuth, a text kid, and fractions of seconds
	Limits   canon.Limits
	Counters *compare.Counters
}

// Element is one disclosed and verified data element.
type Element struct {
	NameSpace, Identifier string
	Value                 []byte // CBOR
}

// Document is one verified document of a presentation.
type Document struct {
	DocType                       string
	Elements                      []Element
	Signed, ValidFrom, ValidUntil time.Time
	DeviceKey                     []byte   // COSE_Key, not parsed
	Signer                        string   // subject of the signer's certificate; "" with a configured key
	Unchecked                     []string // /status; without Device also /deviceKeyInfo and /deviceSigned
}

// Verify checks IssuerSigned or DeviceResponse bytes: structure, issuer's signature, digests, validity
// period and, depending on the options, certificates and device authentication. A refusal is an
// [compare.InvalidError] or a limit error of canon.
func (v *Verifier) Verify(presented []byte) ([]Document, error) {
	if v == nil {
		v = new(Verifier)
	}
	e, err := engineOf(v.Engine)
	if err != nil {
		return nil, err
	}
	if v.Key != nil && !v.Key.Algorithm().SignsText() {
		return nil, fmt.Errorf("mdoc: the signer's key is empty or for BBS")
	}
	if v.Key == nil && v.Roots == nil {
		return nil, fmt.Errorf("mdoc: a verifier needs the signer's key or trust anchors")
	}
	if v.Device != nil && !isTranscript(v.Device.Transcript) {
		return nil, fmt.Errorf("mdoc: device authentication needs a SessionTranscript, which is an array")
	}
	return e.verify(v, presented)
}

// engine is one implementation of the three operations.
type engine interface {
	issue(i *Issuer, claims []byte) ([]byte, error)
	present(h *Holder, issued []byte, wanted []want) (issuerSigned []byte, err error)
	bind(h *Holder, issuerSigned, transcript []byte) (deviceResponse []byte, err error)
	verify(v *Verifier, presented []byte) ([]Document, error)
}

func engineOf(name compare.Engine) (engine, error) {
	return baseline.EngineOf[engine](name, compare.Mdoc, stock{}, native{})
}
