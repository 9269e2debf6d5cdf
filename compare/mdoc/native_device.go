//phase:check
package mdoc

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"

	"canonscope/compare"
	"canonscope/compare/internal/baseline"
	"canonscope/vcdm/keys"
)

// bind writes a DeviceResponse around IssuerSigned bytes that present has written.
//
//phase:encode fallback
func (native) bind(h *Holder, issuerSigned, transcript []byte) ([]byte, error) {
	r := newNativeReader(h.Limits)
	defer r.free()
	b := view(issuerSigned)
	s, err := b.issuerSigned()
	if err != nil {
		return nil, err
	}

	auth, err := r.sign1(b, s.issuerAuth)
	if err != nil {
		return nil, err
	}

	m, _, err := r.mso(auth.payload)
	if err != nil {
		return nil, err
	}
	if err := r.deviceMessage(h.Key.Algorithm(), transcript, m.docType, noNameSpaces); err != nil {
		return nil, err
	}

	var room [96]byte
	sig, err := baseline.Sign(h.Key, room[:0], r.message)
	r.message = r.message[:0]
	if err != nil {
		return nil, err
	}

	h.Counters.Add(compare.Counters{Signatures: 1})
	out := append(make([]byte, 0, len(issuerSigned)+len(m.docType)+len(sig)+160), responseStart...)
	out = append(append(appendText(out, m.docType), "\x6cissuerSigned"...), issuerSigned...)
	out = append(append(append(out, deviceStart...), noNameSpaces...), signatureStart...)
	out = append(appendProtected(out, h.Key.Algorithm()), noPayload...)
	return append(appendBytes(out, sig), responseEnd...), nil
}

// The fixed parts of a DeviceResponse with one document and a deviceSignature (ISO/IEC 18013-5 section
// 8.3.2.1.2.2).
const (
	responseStart  = "\xa3\x67version\x631.0\x69documents\x81\xa3\x67docType"
	deviceStart    = "\x6cdeviceSigned\xa2\x6anameSpaces"
	signatureStart = "\x6adeviceAuth\xa1\x6fdeviceSignature\x84"
	noPayload      = "\xa0\xf6" // no unprotected header, null
	responseEnd    = "\x66status\x00"
)

// deviceMessage writes the Sig_structure around DeviceAuthentication to r.message (section 9.1.3.4, RFC
// 9052 section 4.4).
//
//phase:encode
func (r *nativeReader) deviceMessage(
	a keys.Algorithm, transcript []byte, docType string, nameSpaces []byte,
) error {
	if err := r.scan(transcript); err != nil {
		return invalid("SessionTranscript", ruleDevice, "%v", err)
	}
	if inner, ok := view(transcript).embedded(0); ok {
		transcript = inner
	}
	size := uint64(1 + 21 + len(transcript) + headSize(uint64(len(docType))) + len(docType) + len(nameSpaces))
	b := appendProtected(append(r.message[:0], "\x84\x6aSignature1"...), a)
	b = appendHead(append(b, 0x40), majorBytes, uint64(2+headSize(size))+size)
	b = appendHead(append(b, 0xd8, 24), majorBytes, size)
	b = append(append(b, "\x84\x74DeviceAuthentication"...), transcript...)
	r.message = append(appendText(b, docType), nameSpaces...)
	return nil
}

// usualResponse is a DeviceResponse in the form that bind writes.
type usualResponse struct {
	docType              string
	issuerSigned         view
	nameSpaces           view // 24(bstr)
	device               view // deviceSigned
	protected, signature []byte
}

// usual reads a scanned DeviceResponse if it has the form that bind writes.
func (b view) usual() (u usualResponse, ok bool) {
	at := 0
	fixed := func(part string) bool {
		if ok = bytes.HasPrefix(b[at:], []byte(part)); ok {
			at += len(part)
		}
		return ok
	}

	item := func() view {
		from := at
		at = b.skip(at)
		return b[from:at]
	}

	if !fixed(responseStart) {
		return u, false
	}
	if u.docType, _ = item().text(0); u.docType == "" || !fixed("\x6cissuerSigned") {
		return u, false
	}

	u.issuerSigned = item()
	from := at + len("\x6cdeviceSigned")
	if !fixed(deviceStart) {
		return u, false
	}

	u.nameSpaces = item()
	if !fixed(signatureStart) {
		return u, false
	}
	if u.protected, ok = item().str(0, majorBytes); !ok || !fixed(noPayload) {
		return u, false
	}
	if u.signature, ok = item().str(0, majorBytes); !ok {
		return u, false
	}

	u.device = b[from:at]
	return u, fixed(responseEnd) && at == len(b)
}

// usual verifies a DeviceResponse in the form that bind writes.
//
//phase:parse fallback
func (r *nativeReader) usual(v *Verifier, u *usualResponse) ([]Document, error) {
	out := make([]Document, 1)
	if err := nativeDocument(v, &out[0], u.issuerSigned, u.docType); err != nil {
		return nil, err
	}
	if v.Device == nil {
		out[0].unasked()
	} else if err := r.device(v, u, &out[0]); err != nil {
		return nil, err
	}
	return out, nil
}

// device checks a deviceSignature. Any form other than that of bind is checked by the code of the stock
// engine.
func (r *nativeReader) device(v *Verifier, u *usualResponse, d *Document) error {
	key, err := nativeKey(d.DeviceKey)
	if err != nil {
		return invalid("deviceKey", ruleDevice, "%v", err)
	}
	var expected [8]byte
	protected, _ := view(appendProtected(expected[:0], key.Algorithm())).str(0, majorBytes)
	if !bytes.Equal(u.nameSpaces, noNameSpaces) || !bytes.Equal(u.protected, protected) {
		return v.checkDevice(d, []byte(u.device))
	}
	if err := r.deviceMessage(key.Algorithm(), v.Device.Transcript, d.DocType, u.nameSpaces); err != nil {
		return err
	}
	v.Counters.Add(compare.Counters{Verifications: 1})
	if !key.Verify(r.message, u.signature) {
		return invalid("deviceSignature", ruleDevice, "is invalid for this SessionTranscript")
	}
	r.message = r.message[:0]
	return nil
}

// nativeKey reads a COSE_Key. One with only the four or five needed members, in the order of
// [keys.Public.COSE], is read directly.
//
//phase:parse
func nativeKey(b view) (*keys.Public, error) {
	for _, k := range []struct {
		start  string
		middle string
		size   int
		curve  elliptic.Curve
	}{
		{"\xa3\x01\x01\x20\x06\x21\x58\x20", "", 32, nil},
		{"\xa4\x01\x02\x20\x01\x21\x58\x20", "\x22\x58\x20", 32, elliptic.P256()},
		{"\xa4\x01\x02\x20\x02\x21\x58\x30", "\x22\x58\x30", 48, elliptic.P384()},
	} {
		rest, ok := bytes.CutPrefix(b, []byte(k.start))
		if !ok {
			continue
		}
		if k.curve == nil {
			if len(rest) == k.size {
				return keys.PublicOf(ed25519.PublicKey(bytes.Clone(rest)))
			}
			continue
		}
		if len(rest) != 2*k.size+len(k.middle) || string(rest[k.size:k.size+len(k.middle)]) != k.middle {
			continue
		}
		point := append(append([]byte{4}, rest[:k.size]...), rest[k.size+len(k.middle):]...)
		if key, err := ecdsa.ParseUncompressedPublicKey(k.curve, point); err == nil {
			return keys.PublicOf(key)
		}
	}

	return keys.ParsePublicCOSE(b)
}
