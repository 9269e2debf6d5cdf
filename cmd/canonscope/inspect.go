package main

import (
	"bytes"
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
		Args: fileArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			file := inputOf(args)
			in, err := readInput(cmd, file, limits)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if sdjwt.IsToken(in) {
				return inFile(file, sdjwt.Inspect(w, in))
			}
			if b, ok := mdoc.Decode(in); ok {
				return inFile(file, mdoc.Inspect(w, b))
			}
			if err := checkJSON(file, in); err != nil {
				return err
			}
			return inFile(file, inspectVCDM(w, in))
		},
	}
	return cmd
}

// count writes a number of things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// inspectVCDM prints a JSON document without its proofs, then each proof.
func inspectVCDM(w io.Writer, in []byte) error {
	var t jsontape.Tape
	if err := t.Scan(in, jsontape.Options{}); err != nil {
		return fmt.Errorf("neither an SD-JWT nor an mdoc, and as VCDM: %w", err)
	}
	if t.Nodes[0].Kind != jsontape.Object {
		return errors.New("a credential is a JSON object, an SD-JWT or an mdoc")
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
	if _, err := fmt.Fprintf(w, "VCDM document of %d bytes, %s\n", len(in), count(len(proofs), "proof")); err != nil {
		return err
	}
	for i, part := range append([][]byte{body}, proofs...) {
		var out bytes.Buffer
		if i > 0 {
			fmt.Fprintf(&out, "proof %d\n", i)
		}
		out.WriteString("  ")
		if err := printable.Indent(&out, bytes.TrimSpace(part), "  "); err != nil {
			return err
		}
		out.WriteByte('\n')
		if _, err := io.WriteString(w, printable.Lines(out.String())); err != nil {
			return err
		}
	}
	return nil
}
