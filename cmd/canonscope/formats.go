package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/vcdm/keys"
)

// credentialFormats are the formats of credentials, without those of documents and of the floor.
func credentialFormats() []*compare.Definition {
	return slices.DeleteFunc(slices.Clone(matrix.Formats), func(f *compare.Definition) bool {
		return f.Name == compare.Document || f.Name == compare.Floor
	})
}

// formatOf returns the format of an input, and its bytes as the format reads them.
func formatOf(in []byte) (*compare.Definition, []byte) {
	var rest *compare.Definition
	for _, f := range credentialFormats() {
		if f.Decode == nil {
			rest = f
		} else if b, ok := f.Decode(in); ok {
			return f, b
		}
	}
	return rest, in
}

func formatNamed(name compare.Format) *compare.Definition {
	i := slices.IndexFunc(matrix.Formats, func(f *compare.Definition) bool { return f.Name == name })
	return matrix.Formats[i]
}

func formatNames() []compare.Format { return namesOf(credentialFormats()) }

func namesOf(formats []*compare.Definition) []compare.Format {
	var names []compare.Format
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// formatFlags are --format and the flags that a command has for some formats.
type formatFlags struct {
	format compare.Format
	files  map[compare.Format]*compare.Files
}

// vcdmFlags are those of issue, present and verify that are for vcdm.
var vcdmFlags = strings.Fields(`
	suite mandatory mandatory-only any-form created method purpose deterministic id
	previous domain challenge bound any-issuer controller known-contexts max-proofs
	max-signatures rdf-direction no-inject resource`)

// add adds what formats have for an operation to its command. A flag that several formats have is one flag.
func (f *formatFlags) add(cmd *cobra.Command, op compare.Operation, preset compare.Format) {
	names := formatNames()
	cmd.Flags().StringVar((*string)(&f.format), "format", string(preset),
		"format of the credential: "+strings.Join(choice.Names(names), ", "))
	f.files = make(map[compare.Format]*compare.Files)
	for _, format := range matrix.Formats {
		if of := format.Files[op]; of != nil {
			f.files[format.Name] = of()
		}
	}
	for _, name := range names {
		for _, o := range f.options(name) {
			if o.To == nil || cmd.Flags().Lookup(o.Name) != nil {
				continue
			}
			if _, ok := o.To.(*bool); ok {
				cmd.Flags().Bool(o.Name, false, f.usage(o.Name))
			} else {
				cmd.Flags().String(o.Name, "", f.usage(o.Name))
			}
		}
	}
}

func (f *formatFlags) options(format compare.Format) []compare.Option {
	if files := f.files[format]; files != nil {
		return files.Options
	}
	return nil
}

// usage describes an option in each format that has it.
func (f *formatFlags) usage(option string) string {
	var usages []string
	formats := map[string][]compare.Format{}
	for _, format := range formatNames() {
		for _, o := range f.options(format) {
			if o.Name == option {
				if formats[o.Usage] == nil {
					usages = append(usages, o.Usage)
				}
				formats[o.Usage] = append(formats[o.Usage], format)
			}
		}
	}
	for i, usage := range usages {
		usages[i] = strings.Join(choice.Names(formats[usage]), ", ") + ": " + usage
	}
	return strings.Join(usages, "; ")
}

// check refuses a --format that is unknown or not that of the input, and flags that are for other formats:
// a verifier that requires a challenge must not accept a presentation without one because of its format.
func (f *formatFlags) check(cmd *cobra.Command, found compare.Format) error {
	if f.format != "" {
		if err := choice.Check("format", f.format, formatNames()); err != nil {
			return err
		}
		if f.format != found {
			return fmt.Errorf("--format %s: the input is %s", f.format, found)
		}
	}

	var wrong error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		var formats []string
		if slices.Contains(vcdmFlags, flag.Name) {
			formats = append(formats, string(compare.VCDM))
		}
		for format, files := range f.files {
			named := func(o compare.Option) bool { return o.Name == flag.Name }
			if slices.ContainsFunc(files.Options, named) {
				formats = append(formats, string(format))
			}
		}
		if wrong != nil || len(formats) == 0 || slices.Contains(formats, string(found)) {
			return
		}
		slices.Sort(formats)
		wrong = fmt.Errorf("--%s is for %s, and this is %s", flag.Name, strings.Join(formats, " and "), found)
		if found == compare.VCDM && (flag.Name == "issuer-key" || flag.Name == "roots") {
			wrong = fmt.Errorf("%w, whose proofs name their keys; see --controller", wrong)
		}
	})

	return wrong
}

