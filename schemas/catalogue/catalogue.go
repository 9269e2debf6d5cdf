// Package catalogue generates the documents that Canonscope measures: simple credentials of N attributes,
// education credentials of measured shapes, those of the 2026 study, and RDF datasets that are hard to
// canonicalize. All are generated from a seed; the texts are ours and describe no real person.
//
// Start with [Get] and the names of [Names] and [Families]. Documents of one generator and seed differ in
// their values and agree in their shape: quads, blank nodes and length. The same seed and index give the
// same bytes on every machine. An [Axis] changes one property of a shape: "clr-large:achievements=10" is
// also a name.
package catalogue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"canonscope/canon/choice"
	"canonscope/schemas"
)

// generator is one entry: a family of documents, its shape and a function that draws one.
type generator struct {
	name, about string
	base        string       // name without axes
	kind        schemas.Kind // "" is Claims
	shape       shape
	axes        []string // names of the axes that change this family
	draw        func(*drawer, *shape) *schemas.Credential
}

func (g *generator) Name() string       { return g.name }
func (g *generator) Describe() string   { return g.about }
func (g *generator) Kind() schemas.Kind { return cmp.Or(g.kind, schemas.Claims) }

// Document draws document i of a seed. An index below 0 is an error.
func (g *generator) Document(seed uint64, i int) (*schemas.Credential, error) {
	if i < 0 {
		return nil, fmt.Errorf("schema %s: document %d: the index starts at 0", g.name, i)
	}
	s := g.shape
	c := g.draw(newDrawer(seed, i, &s), &s)
	c.Schema, c.Index, c.Kind = g.name, i, g.Kind()
	return c, nil
}

// entries lists the fixed names in the order of reports.
func entries() []*generator {
	return []*generator{
		simple(20, false), simple(20, true), ob3(),
		obSmall(), obMedium(), obLarge(),
		clrSmall(), clrMedium(), clrLarge(),
		elmSmall(), elmMedium(), elmLarge(),
		kitSimple(), kitOB3(), kitDCC(), synthetic(10), synthetic(50),
	}
}

// Names lists the credentials of the catalogue, without those of [Families].
func Names() []string {
	var names []string
	for _, g := range entries() {
		names = append(names, g.name)
	}
	return names
}

// MaxAttributes is the largest N of simple-N.
const MaxAttributes = 10000

// Get returns the generator with this name: a name of the catalogue, then the settings of axes that differ
// from its shape, as NAME:AXIS=VALUE:AXIS=VALUE. A path, or a name that ends in .json, is a credential of
// the user. The error of an unknown name or axis lists the valid ones.
func Get(name string) (schemas.Generator, error) {
	if title, ok := schemas.FileTitle(name); ok {
		return nil, fmt.Errorf("%q names a file that results hold no copy of; give its path", title)
	}
	if IsFile(name) {
		title, doc, err := ReadFile(name)
		if err != nil {
			return nil, err
		}
		g, err := OfFile(title, doc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return g, nil
	}

	base, settings, _ := strings.Cut(name, ":")
	g, err := find(base)
	if err != nil {
		return nil, err
	}
	if settings == "" {
		return g, nil
	}
	for setting := range strings.SplitSeq(settings, ":") {
		axis, value, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, fmt.Errorf("schema %q: %q is not AXIS=VALUE", name, setting)
		}
		if g, err = g.with(axis, value); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// With returns the generator with one axis set, under a name that Get reads back.
func With(g schemas.Generator, axis, value string) (schemas.Generator, error) {
	if g == nil {
		return nil, fmt.Errorf("axis %s: the schema is nil", axis)
	}
	if f, ok := g.(*file); ok {
		return nil, fmt.Errorf("%s is a file, which has no axis %q; choose a JSON pointer to repeat, "+
			"pad: and a pointer, or ids", f.title, axis)
	}
	return Get(g.Name() + ":" + axis + "=" + value)
}

// Negatives lists further names for Get, of documents that a JSON-LD processor must refuse.
func Negatives() []string { return []string{elmVCDM2().name} }

func find(name string) (*generator, error) {
	for _, g := range append(entries(), elmVCDM2()) {
		if g.name == name {
			return g, nil
		}
	}
	if g, err := familyMember(name); g != nil || err != nil {
		return g, err
	}
	known := Names()
	if near := choice.Nearest(name, slices.Values(known)); near != "" {
		return nil, choice.Unknown("schema", name, known...)
	}
	for _, f := range Families() {
		known = append(known, f.Name)
	}
	return nil, fmt.Errorf(
		"unknown schema %q; choose %s, or a file (its name has a / or ends in .json, .jsonld or .nq)",
		name, strings.Join(known, ", "))
}

// with returns a copy of g with one axis set.
func (g *generator) with(axis, value string) (*generator, error) {
	if !slices.Contains(g.axes, axis) {
		return nil, fmt.Errorf("schema %s has no axis %q; %s", g.base, axis, choice.Hint(axis, g.axes))
	}
	c := *g
	a := axisNamed(axis)
	if err := a.set(&c.shape, value); err != nil {
		return nil, fmt.Errorf("schema %s: %w", g.base, err)
	}
	c.name += ":" + axis + "=" + value
	return &c, nil
}
