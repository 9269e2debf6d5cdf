package rules_test

import (
	"fmt"

	"canonscope/canon"
	"canonscope/vcdm/rules"
)

// What is wrong with a credential, and which of its contexts its reader does not know.
func Example() {
	doc := []byte(`{"@context":["https://www.w3.org/ns/credentials/v2",{"degree":"urn:x:degree"}],
		"type":["VerifiableCredential"],"issuer":"university",
		"credentialSubject":{"id":"did:example:student","degree":"MSc"}}`)

	fmt.Println(rules.CheckCredential(doc, canon.Limits{}))
	fmt.Println(rules.CheckContexts(doc, canon.Limits{}, `["https://www.w3.org/ns/credentials/v2"]`))
	// Output:
	// MALFORMED_VALUE_ERROR at /issuer: must be one absolute URL
	// MALFORMED_VALUE_ERROR at /@context: is not a known one; name the whole value of each @context that is
}

// The digests of related resources are compared with those of bytes that the caller has.
func ExampleHashesOf() {
	recorded := rules.HashesOf(map[string][]byte{"https://example.org/image.png": []byte("not an image")})
	doc := []byte(`{"relatedResource":{"id":"https://example.org/image.png",
		"digestSRI":"sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="}}`)

	fmt.Println(rules.CheckRelated(doc, canon.Limits{}, recorded))
	// Output:
	// MALFORMED_VALUE_ERROR at /relatedResource/digestSRI: is not the digest of https://example.org/image.png
}
