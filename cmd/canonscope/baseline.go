package main

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/claims"
	"canonscope/compare/mdoc"
	"canonscope/compare/sdjwt"
	"canonscope/vcdm/keys"
)

// Formats of issue, present and verify.
var formats = []compare.Format{compare.VCDM, compare.SDJWT, compare.Mdoc}

// baselineFlags are what issue, present and verify need for the formats that are not VCDM.
type baselineFlags struct {
	format      compare.Format
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
	plain       bool   // of an SD-JWT, ask for RFC 9901 alone
	legacyTyp   bool   // accept typ vc+sd-jwt
	unaskedKB   bool   // accept a KB-JWT that nobody asked for
	lenient     bool   // accept what the standard of mdoc forbids and readers meet
}

// addVerify adds the flags of verify that only these formats have.
func (f *baselineFlags) addVerify(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.anySubject, "any-subject", false, "sd-jwt-vc: accept an issuer (iss) that is not in the x5c certificate, or the name of another key")
	cmd.Flags().BoolVar(&f.anyAudience, "any-audience", false, "sd-jwt-vc: accept a token for somebody (aud) without --audience")
	cmd.Flags().BoolVar(&f.legacyTyp, "legacy-typ", false, "sd-jwt-vc: accept the typ of drafts before -19, vc+sd-jwt")
	cmd.Flags().BoolVar(&f.unaskedKB, "unasked-kb", false, "sd-jwt-vc: accept a KB-JWT that --nonce does not ask for, unchecked")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "sd-jwt-vc: apply RFC 9901 alone, not the rules on typ, vct and what may be disclosed")
	cmd.Flags().BoolVar(&f.lenient, "lenient", false, "mdoc: accept dates with fractions, a text as kid, and tag 18 around issuerAuth")
}

// formatOf returns the format of an input, and its bytes as the format's package reads them.
func formatOf(in []byte) (format compare.Format, b []byte) {
	if sdjwt.IsToken(in) {
		return compare.SDJWT, []byte(strings.TrimSpace(string(in)))
	}
	if b, ok := mdoc.Decode(in); ok {
		return compare.Mdoc, b
	}
	return compare.VCDM, in
}

// flagFormats says which formats a flag of issue, present or verify is for, where it is not for all of them.
var flagFormats = func() map[string][]compare.Format {
	of := map[string][]compare.Format{}
	for format, flags := range map[compare.Format]string{
		compare.VCDM: "suite mandatory mandatory-only any-form created method purpose deterministic id previous domain challenge bound " +
			"any-issuer controller known-contexts max-proofs max-signatures rdf-direction no-inject resource",
		compare.SDJWT: "holder-key digest issuer-key roots audience nonce any-subject any-audience lossy legacy-typ unasked-kb plain",
		compare.Mdoc:  "holder-key digest issuer-key roots certificate transcript any-usage lossy max-proofs lenient",
	} {
		for _, flag := range strings.Fields(flags) {
			of[flag] = append(of[flag], format)
		}
	}
	return of
}()

// check refuses a --format that is unknown or not that of the input, and flags that are for other formats: a verifier that
// asks for a challenge must not accept what has none because it is of another format.
func (f *baselineFlags) check(cmd *cobra.Command, found compare.Format) error {
	switch {
	case f.format != "" && !slices.Contains(formats, f.format):
		return choice.Check("format", f.format, formats)
	case f.format != "" && found != "" && f.format != found:
		return fmt.Errorf("--format %s: the input is %s", f.format, found)
	case found == "":
		return nil
	}
	for _, flag := range slices.Sorted(maps.Keys(flagFormats)) {
		if of := flagFormats[flag]; cmd.Flags().Changed(flag) && !slices.Contains(of, found) {
			slices.Sort(of)
			if found == compare.VCDM && (flag == "issuer-key" || flag == "roots") {
				return fmt.Errorf("--%s is for %s, and this is vcdm, whose proofs name their keys; see --controller", flag, strings.Join(choice.Names(of), " and "))
			}
			return fmt.Errorf("--%s is for %s, and this is %s", flag, strings.Join(choice.Names(of), " and "), found)
		}
	}
	return nil
}

func (f *baselineFlags) addFormat(cmd *cobra.Command, def compare.Format) {
	cmd.Flags().StringVar((*string)(&f.format), "format", string(def), "format of the credential: "+strings.Join(choice.Names(formats), ", "))
}

