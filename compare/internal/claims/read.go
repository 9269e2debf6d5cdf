//phase:caller
package claims

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/canon/jcs"
	"canonscope/canon/jsontape"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/schemas/catalogue"
	"canonscope/vcdm"
)

// Request says for what a credential of the user is read.
type Request struct {
	Format compare.Format
	Type   string     // what holds the type, in words
	Bare   bool       // the format has no place for the credential's id and numbers beyond 64 bits, and needs both ends of its validity
	Lossy  bool       // leave out what the format has no place for
	Until  *time.Time // when the result is no longer valid, not after the credential's own end; nil is that end
	Now    time.Time  // when it begins to be valid if both ends are needed and the credential does not say it
	Limits canon.Limits
}

// draft is the draft that Read makes.
type draft struct{ *compare.Draft }

// Read returns the claims of a credential of the user as in [Claims], with the credential's id as jti, and without nbf and
// exp where nobody has named them. It names everything that they do not say as the credential does. What the format has
// no place for is an error, unless the request is lossy.
func Read(doc []byte, q Request) (*compare.Draft, error) {
	c, err := catalogue.Parse(doc)
	if err != nil {
		return nil, err
	}
	from, until, err := vcdm.Validity(doc, q.Limits)
	if err != nil {
		return nil, err
	}
	var t jsontape.Tape
	if err := t.Scan(doc, jsontape.Options{}); err != nil {
		return nil, err
	}
	d := draft{&compare.Draft{Issuer: c.Issuer, JSON: jsontape.AppendQuoted([]byte(`{"iss":`), c.Issuer)}}
	if id := t.Get(0, "id"); id >= 0 && t.Nodes[id].Kind == jsontape.String && !q.Bare {
		d.JSON = append(append(d.JSON, `,"jti":`...), t.Raw(id)...)
	}
	vct := typePrefix + d.lose(&t, c.Types, &q)
	if q.Bare {
		if err := d.round(&t); err != nil {
			return nil, err
		}
	}
	if from, until, err = d.period(q, from, until); err != nil {
		return nil, err
	}
	if from != nil { // never earlier than the credential, whose dates may have fractions
		d.JSON = fmt.Appendf(d.JSON, `,"nbf":%d`, from.Add(time.Second-1).Unix())
	}
	if until != nil {
		d.JSON = fmt.Appendf(d.JSON, `,"exp":%d`, until.Unix())
	}
	d.JSON = jsontape.AppendQuoted(append(d.JSON, `,"vct":`...), vct)
	d.JSON = append(append(append(d.JSON, `,"credentialSubject":`...), c.Subject...), '}')
	if len(d.Losses) > 0 && !q.Lossy {
		return nil, noPlace(d.Losses, q.Format)
	}
	return d.Draft, nil
}

// period completes the validity period of the credential.
func (d draft) period(q Request, from, until *time.Time) (*time.Time, *time.Time, error) {
	chosen := "the %s of validity is %s: the credential names none, and an " + string(q.Format) + " needs one"
	if q.Bare && from == nil {
		now := q.Now.Truncate(time.Second)
		from = &now
		d.choose(chosen, "beginning", stamp(now))
	}
	if q.Until != nil {
		if until != nil && q.Until.After(*until) {
			return nil, nil, &vcdm.Error{Type: vcdm.RangeError, Msg: "the chosen end of validity lies after that of the credential, " + stamp(*until)}
		}
		until = q.Until
	} else if q.Bare && until == nil {
		end := from.Add(lifetime)
		until = &end
		d.choose(chosen, "end", stamp(end))
	}
	if from != nil && until != nil && until.Before(*from) {
		return nil, nil, &vcdm.Error{Type: vcdm.RangeError, Msg: fmt.Sprintf("the end of validity, %s, lies before its beginning, %s", stamp(*until), stamp(*from))}
	}
	return from, until, nil
}

// lose notes what the format has no place for, and returns the type that stands for all: the last one that says more than
// that it is a credential.
func (d draft) lose(t *jsontape.Tape, types []string, q *Request) string {
	const credential = "VerifiableCredential"
	last := credential
	for _, name := range types {
		if name != credential {
			last = name
		}
	}
	d.choose("the type (%s) is %s%s, made of /type; nothing is left of /@context", q.Type, typePrefix, last)
	lose := func(pointer string) {
		d.Losses = append(d.Losses, canon.Loss{Pointer: pointer, Reason: "has no place in " + string(q.Format)})
	}
	for k, v := range t.Members(0) {
		kind, at := t.Nodes[v].Kind, "/"+jsontape.EscapeToken(string(t.Text(k)))
		switch at {
		case "/@context", "/credentialSubject", "/validFrom", "/validUntil", "/issuanceDate", "/expirationDate":
		case "/type":
			if kind != jsontape.Array {
				continue // it is the last
			}
			i := 0
			for e := range t.Elements(v) {
				if t.Nodes[e].Kind != jsontape.String || !t.TextIs(e, last) && !t.TextIs(e, credential) {
					lose(at + "/" + strconv.Itoa(i))
				}
				i++
			}
		case "/issuer":
			if kind != jsontape.Object {
				continue
			}
			for k := range t.Members(v) {
				if !t.TextIs(k, "id") {
					lose(at + "/" + jsontape.EscapeToken(string(t.Text(k))))
				}
			}
		default:
			if at != "/id" || kind != jsontape.String || q.Bare {
				lose(at)
			}
		}
	}
	return last
}

// noPlace is the error of what would be lost.
func noPlace(losses []canon.Loss, format compare.Format) error {
	const most, length = 20, 300
	var pointers []string
	for i, l := range losses {
		if i == most {
			pointers = append(pointers, fmt.Sprintf("%d more", len(losses)-i))
			break
		}
		pointers = append(pointers, printable.Short(l.Pointer, length))
	}
	return fmt.Errorf("%s has no place for %s; --lossy leaves it out", format, strings.Join(pointers, ", "))
}

// round notes the numbers that an mdoc writes as others: those that are neither integers of 64 bits nor doubles.
func (d draft) round(t *jsontape.Tape) error {
	subject := t.Get(0, "credentialSubject")
	if subject < 0 {
		return nil
	}
	_, warnings, err := jcs.AppendNode(nil, t, subject, jcs.Options{})
	for _, w := range warnings {
		_, notSigned := strconv.ParseInt(w.Source, 10, 64)
		_, notUnsigned := strconv.ParseUint(w.Source, 10, 64)
		if notSigned != nil && notUnsigned != nil {
			d.Losses = append(d.Losses, canon.Loss{Pointer: w.Pointer, Reason: "the number " + w.Source + " becomes " + w.Canonical})
		}
	}
	return err
}

func (d draft) choose(format string, args ...any) {
	d.Chosen = append(d.Chosen, fmt.Sprintf(format, args...))
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
