package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/compare/foreign"
	"canonscope/schemas/contexts"
)

// asEngine is an engine that is another program. It canonicalizes as native does: the argument "right" gives these
// forms, "wrong" others, and "crashes" ends the program at the first document.
func asEngine() {
	hello := foreign.Hello{Name: "of a test", Version: "1", Language: "Go", Lineage: "canonscope",
		Can: []foreign.Ability{{Suite: "rdfc", Operations: []string{"canonize"}},
			{Suite: "jcs", Operations: []string{"canonize"}}}}
	err := foreign.Serve(os.Stdin, os.Stdout, hello, func(t *foreign.Task) (foreign.Doer, error) {
		e, err := engines.New(canon.Native, canon.Method(t.Suite), engines.Config{Loader: contexts.Embedded()})
		if err != nil {
			return nil, err
		}
		return func(i int, _ []byte) ([]byte, error) {
			if os.Args[1] == "crashes" {
				fmt.Fprintln(os.Stderr, "cannot allocate")
				os.Exit(3)
			}
			form, err := e.Canonicalize(context.Background(), t.Documents[i],
				canon.Options{Input: canon.Input(t.Input), Hash: canon.Hash(t.Hash)})
			switch {
			case err != nil:
				return nil, err
			case os.Args[1] == "wrong":
				return bytes.ToUpper(form.Text), nil
			}
			return form.Text, nil
		}, nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
