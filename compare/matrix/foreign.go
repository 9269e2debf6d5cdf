//phase:caller
package matrix

import (
	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/compare"
	"canonscope/compare/foreign"
)

// Canonicalizer returns an engine for a method by its name, without a guard: one of [canon.Engines] or a
// foreign one. A foreign engine is an io.Closer, which ends its process.
func Canonicalizer(
	engine compare.Engine, method canon.Method, cfg engines.Config, given compare.Given,
) (canon.Canonicalizer, error) {
	if !foreign.Is(engine) {
		return engines.Unguarded(engine, method, cfg)
	}
	command, err := commandOf(engine, given)
	if err != nil {
		return nil, err
	}
	return foreign.New(command, method, cfg.Loader, foreign.Limits{}), nil
}

// commandOf completes the command of a foreign engine.
func commandOf(engine compare.Engine, given compare.Given) (foreign.Command, error) {
	return foreign.Command{Engine: engine, Words: given.Engines[engine]}.Find()
}
