//phase:caller
package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"canonscope/compare"
	"canonscope/compare/measure"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/charge"
	"canonscope/schemas/vary"
)

// errNoFile is the error of an axis of files without a file.
var errNoFile = errors.New("this is an axis of documents in files; name one, for which " +
	"\"canonscope schemas generate NAME\" prints documents of the catalogue")

// own is an axis of a document that was given.
type own struct {
	vary.Axis
	base   schemas.Generator
	doc    []byte
	losses int // of its canonical form
	given  compare.Given
}

// ownAxis returns nil for an axis of the catalogue, and an error for an axis of documents if the schema is
// not one that was given.
func ownAxis(
	ctx context.Context, g schemas.Generator, given compare.Given, name string,
) (*own, error) {
	axis, ok := vary.Parse(name)
	switch _, file := given.Documents[g.Name()]; {
	case !ok:
		return nil, nil
	case !file:
		return nil, errNoFile
	case g.Kind() == schemas.NQuads:
		return nil, fmt.Errorf("%s holds N-Quads, to which no JSON pointer leads", g.Describe())
	}
	c, err := g.Document(0, 0)
	if err != nil {
		return nil, err
	}
	p, err := point(ctx, given, g, "", 0)
	if err != nil {
		return nil, err
	}
	return &own{axis, g, c.VCDM, len(p.Figures.Losses), given}, nil
}

// with returns the document with a value of the axis, and the label of the value.
func (o *own) with(ctx context.Context, value string) (schemas.Generator, string, error) {
	label := value
	if o.Contexts() && value != vary.Unchanged {
		name, content, err := catalogue.ReadFile(value)
		if err != nil {
			return nil, "", err
		}
		label, _ = schemas.FileTitle(name)
		if value, err = o.serve(name, content); err != nil {
			return nil, "", err
		}
	}

	doc, err := o.Set(ctx, o.doc, value, charge.Options{Loader: Loader(o.given), Limits: measure.Limits})
	if err != nil {
		return nil, "", err
	}
	if bytes.Equal(doc, o.doc) {
		return o.base, label, nil
	}
	name := catalogue.Changed(o.base.Name(), o.Short()+"="+label, doc)
	g, err := catalogue.OfFile(name, doc)
	if err != nil {
		return nil, "", fmt.Errorf("with %s: %w", value, err)
	}
	o.given.Documents[name] = doc
	return g, label, nil
}

// serve adds a context in a file to what is given, and returns its URL.
func (o *own) serve(file string, content []byte) (string, error) {
	const host = "https://contexts.example/"
	url := host + strings.TrimPrefix(file, schemas.FilePrefix)
	if o.given.Contexts == nil {
		return "", errors.New("no map of contexts is given, to which a context in a file could be added")
	}
	for known, b := range o.given.Contexts {
		if known != url && strings.HasPrefix(known, host) && bytes.Equal(b, content) {
			return "", fmt.Errorf("%s and %s have the same bytes: nothing changes",
				strings.TrimPrefix(known, host), strings.TrimPrefix(url, host))
		}
	}
	o.given.Contexts[url] = content
	return url, nil
}

// check returns an error if a point loses data, or is not another document than those before it.
func (o *own) check(before []compare.Point, p compare.Point) error {
	if lost := p.Figures.Losses; len(lost) > o.losses {
		last := lost[len(lost)-1]
		return fmt.Errorf("with %s the canonical form loses %s (%s)", p.Label, last.Pointer, last.Reason)
	}
	for _, b := range before {
		switch {
		case b.Schema == p.Schema:
			return fmt.Errorf("%s and %s are the same document: nothing changes", b.Label, p.Label)
		case o.States() && o.base.Kind() != schemas.JSON && b.Figures.Quads == p.Figures.Quads:
			return fmt.Errorf("%s and %s have the same %d quads: the canonical form gets no statement",
				b.Label, p.Label, p.Figures.Quads)
		}
	}
	return nil
}
