package main

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/compare"
	"canonscope/vcdm"
	"canonscope/vcdm/rules"
)

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
	addLimit(cmd.Flags(), &f.limits.Proofs, "max-proofs", 0,
		fmt.Sprintf("limit of the proofs of a document; default %d", canon.DefaultProofs))
	addLimit(cmd.Flags(), &f.limits.Signatures, "max-signatures", 0,
		fmt.Sprintf("limit of signatures made or checked; default %d", canon.DefaultSignatures))
	f.direction.add(cmd, canon.I18nDatatype)
	addSizes(cmd, &f.limits)
	f.timeout.add(cmd)
}

// task is work on a file with the engine.
func (f *engineFlags) task(cmd *cobra.Command, file string) *compare.Task {
	load := func() (err error) {
		if f.loader == nil {
			f.loader, err = f.from.loader()
		}
		return err
	}
	return &compare.Task{
		Engine: f.engine, Limits: f.limits, Now: time.Now(), Name: nameOf(file), File: file,
		Direction: f.direction.option(), Advice: advice,
		Note: func(format string, args ...any) { note(cmd, format, args...) },
		Canonicalizer: func(method canon.Method) (canon.Canonicalizer, error) {
			if err := load(); err != nil {
				return nil, err
			}
			return engines.New(f.engine, method, engines.Config{Loader: f.loader})
		},
		Digests: func() (rules.Hashes, error) {
			if err := load(); err != nil {
				return nil, err
			}
			return f.from.hashes()
		},
	}
}

// signFor makes a key's did:key identifier the issuer or holder of a document.
func signFor(key string, doc []byte, limits canon.Limits) ([]byte, error) {
	file, err := readSecret(key)
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

func newIssueCommand() *cobra.Command {
	var (
		key, expires string
		self         bool
		engine       engineFlags
		formats      formatFlags
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
			format := formatNamed(formats.format)
			doc, err := readUnsigned(cmd, file, engine.limits, format)
			if err != nil {
				return err
			}
			if self {
				if doc, err = signFor(key, doc, engine.limits); err != nil {
					return inFile(file, err)
				}
			}
			t := engine.task(cmd, file)
			t.Expires = expires
			return inFile(file, formats.issue(cmd, format, doc, key, t, engine.timeout))
		},
	}

	f := cmd.Flags()
	f.StringVar(&key, "key", "", "key `FILE` with its secret: Multikey, JSON Web Key or PEM")
	f.BoolVar(&self, "self", false,
		"make the key's did:key identifier the issuer, or holder of a presentation")
	f.StringVar(&expires, "expires", "",
		"`TIME` after which the proof, or a credential in another format, is not valid")
	engine.from.addResources(cmd)
	formats.add(cmd, compare.Issue, compare.VCDM)
	engine.add(cmd)
	return cmd
}

// readUnsigned reads a document to sign in a format: a credential, or a presentation if the format signs
// the document itself.
func readUnsigned(cmd *cobra.Command, file string, limits canon.Limits, format *compare.Definition) (
	[]byte, error) {

	doc, err := readInput(cmd, file, limits)
	if err != nil {
		return nil, err
	}
	if err := checkForeign(file, doc); err != nil {
		return nil, err
	}
	if found, _ := formatOf(doc); found.Decode != nil {
		return nil, fmt.Errorf("%s is %s, which is signed already; issue takes a credential as JSON",
			nameOf(file), found.Name)
	}
	presentation, err := isPresentation(file, doc, limits)
	switch {
	case err != nil:
		return nil, err
	case presentation && !format.Documents:
		return nil, fmt.Errorf("%s is a presentation; %s is issued from a credential", nameOf(file),
			format.Name)
	}
	return doc, nil
}

// printDocument is printBytes for a document, with a newline at its end.
func printDocument(cmd *cobra.Command, doc []byte) error {
	return printBytes(cmd.OutOrStdout(), append(bytes.TrimRight(doc, "\n"), '\n'))
}
