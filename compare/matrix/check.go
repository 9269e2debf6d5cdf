//phase:caller
package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/canon/stock"
	"canonscope/compare"
	"canonscope/compare/measure"
	"canonscope/schemas"
	"canonscope/schemas/shape"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/rules"
)

// check returns the check of canonical forms for a gate, nil for a family without canonicalization. An
// engine under test is not its own oracle: native must give the form of stock, every other engine that of
// native. Native RDFC-1.0 with SHA-384 has no second engine; the official suite tests it.
func (f *family) check(
	loader jsonld.Loader, under canon.Canonicalizer,
) (func(context.Context, *schemas.Credential, []byte) (measure.Form, error), error) {
	if f.suite.Method == "" || f.format.Name == compare.Floor { // the rows above the floor are checked
		return nil, nil
	}

	opt := canon.Options{Limits: measure.Limits}
	oracle := canon.Native
	if f.cell.Engine == canon.Native {
		oracle = canon.Stock
	}
	if f.cell.Algorithm == keys.ES384 && f.suite.Method == canon.RDFC {
		opt.Hash, oracle = canon.SHA384, ""
	}

	var other canon.Canonicalizer
	var err error
	if oracle != "" {
		other, err = engines.Unguarded(oracle, f.suite.Method, engines.Config{Loader: loader})
		if err != nil {
			return nil, err
		}
	}

	return func(ctx context.Context, c *schemas.Credential, canonized []byte) (measure.Form, error) {
		found, opt := measure.Form{Oracle: string(oracle)}, opt
		docs, err := signed(c, f.cell.Binding)
		if err != nil {
			return measure.Form{}, err
		}
		if f.suite.Method == canon.RDFC {
			opt.Input = c.Kind.Input()
		}

		if f.format.Name == compare.Document && f.suite.Method == canon.RDFC {
			figures, err := shape.Measure(ctx, c.VCDM,
				shape.Options{Input: opt.Input, Loader: loader, Limits: opt.Limits})
			if err != nil {
				return measure.Form{}, err
			}
			found.Blank, found.NDegree = figures.Blank, figures.Work
		}

		trusted := other
		if oracle == canon.Stock && f.suite.Method == canon.RDFC {
			if err := stock.Guard(ctx, c.VCDM, opt, loader); err != nil {
				trusted, found.Oracle = nil, ""
				found.Alone = fmt.Sprintf("json-gold would get it wrong: %v", err)
			}
		}

		for i, doc := range docs {
			form, err := under.Canonicalize(ctx, doc, opt)
			if err != nil {
				return measure.Form{}, err
			}
			if len(form.Text) == 0 || f.suite.Method == canon.RDFC && form.Lines == 0 {
				return measure.Form{}, errors.New("it is empty")
			}
			if canonized != nil && !bytes.Equal(form.Text, canonized) {
				return measure.Form{}, errors.New(
					"the measured operation returned another form than the engine")
			}
			if i == 0 {
				found.Quads = form.Lines
			}
			if trusted == nil {
				continue
			}
			var want *canon.Form
			if i > 0 && f.suite.Method == canon.RDFC {
				want, err = composed(ctx, trusted, c, opt)
			} else {
				want, err = trusted.Canonicalize(ctx, doc, opt)
			}
			if limit := (*canon.LimitError)(nil); errors.As(err, &limit) &&
				f.format.Name == compare.Document {
				found.Oracle = "" // it cannot do what the engine under test has done
				return found, nil
			}
			if err != nil {
				return measure.Form{}, fmt.Errorf("engine %s: %w", oracle, err)
			}
			if !bytes.Equal(form.Text, want.Text) {
				err := difference(f.cell.Engine, oracle, string(form.Text), string(want.Text),
					f.suite.Method == canon.RDFC)
				if i > 0 {
					return measure.Form{}, fmt.Errorf("of a presentation of it: %w", err)
				}
				return measure.Form{}, err
			}
		}

		return found, nil
	}, nil
}

