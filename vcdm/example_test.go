package vcdm_test

import (
	"context"
	"fmt"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/schemas/contexts"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
)

func Example() {
	ctx := context.Background()
	engine, err := engines.New(canon.Native, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
	if err != nil {
		panic(err)
	}
	issuer, err := keys.Generate(keys.ES256)
	if err != nil {
		panic(err)
	}
	credential := []byte(`{"@context":["https://www.w3.org/ns/credentials/v2",{"degree":"urn:x:degree","grade":"urn:x:grade"}],
		"type":["VerifiableCredential"],"issuer":"` + issuer.Public().DID() + `",
		"credentialSubject":{"id":"did:example:student","degree":"MSc","grade":"1.0"}}`)

	// The issuer signs; every presentation will disclose who it is.
	issuing := vcdm.ECDSASD2023(engine, vcdm.SDOptions{Mandatory: []string{"/issuer"}})
	options := vcdm.Options{Method: issuer.Public().Method(), Purpose: vcdm.AssertionMethod}
	signed, err := (&vcdm.Signer{Suite: issuing, Key: issuer}).Add(ctx, credential,
		options.AppendJSON(nil, issuing.Name()))
	if err != nil {
		panic(err)
	}

	// The holder discloses the degree, not the grade.
	suite := vcdm.ECDSASD2023(engine, vcdm.SDOptions{})
	shown, err := (&vcdm.Holder{Suite: suite}).Derive(ctx, signed, []string{"/credentialSubject/degree"})
	if err != nil {
		panic(err)
	}

	// The verifier checks it; did:key identifiers hold their own keys.
	r := (&vcdm.Verifier{Suites: []vcdm.Suite{suite}}).Verify(ctx, shown)
	fmt.Println(r.Verified, r.Err())
	fmt.Println(len(shown) < len(signed))
	// Output:
	// true <nil>
	// true
}
