package main

import (
	"context"
	"errors"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/schemas/catalogue"
)

// experimentsOf reads --axis and --preset; having none is allowed.
func experimentsOf(
	ctx context.Context, f matrix.Filter, axes, presets []string, seed uint64,
) ([]compare.Experiment, error) {
	switch {
	case len(presets) == 0:
		return matrix.Along(ctx, f.Given, f.Schemas, axes, seed)
	case len(axes)+len(f.Schemas) > 0:
		return nil, errors.New("--preset names its schemas; omit --schema and --axis")
	}
	return matrix.Presets(ctx, f.Given, presets, seed)
}

func selectCells(
	experiments []compare.Experiment, f matrix.Filter, p matrix.Policy,
) (*matrix.Selection, error) {
	if experiments == nil {
		return matrix.Select(f, p)
	}
	return matrix.SelectExperiments(experiments, f, p)
}

func presetNames() []string {
	var names []string
	for _, p := range catalogue.Presets() {
		names = append(names, p.Name)
	}
	return names
}
