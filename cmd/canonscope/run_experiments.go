package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

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

// byUsage is that of --by.
var byUsage = "`FIGURE` that laws of growth are of: " + strings.Join(compare.Figures, ", ") +
	"; without it the axis, or else the first that varies"

// growBy sets the figure that laws are of, if one is named.
func growBy(experiments []compare.Experiment, figure string) error {
	switch {
	case figure == "":
		return nil
	case experiments == nil:
		return errors.New("--by is for --axis and --preset")
	}
	if err := matrix.By(experiments, figure); err != nil {
		return fmt.Errorf("--by: %w", err)
	}
	return nil
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
