//phase:caller
package di

import (
	"context"
	"path/filepath"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/canon/engines"
	"canonscope/compare"
	"canonscope/schemas/contexts"
	"canonscope/vcdm/vectors"
)

// runVectors runs the vectors of a folder. Contexts that are not built in are those of the folder contexts
// beside it.
func runVectors(ctx context.Context, engine compare.Engine, dir string) ([]conform.Result, error) {
	loader := contexts.Embedded()
	if beside, err := contexts.Dir(filepath.Join(dir, "..", "contexts")); err == nil {
		loader = contexts.Chain(beside, loader)
	}
	rdfc, err := engines.New(engine, canon.RDFC, engines.Config{Loader: loader})
	if err != nil {
		return nil, err
	}
	if engine == canon.Tuned { // which JCS does not have
		engine = canon.Stock
	}
	jcs, err := engines.New(engine, canon.JCS, engines.Config{})
	if err != nil {
		return nil, err
	}
	return vectors.All(ctx, dir, vectors.Engines{RDFC: rdfc, JCS: jcs})
}
