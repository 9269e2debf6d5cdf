//phase:caller
package mdoc

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/vcdm/keys"
)

// DeviceAuth makes a verifier check device authentication (ISO/IEC 18013-5 section 9.1.3).
type DeviceAuth struct {
	Transcript []byte           // SessionTranscript, CBOR; also accepted inside tag 24
	Reader     *ecdh.PrivateKey // ephemeral reader key for a deviceMac; without it a deviceMac is refused
}

const ruleDevice = "ISO/IEC 18013-5 section 9.1.3"

type (
	deviceResponse struct {
		Version   string           `cbor:"version"`
		Documents []deviceDocument `cbor:"documents"`
		Status    uint64           `cbor:"status"`
	}
	deviceDocument struct {
		DocType      string          `cbor:"docType"`
		IssuerSigned cbor.RawMessage `cbor:"issuerSigned"`
		DeviceSigned *deviceSigned   `cbor:"deviceSigned,omitempty"`
	}
	deviceSigned struct {
		NameSpaces cbor.RawMessage `cbor:"nameSpaces"` // 24(bstr map)
		DeviceAuth struct {
			Signature cbor.RawMessage `cbor:"deviceSignature,omitempty"`
			Mac       cbor.RawMessage `cbor:"deviceMac,omitempty"`
		} `cbor:"deviceAuth"`
	}
	// detached is a COSE_Sign1 or COSE_Mac0 without its payload.
	detached struct {
		_           struct{} `cbor:",toarray"`
		Protected   []byte
		Unprotected map[any]cbor.RawMessage
		Payload     cbor.RawMessage // null
		Tag         []byte
	}
)

var null = []byte{0xf6}

// noNameSpaces is 24(bstr {}): the device adds no elements.
var noNameSpaces = []byte{0xd8, 0x18, 0x41, 0xa0}

// bind puts IssuerSigned bytes into a DeviceResponse and signs with the device's key.
//
//phase:encode fallback
func (stock) bind(h *Holder, issuerSigned, transcript []byte) ([]byte, error) {
	s, err := stockReadIssuerSigned(issuerSigned)
	if err != nil {
		return nil, err
	}

	auth, err := stockReadSign1(s.IssuerAuth, h.Limits)
	if err != nil {
		return nil, err
	}

	mso, err := stockReadMSO(auth.payload, h.Limits)
	if err != nil {
		return nil, err
	}

	docType := mso.docType
	payload, err := deviceAuthentication(transcript, docType, noNameSpaces)
	if err != nil {
		return nil, err
	}

	protected, sig, err := stockSignPayload(h.Key, payload, h.Counters)
	if err != nil {
		return nil, err
	}

	d := &deviceSigned{NameSpaces: noNameSpaces}
	d.DeviceAuth.Signature, err = stockEncode(detached{Protected: protected,
		Unprotected: map[any]cbor.RawMessage{}, Payload: null, Tag: sig})
	if err != nil {
		return nil, err
	}

	return stockEncode(deviceResponse{Version: "1.0",
		Documents: []deviceDocument{{docType, issuerSigned, d}}})
}

// deviceAuthentication returns the bytes that a device signature or MAC covers:
// 24(bstr ["DeviceAuthentication", SessionTranscript, docType, 24(bstr nameSpaces)]).
//
//phase:encode
func deviceAuthentication(transcript []byte, docType string, nameSpaces []byte) ([]byte, error) {
	b, err := stockEncode([]any{"DeviceAuthentication", cbor.RawMessage(untag(transcript)), docType,
		cbor.RawMessage(nameSpaces)})
	if err != nil {
		return nil, invalid("SessionTranscript", ruleDevice, "%v", err)
	}
	return stockEncode(cbor.Tag{Number: 24, Content: b})
}

// untag returns the content of 24(bstr), or b if it is something else.
func untag(b []byte) []byte {
	if inner, err := stockEmbedded(b, "SessionTranscript", ruleDevice); err == nil {
		return inner
	}
	return b
}

