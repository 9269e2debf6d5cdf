package explain

import (
	"context"
	"time"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/compare"
	"canonscope/compare/foreign"
	"canonscope/compare/matrix"
)

// times does work in a fresh process: of this binary, or of an engine that is another program.
func (e *Explainer) times(ctx context.Context, engine canon.Engine, w *work) ([]float64, error) {
	if !compare.Foreign(engine) {
		return e.opt.Process.run(ctx, w)
	}

	given := e.doc.Given
	given.Engines = e.opt.Commands
	loader := engines.Config{Loader: matrix.Loader(given)}
	c, err := matrix.Canonicalizer(engine, canon.RDFC, loader, given)
	if err != nil {
		return nil, err
	}
	child := c.(*foreign.Canonicalizer).Engine
	defer child.Close()
	task := &foreign.Task{Operation: string(compare.Canonize), Suite: string(canon.RDFC),
		Input: string(canon.JSONLD), Documents: w.Documents}
	if err := child.Prepare(ctx, task); err != nil {
		return nil, err
	}
	return elsewhere(ctx, child, w)
}

// elsewhere is [work.do] of another program. It times every operation by its own clock; the CPU time of a
// round is divided among the documents by these times.
func elsewhere(ctx context.Context, child *foreign.Engine, w *work) ([]float64, error) {
	n := len(w.Documents)
	cpu, rounds := make([]float64, n), 0
	lap := foreign.Lap{Warm: n, Count: n}
	for start := time.Now(); rounds == 0 || time.Since(start).Seconds() < w.Seconds; rounds++ {
		lap.First = int(w.Seed+uint64(rounds)) % n
		ran, err := child.Run(ctx, lap)
		if err != nil {
			return nil, err
		}

		wall := int64(0)
		for _, ns := range ran.Wall {
			wall += ns
		}
		scale := 1.0
		if ran.CPU > 0 && wall > 0 {
			scale = float64(ran.CPU) / float64(wall)
		}
		for k, ns := range ran.Wall {
			cpu[(lap.First+lap.Warm+k)%n] += scale * float64(ns)
		}
		lap.Warm = 0
	}

	for i := range cpu {
		cpu[i] /= float64(rounds)
	}
	return cpu, nil
}
