package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"canonscope/compare"
	"canonscope/vcdm"
	"canonscope/vcdm/rules"
)

func newPresentCommand() *cobra.Command {
	var (
		disclose []string
		engine   engineFlags
		proof    proofFlags
		formats  formatFlags
	)

	cmd := &cobra.Command{
		Use:   "present --disclose POINTER [flags] [FILE|-]",
		Short: "Disclose a part of a signed credential",
		Long: `Present prints the parts of a credential that --disclose selects by JSON
pointers, with the types and ids of the enclosing objects.

From a base proof of ecdsa-sd-2023 or bbs-2023 it derives a proof without the
issuer's key. The parts that the issuer made mandatory are always disclosed.
Presentations of one credential can be linked with ecdsa-sd-2023; with bbs-2023
only by what standard error lists. The other suites have no selective
disclosure: with --key, which only the issuer has, the subset is signed again.
A note on standard error names the way taken.

An SD-JWT or mdoc also derives. Pointers select its claims, in an mdoc as
/NAMESPACE/ELEMENT, or /credentialSubject/ELEMENT if one namespace has it. With
--holder-key, the key that it was issued for, the presentation is bound to its
verifier: by a KB-JWT for --audience and --nonce, or a device signature over
--transcript.`,
		Example: `  canonscope present --disclose /credentialSubject/degree credential.json
  canonscope present --disclose /issuer --disclose /credentialSubject/degree \
    --key issuer.json credential.json
  canonscope present --disclose /credentialSubject/degree \
    --holder-key holder.json --audience https://v.example --nonce n token.txt
  canonscope present --disclose /org.iso.18013.5.1/family_name mdl.hex`,
		Args: fileArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			file := inputOf(args)
			doc, err := readInput(cmd, file, engine.limits)
			if err != nil {
				return err
			}
			if err := checkForeign(file, doc); err != nil {
				return err
			}

			format, in := formatOf(doc)
			if err := formats.check(cmd, format.Name); err != nil {
				return err
			}

			if formats.files[format.Name] != nil {
				if proof.key != "" {
					return fmt.Errorf(
						"--key is for vcdm, and this is %s, whose presentations --holder-key signs",
						format.Name)
				}
				return inFile(file, formats.present(cmd, format, in, disclose, &engine))
			}

			if len(disclose) == 0 {
				return errors.New(
					"nothing to disclose: give --disclose POINTER, such as /credentialSubject/name")
			}

			presentation, err := isPresentation(file, doc, engine.limits)
			if err != nil {
				return err
			}

			if presentation {
				return fmt.Errorf("%s is a presentation; present discloses a part of a credential",
					nameOf(file))
			}

			name, err := vcdm.SuiteOf(doc, engine.limits)
			if err != nil {
				return fmt.Errorf("%s: %w", nameOf(file), err)
			}

			suite, err := engine.suite(name, vcdm.SDOptions{})
			if err != nil {
				return err
			}

			var disclosed func(ctx context.Context) ([]byte, error)
			var signer *vcdm.Signer
			done := "derived"
			if sd, ok := suite.(*vcdm.SD); ok {
				if proof.key != "" {
					return errors.New(name + " derives without the issuer's key; omit --key")
				}
				h := &vcdm.Holder{Suite: sd, Limits: engine.limits}
				disclosed = func(ctx context.Context) ([]byte, error) { return h.Derive(ctx, doc, disclose) }
			} else {
				if proof.key == "" {
					return fmt.Errorf(
						"%s has no selective disclosure; the issuer can sign the subset again with --key",
						name)
				}
				done = "re-signed: " + name +
					" has no selective disclosure, and the given key signed the subset"
				var options []byte
				if signer, options, err = proof.signer(suite, vcdm.AssertionMethod,
					engine.limits); err != nil {
					return err
				}
				if err := proof.noteIssuer(cmd, doc, signer, engine.limits); err != nil {
					return err
				}
				disclosed = func(ctx context.Context) ([]byte, error) {
					subset, err := vcdm.Selector{Limits: engine.limits}.Select(ctx, doc, disclose)
					if err != nil {
						return nil, err
					}
					return signer.Add(ctx, subset, options)
				}
			}

			var out []byte
			err = engine.timeout.run(cmd, func(ctx context.Context) (err error) {
				out, err = disclosed(ctx)
				return err
			})
			if err != nil {
				return inFile(file, err)
			}
			if err := printDocument(cmd, out); err != nil {
				return err
			}
			if signer != nil {
				noteInjected(cmd, signer)
			}

			needs, err := rules.VerifierNeeds(doc, engine.limits)
			if err != nil {
				return err
			}

			if err := warnOfMissing(cmd, needs, out, engine.limits,
				"the presentation lacks %s, which the credential has and verifiers need"); err != nil {
				return err
			}

			links, err := vcdm.Links(out, engine.limits)
			if err != nil {
				return err
			}
			for _, link := range links {
				note(cmd, "can link presentations: %s", link)
			}

			_, err = fmt.Fprintln(cmd.ErrOrStderr(), done)
			return err
		},
	}

	cmd.Flags().StringArrayVar(&disclose, "disclose", nil, "JSON `POINTER` to disclose; may repeat")
	formats.add(cmd, compare.Present, "")
	proof.add(cmd)
	engine.add(cmd)
	return cmd
}
