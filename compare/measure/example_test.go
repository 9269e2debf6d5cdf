package measure_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
)

// A Job goes through its gate here. A campaign sends Jobs to fresh processes instead: Run with a Process whose arguments
// lead to Serve.
func ExampleServe() {
	job, err := json.Marshal(measure.Job{
		Now:       measure.Now,
		Version:   measure.Version,
		Kind:      measure.Gate,
		Cell:      "format=sd-jwt-vc/suite=jws/engine=native/alg=EdDSA/schema=simple-20/gc=100/procs=2/contexts=none",
		Seed:      1,
		Documents: 2,
	})
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	if err := measure.Serve(context.Background(), bytes.NewReader(job), &out, matrix.OpenGiven); err != nil {
		panic(err)
	}
	for events := json.NewDecoder(&out); events.More(); {
		var e measure.Event
		if err := events.Decode(&e); err != nil {
			panic(err)
		}
		fmt.Println(e.Type)
		if e.Gate != nil {
			issue := e.Gate.Work[compare.Issue]
			fmt.Println(issue.Documents, "documents;", issue.Counters.Salts, "salts and", issue.Counters.Signatures, "signature to issue one")
			fmt.Println(issue.Tampers > 0, e.Gate.Work[compare.Verify].Checks)
		}
	}
	// Output:
	// hello
	// gate
	// 2 documents; 20 salts and 1 signature to issue one
	// true signature, typ, digests, structure, validity period
	// done
}
