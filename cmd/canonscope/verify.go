package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/vcdm"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

func newVerifyCommand() *cobra.Command {
	var (
		engine      engineFlags
		v           vcdm.Verifier
		now         string
		controllers []string
		files       manyFiles
		resources   resourceFlag
		formats     formatFlags
	)

	cmd := &cobra.Command{
		Use:   "verify [flags] [FILE|-]...",
		Short: "Verify the proofs of a credential or a presentation",
		Long: `Verify checks every proof of a credential, or of a presentation and the
credentials in it: signature, proof options, purpose, dates of the proof,
validity period, the rules of the data model, and that the issuer signed the
credential or the holder the presentation. Nothing is fetched: keys come from
did:key identifiers and from the documents of --controller. Exit status 1 means
that it is not verified; every reason is printed. What was not checked is
listed: status, schemas, and related resources that are neither built-in
contexts nor given with --resource.

A signature shows who signed which statements. Only contexts that the reader
knows show that terms have the expected meaning. Contexts that are inline or not
built in are listed; --known-contexts refuses all others than those it names.
With an RDFC suite, claims that are not checked may be anywhere in a document:
read them as JSON-LD, not by their place.

For an SD-JWT or mdoc it checks signature, digests, validity period and form,
with the key of --issuer-key or a certificate chain to --roots; with --nonce
also the KB-JWT, with --transcript the device signature.

For several files it prints one line each, with --json one object a line; the
exit status is the worst. Without a file it reads standard input.`,
		Example: `  canonscope verify credential.json
  canonscope verify --domain verifier.example --challenge 1f44d55f vp.json
  canonscope verify --json --now 2026-06-30T12:00:00Z < credential.json
  canonscope verify credentials/*.json
  canonscope verify --issuer-key issuer.json token.txt
  canonscope verify --roots iaca.pem mdoc.hex`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if now != "" {
				t, err := time.Parse(time.RFC3339, now)
				if err != nil {
					return fmt.Errorf("--now %s: want a time such as 2026-01-31T12:00:00Z", now)
				}
				v.Now = func() time.Time { return t }
			}

			for _, k := range v.Contexts {
				if !json.Valid([]byte(k)) {
					return fmt.Errorf(
						`--known-contexts %s: want JSON, as '["https://www.w3.org/ns/credentials/v2"]'`, k)
				}
			}

			resolver, err := readControllers(controllers)
			if err != nil {
				return err
			}

			resolver.Now, resolver.Limits = v.Now, engine.limits
			if v.Resources, err = resources.hashes(&engine.from); err != nil {
				return err
			}

			v.Resolver, v.Limits, v.AllReasons = resolver, engine.limits, true

			return files.run(cmd, args, func(file string) (*answer, error) {
				doc, err := readInput(cmd, file, engine.limits)
				if err != nil {
					return nil, err
				}
				if err := checkForeign(file, doc); err != nil {
					return nil, err
				}
				format, in := formatOf(doc)
				if err := formats.check(cmd, format.Name); err != nil {
					return nil, err
				}
				if formats.files[format.Name] != nil {
					t := &compare.Task{Engine: engine.engine, Limits: engine.limits, Now: time.Now(),
						Skew: v.Skew, JSON: files.asJSON}
					if v.Now != nil {
						t.Now = v.Now()
					}
					return formats.verify(cmd, file, format.Name, in, t, engine.timeout)
				}
				return verifyVCDM(cmd, file, doc, &v, &engine)
			})
		},
	}

	f := cmd.Flags()
	f.StringVar(&now, "now", "", "`TIME` to compare dates with; default now")
	f.StringArrayVar(&v.Domain, "domain", nil, "`DOMAIN` that the proof must name; may repeat")
	f.StringVar(&v.Challenge, "challenge", "", "challenge that the proof must answer")
	f.StringVar(&v.Purpose, "purpose", "",
		"required purpose of the proof; default assertionMethod, or authentication for a presentation")
	f.DurationVar(&v.Skew, "skew", 0,
		"allowed difference of clocks: a proof may be so far in the future; "+
			"sd-jwt-vc and mdoc are valid so much longer at both ends")

	f.BoolVar(&v.AnyIssuer, "any-issuer", false,
		"accept a proof by a party other than the issuer, or holder of a presentation")
	f.Bool("bound", true, "require a proof by the issuer or holder; the default")
	if err := f.MarkHidden("bound"); err != nil {
		panic(err) // the flag exists
	}

	f.StringArrayVar(&controllers, "controller", nil,
		"controlled identifier document `FILE` with keys; may repeat")
	resources.add(cmd)
	f.StringArrayVar(&v.Contexts, "known-contexts", nil,
		"`JSON` of a @context that the reader knows, so that others are refused; may repeat")
	f.BoolVar(&v.AnyForm, "any-form", false, "do not apply the rules of the data model")
	formats.add(cmd, compare.Verify, "")
	files.addJSON(cmd, "print the result as JSON, errors as problem details (RFC 9457)")
	files.add(cmd)
	engine.add(cmd)
	return cmd
}

