package vcdm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"canonscope/canon/jsontape"
)

// What compares parts of a document with one another takes no more than in proportion to it. Each of these takes some
// hundred milliseconds at most; compared each with each, it takes more than the deadline.
func TestLinear(t *testing.T) {
	const n = 60_000
	const deadline = 8 * time.Second
	scan := func(doc string) *jsontape.Tape {
		tape := new(jsontape.Tape)
		if err := tape.Scan([]byte(doc), jsontape.Options{}); err != nil {
			t.Fatal(err)
		}
		return tape
	}
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "%", fmt.Sprint(i)))
		}
		return b.String()
	}
	inTime := func(what string, f func()) {
		t.Helper()
		start := time.Now()
		f()
		if took := time.Since(start); took > deadline {
			t.Errorf("%s: %v", what, took)
		}
	}

	tape := scan(`{"id":"u:root","issuer":"u:issuer"}`)
	credentials := many(n, "<u:c%> <"+rdfType+"> <"+vocabulary+"VerifiableCredential> .\n<u:e> <u:of> <u:c%> .\n") + "<u:e> <u:of> <u:root> .\n"
	subjects := many(n, "<u:root> <"+vocabulary+"credentialSubject> <u:s%> .\n") + "<u:root> <" + vocabulary + "issuer> <u:issuer> .\n" +
		"<u:root> <" + rdfType + "> <" + vocabulary + "VerifiableCredential> .\n"
	inTime("many credentials in one of many subjects", func() {
		r := reading{tape: tape}
		r.collect([]byte(credentials + subjects))
		if root, err := r.root(); err != nil || string(root) != "<u:root>" {
			t.Errorf("%s: %v", root, err)
		}
	})

	issuers := many(n, "<u:c> <"+vocabulary+"issuer> <u:i%> .\n")
	inTime("many issuers of one node", func() {
		in := &input{doc: &document{tape: tape, proofKey: -1, context: -1}, work: new(work)}
		text := []byte(issuers + "<u:root> <" + vocabulary + "issuer> <u:issuer> .\n")
		if err := in.checkPart(splitLines(text), splitLines(text)); err != nil {
			t.Error(err)
		}
	})

	contexts := scan(`[{` + strings.TrimSuffix(many(n, `"t%":0,`), ",") + `}` + strings.Repeat(`,{"t":0}`, n) + `]`)
	inTime("many small objects and a large one", func() {
		for e := range contexts.Elements(0) {
			if same := equalValues(contexts, e, 1); same != (e == 1) {
				t.Errorf("node %d is equal: %v", e, same)
			}
		}
	})

	var lists strings.Builder
	const depth = 500
	fmt.Fprintf(&lists, "<u:s> <u:p> _:l0 .\n")
	for i := range depth {
		fmt.Fprintf(&lists, "_:l%d %s _:l%d .\n_:l%d %s <u:nil> .\n", i, rdfFirst, i+1, i, rdfRest)
	}
	fmt.Fprintf(&lists, "_:l%d %s %q .\n_:l%d %s <u:nil> .\n", depth, rdfFirst, strings.Repeat("x", 1<<20), depth, rdfRest)
	inTime("lists in lists", func() {
		if names, err := nameBlanks(splitLines([]byte(lists.String()))); err != nil || len(names) != depth+1 {
			t.Errorf("%d names: %v", len(names), err)
		}
	})
}