// set passes the flags to a format, and reads the files that they name. It returns all errors at once.
func (f *formatFlags) set(cmd *cobra.Command, format compare.Format) error {
	var all []error
	for _, o := range f.options(format) {
		if o.To == nil {
			continue
		}
		text := cmd.Flags().Lookup(o.Name).Value.String()
		var err error
		switch to := o.To.(type) {
		case *bool:
			*to, err = strconv.ParseBool(text)
		case *string:
			*to = text
		case *compare.KeyFile:
			err = setKey(to, text)
		case *compare.Certificates:
			err = setCertificates(to, text)
		default:
			err = fmt.Errorf("--%s: %s has an option of type %T", o.Name, format, to)
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

func setKey(to *compare.KeyFile, path string) error {
	to.Path = path
	if path == "" {
		return nil
	}
	read := readKey
	if to.NeedsSecret {
		read = readSecret
	}
	key, err := read(path)
	if err == nil {
		err = signsText(key, path)
	}
	if err == nil {
		to.Public, to.Secret = key.Public, key.Secret
	}
	return err
}

// signsText refuses a key for bbs-2023 alone.
func signsText(f *keys.File, path string) error {
	if f.Public.Algorithm().SignsText() {
		return nil
	}
	return &compare.OptionError{Err: fmt.Errorf("%s is a key for %s, which bbs-2023 alone takes", path,
		f.Public.Algorithm())}
}

func setCertificates(to *compare.Certificates, path string) error {
	to.Path = path
	if path == "" {
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return &compare.OptionError{Err: err}
	}
	if to.DER = keys.Certificates(b); len(to.DER) == 0 {
		return &compare.OptionError{Err: fmt.Errorf("%s: holds no certificate in PEM", path)}
	}
	return nil
}

// issue signs a VCDM credential in another format. expires is the end of its validity; "" leaves it to the
// credential.
func (f *formatFlags) issue(cmd *cobra.Command, doc []byte, keyFile, expires string,
	engine *engineFlags) error {

	format := formatNamed(f.format)
	files := f.files[f.format]
	key, noKey := readSecret(keyFile)
	if noKey == nil {
		noKey = signsText(key, keyFile)
	}
	var until *time.Time
	var noTime error
	if expires != "" {
		end, err := time.Parse(time.RFC3339, expires)
		if err != nil {
			noTime = fmt.Errorf("--expires %s: want a time such as 2026-01-31T12:00:00Z", expires)
		}
		until = &end
	}

	notSet := f.set(cmd, format.Name)
	t := &compare.Task{Engine: engine.engine, Limits: engine.limits, Now: time.Now()}
	draft, noDraft := files.Draft(doc, until, t)
	if err := errors.Join(noKey, noTime, notSet, noDraft); err != nil { // all at once
		return err
	}

	printLosses(cmd, draft.Losses)
	for _, text := range draft.Chosen {
		note(cmd, "%s: %s", format.Name, text)
	}

	out, err := engine.timeout.bytes(cmd, func() ([]byte, error) { return files.Issue(draft, key.Secret, t) })
	if err != nil {
		return err
	}

	return printIn(cmd, format, out)
}

// present discloses a part of a credential.
func (f *formatFlags) present(cmd *cobra.Command, format *compare.Definition, in []byte, disclose []string,
	engine *engineFlags) error {

	if err := f.set(cmd, format.Name); err != nil {
		return err
	}
	t := &compare.Task{Engine: engine.engine, Limits: engine.limits}
	out, err := engine.timeout.bytes(cmd, func() ([]byte, error) {
		return f.files[format.Name].Present(in, disclose, t)
	})
	if err != nil {
		return err
	}
	if err := printIn(cmd, format, out); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.ErrOrStderr(), "derived")
	return err
}

// printIn prints a credential of a format, bytes in hexadecimal.
func printIn(cmd *cobra.Command, format *compare.Definition, b []byte) error {
	if !format.Binary {
		return printDocument(cmd, b)
	}
	w := bufio.NewWriter(cmd.OutOrStdout())
	hex.NewEncoder(w).Write(b)
	w.WriteByte('\n')
	return w.Flush()
}

// verified is the answer of verify for a format other than vcdm, as --json prints it.
type verified struct {
	File     string         `json:"file"`
	Format   compare.Format `json:"format"`
	Verified bool           `json:"verified"`
	*compare.Verification
	Errors []map[string]string `json:"errors,omitempty"` // one problem detail (RFC 9457)
}

// verify answers for a presentation. A limit is an error.
func (f *formatFlags) verify(cmd *cobra.Command, file string, format compare.Format, in []byte,
	t *compare.Task, timeout timeLimit) (*answer, error) {

	if err := f.set(cmd, format); err != nil {
		return nil, err
	}

	files := f.files[format]
	out := &verified{File: file, Format: format}
	err := timeout.run(cmd, func(context.Context) (err error) {
		out.Verification, err = files.Verify(in, t)
		return err
	})
	if err != nil {
		return nil, err
	}

	var why string
	var invalid *compare.InvalidError
	switch limit := (*canon.LimitError)(nil); {
	case errors.As(out.Refused, &limit):
		return nil, out.Refused
	case out.Refused != nil:
		why = printable.Short(out.Refused.Error(), maxText)
		out.Errors = []map[string]string{{"title": "not verified", "detail": why}}
		if errors.As(out.Refused, &invalid) && files.Remedies[invalid.Option] != "" {
			out.Errors[0]["remedy"] = files.Remedies[invalid.Option]
		}
	default:
		out.Verified, why = true, fmt.Sprintf("%s, %d disclosed", format, out.Count)
	}

	line := lineOf(file, said(out.Verified), why)
	return &answer{no: !out.Verified, line: line, json: out, text: out.print}, nil
}

func (v *verified) print(w io.Writer) error {
	p := printable.Printer{W: w, Width: width(w)}
	p.Line("%s", said(v.Verified))
	if !v.Verified {
		p.Line("  %s", v.Errors[0]["detail"])
		if remedy := v.Errors[0]["remedy"]; remedy != "" {
			p.Line("    %s", remedy)
		}
		return p.Err
	}
	p.Line("  %s: %d disclosed", v.Format, v.Count)
	for _, line := range v.About {
		p.Line("    %s", line)
	}
	for _, name := range v.Signers {
		p.Line("    by %s", name)
	}
	if v.Key != "" {
		p.Line("    by %s", v.Key)
	}
	for _, name := range v.Unchecked {
		p.Line("  not checked: %s", name)
	}
	return p.Err
}
