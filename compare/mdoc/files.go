//phase:caller
package mdoc

import (
	"context"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/baseline"
	"canonscope/compare/internal/claims"
	"canonscope/vcdm/keys"
)

// Definition is the format.
var Definition = &compare.Definition{
	Name:   compare.Mdoc,
	Column: "mdoc",
	Title:  "mdoc",
	Suites: []compare.Suite{{Name: "cose-sign1", Algorithms: keys.Algorithms}},
	Bound:  "a session transcript for mdoc (device signature)",
	Prepares: func(c compare.Cell, _ canon.Canonicalizer) (compare.Preparer, error) {
		return NewFormat(c.Engine, c.Algorithm), nil
	},
	Chosen:     claims.Chosen(request),
	Operations: compare.OfCredentials,
	Tamper:     tamper,
	Decode:     Decode,
	Binary:     true,
	Inspect:    Inspect,
	Files: map[compare.Operation]func() *compare.Files{
		compare.Issue: issuing, compare.Present: presenting, compare.Verify: verifying},
	Conform: &compare.Conformance{Name: "mdoc", Title: "mdoc data",
		Holds:  "cases.json, *.json with mdoc_hex, or mdoc-*.hex",
		Module: "github.com/fxamacker/cbor/v2",
		Run:    Conform},
}

// request says for what a credential is read.
func request(t *compare.Task) claims.Request {
	return claims.Request{Format: compare.Mdoc, Type: "docType and namespace", Bare: true,
		Now: t.Now, Limits: t.Limits}
}

func issuing() *compare.Files {
	var (
		i      Issuer
		device compare.KeyFile
		chain  compare.Certificates
		lossy  bool
	)

	return &compare.Files{
		Options: []compare.Option{
			baseline.HolderOption(&device),
			baseline.LossyOption(&lossy),
			baseline.Option("digest", &i.Digest, "SHA-256, SHA-384, SHA-512"),
			baseline.Option("certificate", &chain, "PEM `FILE` of x5chain, the key's certificate first"),
		},
		Draft: func(doc []byte, until *time.Time, t *compare.Task) (*compare.Draft, error) {
			q := request(t)
			q.Lossy, q.Until = lossy, until
			d, err := claims.Read(doc, q)
			if device.Path == "" {
				missing := errors.New("an mdoc holds the device's key: give --holder-key FILE")
				err = errors.Join(&compare.OptionError{Err: missing}, err)
			}
			if err == nil && chain.Path != "" {
				d.Chosen = append(d.Chosen,
					"the issuer is whom the certificate names; "+d.Issuer+" is not written")
			}
			return d, err
		},
		Issue: func(_ context.Context, d *compare.Draft, key *compare.KeyFile, t *compare.Task) (
			[]byte, error) {

			i.Engine, i.Limits = t.Engine, t.Limits
			i.Key, i.Device, i.Chain = key.Secret, device.Public, chain.DER
			if chain.Path == "" {
				der, err := Certificate(key.Public, d.Issuer)
				if err != nil {
					return nil, err
				}
				i.Chain = [][]byte{der}
			} else if err := certifies(i.Chain[0], key.Public); err != nil {
				return nil, &compare.OptionError{Err: fmt.Errorf("%s: %w", chain.Path, err)}
			}
			return i.Issue(d.JSON)
		},
	}
}

// certifies checks that a certificate is for a key: signatures with another key could not be verified.
func certifies(der []byte, key *keys.Public) error {
	c, err := x509.ParseCertificate(der)
	if err != nil {
		return err
	}
	if k, err := keys.PublicOf(c.PublicKey); err != nil || !k.Equal(key) {
		return errors.New("the first certificate is not of the key that signs")
	}
	return nil
}

func presenting() *compare.Files {
	key := compare.KeyFile{NeedsSecret: true}
	var text string
	return &compare.Files{
		Options: []compare.Option{
			baseline.HolderOption(&key),
			baseline.Option("transcript", &text, "SessionTranscript, `HEX` of its CBOR"),
		},
		Present: func(_ context.Context, in []byte, disclose []string, t *compare.Task) (
			out []byte, how string, err error) {

			transcript, err := transcriptOf(text)
			if err != nil {
				return nil, "", err
			}
			if (key.Path != "") != (transcript != nil) {
				return nil, "", errors.New("device authentication needs both --holder-key and --transcript")
			}
			if key.Path != "" {
				bound, err := DeviceKey(in, t.Limits)
				if err := baseline.CheckHolder(&key, bound, err); err != nil {
					return nil, "", err
				}
			}
			h := Holder{Engine: t.Engine, Key: key.Secret, Limits: t.Limits}
			if err := h.Check(in); err != nil {
				return nil, "", err
			}
			out, err = h.Present(in, disclose, transcript)
			return out, compare.Derived, err
		},
	}
}

// transcriptOf reads --transcript; nil where it is not given.
func transcriptOf(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	b, err := hex.DecodeString(text)
	if err != nil || cbor.Wellformed(b) != nil {
		return nil, errors.New("--transcript: want the SessionTranscript as hexadecimal CBOR")
	}
	return b, nil
}

