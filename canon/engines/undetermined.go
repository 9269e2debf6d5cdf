package engines

import (
	"context"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
	"canonscope/canon/rdfc"
)

// Undetermined returns the ties that leave the RDFC-1.0 form of a document open (see [rdfc.Undetermined]), each as the labels
// of the blank nodes concerned; none if RDFC-1.0 determines the form. That is the same for all engines. It reads the
// document once more and belongs outside the clock.
func Undetermined(ctx context.Context, doc []byte, opt canon.Options, loader jsonld.Loader) ([][]string, error) {
	var d rdf.Dataset
	var err error
	if opt.Input == canon.NQuads {
		err = d.ParseNQuads(doc, opt.Limits)
	} else {
		o := jsonld.Options{Lossy: opt.Lossy, Limits: opt.Limits}
		if opt.Lossy {
			o.Losses = new([]canon.Loss)
		}
		err = jsonld.New(jsonld.Config{Loader: loader}).ToRDF(ctx, doc, o, &d)
	}
	if err != nil {
		return nil, err
	}
	ties, err := rdfc.Undetermined(ctx, &d, rdfc.Options{Hash: opt.Hash, Work: opt.Limits.Work})
	var labels [][]string
	for _, tie := range ties {
		var nodes []string
		for _, n := range tie.Nodes {
			nodes = append(nodes, string(d.Terms[n].Text))
		}
		labels = append(labels, nodes)
	}
	return labels, err
}
