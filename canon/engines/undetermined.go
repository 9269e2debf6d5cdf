//phase:caller
package engines

import (
	"context"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

// Undetermined tells whether RDFC-1.0 allows a document more than one canonical form (see [rdfc.Undetermined]). It returns
// the labels of blank nodes that can get other canonical labels, none if the form is determined. That is the same for all
// engines. It reads the document once more and belongs outside the clock.
func Undetermined(ctx context.Context, doc []byte, opt canon.Options, loader jsonld.Loader) ([]string, error) {
	var d rdf.Dataset
	var own canon.Budget
	var err error
	opt.Budget = canon.BudgetOf(ctx, opt.Budget, &own, opt.Limits)
	if opt.Input == canon.NQuads {
		err = d.ParseNQuads(doc, opt.Limits)
	} else {
		o := jsonld.Options{Lossy: opt.Lossy, RDFDirection: opt.Direction, Limits: opt.Limits, Budget: opt.Budget}
		if opt.Lossy {
			o.Losses = new([]canon.Loss)
		}
		err = jsonld.New(jsonld.Config{Loader: loader}).ToRDF(ctx, doc, o, &d)
	}
	if err != nil {
		return nil, err
	}
	nodes, err := rdfc.Undetermined(ctx, &d, rdfc.Options{Hash: opt.Hash, Work: opt.Limits.Work, Budget: opt.Budget})
	var labels []string
	for _, n := range nodes {
		labels = append(labels, string(d.Terms[n].Text))
	}
	return labels, err
}
