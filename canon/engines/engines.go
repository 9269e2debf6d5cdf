// Package engines wires the canonicalization engines: native is the project's implementation; stock wraps
// the libraries in use today, unmodified; tuned calls the stock JSON-LD library in a way that avoids its
// largest costs. Call [New]. The engines are safe for concurrent use and keep their scratch memory.
//
//phase:caller
package engines

import (
	"context"
	"slices"

	"canonscope/canon"
	"canonscope/canon/choice"
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

// Names lists every engine in the order of reports.
var Names = []string{Native, Tuned, Stock}

// Config of an engine.
type Config struct {
	Loader   jsonld.Loader     // loads remote contexts; nil loads none
	Contexts jsonld.CacheState // kept between calls, Warm by default; stock keeps parsed contexts unless Cold
}

// New returns an engine for a method. A pair that does not exist is a *canon.UnsupportedError. Stock and
// tuned RDFC have a guard: they refuse a document that json-gold would canonicalize wrongly without an
// error. The guard takes a multiple of the time of the engine.
func New(engine string, method canon.Method, cfg Config) (canon.Canonicalizer, error) {
	c, err := Unguarded(engine, method, cfg)
	if b, ok := c.(bare); ok {
		return &guarded{b, engine, &nativeRDFC{docs: jsonld.New(jsonld.Config{Loader: cfg.Loader})}, cfg.Loader}, err
	}
	return c, err
}

// Unguarded returns an engine for a method without a guard, for measurements and comparisons. Stock and
// tuned RDFC then silently drop data and return wrong forms, so do not rely on a verification with them.
func Unguarded(engine string, method canon.Method, cfg Config) (canon.Canonicalizer, error) {
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
		return nil, choice.Unknown("method", string(method), string(canon.RDFC), string(canon.JCS))
	}
	return nil, &canon.UnsupportedError{Engine: engine, What: "method " + string(method)}
}

// Processor is the JSON-LD processor of an engine.
type Processor interface {
	// Expand returns the expanded form of a document as JSON.
	Expand(ctx context.Context, doc []byte, opt jsonld.Options) ([]byte, error)
	// ToRDF resets a dataset and adds the quads of a document.
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
		return nil, &canon.UnsupportedError{Engine: Tuned, What: "JSON-LD processing alone; use stock"}
	}
	return nil, unknown(engine)
}

func unknown(engine string) error {
	return choice.Unknown("engine", engine, Names...)
}
