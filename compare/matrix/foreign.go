//phase:caller
package matrix

import (
	"context"
	"slices"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/compare"
	"canonscope/compare/foreign"
	"canonscope/compare/measure"
	"canonscope/schemas"
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
	return &foreign.Canonicalizer{Engine: foreign.New(command, cfg.Loader, foreign.Limits{}), Method: method}, nil
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
	if state := f.cell.Contexts; state != compare.NoContexts && state != compare.Library {
		return &canon.UnsupportedError{Engine: string(f.cell.Engine),
			What: string(state) + " contexts; it keeps of contexts what its library keeps"}
	}
	return nil
}

// elsewhere returns what times a foreign engine, nil for an engine of the house.
func (f *family) elsewhere(c canon.Canonicalizer) measure.Elsewhere {
	if e, ok := c.(*foreign.Canonicalizer); ok {
		return documents{e}
	}
	return nil
}

// documents times the canonicalization of documents by a foreign engine.
type documents struct{ *foreign.Canonicalizer }

// Prepare implements [measure.Elsewhere].
func (d documents) Prepare(
	ctx context.Context, op compare.Operation, docs []*schemas.Credential, _ [][]byte, _ compare.Scenario,
) error {
	t := &foreign.Task{Operation: string(op), Suite: string(d.Method), Input: string(canon.JSON)}
	if d.Method == canon.RDFC {
		t.Hash, t.Input = string(canon.SHA256), string(docs[0].Kind.Input())
	}
	for _, c := range docs {
		t.Documents = append(t.Documents, c.VCDM)
	}
	return d.Canonicalizer.Prepare(ctx, t)
}
