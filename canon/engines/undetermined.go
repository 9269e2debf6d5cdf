//phase:caller
package engines

import (
	"context"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

// Undetermined returns the labels of the blank nodes that can get different canonical labels, because
// RDFC-1.0 allows the document more than one canonical form (see [rdfc.Undetermined]). It returns none if
// the form is determined. The answer is the same for all engines. Undetermined reads the document again:
// call it outside timed sections.
func Undetermined(
	ctx context.Context, doc []byte, opt canon.Options, loader jsonld.Loader,
) ([]string, error) {
	var d rdf.Dataset
	var own canon.Budget
	var err error
	opt.Budget = canon.BudgetOf(ctx, opt.Budget, &own, opt.Limits)
	if opt.Input == canon.NQuads {
		err = d.ParseNQuads(doc, opt.Limits)
	} else {
		o := jsonld.Options{Lossy: opt.Lossy, RDFDirection: opt.Direction, Limits: opt.Limits,
			Budget: opt.Budget}
		if opt.Lossy {
			o.Losses = new([]canon.Loss)
		}
		err = jsonld.New(jsonld.Config{Loader: loader}).ToRDF(ctx, doc, o, &d)
	}
	if err != nil {
		return nil, err
	}
	run := rdfc.Options{Hash: opt.Hash, Work: opt.Limits.Work, Budget: opt.Budget}
	nodes, err := rdfc.Undetermined(ctx, &d, run)
	var labels []string
	for _, n := range nodes {
		labels = append(labels, string(d.Terms[n].Text))
	}
	return labels, err
}
