// Package family generates N-Quads documents of any size for tests and benchmarks. Each family is one way in which blank
// nodes are told apart with little work; datasets in which they are not are in schemas/catalogue. Start with [NQuads].
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
	Unique Name = "unique" // one blank node for four quads, told apart by a literal
	Pairs  Name = "pairs"  // for two quads two blank nodes that point at each other and tie; pairs are told apart by their predicate
	Simple Name = "simple" // a credential with 20 claims: 25 quads and no blank nodes for every 25
)

// NQuads returns a document of n quads, with its lines in a random order that seed fixes, or in the order in which a program
// would write them if seed is 0.
func NQuads(name Name, n int, seed uint64) []byte {
	var lines [][]byte
	add := func(format string, args ...any) { lines = append(lines, fmt.Appendf(nil, format+" .\n", args...)) }
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
				add("_:n%d <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://example.org/vocab#Thing>", j)
			case 2:
				add("_:n%d <https://example.org/vocab#value> \"%d\"^^<http://www.w3.org/2001/XMLSchema#integer>", j, i%100)
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

// simple adds quad k of the credential number i.
func simple(add func(string, ...any), i, k int) {
	credential := fmt.Sprintf("<urn:uuid:58172aac-d8ba-11ed-83dd-%012x>", i)
	subject := fmt.Sprintf("<did:example:ebfeb1f712ebc6f1c276e12e%x>", i)
	const vocab = "https://www.w3.org/2018/credentials#"
	switch k {
	case 0:
		add("%s <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <%sVerifiableCredential>", credential, vocab)
	case 1:
		add("%s <%sissuer> <https://vc.example/issuers/5678>", credential, vocab)
	case 2:
		add("%s <%svalidFrom> \"2023-01-01T00:00:00Z\"^^<http://www.w3.org/2001/XMLSchema#dateTime>", credential, vocab)
	case 3:
		add("%s <%scredentialSubject> %s", credential, vocab, subject)
	case 4:
		add("%s <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://example.org/vocab#Student>", credential)
	default:
		add("%s <https://www.w3.org/ns/credentials/examples#attribute%d> \"value number %d\"", subject, k-4, k)
	}
}
