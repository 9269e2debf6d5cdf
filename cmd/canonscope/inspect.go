package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/sdjwt"
	"canonscope/vcdm/keys"
)

func newInspectCommand() *cobra.Command {
	var limits canon.Limits
	var timeout timeLimit
	var files manyFiles
	cmd := &cobra.Command{
		Use:   "inspect [flags] [FILE|-]...",
		Short: "Show what a credential, a presentation or a key file holds",
		Long: `Inspect shows a credential or presentation of any of the three formats: of VCDM
the document and its proofs; of an SD-JWT headers, payload, disclosures and
whether digests refer to them; of an mdoc its MSO, certificates and elements in
CBOR diagnostic notation and whether their digests match. An mdoc may be binary,
hexadecimal or base64url. It also shows keys and certificates (Multikey, JSON
Web Key, PEM), JWK Sets, controlled identifier documents, and JOSE objects that
no other command reads: JSON Web Tokens, JAdES signatures, the headers of JWE.
Signatures are not checked: canonscope verify does that. Secret keys are never
shown.

For several files it prints one line each, with --json one object a line. The
exit status is 2 if one cannot be read, 3 if a limit was reached.`,
		Example: `  canonscope inspect credential.json
  canonscope inspect --json presentation.txt
  canonscope inspect issuer.json *.pem
  canonscope inspect - < mdoc.hex`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return files.run(cmd, args, func(file string) (*answer, error) {
				in, err := readInput(cmd, file, limits)
				if err != nil {
					return nil, err
				}
				var a answer
				err = timeout.run(cmd, func(context.Context) error {
					i, err := inspect(file, in, limits)
					if err != nil {
						return err
					}
					a.text = i.Print
					if files.asJSON {
						a.json, err = inFileJSON(file, i)
					} else if len(args) > 1 {
						a.line = lineOf(file, i.Line(), "")
					}
					return err
				})
				return &a, err
			})
		},
	}

	files.add(cmd)
	files.addJSON(cmd, "print it as JSON")
	addSizes(cmd, &limits)
	timeout.add(cmd)
	return cmd
}

// inFileJSON is an inspection as --json shows it, with the name of the file in front.
func inFileJSON(file string, i *compare.Inspection) (any, error) {
	v, err := i.JSON()
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(append(append(jsontape.AppendQuoted([]byte(`{"file":`), file), ','), b[1:]...)),
		nil
}

// inspect reads an input of any kind.
func inspect(file string, in []byte, limits canon.Limits) (*compare.Inspection, error) {
	format, b := formatOf(in)
	if format.Decode != nil {
		return format.Inspect(b, limits)
	}
	if what, _ := sdjwt.Foreign(in); what != "" {
		return sdjwt.InspectForeign(in, limits)
	}
	if isPEM(in) {
		return inspectPEM(in)
	}
	if err := checkJSON(file, in); err != nil {
		return nil, err
	}

	var t jsontape.Tape
	if err := t.Scan(in, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth,
		Memory: limits.Memory}); err != nil {
		return nil, fmt.Errorf("neither an SD-JWT, an mdoc nor a key, and as JSON: %w", err)
	}

	if t.Nodes[0].Kind != jsontape.Object {
		return nil, fmt.Errorf("holds JSON of kind %s; a credential or key is an object", t.Nodes[0].Kind)
	}

	switch keys.HolderOf(&t) {
	case keys.OneKey:
		return inspectKey(&t), nil
	case keys.Set:
		return inspectSet(&t)
	case keys.Controlled:
		return inspectController(&t), nil
	}

	return format.Inspect(in, limits)
}

// count writes a number of things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
