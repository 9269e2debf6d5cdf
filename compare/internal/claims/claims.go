// Package claims gives the formats that are not VCDM the same input: one JSON object with the claims of a
// credential, the pointers that a presentation discloses, and the keys of a scenario. [Read] is for a
// credential of the user, [Of] for one that is measured.
//
// The mapping, alike for sd-jwt-vc and mdoc: issuer (iss), beginning and end of validity (nbf, exp) and the
// credential's last type (vct) are in the signed part and always disclosed; every leaf under
// credentialSubject is one disclosure or one element, or what [Elements] lists for another granularity. A
// leaf is a value that is not an object or an array, or is an empty one. Of a credential with a list of
// subjects the pointer of a leaf, and with it the identifier of an element, begins with the number of the
// subject: 0/name, 1/name. Other members of the VCDM document, such as its context, have no place in these
// formats, and are named. The credential's id is a claim (jti) of an SD-JWT VC that Read makes, not of one
// that is measured, since an mdoc has no place for it.
//
// Nothing is made up. What the credential does not say is left out; what a format needs all the same is in
// words in what Of and Read return: the type is a name without its context, and an mdoc begins to be valid
// when it is made, and has no end.
//
//phase:caller
package claims

import (
	"crypto/sha512"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/schemas"
	"canonscope/vcdm/keys"
)

// Subject is the pointer of the claims that can be disclosed one by one.
const Subject = "/credentialSubject"

// Claims is a credential made ready for a format.
type Claims struct {
	JSON     []byte   // JWT claims set: iss, nbf, exp, vct, and credentialSubject as in the credential
	Disclose []string // JSON pointers at or below /credentialSubject, at least one leaf each
	Elements []string // pointers of what is one element each; nil where every leaf is
	Chosen   []string // values that the credential does not have, and parts of it that are left out, in words
}

// Input is what Claims.JSON holds, for engines that decode it at once. Times are seconds since 1970.
type Input struct {
	Issuer  string          `json:"iss"`
	From    int64           `json:"nbf"`
	Until   int64           `json:"exp"`
	Type    string          `json:"vct"`
	Subject json.RawMessage `json:"credentialSubject"`
}

// Of returns the claims of a credential for a scenario, whose Disclose replaces the credential's own list
// if it is not empty; pointers to what these formats always disclose are left out, and one that points to
// nothing is an error.
func Of(c *schemas.Credential, q Request, s compare.Scenario) (*Claims, error) {
	if c == nil {
		return nil, errors.New("there is no credential")
	}
	if err := c.Kind.Exchangeable(c.Schema); err != nil {
		return nil, err
	}
	if len(c.Types) == 0 {
		return nil, fmt.Errorf("%s: the credential has no type", c.Schema)
	}

	d := draft{new(compare.Draft)}
	if err := d.write(c, q, nil); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Schema, err)
	}

	disclose := s.Disclose
	if len(disclose) == 0 {
		disclose = append(append([]string{}, c.Mandatory...), c.Disclose...)
	}

	var doc jsontape.Tape
	if err := doc.Scan(c.VCDM, jsontape.Options{}); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Schema, err)
	}

	d.lose(&doc, lastType(c.Types), q, false)
	if len(d.Losses) > 0 {
		d.choose("left out, since it has no place: %s", d.lost())
	}

	out := &Claims{JSON: d.JSON, Chosen: d.Chosen}
	if s.Granularity != compare.Leaf {
		var err error
		if out.Elements, err = Elements(c.Subject, s.Granularity); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", c.Schema, Subject, err)
		}
	}

	var subject jsontape.Tape
	if err := subject.Scan(c.Subject, jsontape.Options{}); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", c.Schema, Subject, err)
	}

	index := subject.Index(len(disclose))
	for _, p := range disclose {
		rest, below := strings.CutPrefix(p, Subject)
		switch {
		case below && (rest == "" || rest[0] == '/'):
			if index.At(rest) < 0 {
				return nil, fmt.Errorf("%s: the credential has nothing at %s", c.Schema, p)
			}
			out.Disclose = append(out.Disclose, p)
		case !always(p):
			return nil, fmt.Errorf("%s: %s is outside %s; these formats disclose only what is in it",
				c.Schema, p, Subject)
		}
	}

	return out, nil
}

// always reports whether a pointer names a member that these formats always disclose or cannot carry.
func always(p string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	switch first {
	case "@context", "id", "type", "issuer", "validFrom", "validUntil", "issuanceDate", "expirationDate",
		"credentialSchema":
		return true
	}
	return false
}

// Chosen returns the function Chosen of a [compare.Definition], whose requests a function makes.
func Chosen(
	request func(*compare.Task) Request,
) func(*schemas.Credential, *compare.Task) ([]string, error) {
	return func(c *schemas.Credential, t *compare.Task) ([]string, error) {
		made, err := Of(c, request(t), compare.Scenario{})
		if err != nil {
			return nil, err
		}
		return made.Chosen, nil
	}
}

// Prepared is what an exchange of a credential is made of.
type Prepared struct {
	*Claims
	Issuer, Holder *keys.Secret
	Counters       *compare.Counters
}

// Prepare makes the claims and keys of a scenario.
func Prepare(
	c *schemas.Credential, request func(*compare.Task) Request, a compare.Algorithm, s compare.Scenario,
) (*Prepared, error) {
	in, err := Of(c, request(&compare.Task{Now: s.Now, Limits: s.Limits}), s)
	if err != nil {
		return nil, err
	}
	issuer, holder, err := Keys(a, s)
	if err != nil {
		return nil, err
	}
	return &Prepared{in, issuer, holder, &compare.Counters{}}, nil
}

// Keys derives a scenario's issuer and holder keys from its seed: the same in every process.
func Keys(algorithm compare.Algorithm, s compare.Scenario) (issuer, holder *keys.Secret, err error) {
	if issuer, err = derive(algorithm, "issuer", s.Seed); err != nil {
		return nil, nil, err
	}
	holder, err = derive(algorithm, "holder", s.Seed)
	return issuer, holder, err
}

func derive(algorithm compare.Algorithm, role string, seed uint64) (*keys.Secret, error) {
	in := binary.BigEndian.AppendUint64([]byte("canonscope "+role+" "), seed)
	sum := sha512.Sum512(in)
	size := 32
	if algorithm == keys.ES384 {
		size = 48
	}
	sum[0] &= 0x7f // below the order of every curve but one
	if algorithm == keys.BBS {
		sum[0] &= 0x3f
	}
	return keys.FromSeed(algorithm, sum[:size])
}
