//phase:caller
package di

import (
	"bytes"
	"errors"
	"fmt"

	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/schemas"
)

// tamper alters a presentation, bound to its holder or not.
func tamper(c *schemas.Credential, presented []byte, bound bool) ([]compare.Tampered, error) {
	out, err := claims.TamperText(c, presented)
	if err != nil {
		return nil, err
	}

	// From the end: the first of a name may be a term of an inline context.
	end := len(presented)
	alter := func(whose, name string) error {
		member := `"` + name + `"`
		i := bytes.LastIndex(presented[:end], []byte(member))
		if i < 0 {
			return fmt.Errorf("the presentation has no %s of %s", member, whose)
		}
		start := i + len(member) + bytes.IndexByte(presented[i+len(member):], '"') + 1
		b := bytes.Clone(presented)
		k := start + 12 // inside the base58 digits; in a date the hour
		b[k] = claims.OtherCharacter(b[k])
		out = append(out, compare.Tampered{What: whose + " " + name, Bytes: b})
		return nil
	}

	if bound {
		for _, name := range []string{"proofValue", "created", "challenge", "domain"} {
			if err := alter("the holder's proof's", name); err != nil {
				return nil, err
			}
		}
		end = bytes.LastIndex(presented, []byte(`"proof":`))
	}

	option := "created"
	if proof := bytes.LastIndex(presented[:end], []byte(`"proof":`)); proof >= 0 &&
		!bytes.Contains(presented[proof:end], []byte(`"created"`)) {
		option = "proofPurpose" // a proof need not say when it was made, and some libraries leave it out
	}
	return out, errors.Join(alter("the proof's", "proofValue"), alter("the proof's", option))
}