// verifyVCDM answers for a credential or a presentation with Data Integrity proofs.
func verifyVCDM(
	cmd *cobra.Command, file string, doc []byte, v *vcdm.Verifier, engine *engineFlags,
) (*answer, error) {
	if v.Suites == nil {
		for _, name := range vcdm.SuiteNames() {
			s, err := engine.suite(name, vcdm.SDOptions{})
			var unsupported *canon.UnsupportedError
			if errors.As(err, &unsupported) {
				continue // the engine has no such method
			}
			if err != nil {
				return nil, err
			}
			v.Suites = append(v.Suites, s)
		}
	}

	if _, err := isPresentation(file, doc, engine.limits); err != nil {
		return nil, err // not even an object
	}

	var r *vcdm.Result
	err := engine.timeout.run(cmd, func(ctx context.Context) (err error) {
		r, err = verifyAll(ctx, v, doc)
		return err
	})
	if err != nil {
		return nil, err
	}

	why := ""
	if len(r.Errors) > 0 {
		why = printable.Short(r.Errors[0].Error(), maxText)
	}

	out := newResultJSON(r)
	out.File, out.Format = file, compare.VCDM

	return &answer{
		no:   !r.Verified,
		line: lineOf(file, said(r.Verified), why),
		json: out,
		text: func(w io.Writer) error { return printResult(w, r) },
	}, nil
}

// verifyAll verifies a document. Reaching a limit is an error, not an answer.
func verifyAll(ctx context.Context, v *vcdm.Verifier, doc []byte) (*vcdm.Result, error) {
	r := v.VerifyAll(ctx, doc)
	var limit *canon.LimitError
	switch err := r.Err(); {
	case errors.As(err, &limit):
		return nil, limit
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, ctx.Err()
	}
	return r, nil
}

// readControllers reads controlled identifier documents, by their ids.
func readControllers(files []string) (*vcdm.Documents, error) {
	docs := map[string][]byte{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var d struct {
			ID      string `json:"id"`
			Type    any    `json:"type"`
			Subject any    `json:"credentialSubject"`
		}
		err = json.Unmarshal(b, &d)
		switch {
		case d.Subject != nil:
			return nil, fmt.Errorf("%s: a credential, not a controlled identifier document", f)
		case err != nil || d.ID == "":
			return nil, fmt.Errorf("%s: not a controlled identifier document: it has no id", f)
		case d.Type == "Multikey" || d.Type == "JsonWebKey":
			return nil, fmt.Errorf(
				"%s: a key, not a controlled identifier document with the key as a verificationMethod", f)
		}

		docs[d.ID] = b
	}

	return &vcdm.Documents{Document: func(_ context.Context, url string) ([]byte, error) {
		if b, ok := docs[url]; ok {
			return b, nil
		}
		return nil, errors.New(
			"nothing is fetched; give its controlled identifier document with --controller FILE")
	}}, nil
}

