package mdoc

import (
	"bytes"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/vcdm/keys"
)

// Conform runs what it finds in dir through an engine: cases.json (mdocs with the answer they must get), other *.json with
// a member mdoc_hex (public mdocs, recorded as right or wrong), and the mdocs mdoc-*.hex of other makers with keys-ALG.json.
func Conform(dir, engine string) ([]conform.Result, error) {
	if _, err := engineOf(engine); err != nil {
		return nil, err
	}
	s := &suite{dir: dir, engine: engine}
	for _, part := range []func() error{s.cases, s.vectors, s.makers} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	if len(s.results) == 0 {
		return nil, fmt.Errorf("%s has no cases.json, no *.json with mdoc_hex and no mdoc-*.hex", dir)
	}
	return s.results, nil
}

type suite struct {
	dir, engine string
	results     []conform.Result
}

func readFile(path string, v any) error {
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// judge compares an answer with the expected one: accept, reject or policy.
func (s *suite) judge(id, rule, expect string, got error) {
	r := conform.Result{Test: id, Name: rule, Outcome: conform.Passed}
	switch {
	case expect == "policy":
		r.Outcome, r.Reason = conform.Skipped, "a matter of policy; by default accepted"
		if got != nil {
			r.Reason = "a matter of policy; by default " + got.Error()
		}
	case expect == "reject" && got == nil:
		r.Outcome, r.Reason = conform.Failed, "accepted, and must be refused"
	case expect == "accept" && got != nil:
		r.Outcome, r.Reason = conform.Failed, got.Error()
	}
	s.results = append(s.results, r)
}

func (s *suite) cases() error {
	var file struct {
		Cases []struct {
			ID, Expect, Rule string
			Hex              string `json:"mdoc_hex"`
		}
		Root       string `json:"iaca_root_der_hex"`
		DocType    string
		Now        time.Time
		Transcript string `json:"session_transcript_hex"`
	}
	path := filepath.Join(s.dir, "cases.json")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := readFile(path, &file); err != nil {
		return err
	}
	root, err := hex.DecodeString(file.Root)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	transcript, err := hex.DecodeString(file.Transcript)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	roots, err := pool(root)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, c := range file.Cases {
		b, err := hex.DecodeString(c.Hex)
		if err != nil {
			return fmt.Errorf("%s %s: %w", path, c.ID, err)
		}
		v := Verifier{Engine: s.engine, Roots: roots, DocType: file.DocType, Now: file.Now}
		if strings.HasPrefix(c.ID, "pos-device") {
			v.Device = &DeviceAuth{Transcript: transcript}
		}
		_, err = v.Verify(b)
		s.judge(c.ID, c.Rule, c.Expect, err)
	}
	return nil
}

func pool(ders ...[]byte) (*x509.CertPool, error) {
	p := x509.NewCertPool()
	for _, der := range ders {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		p.AddCert(c)
	}
	return p, nil
}

func pemBlocks(text string) (out [][]byte) {
	rest := []byte(text)
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return out
		}
		out = append(out, block.Bytes)
	}
}

// publicVector is one mdoc of another maker with what is recorded about it.
type publicVector struct {
	ID, Result, DocType string
	Hex                 string `json:"mdoc_hex"`
	Signed              time.Time
	Contents            map[string]map[string]string
	Trusted             []string        `json:"trusted_pem"`
	IssuerPEM           string          `json:"issuer_pem"`
	IssuerJWK           json.RawMessage `json:"issuer_jwk"`
}

func (s *suite) vectors() error {
	files, err := filepath.Glob(filepath.Join(s.dir, "*.json"))
	if err != nil {
		return err
	}
	for _, f := range files {
		if filepath.Base(f) == "cases.json" || strings.HasPrefix(filepath.Base(f), "mdoc-") {
			continue
		}
		var c publicVector
		if err := readFile(f, &c); err != nil {
			return err
		}
		if c.Hex == "" {
			continue
		}
		b, err := hex.DecodeString(c.Hex)
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		v, err := s.verifier(&c, b)
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		expect := "accept"
		if strings.HasPrefix(c.Result, "REJECTED") {
			expect = "reject"
		}
		docs, err := v.Verify(b)
		if err == nil {
			err = c.compare(docs)
		}
		s.judge(c.ID, c.Result, expect, err)
	}
	return nil
}

