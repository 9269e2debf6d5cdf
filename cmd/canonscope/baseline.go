package main

import (
	"context"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/compare/claims"
	"canonscope/compare/mdoc"
	"canonscope/compare/sdjwt"
	"canonscope/vcdm/keys"
)

// Formats of issue, present and verify.
const (
	formatVCDM  = "vcdm"
	formatSDJWT = "sd-jwt-vc"
	formatMdoc  = "mdoc"
)

// baselineFlags are what issue, present and verify need for the formats that are not VCDM.
type baselineFlags struct {
	format      string
	holder      string // key file
	certificate string // PEM file
	digest      string
	issuer      string // key file
	roots       string // PEM file
	audience    string
	nonce       string
	transcript  string // hexadecimal
	anyUsage    bool   // accept certificates that are not marked as a document signer's
	anySubject  bool   // accept an iss that is not the key's name, or not in the certificate
	lossy       bool   // leave out what the format has no place for
	anyAudience bool   // accept a token with aud, without an audience to compare it with
}

// addVerify adds the flags of verify that only these formats have.
func (f *baselineFlags) addVerify(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.anySubject, "any-subject", false, "sd-jwt-vc: accept an issuer (iss) that is not in the x5c certificate, or the name of another key")
	cmd.Flags().BoolVar(&f.anyAudience, "any-audience", false, "sd-jwt-vc: accept a token for somebody (aud) without --audience")
}

// formatOf returns the format of an input, and its bytes as the format's package reads them.
func formatOf(in []byte) (format string, b []byte) {
	if sdjwt.IsToken(in) {
		return formatSDJWT, []byte(strings.TrimSpace(string(in)))
	}
	if b, ok := mdoc.Decode(in); ok {
		return formatMdoc, b
	}
	return formatVCDM, in
}

// flagFormats says which formats a flag of issue, present or verify is for, where it is not for all of them.
var flagFormats = func() map[string][]string {
	of := map[string][]string{}
	for format, flags := range map[string]string{
		formatVCDM: "suite mandatory mandatory-only any-form created method purpose deterministic id previous domain challenge skew bound " +
			"any-issuer controller known-contexts max-proofs rdf-direction no-inject resource",
		formatSDJWT: "holder-key digest issuer-key roots audience nonce any-subject any-audience lossy",
		formatMdoc:  "holder-key digest issuer-key roots certificate transcript any-usage lossy",
	} {
		for _, flag := range strings.Fields(flags) {
			of[flag] = append(of[flag], format)
		}
	}
	return of
}()

// check refuses a --format that is unknown or not that of the input, and flags that are for other formats: a verifier that
// asks for a challenge must not accept what has none because it is of another format.
func (f *baselineFlags) check(cmd *cobra.Command, found string) error {
	switch {
	case f.format != "" && f.format != formatVCDM && f.format != formatSDJWT && f.format != formatMdoc:
		return fmt.Errorf("unknown format %q: there are %s, %s, %s", f.format, formatVCDM, formatSDJWT, formatMdoc)
	case f.format != "" && found != "" && f.format != found:
		return fmt.Errorf("--format %s: the input is %s", f.format, found)
	case found == "":
		return nil
	}
	for _, flag := range slices.Sorted(maps.Keys(flagFormats)) {
		if formats := flagFormats[flag]; cmd.Flags().Changed(flag) && !slices.Contains(formats, found) {
			slices.Sort(formats)
			if found == formatVCDM && (flag == "issuer-key" || flag == "roots") {
				return fmt.Errorf("--%s is for %s, and this is vcdm, whose proofs name their keys; see --controller", flag, strings.Join(formats, " and "))
			}
			return fmt.Errorf("--%s is for %s, and this is %s", flag, strings.Join(formats, " and "), found)
		}
	}
	return nil
}

func (f *baselineFlags) addFormat(cmd *cobra.Command, def string) {
	cmd.Flags().StringVar(&f.format, "format", def, "format of the credential: "+strings.Join([]string{formatVCDM, formatSDJWT, formatMdoc}, ", "))
}