// isTranscript reports whether CBOR can be a SessionTranscript: an array, perhaps in a tag. Nothing else
// binds a signature to a session (ISO/IEC 18013-5 section 9.1.5.1).
func isTranscript(b []byte) bool { return isMajor(b, majorArray) || isMajor(b, majorTag) }

// documentVerifier verifies one IssuerSigned and sets d, which means nothing if there is an error. docType is
// that of the Document around it, or "".
type documentVerifier func(v *Verifier, d *Document, issuerSigned []byte, docType string) error

// response verifies each document of a DeviceResponse that has been scanned.
//
//phase:parse fallback
func (v *Verifier) response(b []byte, verify documentVerifier) ([]Document, error) {
	var members map[string]cbor.RawMessage
	if !isMajor(b, majorMap) || stockDec.Unmarshal(b, &members) != nil {
		return nil, invalid("mdoc", ruleShape, "is not a map with text keys")
	}
	if version, ok := stockText(members["version"]); !ok || version != "1.0" {
		return nil, invalid("DeviceResponse", ruleShape, "version is not \"1.0\"")
	}
	if status, ok := stockUint(members["status"]); !ok || status != 0 {
		return nil, invalid("DeviceResponse", ruleShape, "status is not 0")
	}

	var list []cbor.RawMessage
	if docs := members["documents"]; !isMajor(docs, majorArray) || stockDec.Unmarshal(docs, &list) != nil ||
		len(list) == 0 {
		return nil, invalid("DeviceResponse", ruleShape, "has no documents")
	}

	if max := v.Limits.WithDefaults().Proofs; len(list) > max {
		return nil, &canon.LimitError{Limit: "proofs", Max: int64(max), Done: int64(len(list)),
			Where: "documents of the DeviceResponse"}
	}

	out := make([]Document, len(list))
	for i, raw := range list {
		if err := v.document(&out[i], raw, verify); err != nil {
			return nil, err
		}
	}

	return out, nil
}

func (v *Verifier) document(d *Document, raw cbor.RawMessage, verify documentVerifier) error {
	var members map[string]cbor.RawMessage
	if !isMajor(raw, majorMap) || stockDec.Unmarshal(raw, &members) != nil {
		return invalid("Document", ruleShape, "is not a map with text keys")
	}
	docType, _ := stockText(members["docType"])
	if docType == "" || members["issuerSigned"] == nil {
		return invalid("Document", ruleShape, "needs docType and issuerSigned")
	}
	if err := verify(v, d, members["issuerSigned"], docType); err != nil {
		return err
	}
	if signed := members["deviceSigned"]; v.Device != nil {
		return v.checkDevice(d, signed)
	} else if signed != nil {
		d.unasked()
	}
	return nil
}

// unasked records that the document has a device signature that the verifier was not asked to check.
func (d *Document) unasked() { d.Unchecked = append(d.Unchecked, "/deviceSigned") }

// bare verifies IssuerSigned bytes outside a DeviceResponse.
func (v *Verifier) bare(b []byte, verify documentVerifier) ([]Document, error) {
	if v.Device != nil {
		return nil, invalid("IssuerSigned", ruleDevice,
			"device authentication is required and needs a DeviceResponse")
	}
	out := make([]Document, 1)
	if err := verify(v, &out[0], b, ""); err != nil {
		return nil, err
	}
	return out, nil
}

