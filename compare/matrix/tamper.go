//phase:caller
package matrix

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/measure"
	"canonscope/schemas"
)

// tampers alter a presentation of each format, bound to its holder or not; verify must refuse every copy.
var tampers = map[compare.Format]func(c *schemas.Credential, presented []byte, bound bool) ([]measure.Tampered, error){
	compare.VCDM:  tamperVCDM,
	compare.SDJWT: tamperSDJWT,
	compare.Mdoc:  tamperMdoc,
}

// disclosedText returns a text that the credential discloses and that stands in a presentation as it is; "" if there is
// none.
func disclosedText(c *schemas.Credential) (string, error) {
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
			return !(r == ' ' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
		}) < 0
		if len(x) >= 8 && plain {
			return x
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if k == "id" || k == "type" || strings.HasPrefix(k, "@") {
				continue // not a value of its own in JSON-LD
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

// flip changes the last character of every text found in b; ok is false if it is not there.
func flip(b []byte, text string) ([]byte, bool) {
	if !bytes.Contains(b, []byte(text)) {
		return nil, false
	}
	end := byte('x')
	if strings.HasSuffix(text, "x") {
		end = 'y'
	}
	return bytes.ReplaceAll(b, []byte(text), append([]byte(text[:len(text)-1]), end)), true
}

// tamperText alters a text that the credential discloses and that stands in the presentation as it is; without one there is
// nothing to alter.
func tamperText(c *schemas.Credential, presented []byte) ([]measure.Tampered, error) {
	text, err := disclosedText(c)
	if err != nil || text == "" {
		return nil, err
	}
	b, ok := flip(presented, text)
	if !ok {
		return nil, fmt.Errorf("the presentation does not hold the disclosed text %q", text)
	}
	return []measure.Tampered{{What: "a disclosed value", Bytes: b}}, nil
}

func tamperVCDM(c *schemas.Credential, presented []byte, bound bool) ([]measure.Tampered, error) {
	out, err := tamperText(c, presented)
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
		b[k] = other(b[k])
		out = append(out, measure.Tampered{What: whose + " " + name, Bytes: b})
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
	return out, errors.Join(alter("the proof's", "proofValue"), alter("the proof's", "created"))
}

// other returns another character of the same kind, valid in base58, base64url and a date.
func other(c byte) byte {
	if c == '1' {
		return '2'
	}
	return '1'
}

func tamperSDJWT(c *schemas.Credential, presented []byte, bound bool) ([]measure.Tampered, error) {
	text, err := disclosedText(c)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(string(presented), "~")
	last := len(parts) - 1 // of the KB-JWT, or empty
	var out []measure.Tampered
	for i, d := range parts[1:last] {
		if text == "" {
			break
		}
		raw, err := base64.RawURLEncoding.DecodeString(d)
		if err != nil {
			return nil, fmt.Errorf("disclosure %d: %w", i, err)
		}
		if b, ok := flip(raw, text); ok {
			changed := slices.Clone(parts)
			changed[i+1] = base64.RawURLEncoding.EncodeToString(b)
			out = append(out, measure.Tampered{What: "a disclosed value", Bytes: []byte(strings.Join(changed, "~"))})
			break
		}
	}
	if out == nil && text != "" {
		return nil, fmt.Errorf("no disclosure holds the disclosed text %q", text)
	}
	alter := func(what string, part, segment int, change func([]byte)) error {
		jwt := strings.Split(parts[part], ".")
		if len(jwt) != 3 {
			return fmt.Errorf("%s is in no JWT", what)
		}
		b, err := base64.RawURLEncoding.DecodeString(jwt[segment])
		if err != nil {
			return err
		}
		change(b)
		jwt[segment] = base64.RawURLEncoding.EncodeToString(b)
		all := slices.Clone(parts)
		all[part] = strings.Join(jwt, ".")
		out = append(out, measure.Tampered{What: what, Bytes: []byte(strings.Join(all, "~"))})
		return nil
	}
	lastText := func(b []byte) { k := bytes.LastIndexByte(b, '"') - 1; b[k] = other(b[k]) }
	bit := func(b []byte) { b[len(b)/2] ^= 1 }
	err = errors.Join(alter("the payload", 0, 1, lastText), alter("the signature", 0, 2, bit))
	if bound {
		err = errors.Join(err, alter("the holder's payload", last, 1, lastText), alter("the holder's signature", last, 2, bit))
		out = append(out, measure.Tampered{What: "the holder's signature by leaving it out", Bytes: presented[:len(presented)-len(parts[last])]})
	}
	return out, err
}

func tamperMdoc(c *schemas.Credential, presented []byte, bound bool) ([]measure.Tampered, error) {
	out, err := tamperText(c, presented)
	if err != nil {
		return nil, err
	}
	alter := func(what string, sign1 []cbor.RawMessage, element int) error {
		if len(sign1) != 4 {
			return fmt.Errorf("%s is in no COSE_Sign1", what)
		}
		raw := []byte(sign1[element])
		k := bytes.LastIndex(presented, raw)
		if k < 0 {
			return fmt.Errorf("%s is not where it should be", what)
		}
		b := bytes.Clone(presented)
		b[k+len(raw)/2] ^= 1
		out = append(out, measure.Tampered{What: what, Bytes: b})
		return nil
	}
	issuerSigned := cbor.RawMessage(presented)
	if bound {
		var response struct {
			Documents []struct {
				IssuerSigned cbor.RawMessage `cbor:"issuerSigned"`
				DeviceSigned struct {
					DeviceAuth struct {
						Signature []cbor.RawMessage `cbor:"deviceSignature"`
					} `cbor:"deviceAuth"`
				} `cbor:"deviceSigned"`
			} `cbor:"documents"`
		}
		if err := cbor.Unmarshal(presented, &response); err != nil {
			return nil, err
		}
		if len(response.Documents) != 1 {
			return nil, errors.New("the presentation is no DeviceResponse of one document")
		}
		d := response.Documents[0]
		if err := alter("the device's signature", d.DeviceSigned.DeviceAuth.Signature, 3); err != nil {
			return nil, err
		}
		issuerSigned = d.IssuerSigned
		out = append(out, measure.Tampered{What: "the device's signature by leaving it out", Bytes: issuerSigned})
	}
	var signed struct {
		IssuerAuth []cbor.RawMessage `cbor:"issuerAuth"`
	}
	if err := cbor.Unmarshal(issuerSigned, &signed); err != nil {
		return nil, err
	}
	return out, errors.Join(alter("the payload", signed.IssuerAuth, 2), alter("the signature", signed.IssuerAuth, 3))
}
