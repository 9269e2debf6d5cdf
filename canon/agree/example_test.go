package agree_test

import (
	"context"
	"fmt"

	"canonscope/canon"
	"canonscope/canon/agree"
	"canonscope/canon/engines"
)

func ExampleComparer_Add() {
	var c agree.Comparer
	for _, name := range []canon.Engine{canon.Native, canon.Stock} {
		engine, err := engines.Unguarded(name, canon.RDFC, engines.Config{})
		if err != nil {
			panic(err)
		}
		c.Engines = append(c.Engines, agree.Engine{Name: string(name),
			Methods: map[canon.Method]canon.Canonicalizer{canon.RDFC: engine}})
	}

	row, err := c.Add(context.Background(), &agree.Input{Name: "integer", Method: canon.RDFC, Syntax: canon.JSONLD,
		Doc: []byte(`{"@id": "urn:s", "urn:p": 1e19}`)})
	if err != nil {
		panic(err)
	}
	for _, d := range row.Differences {
		fmt.Printf("%s, by %s\n%s: %s\n%s: %s\n%s\n", d.Place, d.Phase, d.A, d.AHas, d.B, d.BHas, d.Step)
	}
	// Output:
	// line 1, by to-rdf
	// native: <urn:s> <urn:p> "10000000000000000000"^^<http://www.w3.org/2001/XMLSchema#integer> .
	// stock: <urn:s> <urn:p> "1.0E19"^^<http://www.w3.org/2001/XMLSchema#double> .
	// JSON-LD API section 8.2.2 steps 10, 11: integers below 1e21, else doubles
}
