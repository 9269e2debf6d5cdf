//phase:caller
package matrix

import (
	"slices"

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
	if !compare.Foreign(engine) {
		return engines.Unguarded(engine, method, cfg)
	}
	command, err := commandOf(engine, given)
	if err != nil {
		return nil, err
	}
	e := foreign.New(command, cfg.Loader, foreign.Limits{})
	return &foreign.Canonicalizer{Engine: e, Method: method}, nil
}

// commandOf completes the command of a foreign engine.
func commandOf(engine compare.Engine, given compare.Given) (foreign.Command, error) {
	return foreign.Command{Engine: engine, Words: given.Engines[engine]}.Find()
}

// foreignOf lists the foreign engines among names.
func foreignOf(names []string) []compare.Engine {
	var all []compare.Engine
	for _, name := range names {
		if e := compare.Engine(name); compare.Foreign(e) && !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	return all
}

// engineOrder is the place of an engine in reports: foreign ones are last.
func engineOrder(e compare.Engine) int {
	if i := slices.Index(canon.Engines, e); i >= 0 {
		return i
	}
	return len(canon.Engines)
}

// unsupportedElsewhere returns why a foreign engine cannot do a cell. What else it cannot do it says when it
// is asked.
func (f *family) unsupportedElsewhere() *canon.UnsupportedError {
	if f.cell.Binding != compare.NoBinding {
		return &canon.UnsupportedError{Engine: string(f.cell.Engine), What: "holder binding"}
	}
	if state := f.cell.Contexts; state != compare.NoContexts && state != compare.Library {
		return &canon.UnsupportedError{Engine: string(f.cell.Engine),
			What: string(state) + " contexts; it keeps of contexts what its library keeps"}
	}
	return nil
}
