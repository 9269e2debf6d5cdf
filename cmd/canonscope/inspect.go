package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/printable"
	"canonscope/compare/mdoc"
	"canonscope/compare/sdjwt"
)

func newInspectCommand() *cobra.Command {
	var limits canon.Limits
	var timeout timeLimit
	var files manyFiles
	cmd := &cobra.Command{
		Use:   "inspect [flags] [FILE|-]...",
		Short: "Show what a credential or presentation holds",
		Long: `Inspect shows a credential or presentation of any of the three formats: of VCDM
the document and its proofs; of an SD-JWT headers, payload, disclosures and
whether digests refer to them; of an mdoc its MSO, certificates and elements in
CBOR diagnostic notation and whether their digests match. An mdoc may be binary,
hexadecimal or base64url. No signature is checked: canonscope verify does that.`,
		Example: `  canonscope inspect credential.json
  canonscope inspect presentation.txt
  canonscope inspect - < mdoc.hex`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return files.run(cmd, args, func(file string) (*answer, error) {
				in, err := readInput(cmd, file, limits)
				if err != nil {
					return nil, err
				}
				var a answer
				err = timeout.run(cmd, func(context.Context) (err error) {
					a.text, err = inspect(file, in, limits)
					return err
				})
				return &a, err
			})
		},
	}
	files.add(cmd)
	addSizes(cmd, &limits)
	timeout.add(cmd)
	return cmd
}

// inspect reads an input of any format and returns what prints it.
func inspect(file string, in []byte, limits canon.Limits) (print func(w io.Writer) error, err error) {
	if sdjwt.IsToken(in) {
		return sdjwt.Inspect(in, limits)
	}
	if b, ok := mdoc.Decode(in); ok {
		return mdoc.Inspect(b, limits)
	}
	if err := checkJSON(file, in); err != nil {
		return nil, err
	}
	return inspectVCDM(in, limits)
}

// count writes a number of things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// inspectVCDM reads a JSON document and returns what prints it without its proofs, then each proof.
func inspectVCDM(in []byte, limits canon.Limits) (print func(w io.Writer) error, err error) {
	var t jsontape.Tape
	if err := t.Scan(in, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth, Memory: limits.Memory}); err != nil {
		return nil, fmt.Errorf("neither an SD-JWT nor an mdoc, and as VCDM: %w", err)
	}
	if t.Nodes[0].Kind != jsontape.Object {
		return nil, errors.New("a credential is a JSON object, an SD-JWT or an mdoc")
	}
	body, proof := in, t.Key(0, "proof")
	var proofs [][]byte
	if proof >= 0 {
		body = t.AppendWithout(nil, 0, proof)
		if value := proof + 1; t.Nodes[value].Kind == jsontape.Array {
			for e := range t.Elements(value) {
				proofs = append(proofs, t.Raw(e))
			}
		} else {
			proofs = append(proofs, t.Raw(value))
		}
	}
	return func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprintf(b, "VCDM document of %d bytes, %s\n", len(in), count(len(proofs), "proof"))
		printable.IndentLines(b, body, "  ")
		for i, proof := range proofs {
			fmt.Fprintf(b, "proof %d\n", i+1)
			printable.IndentLines(b, proof, "  ")
		}
		return b.Flush()
	}, nil
}