func printResult(w io.Writer, r *vcdm.Result) error {
	p := printable.Printer{W: w, Width: width(w)}
	p.Line("%s", said(r.Verified))
	printProofs(&p, "", r)
	printCredentials(&p, "credential ", r.Credentials)
	for _, c := range r.UnknownContexts() {
		p.Line("  context not known here: %s at %s", cmp.Or(printable.Short(c.URL, maxName), "inline"),
			printable.Short(c.Pointer, maxName))
	}
	if r.Replaced() {
		p.Line("  the verified document has fewer contexts than the input; --json prints it")
	}
	told := ""
	for _, reason := range r.Errors {
		p.Line("  %s", printable.Short(reason.Error(), maxText))
		if text := advice(reason); text != "" && text != told {
			p.Line("    %s", text)
			told = text
		}
	}
	return p.Err
}

// printCredentials prints the credentials of a presentation, and those of presentations in it.
func printCredentials(w *printable.Printer, of string, all []*vcdm.Result) {
	for i, c := range all {
		name := fmt.Sprintf("%s%d", of, i+1)
		printProofs(w, name+": ", c)
		printCredentials(w, name+".", c.Credentials)
	}
}

func printProofs(w *printable.Printer, of string, r *vcdm.Result) {
	for _, p := range r.Proofs() {
		w.Line("  %s%s: %s", of, cmp.Or(p.Suite, "a proof without cryptosuite"), said(p.Verified))
		if p.Method != nil {
			w.Line("    by %s", p.Method.Controller)
			if !p.Bound {
				w.Line("    which is not the issuer or holder")
			}
		}
	}
	for _, pointer := range r.Unchecked() {
		w.Line("  %snot checked: %s", of, printable.Short(pointer, maxName))
	}
}

func said(verified bool) string {
	if verified {
		return "verified"
	}
	return "not verified"
}

// resultJSON is a result as --json prints it.
type resultJSON struct {
	File        string              `json:"file,omitempty"`
	Format      compare.Format      `json:"format,omitempty"`
	Verified    bool                `json:"verified"`
	MediaType   string              `json:"mediaType,omitempty"`
	Document    json.RawMessage     `json:"verifiedDocument,omitempty"`
	Proofs      []proofJSON         `json:"proofs"`
	Credentials []resultJSON        `json:"credentials,omitempty"`
	Unchecked   []string            `json:"unchecked,omitempty"`
	Errors      []map[string]string `json:"errors,omitempty"`

	UnknownContexts []rules.UnknownContext `json:"unknownContexts,omitempty"`
}

type proofJSON struct {
	ID         string `json:"id,omitempty"`
	Suite      string `json:"cryptosuite"`
	Method     string `json:"verificationMethod,omitempty"`
	Controller string `json:"controller,omitempty"`
	Verified   bool   `json:"verified"`
	Bound      bool   `json:"bound"`
}

func newResultJSON(r *vcdm.Result) resultJSON {
	out := resultJSON{Verified: r.Verified, MediaType: r.MediaType, Document: r.Document(),
		Proofs: []proofJSON{}, Unchecked: r.Unchecked(), UnknownContexts: r.UnknownContexts()}
	for _, p := range r.Proofs() {
		j := proofJSON{ID: p.ID, Suite: p.Suite, Verified: p.Verified, Bound: p.Bound}
		if p.Method != nil {
			j.Method, j.Controller = p.Method.ID, p.Method.Controller
		}
		out.Proofs = append(out.Proofs, j)
	}
	for _, c := range r.Credentials {
		out.Credentials = append(out.Credentials, newResultJSON(c))
	}
	for _, err := range r.Errors {
		var e *problem.Error
		if errors.As(err, &e) {
			problem := e.Problem()
			for member, text := range problem {
				problem[member] = printable.Short(text, maxText)
			}
			out.Errors = append(out.Errors, problem)
		} else {
			out.Errors = append(out.Errors, map[string]string{"title": printable.Short(err.Error(), maxText)})
		}
	}
	return out
}
