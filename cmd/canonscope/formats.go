package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/printable"
	"canonscope/canon/userfile"
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
			switch o.To.(type) {
			case *bool:
				cmd.Flags().Bool(o.Name, false, f.usage(o.Name))
			case *[]string:
				cmd.Flags().StringArray(o.Name, nil, f.usage(o.Name))
			default:
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
				if o.Alone {
					return o.Usage
				}
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

	if f.files[found] == nil {
		return fmt.Errorf("%s does not support the command %s", found, words(cmd))
	}

	var wrong error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		var formats []string
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
		if flag.Name == "key" {
			wrong = fmt.Errorf("%w, whose presentations --holder-key signs", wrong)
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
		case *[]string:
			if cmd.Flags().Changed(o.Name) { // else nil
				*to, err = cmd.Flags().GetStringArray(o.Name)
			}
		case *compare.KeyFile:
			err = setKey(to, text, format)
		case *compare.Certificates:
			err = setCertificates(to, text)
		default:
			err = fmt.Errorf("--%s: %s has an option of type %T", o.Name, format, to)
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// setKey reads a key for a format. Keys for BBS sign no text, and fit VCDM alone.
func setKey(to *compare.KeyFile, path string, format compare.Format) error {
	to.Path = path
	if path == "" {
		return nil
	}
	read := readKey
	if to.NeedsSecret {
		read = readSecret
	}
	key, err := read(path)
	if err == nil && format != compare.VCDM {
		err = signsText(key, path)
	}
	if err == nil {
		to.Public, to.Secret, to.Method = key.Public, key.Secret, key.Method
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
	b, err := userfile.ReadAll(path)
	if err != nil {
		return &compare.OptionError{Err: err}
	}
	if to.DER = keys.Certificates(b); len(to.DER) == 0 {
		return &compare.OptionError{Err: fmt.Errorf("%s: holds no certificate in PEM", path)}
	}
	return nil
}

// read reads a credential or presentation, and checks the flags for its format.
func (f *formatFlags) read(cmd *cobra.Command, file string, limits canon.Limits) (
	*compare.Definition, []byte, error) {

	doc, err := readInput(cmd, file, limits)
	if err != nil {
		return nil, nil, err
	}
	if err := checkForeign(file, doc); err != nil {
		return nil, nil, err
	}
	format, in := formatOf(doc)
	if err := f.check(cmd, format.Name); err != nil {
		return nil, nil, err
	}
	if format.Decode == nil {
		err = checkJSON(file, in)
	}
	return format, in, err
}

// issue signs a document, or its claims in another format.
func (f *formatFlags) issue(cmd *cobra.Command, format *compare.Definition, doc []byte, keyFile string,
	t *compare.Task, timeout timeLimit) error {

	files := f.files[format.Name]
	key := compare.KeyFile{NeedsSecret: true}
	noKey := setKey(&key, keyFile, format.Name)
	if keyFile == "" {
		_, noKey = readSecret("")
	}
	var until *time.Time
	var noTime error
	if t.Expires != "" && !format.Documents { // a proof has it as it is written
		end, err := time.Parse(time.RFC3339, t.Expires)
		if err != nil {
			noTime = fmt.Errorf("--expires %s: want a time such as 2026-01-31T12:00:00Z", t.Expires)
		}
		until = &end
	}

	notSet := f.set(cmd, format.Name)
	draft, noDraft := files.Draft(doc, until, t)
	if err := errors.Join(noKey, noTime, notSet, noDraft); err != nil { // all at once
		return err
	}

	printLosses(cmd, draft.Losses)
	for _, text := range draft.Chosen {
		note(cmd, "%s: %s", format.Name, text)
	}

	var out []byte
	err := timeout.run(cmd, func(ctx context.Context) (err error) {
		out, err = files.Issue(ctx, draft, &key, t)
		return err
	})
	if err != nil {
		return err
	}

	return printIn(cmd, format, out)
}

// present discloses a part of a credential.
func (f *formatFlags) present(cmd *cobra.Command, format *compare.Definition, in []byte, disclose []string,
	t *compare.Task, timeout timeLimit) error {

	if err := f.set(cmd, format.Name); err != nil {
		return err
	}
	var out []byte
	var how string
	err := timeout.run(cmd, func(ctx context.Context) (err error) {
		out, how, err = f.files[format.Name].Present(ctx, in, disclose, t)
		return err
	})
	if err != nil {
		return err
	}
	if err := printIn(cmd, format, out); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.ErrOrStderr(), how)
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

// verified is the answer of verify, as --json prints it, of a format that has no other.
type verified struct {
	File     string         `json:"file"`
	Format   compare.Format `json:"format"`
	Verified bool           `json:"verified"`
	*compare.Verification
	Errors []map[string]string `json:"errors,omitempty"` // one problem detail (RFC 9457)
}

// verify answers for a presentation. A limit is an error.
func (f *formatFlags) verify(cmd *cobra.Command, format *compare.Definition, in []byte, t *compare.Task,
	timeout timeLimit) (*answer, error) {

	if err := f.set(cmd, format.Name); err != nil {
		return nil, err
	}

	files := f.files[format.Name]
	out := &verified{File: t.File, Format: format.Name}
	err := timeout.run(cmd, func(ctx context.Context) (err error) {
		out.Verification, err = files.Verify(ctx, in, t)
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
		if out.Verified = true; out.Own == nil {
			why = fmt.Sprintf("%s, %d disclosed", format.Name, out.Count)
		}
	}

	a := &answer{no: !out.Verified, line: lineOf(t.File, compare.Said(out.Verified), why), json: out,
		text: out.print}
	if out.Own != nil {
		a.json = out.Own
		a.text = func(w io.Writer) error {
			p := printable.Printer{W: w, Width: width(w)}
			out.Print(&p)
			return p.Err
		}
	}
	return a, nil
}

func (v *verified) print(w io.Writer) error {
	p := printable.Printer{W: w, Width: width(w)}
	p.Line("%s", compare.Said(v.Verified))
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
