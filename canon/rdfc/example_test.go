package rdfc_test

import (
	"context"
	"fmt"

	"canonscope/canon"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

func ExampleCanonicalize() {
	var d rdf.Dataset
	err := d.ParseNQuads([]byte(`_:teacher <https://example.org/teaches> _:course .
_:course <https://example.org/title> "Music" .
_:course <https://example.org/title> "Music" .
`), canon.Limits{})
	if err != nil {
		panic(err)
	}
	var form canon.Form
	if err := rdfc.Canonicalize(context.Background(), &d, rdfc.Options{Issued: true}, &form); err != nil {
		panic(err)
	}
	fmt.Print(string(form.Text))
	fmt.Println(form.Lines, "lines; course became", form.Issued["course"])
	// Output:
	// _:c14n0 <https://example.org/title> "Music" .
	// _:c14n1 <https://example.org/teaches> _:c14n0 .
	// 2 lines; course became c14n0
}
