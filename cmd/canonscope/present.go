package main

import (
	"github.com/spf13/cobra"

	"canonscope/compare"
)

func newPresentCommand() *cobra.Command {
	var (
		disclose []string
		engine   engineFlags
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

Before it derives, present checks that the credential is as it was issued, with
the issuer's key as far as the credential or a flag has it. If neither has, a
note on standard error names the flag.

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
			format, in, err := formats.read(cmd, file, engine.limits)
			if err != nil {
				return err
			}
			t := engine.task(cmd, file)
			return inFile(file, formats.present(cmd, format, in, disclose, t, engine.timeout))
		},
	}

	cmd.Flags().StringArrayVar(&disclose, "disclose", nil, "JSON `POINTER` to disclose; may repeat")
	formats.add(cmd, compare.Present, "")
	engine.add(cmd)
	return cmd
}
