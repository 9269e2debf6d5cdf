//phase:caller
package claims

import (
	"fmt"
	"strconv"
	"time"

	"canonscope/canon"
	"canonscope/canon/jcs"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/vcdm"
)

// forever is the end of validity of what has none (RFC 5280 section 4.1.2.5).
var forever = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// Request says for what a credential is read.
type Request struct {
	Mdoc   bool       // for an mdoc, which has no place for the credential's id and needs both ends of its validity
	Until  *time.Time // when the result is no longer valid, not after the credential's own end; nil is that end
	Now    time.Time  // when an mdoc begins to be valid whose credential does not say it; zero is the present
	Limits canon.Limits
}

// Draft is a credential of the user, ready to be issued in a format.
type Draft struct {
	JSON   []byte       // as in [Claims], with the credential's id as jti
	Issuer string       // iss
	Chosen []string     // what does not stand in the credential so, in words
	Losses []canon.Loss // what the format has no place for, in document order; its @context is among Chosen
}

// Read returns the claims of a credential of the user. It names everything that they do not say as the credential does.
func Read(doc []byte, q Request) (*Draft, error) {
	c, err := catalogue.Parse(doc)
	if err != nil {
		return nil, err
	}
	var t jsontape.Tape
	if err := t.Scan(doc, jsontape.Options{}); err != nil {
		return nil, err
	}
	var jti []byte
	if id := t.Get(0, "id"); id >= 0 && t.Nodes[id].Kind == jsontape.String && !q.Mdoc {
		jti = t.Raw(id)
	}

	d := &Draft{}
	if err := d.write(c, q, jti); err != nil {
		return nil, err
	}
	d.lose(&t, lastType(c.Types), q, jti != nil)
	if q.Mdoc {
		if err := d.round(&t); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// write makes the claims of a credential. The one of its id, a JSON string, is left out where it is nil.
func (d *Draft) write(c *schemas.Credential, q Request, jti []byte) error {
	from, until, err := vcdm.Validity(c.VCDM, q.Limits)
	if err != nil {
		return err
	}
	claim, vct := "vct", lastType(c.Types)
	if q.Mdoc {
		claim = "docType and namespace"
	}
	d.choose("the type (%s) is %s, as /type has it; nothing is left of /@context", claim, vct)
	if from, until, err = d.period(q, from, until); err != nil {
		return err
	}

	d.Issuer = c.Issuer
	d.JSON = jsontape.AppendQuoted([]byte(`{"iss":`), c.Issuer)
	if jti != nil {
		d.JSON = append(append(d.JSON, `,"jti":`...), jti...)
	}
	if from != nil { // never earlier than the credential, whose dates may have fractions
		d.JSON = fmt.Appendf(d.JSON, `,"nbf":%d`, from.Add(time.Second-1).Unix())
	}
	if until != nil {
		d.JSON = fmt.Appendf(d.JSON, `,"exp":%d`, until.Unix())
	}
	d.JSON = jsontape.AppendQuoted(append(d.JSON, `,"vct":`...), vct)
	d.JSON = append(append(append(d.JSON, `,"credentialSubject":`...), c.Subject...), '}')
	return nil
}

// period completes the validity period of the credential.
func (d *Draft) period(q Request, from, until *time.Time) (*time.Time, *time.Time, error) {
	const needed = "the credential names none, and an mdoc needs one"
	if q.Mdoc && from == nil {
		now := q.Now
		if now.IsZero() {
			now = time.Now()
		}
		now = now.Truncate(time.Second)
		from = &now
		d.choose("the beginning of validity is %s, the time of issue: %s", stamp(now), needed)
	}
	if q.Until != nil {
		if until != nil && q.Until.After(*until) {
			return nil, nil, &vcdm.Error{Type: vcdm.RangeError, Msg: "the chosen end of validity lies after that of the credential, " + stamp(*until)}
		}
		until = q.Until
	} else if q.Mdoc && until == nil {
		until = &forever
		d.choose("the end of validity is %s, which means that there is none: %s", stamp(forever), needed)
	}
	if from != nil && until != nil && until.Before(*from) {
		return nil, nil, &vcdm.Error{Type: vcdm.RangeError, Msg: fmt.Sprintf("the end of validity, %s, lies before its beginning, %s", stamp(*until), stamp(*from))}
	}
	return from, until, nil
}

const credentialType = "VerifiableCredential"

// lastType returns the type that stands for all: the last one that says more than that it is a credential.
func lastType(types []string) string {
	last := credentialType
	for _, name := range types {
		if name != credentialType {
			last = name
		}
	}
	return last
}

// lose notes what the format has no place for. last is the type that it writes; id reports whether it writes
// the id.
func (d *Draft) lose(t *jsontape.Tape, last string, q Request, id bool) {
	format := compare.SDJWT
	if q.Mdoc {
		format = compare.Mdoc
	}
	lose := func(pointer string) {
		d.Losses = append(d.Losses, canon.Loss{Pointer: pointer, Reason: "has no place in " + string(format)})
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
				if t.Nodes[e].Kind != jsontape.String || !t.TextIs(e, last) && !t.TextIs(e, credentialType) {
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
			if at != "/id" || !id {
				lose(at)
			}
		}
	}
}

// round notes the numbers that an mdoc writes as others: those that are neither integers of 64 bits nor doubles.
func (d *Draft) round(t *jsontape.Tape) error {
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

func (d *Draft) choose(format string, args ...any) {
	d.Chosen = append(d.Chosen, fmt.Sprintf(format, args...))
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
