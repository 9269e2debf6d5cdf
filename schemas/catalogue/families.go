package catalogue

import (
	"fmt"
	"strconv"
	"strings"

	"canonscope/schemas"
)

// Family is a series of schemas, one for each N of a range. Its sentence and its figures are functions of N.
type Family struct {
	Name  string       `json:"name"` // "ring-N"
	Kind  schemas.Kind `json:"kind"`
	Min   int          `json:"min"`
	Max   int          `json:"max"`
	Even  bool         `json:"even,omitempty"` // N is even
	Quads string       `json:"quads"`
	Blank string       `json:"blank_nodes"`
	About string       `json:"about"`
	of    func(n int) *generator
}

// Families lists the series, credentials first. The others are datasets of blank nodes with one predicate,
// whose IRI is drawn: the known shapes of blank nodes that are expensive in RDFC-1.0.
func Families() []Family {
	return []Family{
		{"simple-N", schemas.Claims, 1, MaxAttributes, false, "N+5", "1",
			"VCDM 2.0, N attributes of 24 characters", func(n int) *generator { return simple(n, false) }},
		{"simple-inline-N", schemas.Claims, 1, MaxAttributes, false, "N+3", "1",
			"N attributes, one inline context alone", func(n int) *generator { return simple(n, true) }},
		{"synth-bn-N", schemas.Claims, 1, 10_000, false, "4N+3", "N",
			"the study's synthetic credential: N pieces of evidence without an id", synthetic},
		graph("clique-N", 2, 300, "N(N-1)", "N",
			"each of N blank nodes points at every other", func(n int, add arc) {
				for i := range n {
					for j := range n {
						if i != j {
							add(i, j)
						}
					}
				}
			}),
		graph("ring-N", 3, 200_000, "N", "N",
			"each of N blank nodes points at the next, the last at the first", func(n int, add arc) {
				for i := range n {
					add(i, (i+1)%n)
				}
			}),
		graph("chain-N", 2, 200_000, "N-1", "N",
			"each of N blank nodes except the last points at the next", func(n int, add arc) {
				for i := range n - 1 {
					add(i, i+1)
				}
			}),
		graph("cubic-N", 4, 10_000, "3N", "N",
			"each of N blank nodes in a circle, N even, points at its neighbours and the opposite one",
			func(n int, add arc) {
				for i := range n {
					add(i, (i+1)%n)
					add(i, (i+n-1)%n)
					add(i, (i+n/2)%n)
				}
			}),
		graph("tree-N", 2, 200_000, "N-1", "N",
			"each of N blank nodes, counted from 1, points at the nodes of twice its number and the next",
			func(n int, add arc) {
				for i := 1; i < n; i++ {
					add((i-1)/2, i)
				}
			}),
		graph("pairs-N", 1, 100_000, "2N", "2N",
			"the blank nodes of each of N pairs point at each other", func(n int, add arc) {
				for i := range n {
					add(2*i, 2*i+1)
					add(2*i+1, 2*i)
				}
			}),
		graph("star-N", 1, 200_000, "N", "N+1",
			"one blank node points at each of N others", func(n int, add arc) {
				for i := range n {
					add(0, i+1)
				}
			}),
	}
}

// arc adds the quad of an arc between two blank nodes, given by number.
type arc = func(from, to int)

// graph is a family of N-Quads datasets with the arcs of a graph.
func graph(name string, least, most int, quads, blank, about string, arcs func(n int, add arc)) Family {
	f := Family{Name: name, Kind: schemas.NQuads, Min: least, Max: most, Even: name == "cubic-N",
		Quads: quads, Blank: blank, About: about}
	f.of = func(n int) *generator {
		name := f.prefix() + strconv.Itoa(n)
		g := &generator{name: name, base: name, kind: schemas.NQuads, about: fmt.Sprintf("%s; N is %d", about,
			n)}
		g.draw = func(d *drawer, _ *shape) *schemas.Credential {
			var doc []byte
			predicate := vocabulary + d.code(8)
			arcs(n, func(from, to int) {
				doc = fmt.Appendf(doc, "_:n%d <%s> _:n%d .\n", from, predicate, to)
			})
			return &schemas.Credential{VCDM: doc}
		}
		return g
	}
	return f
}

func (f *Family) prefix() string { return strings.TrimSuffix(f.Name, "N") }

// Range describes the valid values of N.
func (f *Family) Range() string {
	what := "N"
	if f.Even {
		what = "an even N"
	}
	return fmt.Sprintf("%s from %d to %d", what, f.Min, f.Max)
}

// familyMember returns the schema of a name in a family, or nil if no family has the name.
func familyMember(name string) (*generator, error) {
	families := Families()
	for i := len(families) - 1; i >= 0; i-- { // simple-inline-N before simple-N
		f := &families[i]
		count, ok := strings.CutPrefix(name, f.prefix())
		if !ok {
			continue
		}
		n, err := strconv.Atoi(count)
		if err != nil {
			continue
		}
		if strconv.Itoa(n) != count || n < f.Min || n > f.Max || f.Even && n%2 != 0 {
			return nil, fmt.Errorf("schema %q: %s exists for %s", name, f.Name, f.Range())
		}
		return f.of(n), nil
	}
	return nil, nil
}
