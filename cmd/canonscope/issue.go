package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/compare"
	"canonscope/vcdm"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// proofFlags are the proof options that issue and a re-signing present take.
type proofFlags struct {
	key           string
	options       vcdm.Options
	deterministic bool
	noInject      bool
}

func (f *proofFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.key, "key", "", "key `FILE` with its secret: Multikey, JSON Web Key or PEM")
	cmd.Flags().StringVar(&f.options.Created, "created", "",
		"`TIME` of the proof, such as 2026-01-31T12:00:00Z, or none; default now")
	cmd.Flags().StringVar(&f.options.Method, "method", "", "verification method `URL`; default the key's own")
	cmd.Flags().StringVar(&f.options.Purpose, "purpose", "",
		"proof purpose; default assertionMethod, or authentication for a presentation")
	cmd.Flags().BoolVar(&f.noInject, "no-inject", false,
		"refuse a document whose contexts do not define the terms of a proof")
	cmd.Flags().BoolVar(&f.deterministic, "deterministic", false, "sign ECDSA as RFC 6979 does")
}

// signer returns a signer and its options as JSON; purpose is used if --purpose is not given.
func (f *proofFlags) signer(
	suite vcdm.Suite, purpose string, limits canon.Limits,
) (*vcdm.Signer, []byte, error) {
	file, err := readSecret(f.key)
	if err != nil {
		return nil, nil, err
	}

	s := &vcdm.Signer{Suite: suite, Key: file.Secret, NoInject: f.noInject, Limits: limits,
		Counts: new(vcdm.Counts)}
	if f.deterministic {
		s.Key = s.Key.Deterministic()
	}

	o := f.options
	switch o.Created {
	case "":
		o.Created = time.Now().UTC().Format(time.RFC3339)
	case "none":
		o.Created = ""
	}

	if o.Method == "" {
		o.Method = file.Method
	}
	if file.Public.Contradicts(o.Method) {
		return nil, nil, fmt.Errorf("--method names a key other than that of --key %s", f.key)
	}
	if o.Purpose == "" {
		o.Purpose = purpose
	}

	return s, o.AppendJSON(nil, suite.Name()), nil
}

// signFor makes the key's did:key identifier the issuer or holder of a document.
func (f *proofFlags) signFor(doc []byte, limits canon.Limits) ([]byte, error) {
	file, err := readSecret(f.key)
	if err != nil {
		return nil, err
	}
	switch _, err := vcdm.SuiteOf(doc, limits); {
	case err == nil:
		return nil, errors.New("the document has a proof already, which --self would break")
	case !errors.Is(err, vcdm.ErrNoProof):
		return nil, err
	}
	return rules.WithIssuer(doc, file.Secret.Public().DID(), limits)
}

// noteInjected notes that the signer has added a context to the document.
func noteInjected(cmd *cobra.Command, signer *vcdm.Signer) {
	if signer.Counts.Injections > 0 {
		note(cmd, "%s is added to the @context, which did not define the terms of a proof; "+
			"--no-inject refuses instead",
			vcdm.ProofContext)
	}
}

// noteIssuer notes what a verifier will require if the key is not the did:key of the issuer or holder.
func (f *proofFlags) noteIssuer(
	cmd *cobra.Command, doc []byte, signer *vcdm.Signer, limits canon.Limits,
) error {
	member, of, err := rules.PartyOf(doc, limits)
	if err != nil || of == "" || f.options.Method != "" || of == signer.Key.Public().DID() {
		return err
	}
	note(cmd, "the key is not that of the %s, %s; use --self to make it that, "+
		"or --method to name it in a controller document",
		member, of)
	return nil
}

// disclosures adds the default mandatory pointers unless only is set, and warns if presentations would not
// be credentials.
func disclosures(cmd *cobra.Command, doc []byte, limits canon.Limits, sd *vcdm.SDOptions, only bool) error {
	needs, err := rules.VerifierNeeds(doc, limits)
	if err != nil {
		return err
	}
	if !only {
		for _, pointer := range needs {
			if !slices.Contains(sd.Mandatory, pointer) {
				sd.Mandatory = append(sd.Mandatory, pointer)
			}
		}
		return nil
	}
	shown := []byte("{}")
	if len(sd.Mandatory) > 0 {
		if shown, err = (vcdm.Selector{Limits: limits}).Select(cmd.Context(), doc, sd.Mandatory); err != nil {
			return err
		}
	}
	return warnOfMissing(cmd, needs, shown, limits,
		"presentations may leave out %s, which verifiers need; make it --mandatory")
}

// noteLinking warns of a mandatory part that makes all presentations of a credential known as its own.
func noteLinking(cmd *cobra.Command, mandatory []string) {
	for _, pointer := range mandatory {
		if pointer == "" || pointer == "/id" || pointer == "/credentialStatus" ||
			strings.HasPrefix(pointer, "/credentialStatus/") {
			note(cmd, "%s is mandatory, so that verifiers can link the presentations of this credential",
				cmp.Or(pointer, "the whole document"))
		}
	}
}

