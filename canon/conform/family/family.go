// Package family generates N-Quads documents of any size for tests and benchmarks, and families of JSON-LD
// contexts. In each family of N-Quads blank nodes are told apart with little work; hard datasets are in
// schemas/catalogue. Start with [NQuads].
package family

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Name names a family.
type Name string

const (
	Ground Name = "ground" // no blank nodes: each subject has four literals
	Unique Name = "unique" // one blank node for every four quads, each with a different literal
	Pairs  Name = "pairs"  // two blank nodes that point at each other and tie; one predicate for each pair
	Simple Name = "simple" // credentials with 20 claims, each of 25 quads without blank nodes
)

const (
	rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
	xsd     = "http://www.w3.org/2001/XMLSchema#"
)

// NQuads returns a document of n quads. Seed fixes a random order of the lines; with seed 0 they are in the
// order of generation.
func NQuads(name Name, n int, seed uint64) []byte {
	var lines [][]byte
	add := func(format string, args ...any) {
		lines = append(lines, fmt.Appendf(nil, format+" .\n", args...))
	}

	switch name {
	case Ground:
		for i := range n {
			add("<https://example.org/things/%d> <https://example.org/vocab#value> \"value %d\"", i/4, i)
		}
	case Unique:
		for i := range n {
			switch j := i / 4; i % 4 {
			case 0:
				add("_:n%d <https://example.org/vocab#key> \"key %d\"", j, j)
			case 1:
				add("_:n%d <%s> <https://example.org/vocab#Thing>", j, rdfType)
			case 2:
				add("_:n%d <https://example.org/vocab#value> \"%d\"^^<%sinteger>", j, i%100, xsd)
			case 3:
				add("<https://example.org/owners/%d> <https://example.org/vocab#has> _:n%d", j%10, j)
			}
		}
	case Pairs:
		for i := range n / 2 {
			add("_:a%d <https://example.org/pair/%d> _:b%d", i, i, i)
			add("_:b%d <https://example.org/pair/%d> _:a%d", i, i, i)
		}
	case Simple:
		for i := range n {
			simple(add, i/25, i%25)
		}
	default:
		panic("family: unknown name " + string(name))
	}

	return shuffled(lines, seed)
}

// Shuffled returns the lines of a document in the order that seed fixes, as NQuads does.
func Shuffled(doc []byte, seed uint64) []byte {
	return shuffled(slices.Collect(bytes.Lines(doc)), seed)
}

func shuffled(lines [][]byte, seed uint64) []byte {
	if seed != 0 {
		r := rand.New(rand.NewPCG(seed, 0))
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
	return bytes.Join(lines, nil)
}

// simple adds quad k of credential i.
func simple(add func(string, ...any), i, k int) {
	credential := fmt.Sprintf("<urn:uuid:58172aac-d8ba-11ed-83dd-%012x>", i)
	subject := fmt.Sprintf("<did:example:ebfeb1f712ebc6f1c276e12e%x>", i)
	const vocab = "https://www.w3.org/2018/credentials#"
	switch k {
	case 0:
		add("%s <%s> <%sVerifiableCredential>", credential, rdfType, vocab)
	case 1:
		add("%s <%sissuer> <https://vc.example/issuers/5678>", credential, vocab)
	case 2:
		add("%s <%svalidFrom> \"2023-01-01T00:00:00Z\"^^<%sdateTime>", credential, vocab, xsd)
	case 3:
		add("%s <%scredentialSubject> %s", credential, vocab, subject)
	case 4:
		add("%s <%s> <https://example.org/vocab#Student>", credential, rdfType)
	default:
		const attribute = "https://www.w3.org/ns/credentials/examples#attribute"
		add("%s <%s%d> \"value number %d\"", subject, attribute, k-4, k)
	}
}
