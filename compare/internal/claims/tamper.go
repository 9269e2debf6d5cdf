//phase:caller
package claims

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/schemas"
)

// DisclosedText returns a text that the credential discloses and that occurs unchanged in a presentation;
// "" if there is none.
func DisclosedText(c *schemas.Credential) (string, error) {
	var t jsontape.Tape
	if err := t.Scan(c.VCDM, jsontape.Options{}); err != nil {
		return "", err
	}
	for _, pointer := range c.Disclose {
		n := t.At(pointer)
		if n < 0 {
			continue
		}
		var value any
		if err := json.Unmarshal(t.Raw(n), &value); err != nil {
			return "", err
		}
		if s := firstText(value); s != "" {
			return s, nil
		}
	}
	return "", nil
}

// firstText finds a text of eight or more plain letters, digits and spaces.
func firstText(v any) string {
	switch x := v.(type) {
	case string:
		plain := strings.IndexFunc(x, func(r rune) bool {
			return !(r == ' ' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' &&
				r <= 'Z')
		}) < 0
		if len(x) >= 8 && plain {
			return x
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if k == "id" || k == "type" || strings.HasPrefix(k, "@") {
				continue // not a separate value in JSON-LD
			}
			if s := firstText(x[k]); s != "" {
				return s
			}
		}
	case []any:
		for _, e := range x {
			if s := firstText(e); s != "" {
				return s
			}
		}
	}
	return ""
}

// Flip changes the last character of every text found in b; ok is false if it is not there.
func Flip(b []byte, text string) ([]byte, bool) {
	if !bytes.Contains(b, []byte(text)) {
		return nil, false
	}
	end := byte('x')
	if strings.HasSuffix(text, "x") {
		end = 'y'
	}
	return bytes.ReplaceAll(b, []byte(text), append([]byte(text[:len(text)-1]), end)), true
}

// TamperText alters a text that the credential discloses and that occurs unchanged in the presentation;
// without one there is nothing to alter.
func TamperText(c *schemas.Credential, presented []byte) ([]compare.Tampered, error) {
	text, err := DisclosedText(c)
	if err != nil || text == "" {
		return nil, err
	}
	b, ok := Flip(presented, text)
	if !ok {
		return nil, fmt.Errorf("the presentation does not hold the disclosed text %q", text)
	}
	return []compare.Tampered{{What: "a disclosed value", Bytes: b}}, nil
}

// OtherCharacter returns another character of the same kind, valid in base58, base64url and a date.
func OtherCharacter(c byte) byte {
	if c == '1' {
		return '2'
	}
	return '1'
}
