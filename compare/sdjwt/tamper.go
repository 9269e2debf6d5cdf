//phase:caller
package sdjwt

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/schemas"
)

// tamper returns altered copies of a presentation, with or without holder binding.
func tamper(c *schemas.Credential, presented []byte, bound bool) ([]compare.Tampered, error) {
	text, err := claims.DisclosedText(c)
	if err != nil {
		return nil, err
	}

	parts := strings.Split(string(presented), "~")
	if len(parts) < 2 {
		return nil, errors.New("what is presented has no tilde")
	}
	last := len(parts) - 1 // of the KB-JWT, which is empty without holder binding
	var out []compare.Tampered
	for i, d := range parts[1:last] {
		if text == "" {
			break
		}
		raw, err := base64.RawURLEncoding.DecodeString(d)
		if err != nil {
			return nil, fmt.Errorf("disclosure %d: %w", i, err)
		}
		if b, ok := claims.Flip(raw, text); ok {
			changed := slices.Clone(parts)
			changed[i+1] = base64.RawURLEncoding.EncodeToString(b)
			out = append(out, compare.Tampered{What: "a disclosed value",
				Bytes: []byte(strings.Join(changed, "~"))})
			break
		}
	}

	if out == nil && text != "" {
		return nil, fmt.Errorf("none of the disclosures holds the disclosed text %q", text)
	}

	alter := func(what string, part, segment int, change func([]byte)) error {
		jwt := strings.Split(parts[part], ".")
		if len(jwt) != 3 {
			return fmt.Errorf("the JWT of %s is malformed", what)
		}
		b, err := base64.RawURLEncoding.DecodeString(jwt[segment])
		if err != nil {
			return err
		}
		change(b)
		jwt[segment] = base64.RawURLEncoding.EncodeToString(b)
		all := slices.Clone(parts)
		all[part] = strings.Join(jwt, ".")
		out = append(out, compare.Tampered{What: what, Bytes: []byte(strings.Join(all, "~"))})
		return nil
	}

	lastText := func(b []byte) { k := bytes.LastIndexByte(b, '"') - 1; b[k] = claims.OtherCharacter(b[k]) }
	bit := func(b []byte) { b[len(b)/2] ^= 1 }
	err = errors.Join(alter("the payload", 0, 1, lastText), alter("the signature", 0, 2, bit))
	if bound {
		err = errors.Join(err, alter("the holder's payload", last, 1, lastText),
			alter("the holder's signature", last, 2, bit))
		out = append(out, compare.Tampered{What: "the holder's signature by leaving it out",
			Bytes: presented[:len(presented)-len(parts[last])]})
	}

	return out, err
}
