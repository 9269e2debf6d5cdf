//phase:caller
package matrix

import (
	"slices"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/compare"
)

// Signing returns the cell of a document with an engine in its usual state: of its canonicalization by the
// suite rdfc or jcs, or of a credential that a suite of vcdm signs with its usual algorithm.
func Signing(engine canon.Engine, suite string) (compare.Cell, error) {
	var names []string
	others := foreignOf([]string{string(engine)})
	if err := choice.Check("engine", engine, slices.Concat(canon.Engines, others)); err != nil {
		return compare.Cell{}, err
	}
	for _, f := range families(others...) {
		if f.format.Name != compare.Document && f.format.Name != compare.VCDM || f.cell.Engine != engine {
			continue
		}
		names = append(names, f.suite.Name)
		if f.suite.Name == suite && f.usualAlgorithm() {
			f = f.of(target{schema: "given"}, DefaultPolicy)
			if unsupported := f.unsupported(); unsupported != nil {
				return compare.Cell{}, unsupported
			}
			return f.cell, nil
		}
	}
	return compare.Cell{}, choice.Check("suite", suite, names)
}

// Preparer returns what makes the exchanges of a cell, of any documents. They share one canonicalizer.
func Preparer(cell compare.Cell, given compare.Given) (compare.Preparer, error) {
	f, err := find(cell)
	if err != nil {
		return nil, err
	}
	if unsupported := f.unsupported(); unsupported != nil {
		return nil, unsupported
	}
	canonicalizer, err := f.canonicalizer(Loader(given), given)
	if err != nil {
		return nil, err
	}
	other, err := f.elsewhere(canonicalizer, Loader(given), given)
	if err != nil {
		return nil, err
	}
	return f.preparer(canonicalizer, other)
}
