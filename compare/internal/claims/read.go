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
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// forever is the end of validity of what has none (RFC 5280 section 4.1.2.5).
var forever = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// Request says for what a credential is read.
type Request struct {
	Format compare.Format
	Type   string     // what holds the type, in words
	Bare   bool       // no id, no numbers beyond 64 bits, and both ends of validity are needed
	Lossy  bool       // Read leaves out what the format has no place for
	Until  *time.Time // end of validity, not after that of the credential; nil is that end
	Now    time.Time  // begin of validity if the credential lacks a needed one; zero is the present
	Limits canon.Limits
}

// draft makes the draft of a credential.
type draft struct{ *compare.Draft }

// Read returns the claims of a credential of the user as in [Claims], with the credential's id as jti. It
// names everything that they do not say as the credential does. What the format has no place for is an
// error, unless the request is lossy.
func Read(doc []byte, q Request) (*compare.Draft, error) {
	c, err := catalogue.Parse(doc)
	if err != nil {
		return nil, err
	}
	var t jsontape.Tape
	if err := t.Scan(doc, jsontape.Options{}); err != nil {
		return nil, err
	}
	var jti []byte
	if id := t.Get(0, "id"); id >= 0 && t.Nodes[id].Kind == jsontape.String && !q.Bare {
		jti = t.Raw(id)
	}

	d := draft{new(compare.Draft)}
	if err := d.write(c, q, jti); err != nil {
		return nil, err
	}
	d.lose(&t, lastType(c.Types), q, jti != nil)
	if q.Bare {
		if err := d.round(&t); err != nil {
			return nil, err
		}
	}
	if len(d.Losses) > 0 && !q.Lossy {
		return nil, fmt.Errorf("%s has no place for %s; --lossy leaves it out", q.Format, d.lost())
	}
	return d.Draft, nil
}

// write makes the claims of a credential. The one of its id, a JSON string, is left out where it is nil.
func (d draft) write(c *schemas.Credential, q Request, jti []byte) error {
	from, until, err := rules.Validity(c.VCDM, q.Limits)
	if err != nil {
		return err
	}
	vct := lastType(c.Types)
	d.choose("the type (%s) is %s, as /type has it; nothing is left of /@context", q.Type, vct)
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
func (d draft) period(q Request, from, until *time.Time) (*time.Time, *time.Time, error) {
	needed := "the credential names none, and an " + string(q.Format) + " needs one"
	if q.Bare && from == nil {
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
			return nil, nil, &problem.Error{Type: problem.RangeError,
				Msg: "the chosen end of validity lies after that of the credential, " + stamp(*until)}
		}
		until = q.Until
	} else if q.Bare && until == nil {
		until = &forever
		d.choose("the end of validity is %s, which means that there is none: %s", stamp(forever), needed)
	}
	if from != nil && until != nil && until.Before(*from) {
		return nil, nil, &problem.Error{Type: problem.RangeError,
			Msg: fmt.Sprintf("the end of validity, %s, lies before its beginning, %s", stamp(*until),
				stamp(*from))}
	}
	return from, until, nil
}

const credentialType = "VerifiableCredential"

// lastType returns the type that represents all: the last one other than that of every credential.
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
func (d draft) lose(t *jsontape.Tape, last string, q Request, id bool) {
	lose := func(pointer string) {
		d.Losses = append(d.Losses, canon.Loss{Pointer: pointer, Reason: "has no place in " +
			string(q.Format)})
	}

	for k, v := range t.Members(0) {
		kind, at := t.Nodes[v].Kind, "/"+jsontape.EscapeToken(string(t.Text(k)))
		switch at {
		case "/@context", "/credentialSubject", "/validFrom", "/validUntil", "/issuanceDate",
			"/expirationDate":
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

// lost names what is lost, of much the first.
func (d draft) lost() string {
	const most, length = 20, 300
	var pointers []string
	for _, l := range d.Losses[:min(len(d.Losses), most)] {
		pointers = append(pointers, printable.Short(l.Pointer, length))
	}
	if n := len(d.Losses); n > most {
		pointers = append(pointers, fmt.Sprintf("%d more", n-most))
	}
	return strings.Join(pointers, ", ")
}

// round notes the numbers that an mdoc writes as others: those that are neither integers of 64 bits nor
// doubles.
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
			d.Losses = append(d.Losses, canon.Loss{Pointer: w.Pointer, Reason: "the number " + w.Source +
				" becomes " + w.Canonical})
		}
	}
	return err
}

func (d draft) choose(format string, args ...any) {
	d.Chosen = append(d.Chosen, fmt.Sprintf(format, args...))
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
