package foreign

import (
	"context"
	"encoding/json"
	"net/url"

	"canonscope/canon"
	"canonscope/canon/jsonld"
)

// gatherer finds the contexts that documents name, which a child is given with its task.
type gatherer struct {
	loader jsonld.Loader
	given  map[string]bool // that the child has
	most   int             // of one document
	found  map[string][]byte
}

// gather adds the contexts of a document, and those that they name. One that the loader does not have is left
// to the engine, which refuses the document or finds the context elsewhere.
func (g *gatherer) gather(ctx context.Context, doc []byte, base string) error {
	var value any
	if g.loader == nil || json.Unmarshal(doc, &value) != nil {
		return nil
	}
	return g.walk(ctx, value, base)
}

func (g *gatherer) walk(ctx context.Context, value any, base string) error {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if err := g.walk(ctx, item, base); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, item := range v {
			if key == "@context" || key == "@import" {
				if err := g.named(ctx, item, base); err != nil {
					return err
				}
			}
			if err := g.walk(ctx, item, base); err != nil {
				return err
			}
		}
	}
	return nil
}

// named loads the contexts that a value of @context names.
func (g *gatherer) named(ctx context.Context, value any, base string) error {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if err := g.named(ctx, item, base); err != nil {
				return err
			}
		}
	case string:
		ref, err := url.Parse(v)
		if err != nil {
			return nil
		}
		if b, err := url.Parse(base); err == nil && base != "" {
			ref = b.ResolveReference(ref)
		}

		name := ref.String()
		if g.given[name] || g.found[name] != nil || !ref.IsAbs() {
			return nil
		}
		loaded, err := g.loader.Load(ctx, name)
		if err != nil {
			return nil
		}
		if len(g.found) >= g.most {
			return &canon.LimitError{Limit: "documents", Max: int64(g.most), Done: int64(g.most) + 1,
				Where: name}
		}
		g.found[name] = loaded.Bytes
		return g.gather(ctx, loaded.Bytes, name)
	}
	return nil
}
