package jcs_test

import (
	"fmt"

	"canonscope/canon/jcs"
)

func ExampleTransform() {
	form, warnings, err := jcs.Transform(nil, []byte(`{"year": 2026.0, "id": 12345678901234567890, "a": "\u00e4"}`), jcs.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(form))
	for _, w := range warnings { // numbers whose value has changed
		fmt.Println(w.Pointer, w.Source, "becomes", w.Canonical)
	}
	// Output:
	// {"a":"ä","id":12345678901234567000,"year":2026}
	// /id 12345678901234567890 becomes 12345678901234567000
}
