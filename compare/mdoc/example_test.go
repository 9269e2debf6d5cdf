package mdoc_test

import (
	"fmt"

	"canonscope/compare/mdoc"
	"canonscope/vcdm/keys"
)

func Example() {
	signer, err := keys.Generate(keys.ES256)
	if err != nil {
		panic(err)
	}
	device, err := keys.Generate(keys.ES256)
	if err != nil {
		panic(err)
	}
	certificate, err := mdoc.Certificate(signer.Public(), "https://school.example") // for tests; authorities make real ones
	if err != nil {
		panic(err)
	}

	issuer := mdoc.Issuer{Key: signer, Chain: [][]byte{certificate}, Device: device.Public()}
	issued, err := issuer.Issue([]byte(`{"iss": "https://school.example", "vct": "example.degree", "nbf": 1767225600, "exp": 4102444800,
		"credentialSubject": {"degree": "MSc", "grade": 2}}`))
	if err != nil {
		panic(err)
	}

	// The holder presents the degree without the grade, and signs it for one session with the device's key.
	transcript := []byte{0x83, 0xf6, 0xf6, 0x61, 'x'} // the SessionTranscript: [null, null, "x"]
	holder := mdoc.Holder{Key: device}
	presented, err := holder.Present(issued, []string{"/credentialSubject/degree"}, transcript)
	if err != nil {
		panic(err)
	}

	verifier := mdoc.Verifier{Key: signer.Public(), Device: &mdoc.DeviceAuth{Transcript: transcript}}
	documents, err := verifier.Verify(presented)
	if err != nil {
		panic(err)
	}
	for _, e := range documents[0].Elements {
		fmt.Printf("%s %s %q\n", documents[0].DocType, e.Identifier, e.Value) // CBOR: a text of 3 bytes
	}
	// Output:
	// example.degree degree "cMSc"
}
