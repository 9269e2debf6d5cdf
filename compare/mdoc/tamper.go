//phase:caller
package mdoc

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/schemas"
)

// tamper returns altered copies of a presentation, with or without holder binding: IssuerSigned, or a
// DeviceResponse as some libraries make it without a binding as well.
func tamper(c *schemas.Credential, presented []byte, bound bool) ([]compare.Tampered, error) {
	out, err := claims.TamperText(c, presented)
	if err != nil {
		return nil, err
	}

	alter := func(what string, sign1 []cbor.RawMessage, element int) error {
		if len(sign1) != 4 {
			return fmt.Errorf("the COSE_Sign1 of %s is malformed", what)
		}
		raw := []byte(sign1[element])
		k := bytes.LastIndex(presented, raw)
		if k == none {
			return fmt.Errorf("%s was not found in the presentation", what)
		}
		b := bytes.Clone(presented)
		b[k+len(raw)/2] ^= 1
		out = append(out, compare.Tampered{What: what, Bytes: b})
		return nil
	}

	var response struct { // without documents in IssuerSigned
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
	issuerSigned := cbor.RawMessage(presented)
	if bound || len(response.Documents) > 0 {
		if len(response.Documents) != 1 {
			return nil, errors.New("the presentation is not a DeviceResponse with one document")
		}
		issuerSigned = response.Documents[0].IssuerSigned
	}
	if bound {
		signature := response.Documents[0].DeviceSigned.DeviceAuth.Signature
		if err := alter("the device's signature", signature, 3); err != nil {
			return nil, err
		}
		out = append(out, compare.Tampered{What: "the device's signature by leaving it out",
			Bytes: issuerSigned})
	}

	var signed struct {
		IssuerAuth []cbor.RawMessage `cbor:"issuerAuth"`
	}

	if err := cbor.Unmarshal(issuerSigned, &signed); err != nil {
		return nil, err
	}

	return out, errors.Join(alter("the payload", signed.IssuerAuth, 2),
		alter("the signature", signed.IssuerAuth, 3))
}
