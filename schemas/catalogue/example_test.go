package catalogue_test

import (
	"fmt"

	"canonscope/schemas/catalogue"
)

func Example() {
	// A complete Open Badge with nine tags; seed and index give the same bytes on every machine.
	generator, err := catalogue.Get("ob3:tags=9")
	if err != nil {
		panic(err)
	}
	first, err := generator.Document(1, 0)
	if err != nil {
		panic(err)
	}
	second, err := generator.Document(1, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(first.Schema, first.Types)
	fmt.Println(len(first.VCDM) == len(second.VCDM), string(first.VCDM) == string(second.VCDM))

	axes, err := catalogue.Axes("simple-20")
	if err != nil {
		panic(err)
	}
	for _, a := range axes {
		fmt.Println(a.Name)
	}
	// Output:
	// ob3:tags=9 [VerifiableCredential OpenBadgeCredential]
	// true false
	// attributes
	// contexts
	// unused-terms
}
