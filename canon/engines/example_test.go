package engines_test

import (
	"context"
	"errors"
	"fmt"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/schemas/contexts"
)

func Example() {
	engine, err := engines.New(canon.Native, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
	if err != nil {
		panic(err)
	}
	form, err := engine.Canonicalize(context.Background(), []byte(`{
		"@context": "https://www.w3.org/ns/credentials/v2",
		"type": "VerifiableCredential", "issuer": "did:example:school",
		"credentialSubject": {"id": "did:example:student"}}`), canon.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Print(string(form.Text))

	// A name that no context defines would be lost, so it is an error.
	_, err = engine.Canonicalize(context.Background(), []byte(`{
		"@context": "https://www.w3.org/ns/credentials/v2", "grade": "1.0"}`), canon.Options{})
	var loss *canon.LossError
	fmt.Println(errors.As(err, &loss), loss.Losses[0].Pointer)
	// Output:
	// _:c14n0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://www.w3.org/2018/credentials#VerifiableCredential> .
	// _:c14n0 <https://www.w3.org/2018/credentials#credentialSubject> <did:example:student> .
	// _:c14n0 <https://www.w3.org/2018/credentials#issuer> <did:example:school> .
	// true /grade
}
