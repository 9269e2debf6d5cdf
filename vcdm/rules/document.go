// Package rules holds the data model of W3C verifiable credentials (Verifiable Credentials Data Model 2.0,
// and 1.1 where a document begins with its context): what a credential and a presentation must be, and what
// is read of them. Proofs are only members to it.
//
// [CheckCredential] and [CheckPresentation] apply the rules, [CheckContexts] and [CheckRelated] compare
// contexts and related resources with known ones. What is wrong is a [*problem.Error] with its place; a
// limit is a [*canon.LimitError].
//
//phase:caller
package rules

import (
	"errors"
	"iter"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/value"
	"canonscope/vcdm/problem"
)

// Document is a scanned document, an object. It is as long valid as its tape.
type Document struct {
	Tape    *jsontape.Tape
	Context int // value of the root's @context, or -1
}

// Read scans a document into a tape.
//
//phase:parse
func Read(t *jsontape.Tape, doc []byte, limits canon.Limits) (Document, error) {
	err := t.Scan(doc, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth, Memory: limits.Memory})
	if err != nil {
		if limit := (*canon.LimitError)(nil); errors.As(err, &limit) {
			return Document{}, err
		}
		return Document{}, &problem.Error{Type: problem.ParsingError, Err: err}
	}
	if kind := t.Nodes[0].Kind; kind != jsontape.Object {
		return Document{}, problem.New(problem.ParsingError, "", "the document is not a JSON object but "+
			kind.String())
	}
	return Document{t, t.Get(0, "@context")}, nil
}

// read scans a document on its own.
func read(doc []byte, limits canon.Limits) (Document, error) {
	return Read(new(jsontape.Tape), doc, limits)
}

// IsCredential reports whether the document is a credential, whatever else it is.
func (d *Document) IsCredential() bool {
	return value.Has(d.Tape, d.Tape.Get(0, "type"), "VerifiableCredential")
}

// IsPresentation reports whether the document is a presentation, whatever else it is.
func (d *Document) IsPresentation() bool {
	return value.Has(d.Tape, d.Tape.Get(0, "type"), "VerifiablePresentation")
}

// Party returns the name of the member that says whose document it is.
func (d *Document) Party() string {
	if d.IsPresentation() {
		return "holder"
	}
	return "issuer"
}

// PartyNode returns the node of the URL of issuer or holder, or -1.
func (d *Document) PartyNode() int {
	of := d.Tape.Get(0, d.Party())
	if of >= 0 && d.Tape.Nodes[of].Kind == jsontape.Object {
		of = d.Tape.Get(of, "id")
	}
	if of >= 0 && d.Tape.Nodes[of].Kind != jsontape.String {
		return -1
	}
	return of
}

// Credentials yields the nodes of a presentation's credentials.
func (d *Document) Credentials() iter.Seq[int] {
	if list := d.Tape.Get(0, "verifiableCredential"); list >= 0 {
		return value.Each(d.Tape, list)
	}
	return func(func(int) bool) {}
}

// IsPresentation reports whether a document has the type VerifiablePresentation.
func IsPresentation(doc []byte, limits canon.Limits) (bool, error) {
	d, err := read(doc, limits)
	return err == nil && d.IsPresentation(), err
}

// WithIssuer returns a credential whose issuer is a URL, or a presentation whose holder it is. An issuer
// that is an object gets it as its id and keeps its other members.
func WithIssuer(doc []byte, url string, limits canon.Limits) ([]byte, error) {
	d, err := read(doc, limits)
	if err != nil {
		return nil, err
	}
	t, name := d.Tape, d.Party()
	value := jsontape.AppendQuoted(nil, url)
	v := t.Get(0, name)
	switch {
	case v < 0:
		return t.AppendMember(nil, 0, name, value), nil
	case t.Nodes[v].Kind != jsontape.Object:
		return t.AppendReplaced(nil, v, value), nil
	}
	if id := t.Get(v, "id"); id >= 0 {
		return t.AppendReplaced(nil, id, value), nil
	}
	return t.AppendMember(nil, v, "id", value), nil
}

// Period are the members that bound when a document is valid.
var Period = [...]struct {
	Name string
	From bool // it begins then, else it ends
}{{"validFrom", true}, {"validUntil", false}, {"issuanceDate", true}, {"expirationDate", false}}

// Validity returns when a credential begins and ends to be valid: the later of validFrom and issuanceDate
// and the earlier of validUntil and expirationDate, since a verifier compares all of them with the clock;
// nil where it has neither. A date must have an offset, as in everything that is to be signed (Verifiable
// Credentials Data Model 2.0 section 4.9).
func Validity(doc []byte, limits canon.Limits) (from, until *time.Time, err error) {
	err = checkDocument(doc, limits, func(c *checker) {
		for _, m := range Period {
			t, ok := c.time(0, "", m.Name)
			switch {
			case !ok:
			case m.From && (from == nil || t.After(*from)):
				from = &t
			case !m.From && (until == nil || t.Before(*until)):
				until = &t
			}
		}
	})
	return from, until, err
}

// PartyOf returns who a document says it is of, as a URL, and the member that says so: the issuer of a
// credential, or the holder of a presentation. The URL is "" where it says nothing.
func PartyOf(doc []byte, limits canon.Limits) (member, url string, err error) {
	d, err := read(doc, limits)
	if err != nil {
		return "", "", err
	}
	if v := d.PartyNode(); v >= 0 {
		url = string(d.Tape.Text(v))
	}
	return d.Party(), url, nil
}

// verifierNeeds are the members without which a verifier accepts no derived document, or accepts one that
// has ended or is revoked.
var verifierNeeds = []string{"issuer", "holder", "type", "validFrom", "validUntil", "issuanceDate",
	"expirationDate", "credentialStatus"}

// VerifierNeeds returns JSON pointers to the members of a document that every presentation of it should
// disclose: who issued it, its types, validity and status. A holder who may leave one out could show what
// has ended or is revoked.
func VerifierNeeds(doc []byte, limits canon.Limits) (pointers []string, err error) {
	d, err := read(doc, limits)
	if err != nil {
		return nil, err
	}
	for _, name := range verifierNeeds {
		if d.Tape.Get(0, name) >= 0 {
			pointers = append(pointers, "/"+name)
		}
	}
	return pointers, nil
}
