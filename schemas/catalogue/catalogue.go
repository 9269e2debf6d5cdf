// Package catalogue generates the credentials that Canonscope measures: simple ones of N attributes and education
// credentials of measured shapes, all drawn from a seed, in text of our own and about nobody.
//
// Start with [Get] and the names of [Names]. Documents of one generator and seed differ in their values and agree in
// their shape: quads, blank nodes and length. The same seed and index give the same bytes on every machine.
package catalogue

import (
	"fmt"
	"strconv"
	"strings"

	"canonscope/schemas"
)

// generator is one named entry: a function that draws a document.
type generator struct {
	name, about string
	draw        func(*drawer) *schemas.Credential
}

func (g *generator) Name() string     { return g.name }
func (g *generator) Describe() string { return g.about }

// Document draws document i of a seed. An index below 0 is an error.
func (g *generator) Document(seed uint64, i int) (*schemas.Credential, error) {
	if i < 0 {
		return nil, fmt.Errorf("schema %s: document %d: the index starts at 0", g.name, i)
	}
	c := g.draw(newDrawer(seed, i))
	c.Schema, c.Index = g.name, i
	return c, nil
}

// entries lists the fixed names in the order of reports.
func entries() []*generator {
	return []*generator{simple(20, false), simple(20, true), ob3()}
}

// Names lists the catalogue. Beside these, simple-N and simple-inline-N exist for every N from 1 to 10000.
func Names() []string {
	var names []string
	for _, g := range entries() {
		names = append(names, g.name)
	}
	return names
}

// MaxAttributes is the largest N of simple-N.
const MaxAttributes = 10000

// Get returns the generator with this name. The error of an unknown name lists the valid ones.
func Get(name string) (schemas.Generator, error) {
	for _, g := range entries() {
		if g.name == name {
			return g, nil
		}
	}
	if count, ok := strings.CutPrefix(name, "simple-"); ok {
		count, inline := strings.CutPrefix(count, "inline-")
		if n, err := strconv.Atoi(count); err == nil && strconv.Itoa(n) == count && 1 <= n && n <= MaxAttributes {
			return simple(n, inline), nil
		}
	}
	return nil, fmt.Errorf("no schema %q; there are: %s, and simple-N and simple-inline-N for N from 1 to %d",
		name, strings.Join(Names(), ", "), MaxAttributes)
}
