// Package engines wires the canonicalization engines: native is the project's implementation; stock wraps
// the libraries in use today, unmodified; tuned calls the stock JSON-LD library in a way that avoids its
// largest costs. Call [New]. The engines are safe for concurrent use and keep their scratch memory.
//
//phase:caller
package engines

import (
	"context"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/canon/stock"
)

// Config of an engine.
type Config struct {
	Loader   jsonld.Loader     // loads remote contexts; nil loads none
	Contexts jsonld.CacheState // kept between calls, Warm by default; stock keeps parsed contexts unless Cold
}

// New returns an engine for a method. A pair that does not exist is a *canon.UnsupportedError. Stock and
// tuned RDFC have a guard: they refuse a document that json-gold would canonicalize wrongly without an
// error. The guard takes a multiple of the time of the engine.
func New(engine canon.Engine, method canon.Method, cfg Config) (canon.Canonicalizer, error) {
	c, err := Unguarded(engine, method, cfg)
	if b, ok := c.(bare); ok {
		native := &nativeRDFC{docs: jsonld.New(jsonld.Config{Loader: cfg.Loader})}
		return &guarded{b, engine, native, cfg.Loader}, err
	}
	return c, err
}

// Unguarded returns an engine for a method without a guard, for measurements and comparisons. Stock and
// tuned RDFC then silently drop data and return wrong forms, so do not rely on a verification with them.
func Unguarded(engine canon.Engine, method canon.Method, cfg Config) (canon.Canonicalizer, error) {
	if err := choice.Check("engine", engine, canon.Engines); err != nil {
		return nil, err
	}
	switch method {
	case canon.JCS:
		switch engine {
		case canon.Native:
			return nativeJCS{}, nil
		case canon.Stock:
			return stock.JCS(), nil
		}
	case canon.RDFC:
		switch engine {
		case canon.Native:
			return &nativeRDFC{docs: jsonld.New(jsonld.Config{Loader: cfg.Loader, State: cfg.Contexts})}, nil
		case canon.Stock:
			if cfg.Contexts == jsonld.Cold {
				return stock.Cold(cfg.Loader), nil
			}
			return stock.RDFC(cfg.Loader), nil
		case canon.Tuned:
			return stock.Tuned(cfg.Loader), nil
		}
	default:
		return nil, choice.Check("method", method, canon.Methods)
	}
	return nil, &canon.UnsupportedError{Engine: string(engine), What: "method " + string(method)}
}

// Processor is the JSON-LD processor of an engine.
type Processor interface {
	// Expand returns the expanded form of a document as JSON.
	Expand(ctx context.Context, doc []byte, opt jsonld.Options) ([]byte, error)
	// ToRDF resets a dataset and adds the quads of a document.
	ToRDF(ctx context.Context, doc []byte, opt jsonld.Options, into *rdf.Dataset) error
}

// NewProcessor returns the JSON-LD processor of an engine.
func NewProcessor(engine canon.Engine, cfg Config) (Processor, error) {
	switch engine {
	case canon.Native:
		return jsonld.New(jsonld.Config{Loader: cfg.Loader, State: cfg.Contexts}), nil
	case canon.Stock:
		return stock.NewProcessor(cfg.Loader), nil
	case canon.Tuned:
		return nil, &canon.UnsupportedError{Engine: string(canon.Tuned),
			What: "JSON-LD processing alone; use stock"}
	}
	return nil, choice.Check("engine", engine, canon.Engines)
}