func verifying() *compare.Files {
	var v Verifier
	var trust baseline.Trust
	var text string
	return &compare.Files{
		Options: append(trust.Options(),
			baseline.Option("any-usage", &v.AnyUsage,
				"accept a signer's certificate without the extended key usage of document signers"),
			baseline.Option("transcript", &text,
				"demand device authentication of this SessionTranscript, `HEX` of its CBOR"),
			baseline.Option("lenient", &v.Lenient,
				"accept dates with fractions, a text as kid, and tag 18 around issuerAuth"),
			baseline.Option("max-proofs", nil, "")),
		Remedies: map[string]string{
			"AnyUsage": "--any-usage accepts it",
			"Lenient":  "--lenient accepts it",
			"Now":      "--now compares with another time",
		},
		Verify: func(_ context.Context, in []byte, t *compare.Task) (_ *compare.Verification, err error) {
			out := new(compare.Verification)
			if v.Key, v.Roots, out.Key, err = trust.Resolve(); err != nil {
				return nil, err
			}
			if v.AnyUsage && v.Roots == nil {
				return nil, errors.New("--any-usage is about the certificates that --roots FILE vouches for")
			}
			transcript, err := transcriptOf(text)
			if err != nil {
				return nil, err
			}
			if transcript != nil {
				v.Device = &DeviceAuth{Transcript: transcript}
			}
			v.Engine, v.Now, v.Leeway, v.Limits = t.Engine, t.Now, t.Skew, t.Limits
			docs, err := v.Verify(in)
			if err != nil {
				return &compare.Verification{Refused: err}, nil
			}
			return out, answer(out, docs, t)
		},
	}
}

// answer fills the answer about verified documents. Only JSON has the elements, in CBOR diagnostic
// notation.
func answer(out *compare.Verification, docs []Document, t *compare.Task) error {
	if t.JSON {
		if err := checkElements(docs, t.Limits.WithDefaults().Memory); err != nil {
			return err
		}
	}

	notations := Notations{Limits: t.Limits}
	for i, d := range docs {
		if d.Signer != "" {
			out.Signers = append(out.Signers, d.Signer)
		}
		for _, name := range d.Unchecked {
			if len(docs) > 1 {
				name = fmt.Sprintf("/documents/%d%s", i, name)
			}
			out.Unchecked = append(out.Unchecked, name)
		}
		out.Count += len(d.Elements)
		out.About = append(out.About, d.about()...)
		if !t.JSON {
			continue
		}
		for _, e := range d.Elements {
			out.Disclosed = append(out.Disclosed, e.Pointer())
		}
		b, err := d.json(&notations)
		if err != nil {
			return err
		}
		out.Documents = append(out.Documents, b)
	}

	return nil
}

// about describes a verified document, and the namespaces of its elements if there are several.
func (d *Document) about() []string {
	const most = 20
	stamp := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
	lines := []string{fmt.Sprintf("%s, signed %s,", d.DocType, stamp(d.Signed)),
		fmt.Sprintf("  valid from %s until %s", stamp(d.ValidFrom), stamp(d.ValidUntil))}
	in := map[string]int{}
	for _, e := range d.Elements {
		in[e.NameSpace]++
	}
	if len(in) < 2 {
		return lines
	}
	for i, ns := range slices.Sorted(maps.Keys(in)) {
		if i == most {
			return append(lines, fmt.Sprintf("and of %d namespaces more", len(in)-most))
		}
		lines = append(lines, fmt.Sprintf("%d of %s", in[ns], ns))
	}
	return lines
}

// checkElements bounds what the elements take as JSON: each names its namespace, a byte of its value can
// become a word, and there are several copies of all.
func checkElements(docs []Document, memory int64) error {
	const word, copies = int64(len("false, ")), 4
	size := int64(0)
	for _, d := range docs {
		for _, e := range d.Elements {
			size += 2*int64(len(e.NameSpace)+len(e.Identifier)) + word*int64(len(e.Value))
		}
	}
	if copies*size > memory {
		return &canon.LimitError{Limit: "memory", Max: memory, Done: copies * size, Where: "elements as JSON"}
	}
	return nil
}

func (d *Document) json(notations *Notations) ([]byte, error) {
	type element struct {
		NameSpace  string `json:"nameSpace"`
		Identifier string `json:"identifier"`
		Value      string `json:"value"` // CBOR diagnostic notation
	}
	elements := make([]element, len(d.Elements))
	for i, e := range d.Elements {
		value, err := notations.Of(e.Value)
		if err != nil {
			return nil, err
		}
		elements[i] = element{e.NameSpace, e.Identifier, value}
	}
	return json.Marshal(struct {
		DocType    string    `json:"docType"`
		Signed     time.Time `json:"signed"`
		ValidFrom  time.Time `json:"validFrom"`
		ValidUntil time.Time `json:"validUntil"`
		Elements   []element `json:"elements"`
	}{d.DocType, d.Signed, d.ValidFrom, d.ValidUntil, elements})
}
