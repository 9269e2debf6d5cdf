// Package claims gives the formats that are not VCDM the same input: one JSON object with the claims of a credential,
// the pointers that a presentation discloses, and the keys of a scenario. [Read] is for a credential of the user, [Of] for
// one that is measured.
//
// The mapping, alike for sd-jwt-vc and mdoc: issuer (iss), validFrom (nbf), validUntil (exp) and the credential's last type
// (vct) stand in the signed part and are always disclosed; every leaf under credentialSubject is one disclosure or one element. A leaf is a
// value that is not an object or an array, or is an empty one. Other members of the VCDM document, such as its context, have
// no place in these formats: Of leaves them out, Read names them.
//
//phase:caller
package claims

import (
	"cmp"
	"crypto/sha512"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/schemas"
	"canonscope/vcdm/keys"
)

// lifetime is how long a credential is valid that does not say it: mdoc demands an end, so sd-jwt-vc gets the same.
const lifetime = 10 * 365 * 24 * time.Hour

// start is the validFrom of a credential that does not say it, as the study's shape does not: mdoc demands one.
const start = "2025-01-01T00:00:00Z"

// typePrefix makes a collision-resistant name of a credential's type.
const typePrefix = "urn:canonscope:"

// Subject is the pointer of the claims that can be disclosed one by one.
const Subject = "/credentialSubject"

// Claims is a credential made ready for a format.
type Claims struct {
	JSON     []byte   // {"iss", "nbf", "exp", "vct", "credentialSubject"}: a JWT claims set; the subject's bytes are the credential's own
	Disclose []string // JSON pointers at or below /credentialSubject, at least one leaf each
}

// Input is what Claims.JSON holds, for engines that decode it at once. Times are seconds since 1970.
type Input struct {
	Issuer  string          `json:"iss"`
	From    int64           `json:"nbf"`
	Until   int64           `json:"exp"`
	Type    string          `json:"vct"` // "urn:canonscope:" and the credential's last type
	Subject json.RawMessage `json:"credentialSubject"`
}

// Of returns the claims of a credential for a comparison, in which every format signs the same: a date that is missing is
// made up, and what has no place is left out. disclose replaces the credential's own list if it is not empty; pointers to
// what these formats always disclose are left out, and one that points to nothing is an error.
func Of(c *schemas.Credential, disclose []string) (*Claims, error) {
	if c == nil {
		return nil, errors.New("there is no credential")
	}
	if len(c.Types) == 0 {
		return nil, fmt.Errorf("%s: the credential has no type", c.Schema)
	}
	var dates struct {
		ValidUntil string `json:"validUntil"`
	}
	if len(c.VCDM) > 0 {
		if err := json.Unmarshal(c.VCDM, &dates); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Schema, err)
		}
	}
	from, err := time.Parse(time.RFC3339, cmp.Or(c.ValidFrom, start))
	if err != nil {
		return nil, fmt.Errorf("%s: /validFrom: %w", c.Schema, err)
	}
	until := from.Add(lifetime)
	if dates.ValidUntil != "" {
		t, err := time.Parse(time.RFC3339, dates.ValidUntil)
		if err != nil {
			return nil, fmt.Errorf("%s: /validUntil: %w", c.Schema, err)
		}
		until = t
	}
	iss, err := json.Marshal(c.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%s: /issuer: %w", c.Schema, err)
	}
	vct, err := json.Marshal(typePrefix + c.Types[len(c.Types)-1])
	if err != nil {
		return nil, fmt.Errorf("%s: /type: %w", c.Schema, err)
	}
	b := fmt.Appendf(nil, `{"iss":%s,"nbf":%d,"exp":%d,"vct":%s,"credentialSubject":%s}`, iss, from.Unix(), until.Unix(), vct, c.Subject)
	if len(disclose) == 0 {
		disclose = append(append([]string{}, c.Mandatory...), c.Disclose...)
	}
	out := &Claims{JSON: b}
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
			return nil, fmt.Errorf("%s: %s is outside %s; these formats disclose only what is in it", c.Schema, p, Subject)
		}
	}
	return out, nil
}

// always says whether a pointer names a member that these formats always disclose, or have no place for.
func always(p string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	switch first {
	case "@context", "id", "type", "issuer", "validFrom", "validUntil", "issuanceDate", "expirationDate", "credentialSchema":
		return true
	}
	return false
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
	sum[0] &= 0x7f // below every curve's order
	return keys.FromSeed(algorithm, sum[:size])
}
