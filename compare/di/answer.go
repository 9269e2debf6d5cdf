//phase:caller
package di

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/vcdm"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// Bounds of untrusted text in an answer, in bytes.
const (
	maxText = 2000
	maxName = 300
)

// answer is the answer about a document.
func answer(r *vcdm.Result, t *compare.Task) *compare.Verification {
	out := newResultJSON(r)
	out.File, out.Format = t.File, compare.VCDM
	v := &compare.Verification{Own: out, Print: func(p *printable.Printer) { printResult(p, r, t.Advice) }}
	if !r.Verified {
		v.Refused = errors.New("not verified")
		if len(r.Errors) > 0 {
			v.Refused = r.Errors[0]
		}
	}
	return v
}

func printResult(p *printable.Printer, r *vcdm.Result, advice func(error) string) {
	p.Line("%s", compare.Said(r.Verified))
	printProofs(p, "", r)
	printCredentials(p, "credential ", r.Credentials)
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
		w.Line("  %s%s: %s", of, cmp.Or(p.Suite, "a proof without cryptosuite"), compare.Said(p.Verified))
		if p.Method != nil {
			w.Line("    by %s", p.Method.Controller)
			if !p.Bound {
				w.Line("    which is not the issuer or holder")
			}
		}
	}
	for _, shown := range r.BBS() {
		if shown.Pseudonym != nil {
			w.Line("    pseudonym for %s:", printable.Short(shown.Domain, maxName))
			w.Line("      %x", shown.Pseudonym[:len(shown.Pseudonym)/2])
			w.Line("      %x", shown.Pseudonym[len(shown.Pseudonym)/2:])
		}
		if len(shown.Header) > 0 {
			w.Line("    presentation header: %s", printable.Short(string(shown.Header), maxName))
		}
	}
	for _, pointer := range r.Unchecked() {
		w.Line("  %snot checked: %s", of, printable.Short(pointer, maxName))
	}
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

	BBS []shownJSON `json:"bbs,omitempty"`
}

// shownJSON is what a derived proof of bbs-2023 shows, its bytes in hexadecimal.
type shownJSON struct {
	Feature   string `json:"feature"`
	Domain    string `json:"domain,omitempty"`
	Pseudonym string `json:"pseudonym,omitempty"`
	Header    string `json:"presentationHeader,omitempty"`
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

	for _, s := range r.BBS() {
		out.BBS = append(out.BBS, shownJSON{s.Feature.String(), s.Domain, hex.EncodeToString(s.Pseudonym),
			hex.EncodeToString(s.Header)})
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
