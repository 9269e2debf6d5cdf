package sdjwt_test

import (
	"fmt"

	"canonscope/compare/sdjwt"
	"canonscope/vcdm/keys"
)

func Example() {
	key, err := keys.Generate(keys.ES256)
	if err != nil {
		panic(err)
	}

	// The issuer makes every claim below /degree a disclosure.
	issuer := sdjwt.Issuer{Key: key}
	token, err := issuer.Issue([]byte(`{"iss": "https://school.example", "vct": "https://school.example/degree",
		"degree": {"name": "MSc", "grade": "1.0"}}`), sdjwt.Disclosable{Leaves: "/degree"})
	if err != nil {
		panic(err)
	}

	// The holder presents the name without the grade.
	holder := sdjwt.Holder{}
	presented, err := holder.Present(token, []string{"/degree/name"}, nil)
	if err != nil {
		panic(err)
	}

	verifier := sdjwt.Verifier{Key: key.Public()}
	result, err := verifier.Verify(presented)
	if err != nil {
		panic(err)
	}
	claims, err := result.Claims()
	fmt.Println(string(claims), err)
	fmt.Println(result.Disclosed())
	// Output:
	// {"iss":"https://school.example","vct":"https://school.example/degree","degree":{"name":"MSc"}} <nil>
	// [/degree/name]
}