// draft returns the claims of a VCDM credential for the format.
func (f *baselineFlags) draft(doc []byte, expires string, limits canon.Limits) (*claims.Draft, error) {
	q := claims.Request{Mdoc: f.format == compare.Mdoc, Now: time.Now(), Limits: limits}
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
		var pointers []string
		for i, l := range in.Losses {
			if i == maxErrors {
				pointers = append(pointers, fmt.Sprintf("%d more", len(in.Losses)-i))
				break
			}
			pointers = append(pointers, printable.Short(l.Pointer, maxName))
		}
		return nil, fmt.Errorf("%s has no place for %s; --lossy leaves it out", f.format, strings.Join(pointers, ", "))
	}
	if f.certificate != "" {
		in.Chosen = append(in.Chosen, "the issuer is whom the certificate names; "+in.Issuer+" is not written")
	}
	return in, nil
}

// tell says how a draft differs from its credential.
func (f *baselineFlags) tell(cmd *cobra.Command, in *claims.Draft) {
	printLosses(cmd, in.Losses)
	for _, text := range in.Chosen {
		note(cmd, "%s: %s", f.format, text)
	}
}

// issue signs the claims of a VCDM credential in another format. expires is when it is no longer valid; "" leaves that to it.
func (f *baselineFlags) issue(cmd *cobra.Command, doc []byte, keyFile, expires string, engine *engineFlags) error {
	key, noKey := readSecret(keyFile)
	in, noDraft := f.draft(doc, expires, engine.limits)
	holder, noHolder := f.holderKey()
	chain, noChain := readPEM(f.certificate)
	if err := errors.Join(noKey, noHolder, noChain, noDraft); err != nil { // all at once
		return err
	}
	f.tell(cmd, in)
	if f.format == compare.SDJWT {
		i := sdjwt.Issuer{Engine: engine.engine, Key: key.Secret, Hash: f.digest, Holder: holder, Limits: engine.limits}
		out, err := engine.timeout.bytes(cmd, func() ([]byte, error) { return i.Issue(in.JSON, sdjwt.Disclosable{Leaves: claims.Subject}) })
		if err != nil {
			return err
		}
		return printDocument(cmd, out)
	}
	if len(chain) > 0 {
		if err := certifies(chain[0], key.Secret.Public()); err != nil {
			return &optionError{fmt.Errorf("%s: %w", f.certificate, err)}
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
	return printHex(cmd, out)
}

// holderKey reads the key that --holder-key binds a credential to, or returns nil.
func (f *baselineFlags) holderKey() (*keys.Public, error) {
	if f.holder == "" {
		if f.format == compare.Mdoc {
			return nil, &optionError{errors.New("an mdoc holds the device's key: give --holder-key FILE")}
		}
		return nil, nil
	}
	k, err := readKey(f.holder)
	if err != nil {
		return nil, err
	}
	return k.Public, nil
}

// checkHolder refuses a --holder-key that is not the key a credential is bound to: no verifier would accept what it signs.
func (f *baselineFlags) checkHolder(format compare.Format, in []byte, key *keys.Public, limits canon.Limits) error {
	var bound *keys.Public
	var err error
	if format == compare.SDJWT {
		bound, err = sdjwt.HolderKey(in, limits)
	} else {
		bound, err = mdoc.DeviceKey(in, limits)
	}
	switch {
	case err != nil:
		return err
	case bound == nil:
		return errors.New("is bound to no holder's key (cnf), so that no verifier accepts a KB-JWT; leave out --holder-key")
	case !bound.Equal(key):
		return &optionError{fmt.Errorf("--holder-key %s: the credential is bound to another key, %s", f.holder, bound.DID())}
	}
	return nil
}

// present discloses a part of an SD-JWT or an mdoc.
func (f *baselineFlags) present(cmd *cobra.Command, format compare.Format, in []byte, disclose []string, engine *engineFlags) error {
	var key *keys.Secret
	if f.holder != "" {
		k, err := readSecret(f.holder)
		if err != nil {
			return err
		}
		key = k.Secret
	}
	var present func() ([]byte, error)
	print := printDocument
	if format == compare.SDJWT {
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
		present = func() ([]byte, error) { return h.Present(in, disclose, transcript) }
		print = printHex
	}
	out, err := engine.timeout.bytes(cmd, func() ([]byte, error) {
		if key != nil {
			if err := f.checkHolder(format, in, key.Public(), engine.limits); err != nil {
				return nil, err
			}
		}
		return present()
	})
	if err != nil {
		return err
	}
	if err := print(cmd, out); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.ErrOrStderr(), "derived")
	return err
}

// printHex prints bytes in hexadecimal.
func printHex(cmd *cobra.Command, b []byte) error {
	w := bufio.NewWriter(cmd.OutOrStdout())
	hex.NewEncoder(w).Write(b)
	w.WriteByte('\n')
	return w.Flush()
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

// clock is the time that dates are compared with, and how far clocks may differ.
type clock struct {
	now  time.Time
	skew time.Duration
}

// verify answers for an SD-JWT or an mdoc.
func (f *baselineFlags) verify(cmd *cobra.Command, file string, format compare.Format, in []byte, engine *engineFlags, clock clock, asJSON bool) (*answer, error) {
	var key *keys.Public
	if f.issuer != "" {
		k, err := readKey(f.issuer)
		if err != nil {
			return nil, err
		}
		key = k.Public
	}
	ders, err := readPEM(f.roots)
	if err != nil {
		return nil, err
	}
	var roots *x509.CertPool
	if len(ders) > 0 {
		roots = x509.NewCertPool()
		for _, der := range ders {
			c, err := x509.ParseCertificate(der)
			if err != nil {
				return nil, &optionError{fmt.Errorf("%s: %w", f.roots, err)}
			}
			roots.AddCert(c)
		}
	}
	switch {
	case key != nil && roots != nil:
		return nil, errors.New("--issuer-key says whose signature it is, and --roots whose certificate: give one of them")
	case roots == nil && f.anyUsage:
		return nil, errors.New("--any-usage is about the certificates that --roots FILE vouches for")
	case key == nil && roots == nil:
		return nil, errors.New("whose signature? give the issuer's key with --issuer-key FILE, or trust anchors with --roots FILE")
	}
	result := &baselineResult{File: file, Format: format, anySubject: f.anySubject}
	if key != nil {
		result.key = "the key of --issuer-key, " + key.DID()
	}
	var verify func() error
	if format == compare.SDJWT {
		if (f.audience == "") != (f.nonce == "") {
			return nil, errors.New("a KB-JWT is for a verifier and answers its nonce: give both --audience and --nonce, or neither")
		}
		v := sdjwt.Verifier{Engine: engine.engine, Key: key, Roots: roots, AnySubject: f.anySubject, Now: clock.now, Leeway: clock.skew,
			Limits: engine.limits, Binding: f.nonce != "", Audience: f.audience, AnyAudience: f.anyAudience, Nonce: f.nonce,
			Plain: f.plain, LegacyTyp: f.legacyTyp, UnaskedKB: f.unaskedKB}
		verify = func() error { return result.sdjwt(v.Verify(in)) }
	} else {
		v := mdoc.Verifier{Engine: engine.engine, Key: key, Roots: roots, AnyUsage: f.anyUsage, Now: clock.now, Leeway: clock.skew,
			Lenient: f.lenient, Limits: engine.limits}
		transcript, err := f.sessionTranscript()
		if err != nil {
			return nil, err
		}
		if transcript != nil {
			v.Device = &mdoc.DeviceAuth{Transcript: transcript}
		}
		verify = func() error {
			docs, err := v.Verify(in)
			if err != nil {
				return result.refused(err)
			}
			return result.mdoc(docs, asJSON, &engine.limits)
		}
	}
	if err := engine.timeout.run(cmd, func(context.Context) error { return verify() }); err != nil {
		return nil, err
	}
	why := fmt.Sprintf("%s, %d disclosed", format, result.count)
	if !result.Verified {
		why = result.Errors[0]["detail"]
	}
	return &answer{no: !result.Verified, line: lineOf(file, said(result.Verified), why), json: result, text: result.print}, nil
}

// baselineResult is the answer of verify, as --json prints it.
type baselineResult struct {
	File      string            `json:"file"`
	Format    compare.Format    `json:"format"`
	Verified  bool              `json:"verified"`
	Issuer    string            `json:"issuer,omitempty"`    // iss of an SD-JWT
	Signers   []string          `json:"signers,omitempty"`   // subjects of the certificates whose keys signed
	Claims    json.RawMessage   `json:"claims,omitempty"`    // the processed payload of an SD-JWT
	Disclosed []string          `json:"disclosed,omitempty"` // JSON pointers into it
	Unchecked []string          `json:"unchecked,omitempty"`
	Documents []json.RawMessage `json:"documents,omitempty"` // of an mdoc

	Errors []map[string]string `json:"errors,omitempty"` // one problem detail (RFC 9457)

	key        string   // that signed, where no certificate names its owner
	anySubject bool     // nobody has compared iss with it
	count      int      // of what is disclosed
	lines      []string // about the documents of an mdoc
}

// refused notes why something is not verified. A limit is an error of its own.
func (r *baselineResult) refused(err error) error {
	var limit *canon.LimitError
	if errors.As(err, &limit) {
		return err
	}
	option := ""
	var token *sdjwt.InvalidError
	var doc *mdoc.InvalidError
	switch {
	case errors.As(err, &token):
		option = token.Option
	case errors.As(err, &doc):
		option = doc.Option
	}
	r.Errors = []map[string]string{{"title": "not verified", "detail": printable.Short(err.Error(), maxText)}}
	if remedy := optionFlags[option]; remedy != "" {
		r.Errors[0]["remedy"] = remedy
	}
	return nil
}

// optionFlags are the flags that set options of sdjwt.Verifier and mdoc.Verifier.
var optionFlags = map[string]string{
	"AnySubject":  "--any-subject accepts it",
	"AnyAudience": "--any-audience accepts it",
	"AnyUsage":    "--any-usage accepts it",
	"LegacyTyp":   "--legacy-typ accepts it",
	"Lenient":     "--lenient accepts it",
	"Now":         "--now compares with another time",
	"Plain":       "--plain checks it as an SD-JWT of RFC 9901 alone",
	"UnaskedKB":   "--audience and --nonce check it, --unasked-kb accepts it unchecked",
}

func (r *baselineResult) sdjwt(res *sdjwt.Result, err error) error {
	if err != nil {
		return r.refused(err)
	}
	r.Verified, r.Issuer, r.Disclosed, r.Unchecked = true, res.Issuer, res.Disclosed(), res.Unchecked
	r.count = len(r.Disclosed)
	if res.Signer != "" {
		r.Signers = []string{res.Signer}
	}
	r.Claims, err = res.Claims()
	return err
}

// mdoc notes what was verified; the elements, written in CBOR diagnostic notation, only for --json.
func (r *baselineResult) mdoc(docs []mdoc.Document, asJSON bool, limits *canon.Limits) error {
	r.Verified = true
	if asJSON {
		if err := checkElements(docs, limits.WithDefaults().Memory); err != nil {
			return err
		}
	}
	notations := mdoc.Notations{Limits: *limits}
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
		r.count += len(d.Elements)
		r.describe(&d)
		if !asJSON {
			continue
		}
		for _, e := range d.Elements {
			r.Disclosed = append(r.Disclosed, e.Pointer())
		}
		b, err := documentJSON(&d, &notations)
		if err != nil {
			return err
		}
		r.Documents = append(r.Documents, b)
	}
	return nil
}

// describe says what a verified document is, and where its elements stand if that is not one namespace.
func (r *baselineResult) describe(d *mdoc.Document) {
	const most = 20
	r.lines = append(r.lines, fmt.Sprintf("%s, signed %s,", d.DocType, stamp(d.Signed)), fmt.Sprintf("  valid from %s until %s", stamp(d.ValidFrom), stamp(d.ValidUntil)))
	in := map[string]int{}
	for _, e := range d.Elements {
		in[e.NameSpace]++
	}
	if len(in) < 2 {
		return
	}
	for i, ns := range slices.Sorted(maps.Keys(in)) {
		if i == most {
			r.lines = append(r.lines, fmt.Sprintf("and of %d namespaces more", len(in)-most))
			return
		}
		r.lines = append(r.lines, fmt.Sprintf("%d of %s", in[ns], ns))
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// checkElements bounds what the elements take as JSON: each names its namespace, a byte of its value can become a word, and
// there are several copies of all.
func checkElements(docs []mdoc.Document, memory int64) error {
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

// documentJSON is a verified document as --json prints it.
func documentJSON(d *mdoc.Document, notations *mdoc.Notations) ([]byte, error) {
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

func (r *baselineResult) print(w io.Writer) error {
	p := printable.Printer{W: w, Width: width(w)}
	p.Line("%s", said(r.Verified))
	if !r.Verified {
		p.Line("  %s", r.Errors[0]["detail"])
		if remedy := r.Errors[0]["remedy"]; remedy != "" {
			p.Line("    %s", remedy)
		}
		return p.Err
	}
	p.Line("  %s: %d disclosed", r.Format, r.count)
	for _, line := range r.lines {
		p.Line("    %s", line)
	}
	switch {
	case r.Issuer != "" && r.anySubject:
		p.Line("    issuer %s, which nobody has compared with the key", r.Issuer)
	case r.Issuer != "":
		p.Line("    issuer %s", r.Issuer)
	}
	for _, name := range r.Signers {
		p.Line("    by %s", name)
	}
	if r.key != "" {
		p.Line("    by %s", r.key)
	}
	for _, name := range r.Unchecked {
		p.Line("  not checked: %s", name)
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
		return nil, &optionError{err}
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
		return nil, &optionError{fmt.Errorf("%s: holds no certificate in PEM", path)}
	}
	return out, nil
}