// warnOfMissing warns of each member that pointers name and a document lacks.
func warnOfMissing(
	cmd *cobra.Command, pointers []string, doc []byte, limits canon.Limits, format string,
) error {
	have, err := rules.VerifierNeeds(doc, limits)
	if err != nil {
		return err
	}
	for _, pointer := range pointers {
		if !slices.Contains(have, pointer) {
			note(cmd, format, pointer)
		}
	}
	return nil
}

// engineFlags select what canonicalizes, and limit its work.
type engineFlags struct {
	engine  canon.Engine
	from    contextFlags
	limits  canon.Limits
	timeout timeLimit
	loader  jsonld.Loader

	direction directionFlag
}

func (f *engineFlags) add(cmd *cobra.Command) {
	addEngine(cmd, &f.engine, "what canonicalizes", canon.Engines)
	f.from.add(cmd)
	addWork(cmd, &f.limits)
	cmd.Flags().IntVar(&f.limits.Proofs, "max-proofs", 0,
		fmt.Sprintf("limit of the proofs of a document; default %d", canon.DefaultProofs))
	cmd.Flags().IntVar(&f.limits.Signatures, "max-signatures", 0,
		fmt.Sprintf("limit of signatures made or checked; default %d", canon.DefaultSignatures))
	f.direction.add(cmd, canon.I18nDatatype)
	addSizes(cmd, &f.limits)
	f.timeout.add(cmd)
}

// suite returns a cryptosuite over the engine.
func (f *engineFlags) suite(name string, o vcdm.SDOptions) (vcdm.Suite, error) {
	s, err := vcdm.SuiteNamed(name)
	if err != nil {
		return nil, err
	}
	if f.loader == nil {
		if f.loader, err = f.from.loader(); err != nil {
			return nil, err
		}
	}
	c, err := engines.New(f.engine, s.Method, engines.Config{Loader: f.loader})
	if err != nil {
		return nil, err
	}
	return vcdm.WithDirection(s.New(c, o), f.direction.option()), nil
}

func newIssueCommand() *cobra.Command {
	var (
		name    string
		sd      vcdm.SDOptions
		engine  engineFlags
		proof   proofFlags
		formats formatFlags
		anyForm bool
		self    bool
		related resourceFlag
		only    bool // only --mandatory is mandatory
	)

	cmd := &cobra.Command{
		Use:   "issue --suite S|--format F --key FILE [flags] [FILE|-]",
		Short: "Sign a credential",
		Long: `Issue prints a credential with one more Data Integrity proof and its other bytes
unchanged. On a terminal, control characters become JSON escapes of the same
value. If the contexts of a credential do not define the terms of a proof, the
context that does is added, with a note on standard error. A credential is
refused if it violates the data model, has data that the suite would not cover,
or has a digest that differs from its related resource.

ecdsa-sd-2023 and bbs-2023 make a base proof. Give it only to the holder, who
derives from it with canonscope present. Every presentation then discloses
issuer, type, validity, status and the --mandatory pointers, or with
--mandatory-only just these. A holder signs a presentation in the same way,
mostly with --challenge and --domain of the verifier. Verifiers expect the
issuer to sign: --self writes the key's did:key identifier into the document.

With --format sd-jwt-vc or mdoc it prints the claims of the credential in that
format: every leaf under credentialSubject can be disclosed alone. Data that the
format cannot carry is refused, or with --lossy listed on standard error. So are
values that the format needs and the credential lacks. Validity ends as in the
credential, or earlier with --expires; if neither sets an end, an mdoc has
9999-12-31. An mdoc is printed in hexadecimal; without --certificate it has a
made-up one.`,
		Example: `  canonscope issue --suite eddsa-rdfc-2022 --key issuer.json credential.json
  canonscope issue --suite ecdsa-sd-2023 --key issuer.json --self \
    --mandatory /credentialSubject/id credential.json
  canonscope issue --format sd-jwt-vc --key issuer.json credential.json
  canonscope issue --format mdoc --key issuer.json --holder-key device.json \
    credential.json`,
		Args: fileArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			file := inputOf(args)
			if err := formats.check(cmd, formats.format); err != nil {
				return err
			}

			if formats.format == compare.VCDM {
				if (len(sd.Mandatory) > 0 || only) && !derives(name) {
					return fmt.Errorf(
						"--mandatory is for ecdsa-sd-2023 and bbs-2023; %s has no selective disclosure",
						cmp.Or(name, "no --suite"))
				}
				if name == "" {
					return errors.New("no cryptosuite: give --suite, one of " +
						strings.Join(vcdm.SuiteNames(), ", "))
				}
			}

			doc, purpose, err := readUnsigned(cmd, file, engine.limits, formats.format)
			if err != nil {
				return err
			}

			if self {
				if doc, err = proof.signFor(doc, engine.limits); err != nil {
					return inFile(file, err)
				}
			}

			if formats.files[formats.format] != nil {
				return inFile(file, formats.issue(cmd, doc, proof.key, proof.options.Expires, &engine))
			}

			if derives(name) {
				if purpose == vcdm.Authentication {
					return errors.New(name + " is for credentials, from which a holder derives; " +
						"sign a presentation with ecdsa-rdfc-2019")
				}
				if err := disclosures(cmd, doc, engine.limits, &sd, only); err != nil {
					return inFile(file, err)
				}
				if name == "bbs-2023" {
					noteLinking(cmd, sd.Mandatory)
				}
			}

			suite, err := engine.suite(name, sd)
			if err != nil {
				return err
			}

			known, err := related.hashes(&engine.from)
			if err != nil {
				return err
			}

			signer, options, err := proof.signer(suite, purpose, engine.limits)
			if err != nil {
				return err
			}

			var signed []byte
			err = engine.timeout.run(cmd, func(ctx context.Context) (err error) {
				if !anyForm {
					if err := checkForm(doc, engine.limits); err != nil {
						return err
					}
				}
				if err := checkRelated(cmd, doc, engine.limits, known); err != nil {
					return err
				}
				signed, err = signer.Add(ctx, doc, options)
				return err
			})
			if err != nil {
				return inFile(file, err)
			}
			if err := printDocument(cmd, signed); err != nil {
				return err
			}

			noteInjected(cmd, signer)
			return proof.noteIssuer(cmd, doc, signer, engine.limits)
		},
	}

	cmd.Flags().StringVar(&name, "suite", "", "cryptosuite: "+strings.Join(vcdm.SuiteNames(), ", "))
	cmd.Flags().StringArrayVar(&sd.Mandatory, "mandatory", nil,
		"JSON `POINTER` that every presentation discloses besides the defaults; may repeat")
	cmd.Flags().BoolVar(&only, "mandatory-only", false, "make only the --mandatory pointers mandatory")
	cmd.Flags().BoolVar(&self, "self", false,
		"make the key's did:key identifier the issuer, or holder of a presentation")
	cmd.Flags().BoolVar(&anyForm, "any-form", false, "do not apply the rules of the data model")
	related.add(cmd)
	formats.add(cmd, compare.Issue, compare.VCDM)
	proof.add(cmd)
	cmd.Flags().StringVar(&proof.options.Expires, "expires", "",
		"`TIME` after which the proof, or a credential in another format, is not valid")
	cmd.Flags().StringVar(&proof.options.ID, "id", "", "`URL` of the proof, so that a later one can name it")
	cmd.Flags().StringArrayVar(&proof.options.PreviousProof, "previous", nil,
		"`URL` of a proof that this one builds on; may repeat")
	cmd.Flags().StringArrayVar(&proof.options.Domain, "domain", nil,
		"`DOMAIN` that the proof is meant for; may repeat")
	cmd.Flags().StringVar(&proof.options.Challenge, "challenge", "", "challenge that the proof answers")
	engine.add(cmd)
	return cmd
}

