// Package engines wires the canonicalization engines: native, the project's own; stock, the libraries in use today as
// shipped; tuned, the stock JSON-LD library used around its worst costs. Call [New]; the engines are safe for concurrent
// use and keep their scratch memory.
package engines

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/canon/stock"
)

// Names of the engines, also called tiers.
const (
	Native = "native"
	Tuned  = "tuned"
	Stock  = "stock"
)

// Names lists every engine in the order reports use.
var Names = []string{Native, Tuned, Stock}

// Config of an engine.
type Config struct {
	Loader   jsonld.Loader     // finds remote contexts; nil finds none
	Contexts jsonld.CacheState // what native keeps of contexts between calls, default Warm; stock keeps them parsed unless Cold
}

// New returns an engine for a method. A pair that does not exist is a *canon.UnsupportedError.
func New(engine string, method canon.Method, cfg Config) (canon.Canonicalizer, error) {
	if !slices.Contains(Names, engine) {
		return nil, unknown(engine)
	}
	switch method {
	case canon.JCS:
		switch engine {
		case Native:
			return nativeJCS{}, nil
		case Stock:
			return stock.JCS(), nil
		}
	case canon.RDFC:
		switch engine {
		case Native:
			return &nativeRDFC{docs: jsonld.New(jsonld.Config{Loader: cfg.Loader, State: cfg.Contexts})}, nil
		case Stock:
			if cfg.Contexts == jsonld.Cold {
				return stock.Cold(cfg.Loader), nil
			}
			return stock.RDFC(cfg.Loader), nil
		case Tuned:
			return stock.Tuned(cfg.Loader), nil
		}
	default:
		return nil, fmt.Errorf("no method %q; there are: rdfc, jcs", method)
	}
	return nil, &canon.UnsupportedError{Engine: engine, What: "method " + string(method)}
}

// Guard returns an error if an engine would canonicalize a document wrongly without saying so: for what is known of json-gold
// (see [stock.Guard]), and for what else it makes another form of than the native engine, which tells itself. It belongs
// outside the clock.
func Guard(ctx context.Context, engine string, method canon.Method, doc []byte, opt canon.Options, loader jsonld.Loader) error {
	if method != canon.RDFC || engine == Native {
		return nil
	}
	if err := stock.Guard(ctx, doc, opt, loader); err != nil {
		return err
	}
	opt.Into, opt.Issued, opt.Recorder = nil, false, nil
	var forms []*canon.Form
	for _, name := range []string{engine, Native} {
		c, err := New(name, method, Config{Loader: loader})
		if err != nil {
			return err
		}
		form, err := c.Canonicalize(ctx, doc, opt)
		switch {
		case err != nil && name == engine:
			return nil // it says so
		case err != nil:
			return err
		}
		forms = append(forms, form)
	}
	if bytes.Equal(forms[0].Text, forms[1].Text) {
		return nil
	}
	if tied, err := Undetermined(ctx, doc, opt, loader); err != nil || len(tied) > 0 {
		return err // both may be right
	}
	return &canon.UnsupportedError{Engine: engine, What: "this document: its form is not that of the native engine"}
}

// Processor is the JSON-LD processor of an engine.
type Processor interface {
	// Expand returns the expanded form of a document as JSON.
	Expand(ctx context.Context, doc []byte, opt jsonld.Options) ([]byte, error)
	// ToRDF resets a dataset and adds that of a document.
	ToRDF(ctx context.Context, doc []byte, opt jsonld.Options, into *rdf.Dataset) error
}

// NewProcessor returns the JSON-LD processor of an engine.
func NewProcessor(engine string, cfg Config) (Processor, error) {
	switch engine {
	case Native:
		return jsonld.New(jsonld.Config{Loader: cfg.Loader, State: cfg.Contexts}), nil
	case Stock:
		return stock.NewProcessor(cfg.Loader), nil
	case Tuned:
		return nil, &canon.UnsupportedError{Engine: Tuned, What: "JSON-LD processing alone; it is that of stock"}
	}
	return nil, unknown(engine)
}

func unknown(engine string) error {
	return fmt.Errorf("no engine %q; there are: %s", engine, strings.Join(Names, ", "))
}
