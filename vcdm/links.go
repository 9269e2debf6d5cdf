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
	if t.Get(0, "id") >= 0 {
		links = append(links, "/id: the name of this credential")
	}
	if subject >= 0 && t.Nodes[subject].Kind == jsontape.Object && t.Get(subject, "id") >= 0 {
		links = append(links, "/credentialSubject/id: the name of its subject")
	}
	if t.Get(0, "credentialStatus") >= 0 {
		links = append(links, "/credentialStatus: the entry of this credential in a list")
	}
	for _, name := range []string{"validFrom", "validUntil", "issuanceDate", "expirationDate"} {
		if t.Get(0, name) >= 0 {
			links = append(links, "/"+name+": a time, which few credentials may share")
		}
	}
	return links
}

// links lists what a derived proof shows.
func (p *proof) links(v *openDerived) (links []string) {
	at := p.tape.Pointer(p.node)
	for _, name := range []string{"id", "created", "expires", "nonce", "challenge"} {
		if p.tape.Get(p.node, name) >= 0 {
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