// derives reports whether a cryptosuite has selective disclosure.
func derives(name string) bool {
	s, err := vcdm.SuiteNamed(name)
	return err == nil && s.Derives
}

// readUnsigned reads a document to sign in a format: a credential, or in VCDM also a presentation. It
// returns the default purpose of its proof.
func readUnsigned(
	cmd *cobra.Command, file string, limits canon.Limits, format compare.Format,
) (doc []byte, purpose string, err error) {
	if doc, err = readInput(cmd, file, limits); err != nil {
		return nil, "", err
	}
	if err := checkForeign(file, doc); err != nil {
		return nil, "", err
	}
	if found, _ := formatOf(doc); found.Name != compare.VCDM {
		return nil, "", fmt.Errorf("%s is %s, which is signed already; issue takes a credential as JSON",
			nameOf(file), found.Name)
	}
	presentation, err := isPresentation(file, doc, limits)
	switch {
	case err != nil:
		return nil, "", err
	case presentation && format != compare.VCDM:
		return nil, "", fmt.Errorf("%s is a presentation; %s is issued from a credential", nameOf(file),
			format)
	case presentation:
		return doc, vcdm.Authentication, nil
	}
	return doc, vcdm.AssertionMethod, nil
}

// checkForm applies the rules of the data model to a credential or a presentation.
func checkForm(doc []byte, limits canon.Limits) error {
	presentation, err := rules.IsPresentation(doc, limits)
	if err != nil {
		return err
	}
	if presentation {
		return rules.CheckPresentation(doc, limits)
	}
	return rules.CheckCredential(doc, limits)
}

// checkRelated compares the digests of related resources with known ones, and lists the unknown resources.
func checkRelated(cmd *cobra.Command, doc []byte, limits canon.Limits, known rules.Hashes) error {
	err := rules.CheckRelated(doc, limits, known)
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var wrong []error
	for _, err := range all.Unwrap() {
		if e := new(problem.Error); errors.Is(err, rules.ErrUnrecorded) && errors.As(err, &e) {
			note(cmd, "not checked: %s; --resource URL=FILE compares it", e.Where)
		} else {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

// printDocument is printBytes for a document, with a newline at its end.
func printDocument(cmd *cobra.Command, doc []byte) error {
	return printBytes(cmd.OutOrStdout(), append(bytes.TrimRight(doc, "\n"), '\n'))
}