// signed are the documents whose forms an exchange signs: the credential, and with holder binding a
// presentation of it.
func signed(c *schemas.Credential, binding compare.Binding) ([][]byte, error) {
	if binding == compare.NoBinding {
		return [][]byte{c.VCDM}, nil
	}
	presentation, err := rules.NewPresentation(holder, c.VCDM)
	if err != nil {
		return nil, err
	}
	return [][]byte{c.VCDM, presentation}, nil
}

const holder = "urn:canonscope:holder"

// composed makes the form of a presentation from those of its parts, since json-gold gets the parts right
// but puts all into the default graph, while the credential belongs in a separate graph (Verifiable
// Credentials Data Model 2.0 section 4.13).
func composed(
	ctx context.Context, engine canon.Canonicalizer, c *schemas.Credential, opt canon.Options,
) (*canon.Form, error) {
	credential, err := parsed(ctx, engine, c.VCDM, opt, "_:credential-")
	if err != nil {
		return nil, err
	}
	empty, err := rules.NewPresentation(holder)
	if err != nil {
		return nil, err
	}
	presentation, err := parsed(ctx, engine, empty, opt, "_:presentation-")
	if err != nil {
		return nil, err
	}
	name := []byte("_:graph")
	graph := credential.Intern(rdf.Blank, name)
	for i := range credential.Quads {
		if q := &credential.Quads[i]; q.G == 0 {
			q.G = graph
		}
	}
	link := presentation.Intern(rdf.IRI, []byte("<https://www.w3.org/2018/credentials#verifiableCredential>"))
	presentation.Add(presentation.Quads[0].S, link, presentation.Intern(rdf.Blank, name), 0)
	opt.Input = canon.NQuads
	return engine.Canonicalize(ctx, presentation.AppendNQuads(credential.AppendNQuads(nil)), opt)
}

// parsed is the dataset of a document by an engine, with labels of blank nodes that begin with a prefix.
func parsed(
	ctx context.Context, engine canon.Canonicalizer, doc []byte, opt canon.Options, prefix string,
) (*rdf.Dataset, error) {
	form, err := engine.Canonicalize(ctx, doc, opt)
	if err != nil {
		return nil, err
	}
	d := new(rdf.Dataset)
	if err := d.ParseNQuads(form.Text, measure.Limits); err != nil {
		return nil, err
	}
	for i, t := range d.Terms {
		if t.Kind == rdf.Blank {
			d.Terms[i].Text = append([]byte(prefix), t.Text[len("_:"):]...)
		}
	}
	return d, nil
}

// second returns the format with another engine, which verifies what the engine under test issues: native is
// verified by stock, every other engine by native. It is nil where no other engine does the cell.
func (f *family) second(loader jsonld.Loader) (compare.Preparer, compare.Engine, error) {
	other := *f
	if other.cell.Engine = canon.Native; f.cell.Engine == canon.Native {
		other.cell.Engine = canon.Stock
	}
	if f.format.Name == compare.Document || !other.exists() {
		return nil, "", nil
	}

	other.cell.Contexts = other.usual()
	if other.unsupported() != nil {
		return nil, "", nil
	}
	canonicalizer, err := other.canonicalizer(loader, compare.Given{})
	if err != nil {
		return nil, "", err
	}
	format, err := f.format.Prepares(other.cell, canonicalizer)
	return format, other.cell.Engine, err
}

// guard returns what json-gold needs to be asked before it may be trusted with a document; nil for what
// runs without it.
func (f *family) guard(loader jsonld.Loader) func(context.Context, *schemas.Credential) error {
	if f.suite.Method != canon.RDFC || f.cell.Engine == canon.Native || compare.Foreign(f.cell.Engine) {
		return nil
	}
	opt := canon.Options{Limits: measure.Limits}
	if f.cell.Algorithm == keys.ES384 {
		opt.Hash = canon.SHA384
	}
	return func(ctx context.Context, c *schemas.Credential) error {
		opt := opt
		opt.Input = c.Kind.Input()
		if err := stock.Guard(ctx, c.VCDM, opt, loader); err != nil {
			return fmt.Errorf("json-gold would get it wrong: %w", err)
		}
		return nil
	}
}