// checkDevice checks deviceAuth with the deviceKey of a verified MSO.
//
//phase:check fallback
func (v *Verifier) checkDevice(d *Document, raw cbor.RawMessage) error {
	const where = "deviceSigned"
	var signed deviceSigned
	if raw == nil {
		return invalid(where, ruleDevice, "is missing, and device authentication is required")
	}
	if err := stockDec.Unmarshal(raw, &signed); err != nil {
		return invalid(where, ruleDevice, "%v", err)
	}

	inner, err := stockEmbedded(signed.NameSpaces, where, ruleDevice)
	if err != nil {
		return err
	}
	if err := stockScan(inner, v.Limits); err != nil {
		return err
	}

	key, err := keys.ParsePublicCOSE(d.DeviceKey)
	if err != nil {
		return invalid("deviceKey", ruleDevice, "%v", err)
	}

	payload, err := deviceAuthentication(v.Device.Transcript, d.DocType, signed.NameSpaces)
	if err != nil {
		return err
	}

	auth := signed.DeviceAuth
	if (auth.Signature == nil) == (auth.Mac == nil) {
		return invalid(where, ruleDevice, "needs one of deviceSignature and deviceMac")
	}
	if auth.Mac != nil {
		return v.checkMac(auth.Mac, key, payload)
	}

	c, alg, err := readDetached(auth.Signature, v.Limits)
	if err != nil {
		return err
	}

	if want := coseAlgorithm[key.Algorithm()]; alg != want {
		return invalid("deviceSignature", "RFC 9053 section 2", "alg is %d, the device's key needs %d", alg,
			want)
	}

	holds, err := stockCheckSignature(key, c.Protected, payload, c.Tag, v.Counters)
	if err == nil && !holds {
		err = invalid("deviceSignature", ruleDevice, "is invalid for this SessionTranscript")
	}

	return err
}

// readDetached reads a COSE structure with detached payload and its protected alg.
func readDetached(raw cbor.RawMessage, limits canon.Limits) (*detached, int64, error) {
	var c detached
	if err := stockDec.Unmarshal(raw, &c); err != nil || !bytes.Equal(c.Payload, null) {
		return nil, 0, invalid("deviceAuth", ruleDevice, "is not a COSE structure with a null payload")
	}
	var protected struct {
		Alg  int64           `cbor:"1,keyasint"`
		Crit cbor.RawMessage `cbor:"2,keyasint"`
	}
	if err := stockScan(c.Protected, limits); err != nil {
		return nil, 0, err
	}
	if err := stockDec.Unmarshal(c.Protected, &protected); err != nil || protected.Crit != nil {
		return nil, 0, invalid("deviceAuth", ruleDevice, "the protected header is malformed or has crit")
	}
	return &c, protected.Alg, nil
}

// checkMac recomputes a deviceMac (ISO/IEC 18013-5 section 9.1.3.5): HMAC-SHA-256 with a key from ECDH and
// HKDF.
//
//phase:validate
func (v *Verifier) checkMac(raw cbor.RawMessage, device *keys.Public, payload []byte) error {
	const where = "deviceMac"
	if v.Device.Reader == nil {
		return invalid(where, ruleDevice, "needs the reader's ephemeral key, and none is configured")
	}

	c, alg, err := readDetached(raw, v.Limits)
	if err != nil {
		return err
	}
	if alg != 5 {
		return invalid(where, "RFC 9053 section 3.1", "alg is %d, want 5 (HMAC 256/256)", alg)
	}

	ec, ok := device.Crypto().(*ecdsa.PublicKey)
	if !ok {
		return invalid(where, ruleDevice, "an Ed25519 device key cannot make a MAC")
	}

	public, err := ec.ECDH()
	if err != nil {
		return invalid(where, ruleDevice, "%v", err)
	}

	shared, err := v.Device.Reader.ECDH(public)
	if err != nil {
		return invalid(where, ruleDevice, "%v", err)
	}

	transcript, err := stockEncode(cbor.Tag{Number: 24, Content: untag(v.Device.Transcript)})
	if err != nil {
		return err
	}

	salt := sha256.Sum256(transcript)
	key, err := hkdf.Key(sha256.New, shared, salt[:], "EMacKey", 32)
	if err != nil {
		return err
	}

	message, err := stockEncodeStructure("MAC0", c.Protected, payload)
	if err != nil {
		return err
	}

	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	if !hmac.Equal(mac.Sum(nil), c.Tag) {
		return invalid(where, ruleDevice, "is invalid for this SessionTranscript")
	}

	return nil
}
