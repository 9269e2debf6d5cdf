package canon_test

import (
	"context"
	"errors"
	"fmt"

	"canonscope/canon"
	"canonscope/canon/engines"
)

// A request that holds several documents has one limit for all of them.
func ExampleWithBudget() {
	engine, err := engines.New(canon.Native, canon.RDFC, engines.Config{})
	if err != nil {
		panic(err)
	}
	ring := []byte(`[{"@id": "_:a", "urn:next": {"@id": "_:b"}}, {"@id": "_:b", "urn:next": {"@id": "_:a"}}]`)
	limits := canon.Limits{Work: 30}
	ctx := canon.WithBudget(context.Background(), limits)
	for range 3 {
		_, err := engine.Canonicalize(ctx, ring, canon.Options{Limits: limits})
		var limit *canon.LimitError
		fmt.Println(err == nil, errors.As(err, &limit))
	}
	// Output:
	// true false
	// true false
	// false true
}