// draft returns the claims of a VCDM credential for the format, and tells how they differ from it.
func (f *baselineFlags) draft(cmd *cobra.Command, doc []byte, expires string, limits canon.Limits) (*claims.Draft, error) {
	q := claims.Request{Mdoc: f.format == formatMdoc, Now: time.Now(), Limits: limits}
	if expires != "" {
		t, err := time.Parse(time.RFC3339, expires)
		if err != nil {
			return nil, fmt.Errorf("--expires %s: want a time such as 2026-01-31T12:00:00Z", expires)
		}
		q.Until = &t
	}
	in, err := claims.Read(doc, q)
	if err != nil {
		return nil, err
	}
	if len(in.Losses) > 0 && !f.lossy {
		pointers := make([]string, len(in.Losses))
		for i, l := range in.Losses {
			pointers[i] = l.Pointer
		}
		return nil, fmt.Errorf("%s has no place for %s; --lossy leaves it out", f.format, strings.Join(pointers, ", "))
	}
	printLosses(cmd, in.Losses)
	if f.certificate != "" {
		in.Chosen = append(in.Chosen, "the issuer is whom the certificate names; "+in.Issuer+" is not written")
	}
	for _, text := range in.Chosen {
		fmt.Fprintf(cmd.ErrOrStderr(), "canonscope: %s: %s\n", f.format, printable.Line(text))
	}
	return in, nil
}

// issue signs the claims of a VCDM credential in another format. expires is when it is no longer valid; "" leaves that to it.
func (f *baselineFlags) issue(cmd *cobra.Command, doc []byte, keyFile, expires string, engine *engineFlags) error {
	key, err := readSecret(keyFile)
	if err != nil {
		return err
	}
	in, err := f.draft(cmd, doc, expires, engine.limits)
	if err != nil {
		return err
	}
	var holder *keys.Public
	if f.holder != "" {
		k, err := readKey(f.holder)
		if err != nil {
			return err
		}
		holder = k.Public
	}
	if f.format == formatSDJWT {
		i := sdjwt.Issuer{Engine: engine.engine, Key: key.Secret, Hash: f.digest, Holder: holder, Limits: engine.limits}
		out, err := engine.timeout.bytes(cmd, func() ([]byte, error) { return i.Issue(in.JSON, sdjwt.Disclosable{Leaves: claims.Subject}) })
		if err != nil {
			return err
		}
		return printDocument(cmd, out)
	}
	if holder == nil {
		return errors.New("an mdoc holds the device's key: give --holder-key FILE")
	}
	chain, err := readPEM(f.certificate)
	if err != nil {
		return err
	}
	if len(chain) > 0 {
		if err := certifies(chain[0], key.Secret.Public()); err != nil {
			return fmt.Errorf("%s: %w", f.certificate, err)
		}
	} else {
		der, err := mdoc.Certificate(key.Secret.Public(), in.Issuer)
		if err != nil {
			return err
		}
		chain = [][]byte{der}
	}
	i := mdoc.Issuer{Engine: engine.engine, Key: key.Secret, Chain: chain, Device: holder, Digest: f.digest, Limits: engine.limits}
	out, err := engine.timeout.bytes(cmd, func() ([]byte, error) { return i.Issue(in.JSON) })
	if err != nil {
		return err
	}
	return printDocument(cmd, []byte(hex.EncodeToString(out)))
}

