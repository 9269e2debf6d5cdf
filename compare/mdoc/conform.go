//phase:caller
package mdoc

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
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
	"canonscope/canon/userfile"
	"canonscope/compare"
	"canonscope/vcdm/keys"
)

// Conform runs the files in dir through an engine: cases.json (mdocs with their expected answers), other
// *.json files with a member mdoc_hex (public mdocs, recorded as valid or invalid), and mdocs of other
// implementations, mdoc-*.hex with keys-ALG.json.
func Conform(_ context.Context, engine compare.Engine, dir string) ([]conform.Result, error) {
	if _, err := engineOf(engine); err != nil {
		return nil, err
	}
	s := suite{dir, engine}
	return conform.Parts(dir, []conform.Part{{Files: "cases.json", Run: s.cases},
		{Files: "*.json", Run: s.vector}, {Files: "mdoc-*-expected.json", Run: s.maker}})
}

type suite struct {
	dir    string
	engine compare.Engine
}

func (s suite) cases(file string) (results []conform.Result, err error) {
	var in struct {
		Cases []struct {
			ID, Expect, Rule string
			Hex              hexBytes `json:"mdoc_hex"`
		}
		Root       hexBytes `json:"iaca_root_der_hex"`
		DocType    string
		Now        time.Time
		Transcript hexBytes `json:"session_transcript_hex"`
	}
	if err := conform.ReadJSON(&in, file); err != nil {
		return nil, err
	}
	roots, err := keys.Pool(in.Root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, c := range in.Cases {
		v := Verifier{Engine: s.engine, Roots: roots, DocType: in.DocType, Now: in.Now}
		if strings.HasPrefix(c.ID, "pos-device") {
			v.Device = &DeviceAuth{Transcript: in.Transcript}
		}
		_, err = v.Verify(c.Hex)
		results = append(results, conform.Result{Test: c.ID, Name: c.Rule}.Answer(c.Expect, err))
	}
	return results, nil
}

// hexBytes are bytes that JSON holds in hexadecimal.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.AppendDecode(nil, bytes.TrimSpace(text))
	return err
}

// publicVector is one mdoc of another implementation with the recorded facts about it.
type publicVector struct {
	ID, Result, DocType string
	Hex                 hexBytes `json:"mdoc_hex"`
	Signed              time.Time
	Contents            map[string]map[string]string
	Trusted             []string        `json:"trusted_pem"`
	IssuerPEM           string          `json:"issuer_pem"`
	IssuerJWK           json.RawMessage `json:"issuer_jwk"`
}

func (s suite) vector(file string) ([]conform.Result, error) {
	var c publicVector
	if err := conform.ReadJSON(&c, file); err != nil || c.Hex == nil {
		return nil, err
	}
	v, err := s.verifier(&c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	r := conform.Result{Test: c.ID, Name: c.Result}
	docs, err := v.Verify(c.Hex)
	if strings.HasPrefix(c.Result, "REJECTED") {
		return []conform.Result{r.Answer("reject", err)}, nil
	}
	if err == nil {
		err = c.compare(docs)
	}
	return []conform.Result{r.Answer("accept", err)}, nil
}

// verifier returns a verifier with the recorded trust anchors, or with the signer's certificate itself if
// the vector has none.
func (s suite) verifier(c *publicVector) (*Verifier, error) {
	v := &Verifier{Engine: s.engine, DocType: c.DocType, Now: c.Signed.Add(time.Hour)}
	if c.Signed.IsZero() {
		v.Now = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if c.IssuerJWK != nil {
		key, err := keys.ParsePublicJWK(c.IssuerJWK)
		v.Key = key
		return v, err
	}
	v.AnyUsage = len(c.Trusted) == 0 // the certificate itself is trusted, whatever its usage is
	ders := keys.Certificates([]byte(strings.Join(c.Trusted, "\n") + "\n" + c.IssuerPEM))
	if len(ders) == 0 {
		ders = signersOf(c.Hex)
	}
	roots, err := keys.Pool(ders...)
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

// compare compares elements with the recorded ones, in diagnostic notation. Long recorded ones are cut.
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
			if !ok || !strings.HasSuffix(expected, "...") && expected != `"bstr"` &&
				spaceless(expected) != spaceless(text) {
				return fmt.Errorf("%s/%s is %s, want %s", e.NameSpace, e.Identifier, text, expected)
			}
		}
	}
	if got != want {
		return fmt.Errorf("%d elements, want %d", got, want)
	}
	return nil
}

// maker verifies mdocs that another implementation issued, presented, and signed with the device's key.
func (s suite) maker(file string) (results []conform.Result, err error) {
	base := strings.TrimSuffix(file, "-expected.json")
	var k struct {
		Root string `json:"iaca_root_pem"`
	}

	if err := conform.ReadJSON(&k, s.dir, "keys-"+base[strings.LastIndexByte(base, '-')+1:]+
		".json"); err != nil {
		return nil, err
	}

	roots, err := keys.Pool(keys.Certificates([]byte(k.Root))...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}

	var expected struct {
		DocType, NameSpace string
		Disclosed          map[string]string
	}

	if err := conform.ReadJSON(&expected, file); err != nil {
		return nil, err
	}

	for _, part := range []string{"-issued", "-presented", "-presented-deviceauth"} {
		b, err := hexFile(base + part + ".hex")
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		v := Verifier{Engine: s.engine, Roots: roots, DocType: expected.DocType,
			Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
		if part == "-presented-deviceauth" {
			transcript, err := hexFile(base + "-sessiontranscript.hex")
			if err != nil {
				return nil, err
			}
			v.Device = &DeviceAuth{Transcript: transcript}
		}

		docs, err := v.Verify(b)
		if err == nil {
			err = discloses(docs, expected.NameSpace, expected.Disclosed)
		}
		if err == nil && part != "-issued" && len(docs[0].Elements) != len(expected.Disclosed) {
			err = fmt.Errorf("%d elements, want %d", len(docs[0].Elements), len(expected.Disclosed))
		}
		results = append(results, conform.Result{Test: filepath.Base(base) + part}.Answer("accept", err))
	}

	return results, nil
}

func hexFile(path string) (h hexBytes, err error) {
	b, err := userfile.ReadAll(path)
	if err != nil {
		return nil, err
	}
	err = h.UnmarshalText(b)
	return h, err
}

// discloses checks text elements of the only document.
func discloses(docs []Document, namespace string, want map[string]string) error {
	if len(docs) != 1 {
		return fmt.Errorf("%d documents, want 1", len(docs))
	}
	for name, value := range want {
		if !slices.ContainsFunc(docs[0].Elements, func(e Element) bool {
			text, ok := stockText(e.Value)
			return ok && e.NameSpace == namespace && e.Identifier == name && text == value
		}) {
			return fmt.Errorf("%s is not %q", name, value)
		}
	}
	return nil
}
