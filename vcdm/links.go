//phase:caller
package vcdm

import (
	"fmt"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/bbs"
)

// Links lists what can still link the presentations of one credential, of a document with a derived proof
// of bbs-2023: its proof is fresh each time, but what it discloses is not. The list is empty for other
// documents.
func Links(doc []byte, limits canon.Limits) ([]string, error) {
	var links []string
	err := derivedProofs(doc, limits, func(d *document, p *proof, v *openDerived) {
		links = append(links, d.links()...)
		links = append(links, p.links(v)...)
	})
	return links, err
}

// links lists members that often name one credential or subject.
func (d *document) links() (links []string) {
	t := d.Tape
	subject := t.Get(0, "credentialSubject")
	if t.Get(0, "id") != jsontape.None {
		links = append(links, "/id: the name of this credential")
	}
	if subject != jsontape.None && t.Get(subject, "id") != jsontape.None {
		links = append(links, "/credentialSubject/id: the name of its subject")
	}
	if t.Get(0, "credentialStatus") != jsontape.None {
		links = append(links, "/credentialStatus: the entry of this credential in a list")
	}
	for _, name := range []string{"validFrom", "validUntil", "issuanceDate", "expirationDate"} {
		if t.Get(0, name) != jsontape.None {
			links = append(links, "/"+name+": a time, which few credentials may share")
		}
	}
	return links
}

// links lists what a derived proof shows.
func (p *proof) links(v *openDerived) (links []string) {
	at := p.tape.Pointer(p.node)
	for _, name := range []string{"id", "created", "expires", "nonce", "challenge"} {
		if p.tape.Get(p.node, name) != jsontape.None {
			links = append(links, at+"/"+name+": the same in every presentation of this credential")
		}
	}

	shown := len(v.SelectiveIndexes)
	links = append(links, at+"/verificationMethod: the issuer's key; who else has credentials under it is "+
		"the crowd to hide in",
		fmt.Sprintf("%s/proofValue: which %d of the statements that are not mandatory are shown, "+
			"%d are hidden", at, shown, v.hidden()),
		fmt.Sprintf("%s/proofValue: the label map, with the order of %d nodes in the issuer's document", at,
			len(v.LabelMap)))
	if v.feature.named() {
		links = append(links, fmt.Sprintf("%s/proofValue: the pseudonym, the same each time for %q", at,
			v.domain))
	}
	if len(v.PresentationHeader) > 0 {
		links = append(links, at+"/proofValue: the presentation header")
	}
	return append(links, "every other value that is disclosed and that few share")
}

// hidden returns how many statements a derived proof hides.
func (v *openDerived) hidden() int {
	n := bbs.Hides(len(v.Proof))
	if v.feature != Baseline {
		n--
	}
	if v.feature.bound() {
		n--
	}
	if v.feature.named() {
		n--
	}
	return max(n, 0)
}

// BBSShown is what a derived proof of bbs-2023 shows its verifier beside the statements.
type BBSShown struct {
	Feature   Feature
	Domain    string // of the pseudonym
	Pseudonym []byte // the same each time that one holder presents one credential in the domain; nil without
	Header    []byte // the presentation header, which the holder chose
}

// BBS returns what each derived proof of bbs-2023 shows; nil unless Verified.
func (r *Result) BBS() (shown []BBSShown) {
	if !r.Verified {
		return nil
	}
	add := func(_ *document, _ *proof, v *openDerived) {
		shown = append(shown, BBSShown{v.feature, v.domain, v.pseudonym, v.PresentationHeader})
	}
	if err := derivedProofs(r.secured, canon.Limits{Bytes: len(r.secured) + 1}, add); err != nil {
		return nil // cannot be: it was read to verify it
	}
	return shown
}

// derivedProofs visits the derived proofs of bbs-2023 of a document.
func derivedProofs(doc []byte, limits canon.Limits, visit func(*document, *proof, *openDerived)) error {
	d, err := read(new(jsontape.Tape), doc, limits)
	if err != nil {
		return err
	}
	all, err := d.proofs(nil, limits)
	if err != nil {
		return err
	}

	for i := range all {
		p := &all[i]
		if !p.is(p.suite, bbs2023.Name) {
			continue
		}
		if v, err := parseBBSDerived(p); err == nil { // else a base proof, or a damaged one
			visit(&d, p, v)
		}
	}
	return nil
}
