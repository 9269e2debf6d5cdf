// Package claimstest holds the tests that both baselines, sd-jwt-vc and mdoc, must pass alike, and the
// credentials they are tested with. Start with [Exchange].
package claimstest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/schemas"
	"canonscope/vcdm/keys"
)

// Engines are those that every baseline has.
var Engines = []compare.Engine{canon.Stock, canon.Native}

// Now is inside the validity period of the credentials.
var Now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// NewFormat makes the format of a baseline.
type NewFormat = func(engine compare.Engine, algorithm compare.Algorithm) compare.Preparer

// dated is what formats other than vcdm read of a document beside its subject.
const dated = `{"validFrom":"2026-01-01T00:00:00Z"}`

// Simple returns a credential with n attributes of 24 characters that discloses five.
func Simple(n int) *schemas.Credential {
	var b strings.Builder
	b.WriteString(`{"id":"did:example:subject"`)
	for i := range n {
		fmt.Fprintf(&b, `,"attr%02d":"value %02d abcdefghijklmno"`, i, i)
	}
	b.WriteString("}")
	c := &schemas.Credential{Schema: "test", Subject: []byte(b.String()),
		Types: []string{"VerifiableCredential", "TestCredential"}, Issuer: "https://issuer.example",
		VCDM: []byte(dated)}
	for _, i := range []int{0, 4, 9, 14, 19} {
		c.Disclose = append(c.Disclose, fmt.Sprintf("/credentialSubject/attr%02d", i))
	}
	return c
}

// Nested returns a credential with objects, arrays, empty ones of both, and every type of JSON. It
// discloses leaves and containers.
func Nested() *schemas.Credential {
	return &schemas.Credential{Schema: "nested", Types: []string{"VerifiableCredential",
		"OpenBadgeCredential"}, Issuer: "did:example:issuer", VCDM: []byte(dated),
		Subject: []byte(`{"type":["A","B"],"achievement":{"name":"Name <&>",` +
			`"criteria":{"narrative":"Größe"},"empty":{},"a/b":{"~":1}},` +
			`"result":[{"value":"1","ok":true},{"value":2.50,"none":null,"big":-9007199254740993,` +
			`"list":[[],["x","y"]]}]}`),
		Disclose: []string{"/credentialSubject/achievement/name", "/credentialSubject/achievement/a~1b",
			"/credentialSubject/result/1", "/credentialSubject/type/1", "/issuer"},
		Mandatory: []string{"/issuer", "/type"},
	}
}

// Key returns the key of an algorithm that tests sign with.
func Key(t testing.TB, algorithm keys.Algorithm) *keys.Secret {
	t.Helper()
	size := 32
	if algorithm == keys.ES384 {
		size = 48
	}
	k, err := keys.FromSeed(algorithm, bytes.Repeat([]byte{7}, size))
	if err != nil {
		t.Fatal(err)
	}
	return k
}