// verifier trusts what the vector records. One without a trust anchor trusts its own document signer.
func (s *suite) verifier(c *publicVector, b []byte) (*Verifier, error) {
	v := &Verifier{Engine: s.engine, DocType: c.DocType, Now: c.Signed.Add(time.Hour)}
	if c.Signed.IsZero() {
		v.Now = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if c.IssuerJWK != nil {
		key, err := keys.ParsePublicJWK(c.IssuerJWK)
		v.Key = key
		return v, err
	}
	v.AnyUsage = len(c.Trusted) == 0 // the certificate itself is trusted, whatever it says of its use
	ders := pemBlocks(strings.Join(c.Trusted, "\n") + "\n" + c.IssuerPEM)
	if len(ders) == 0 {
		ders = signersOf(b)
	}
	roots, err := pool(ders...)
	v.Roots = roots
	return v, err
}

// signersOf returns the first certificate of each document, or nothing if the mdoc cannot be read.
func signersOf(b []byte) (out [][]byte) {
	var response deviceResponse
	if stockDec.Unmarshal(b, &response) != nil {
		return nil
	}
	for _, d := range response.Documents {
		s, err := stockReadIssuerSigned(d.IssuerSigned)
		if err != nil {
			continue
		}
		if h, err := stockReadSign1(s.IssuerAuth, canon.Limits{}); err == nil && len(h.x5chain) > 0 {
			out = append(out, h.x5chain[0])
		}
	}
	return out
}

// compare compares elements with the recorded ones, in diagnostic notation and cut where they are long.
func (c *publicVector) compare(docs []Document) error {
	want, got := 0, 0
	for _, elements := range c.Contents {
		want += len(elements)
	}
	for _, d := range docs {
		got += len(d.Elements)
		for _, e := range d.Elements {
			text, err := cbor.Diagnose(e.Value)
			if err != nil {
				return err
			}
			expected, ok := c.Contents[e.NameSpace][e.Identifier]
			spaceless := func(s string) string { return strings.ReplaceAll(s, " ", "") }
			if !ok || !strings.HasSuffix(expected, "...") && expected != `"bstr"` && spaceless(expected) != spaceless(text) {
				return fmt.Errorf("%s/%s is %s, want %s", e.NameSpace, e.Identifier, text, expected)
			}
		}
	}
	if got != want {
		return fmt.Errorf("%d elements, want %d", got, want)
	}
	return nil
}

// makers verifies the mdocs of other makers: what they issued, presented and signed with the device's key.
func (s *suite) makers() error {
	files, err := filepath.Glob(filepath.Join(s.dir, "mdoc-*-expected.json"))
	if err != nil {
		return err
	}
	for _, f := range files {
		base := strings.TrimSuffix(f, "-expected.json")
		var k struct {
			Root string `json:"iaca_root_pem"`
		}
		if err := readFile(filepath.Join(s.dir, "keys-"+base[strings.LastIndexByte(base, '-')+1:]+".json"), &k); err != nil {
			return err
		}
		roots, err := pool(pemBlocks(k.Root)...)
		if err != nil {
			return err
		}
		var expected struct {
			DocType   string
			Disclosed map[string]string
		}
		if err := readFile(f, &expected); err != nil {
			return err
		}
		for _, part := range []string{"-issued", "-presented", "-presented-deviceauth"} {
			b, err := hexFile(base + part + ".hex")
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			v := Verifier{Engine: s.engine, Roots: roots, DocType: expected.DocType, Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
			if part == "-presented-deviceauth" {
				transcript, err := hexFile(base + "-sessiontranscript.hex")
				if err != nil {
					return err
				}
				v.Device = &DeviceAuth{Transcript: transcript}
			}
			docs, err := v.Verify(b)
			if err == nil {
				err = discloses(docs, expected.Disclosed)
			}
			s.judge(filepath.Base(base)+part, "", "accept", err)
		}
	}
	return nil
}

func hexFile(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return hex.DecodeString(string(bytes.TrimSpace(b)))
}

// discloses looks for text elements.
func discloses(docs []Document, want map[string]string) error {
	for name, value := range want {
		if !slices.ContainsFunc(docs, func(d Document) bool {
			return slices.ContainsFunc(d.Elements, func(e Element) bool {
				text, ok := stockText(e.Value)
				return ok && e.Identifier == name && text == value
			})
		}) {
			return fmt.Errorf("%s is not %q", name, value)
		}
	}
	return nil
}
