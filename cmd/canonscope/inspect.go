package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/mdoc"
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
No signature is checked: canonscope verify does that. Secret keys are left out,
wherever they stand.

Of several files it prints a line each, and --json an object in a line each. The
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
	return json.RawMessage(append(append(jsontape.AppendQuoted([]byte(`{"file":`), file), ','), b[1:]...)), nil
}

// inspect reads an input of any kind.
func inspect(file string, in []byte, limits canon.Limits) (*compare.Inspection, error) {
	if sdjwt.IsToken(in) {
		return sdjwt.Inspect(in, limits)
	}
	if what, _ := sdjwt.Foreign(in); what != "" {
		return sdjwt.InspectForeign(in, limits)
	}
	if b, ok := mdoc.Decode(in); ok {
		return mdoc.Inspect(b, limits)
	}
	if isPEM(in) {
		return inspectPEM(in)
	}
	if err := checkJSON(file, in); err != nil {
		return nil, err
	}
	var t jsontape.Tape
	if err := t.Scan(in, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth, Memory: limits.Memory}); err != nil {
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
	return inspectVCDM(&t, limits)
}

// count writes a number of things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// vcdmJSON is a document as inspect --json shows it.
type vcdmJSON struct {
	Format   compare.Format    `json:"format"`
	Size     int               `json:"size"`
	What     string            `json:"what"`
	Issuer   string            `json:"issuer,omitempty"` // of a presentation the holder
	Document json.RawMessage   `json:"document"`         // without proofs
	Proofs   []json.RawMessage `json:"proofs"`
	Secret   bool              `json:"secret,omitempty"` // it holds a secret key, which is left out

	suites string // in words
}

// inspectVCDM takes a JSON document and its proofs apart.
func inspectVCDM(t *jsontape.Tape, limits canon.Limits) (*compare.Inspection, error) {
	out := vcdmJSON{Format: compare.VCDM, Size: len(t.Src), What: kindOf(t), Proofs: []json.RawMessage{}, Issuer: partyOf(t)}
	doc, secret := keys.Redacted(t)
	if out.Secret = secret; secret {
		size := out.Size
		var shown jsontape.Tape
		if err := shown.Scan(doc, jsontape.Options{Bytes: len(doc), Depth: limits.Depth, Memory: limits.Memory}); err != nil {
			return nil, err
		}
		t, out.Size = &shown, size
	}
	out.Document = t.Src
	if proof := t.Key(0, "proof"); proof >= 0 {
		out.Document = t.AppendWithout(nil, 0, proof)
		add := func(n int) {
			suite := memberOf(t, n, "cryptosuite")
			if suite == "" {
				suite = memberOf(t, n, "type")
			}
			if len(out.Proofs) < 8 && suite != "" {
				out.suites += ", " + suite
			}
			out.Proofs = append(out.Proofs, t.Raw(n))
		}
		if value := proof + 1; t.Nodes[value].Kind == jsontape.Array {
			for e := range t.Elements(value) {
				add(e)
			}
		} else {
			add(value)
		}
	}
	return &compare.Inspection{Line: out.line, Print: out.print, JSON: func() (any, error) { return out, nil }}, nil
}

// kindOf says what a JSON object is.
func kindOf(t *jsontape.Tape) string {
	has := func(name string) bool {
		n := t.Get(0, "type")
		if n < 0 {
			return false
		}
		if t.Nodes[n].Kind == jsontape.String {
			return t.TextIs(n, name)
		}
		if t.Nodes[n].Kind == jsontape.Array {
			for e := range t.Elements(n) {
				if t.Nodes[e].Kind == jsontape.String && t.TextIs(e, name) {
					return true
				}
			}
		}
		return false
	}
	switch {
	case has("VerifiableCredential"):
		return "credential"
	case has("VerifiablePresentation"):
		return "presentation"
	}
	return "document"
}

// memberOf returns the text of a member of a node, "" where there is none.
func memberOf(t *jsontape.Tape, node int, name string) string {
	if n := t.Get(node, name); n >= 0 && t.Nodes[n].Kind == jsontape.String {
		return string(t.Text(n))
	}
	return ""
}

// partyOf returns the issuer of a credential or the holder of a presentation, "" where it names none.
func partyOf(t *jsontape.Tape) string {
	for _, name := range []string{"issuer", "holder"} {
		if id := memberOf(t, 0, name); id != "" {
			return id
		}
		if n := t.Get(0, name); n >= 0 {
			return memberOf(t, n, "id")
		}
	}
	return ""
}

func (v *vcdmJSON) line() string {
	text := fmt.Sprintf("vcdm %s, %d bytes, %s%s", v.What, v.Size, count(len(v.Proofs), "proof"), v.suites)
	if v.Issuer != "" {
		text += ", by " + v.Issuer
	}
	if v.Secret {
		text += ", holds a secret key"
	}
	return text
}

func (v *vcdmJSON) print(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "VCDM %s of %d bytes, %s\n", v.What, v.Size, count(len(v.Proofs), "proof"))
	printable.IndentLines(b, v.Document, "  ")
	for i, proof := range v.Proofs {
		fmt.Fprintf(b, "proof %d\n", i+1)
		printable.IndentLines(b, proof, "  ")
	}
	if v.Secret {
		fmt.Fprintln(b, holdsSecret)
	}
	return b.Flush()
}
