package keys_test

import (
	"fmt"

	"canonscope/vcdm/keys"
)

func Example() {
	secret, err := keys.Generate(keys.ES256)
	if err != nil {
		panic(err)
	}
	signature, err := secret.Sign([]byte("message"))
	if err != nil {
		panic(err)
	}

	// Whoever has the verification method of a did:key identifier has the key.
	public, err := keys.ParseMethod(secret.Public().Method())
	if err != nil {
		panic(err)
	}
	fmt.Println(public.Algorithm(), len(signature), public.Verify([]byte("message"), signature),
		public.Verify([]byte("other"), signature))

	// A file holds a key as Multikey, JWK or PEM.
	file, err := keys.ParseFile(secret.JWK())
	if err != nil {
		panic(err)
	}
	fmt.Println(file.Secret.Public().Equal(public))
	// Output:
	// ES256 64 true false
	// true
}
