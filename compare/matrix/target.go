//phase:caller
package matrix

import (
	"slices"
	"strings"

	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
)

// target is a schema and the part of it that is presented.
type target struct {
	compare.Disclosed
	schema string // the catalogue's name; Disclosed has it of credentials alone
	kind   schemas.Kind
}

// exchanged reports whether the schema has credentials, which formats exchange.
func (t *target) exchanged() bool { return t.kind.Exchangeable(t.schema) == nil }

// usualGranularity is that of a schema, unless another is named: leaves of an education credential are
// hundreds, which are not disclosed one by one.
func usualGranularity(schema string) compare.Granularity {
	if !catalogue.IsFile(schema) {
		for _, education := range []string{"ob", "clr-", "elm-", "kit-ob3", "kit-dcc"} {
			if strings.HasPrefix(schema, education) {
				return compare.Branch
			}
		}
	}
	return compare.Leaf
}

// targetsOf lists what is measured of the schemas of points: each with the point's own disclosure, or the
// policy's.
func targetsOf(points []compare.Point, p Policy, given compare.Given) ([]target, error) {
	var targets []target
	for _, point := range points {
		g, err := Generator(point.Schema, given)
		if err != nil {
			return nil, err
		}
		t := target{schema: g.Name(), kind: g.Kind()}
		t.Disclose = p.Disclose
		if point.Disclose != "" {
			t.Disclose = point.Disclose
		}
		if !t.exchanged() {
			targets = append(targets, t)
			continue
		}
		c, err := g.Document(0, 0) // all have one shape
		if err != nil {
			return nil, err
		}
		granularities := p.Granularities
		if len(granularities) == 0 {
			granularities = []compare.Granularity{usualGranularity(t.schema)}
		}
		of := make(map[int]bool) // coarser elements that are as many are the same
		for _, granularity := range granularities {
			if _, t.Disclosed, err = claims.Disclosed(c, t.Disclose, granularity); err != nil {
				return nil, err
			}
			if !of[t.Of] && !slices.Contains(targets, t) {
				targets = append(targets, t)
			}
			of[t.Of] = true
		}
	}

	return targets, nil
}

// indexOf returns the index of the target of a cell.
func indexOf(targets []target, c compare.Cell) int {
	return slices.IndexFunc(targets, func(t target) bool {
		part := t.Disclose == c.Disclose && t.Granularity == c.Granularity
		return t.schema == c.Schema && (part || c.Format == compare.Document)
	})
}

// schemaOf returns the index of the first target of a cell's schema.
func schemaOf(targets []target, c compare.Cell) int {
	return slices.IndexFunc(targets, func(t target) bool { return t.schema == c.Schema })
}

// disclosing makes credentials that name the part of them that is presented.
type disclosing struct {
	schemas.Generator
	disclose    compare.Disclosure
	granularity compare.Granularity
}

// Document implements [schemas.Generator].
func (g disclosing) Document(seed uint64, i int) (*schemas.Credential, error) {
	c, err := g.Generator.Document(seed, i)
	if err != nil {
		return nil, err
	}
	part := *c
	part.Disclose, _, err = claims.Disclosed(c, g.disclose, g.granularity)
	return &part, err
}