// present discloses a part of an SD-JWT or an mdoc.
func (f *baselineFlags) present(cmd *cobra.Command, format string, in []byte, disclose []string, engine *engineFlags) error {
	var key *keys.Secret
	if f.holder != "" {
		k, err := readSecret(f.holder)
		if err != nil {
			return err
		}
		key = k.Secret
	}
	var present func() ([]byte, error)
	if format == formatSDJWT {
		var b *sdjwt.Binding
		if key != nil {
			if f.audience == "" || f.nonce == "" {
				return errors.New("--holder-key binds a presentation to its verifier: give --audience and --nonce")
			}
			b = &sdjwt.Binding{Audience: f.audience, Nonce: f.nonce}
		}
		h := &sdjwt.Holder{Engine: engine.engine, Key: key, Limits: engine.limits}
		present = func() ([]byte, error) { return h.Present(in, disclose, b) }
	} else {
		transcript, err := f.sessionTranscript()
		if err != nil {
			return err
		}
		if (key != nil) != (transcript != nil) {
			return errors.New("device authentication needs both --holder-key and --transcript")
		}
		h := &mdoc.Holder{Engine: engine.engine, Key: key, Limits: engine.limits}
		present = func() ([]byte, error) {
			out, err := h.Present(in, disclose, transcript)
			return []byte(hex.EncodeToString(out)), err
		}
	}
	out, err := engine.timeout.bytes(cmd, present)
	if err != nil {
		return err
	}
	if err := printDocument(cmd, out); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.ErrOrStderr(), "derived")
	return err
}

func (f *baselineFlags) sessionTranscript() ([]byte, error) {
	if f.transcript == "" {
		return nil, nil
	}
	b, err := hex.DecodeString(f.transcript)
	if err != nil || cbor.Wellformed(b) != nil {
		return nil, errors.New("--transcript: want the SessionTranscript as hexadecimal CBOR")
	}
	return b, nil
}

// verify verifies an SD-JWT or an mdoc and prints what it discloses.
func (f *baselineFlags) verify(cmd *cobra.Command, format string, in []byte, engine *engineFlags, now time.Time, asJSON bool) error {
	var key *keys.Public
	if f.issuer != "" {
		k, err := readKey(f.issuer)
		if err != nil {
			return err
		}
		key = k.Public
	}
	ders, err := readPEM(f.roots)
	if err != nil {
		return err
	}
	var roots *x509.CertPool
	if len(ders) > 0 {
		roots = x509.NewCertPool()
		for _, der := range ders {
			c, err := x509.ParseCertificate(der)
			if err != nil {
				return fmt.Errorf("%s: %w", f.roots, err)
			}
			roots.AddCert(c)
		}
	}
	switch {
	case key != nil && roots != nil:
		return errors.New("--issuer-key says whose signature it is, and --roots whose certificate: give one of them")
	case roots == nil && f.anyUsage:
		return errors.New("--any-usage is about the certificates that --roots FILE vouches for")
	case key == nil && roots == nil:
		return errors.New("whose signature? give the issuer's key with --issuer-key FILE, or trust anchors with --roots FILE")
	}
	result := baselineResult{Format: format}
	var verify func() error
	if format == formatSDJWT {
		if (f.audience == "") != (f.nonce == "") {
			return errors.New("a KB-JWT is for a verifier and answers its nonce: give both --audience and --nonce, or neither")
		}
		v := sdjwt.Verifier{Engine: engine.engine, Key: key, Roots: roots, AnySubject: f.anySubject, Now: now, Limits: engine.limits,
			Binding: f.nonce != "", Audience: f.audience, AnyAudience: f.anyAudience, Nonce: f.nonce}
		verify = func() error { return result.sdjwt(v.Verify(in)) }
	} else {
		v := mdoc.Verifier{Engine: engine.engine, Key: key, Roots: roots, AnyUsage: f.anyUsage, Now: now, Limits: engine.limits}
		transcript, err := f.sessionTranscript()
		if err != nil {
			return err
		}
		if transcript != nil {
			v.Device = &mdoc.DeviceAuth{Transcript: transcript}
		}
		verify = func() error { return result.mdoc(v.Verify(in)) }
	}
	if err := engine.timeout.run(cmd, func(context.Context) error { return verify() }); err != nil {
		return err
	}
	return result.print(cmd, asJSON)
}

// baselineResult is the answer of verify, as --json prints it.
type baselineResult struct {
	Verified  bool              `json:"verified"`
	Format    string            `json:"format"`
	Reason    string            `json:"reason,omitempty"`
	Signers   []string          `json:"signers,omitempty"`   // subjects of the certificates whose keys signed
	Claims    json.RawMessage   `json:"claims,omitempty"`    // the processed payload of an SD-JWT
	Disclosed []string          `json:"disclosed,omitempty"` // JSON pointers into it
	Unchecked []string          `json:"unchecked,omitempty"`
	Documents []json.RawMessage `json:"documents,omitempty"` // of an mdoc
}

// refused notes why something is not verified. A limit is an error of its own.
func (r *baselineResult) refused(err error) error {
	var limit *canon.LimitError
	if errors.As(err, &limit) {
		return err
	}
	r.Reason = err.Error()
	var invalid *sdjwt.InvalidError
	if errors.As(err, &invalid) && optionFlags[invalid.Option] != "" {
		r.Reason += "; " + optionFlags[invalid.Option] + " accepts it"
	}
	return nil
}

// optionFlags are the flags that set options of sdjwt.Verifier.
var optionFlags = map[string]string{"AnySubject": "--any-subject", "AnyAudience": "--any-audience"}

func (r *baselineResult) sdjwt(res *sdjwt.Result, err error) error {
	if err != nil {
		return r.refused(err)
	}
	r.Verified, r.Disclosed, r.Unchecked = true, res.Disclosed(), res.Unchecked
	if res.Signer != "" {
		r.Signers = []string{res.Signer}
	}
	r.Claims, err = res.Claims()
	return err
}

func (r *baselineResult) mdoc(docs []mdoc.Document, err error) error {
	if err != nil {
		return r.refused(err)
	}
	r.Verified = true
	type element struct {
		NameSpace  string `json:"nameSpace"`
		Identifier string `json:"identifier"`
		Value      string `json:"value"` // CBOR diagnostic notation
	}
	for i, d := range docs {
		if d.Signer != "" {
			r.Signers = append(r.Signers, d.Signer)
		}
		for _, name := range d.Unchecked {
			if len(docs) > 1 {
				name = fmt.Sprintf("/documents/%d%s", i, name)
			}
			r.Unchecked = append(r.Unchecked, name)
		}
		elements := []element{}
		for _, e := range d.Elements {
			value, err := cbor.Diagnose(e.Value)
			if err != nil {
				return err
			}
			elements = append(elements, element{e.NameSpace, e.Identifier, value})
			r.Disclosed = append(r.Disclosed, e.Identifier)
		}
		b, err := json.Marshal(struct {
			DocType    string    `json:"docType"`
			ValidFrom  time.Time `json:"validFrom"`
			ValidUntil time.Time `json:"validUntil"`
			Elements   []element `json:"elements"`
		}{d.DocType, d.ValidFrom, d.ValidUntil, elements})
		if err != nil {
			return err
		}
		r.Documents = append(r.Documents, b)
	}
	return nil
}

func (r *baselineResult) print(cmd *cobra.Command, asJSON bool) error {
	p := printable.Printer{W: cmd.OutOrStdout()}
	if asJSON {
		enc := json.NewEncoder(p.W)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		p.Err = enc.Encode(r)
	} else if p.Line("%s", answer(r.Verified)); r.Verified {
		p.Line("  %s: %d disclosed", r.Format, len(r.Disclosed))
		for _, name := range r.Signers {
			p.Line("    by %s", name)
		}
		for _, name := range r.Unchecked {
			p.Line("  not checked: %s", name)
		}
	} else {
		p.Line("  %s", r.Reason)
	}
	if p.Err == nil && !r.Verified {
		return &noError{}
	}
	return p.Err
}

// certifies checks that a certificate is of a key: nobody could verify what another key signs.
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

// readPEM reads the certificates of a PEM file; "" has none.
func readPEM(path string) ([][]byte, error) {
	if path == "" {
		return nil, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for {
		var block *pem.Block
		if block, b = pem.Decode(b); block == nil {
			break
		}
		if block.Type == "CERTIFICATE" {
			out = append(out, block.Bytes)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: holds no certificate in PEM", path)
	}
	return out, nil
}
