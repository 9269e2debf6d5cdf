package main

import (
	"slices"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/jsonschema"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"

	"github.com/spf13/cobra"
)

// complete gives the shell the values of every flag that takes names.
func complete(root *cobra.Command) {
	values := flagValues()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for name, list := range values {
			if name == "method" && !slices.Contains([]string{"canonize", "agree"}, cmd.Name()) {
				continue // it is a verification method
			}
			if name == "format" && cmd.Name() == "flame" {
				list = flameFormats
			}
			if f := cmd.Flags().Lookup(name); f != nil && f.Value.Type() != "bool" {
				// It fails only for an unknown flag and for one that has a completion already.
				_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(list, directive(name)))
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// flagValues returns the names that each flag takes.
func flagValues() map[string][]string {
	values := map[string][]string{
		"format":        choice.Names(namesOf(matrix.Formats)),
		"suite":         suiteNames(),
		"against":       matrix.Comparable(),
		"engine":        choice.Names(canon.Engines),
		"algorithm":     choice.Names(append(slices.Clone(keys.Algorithms), keys.BBS)),
		"feature":       vcdm.Features[vcdm.HolderBinding:],
		"schema":        catalogue.Names(),
		"family":        catalogue.Names(),
		"method":        choice.Names(canon.Methods),
		"operation":     choice.Names(compare.Operations),
		"validator":     choice.Names(jsonschema.Engines),
		"validate":      choice.Names(jsonschema.Engines),
		"hash":          {string(canon.SHA256), string(canon.SHA384)},
		"input":         {string(canon.NQuads), string(canon.JSONLD), string(canon.JSON)},
		"context-cache": choice.Names(compare.ContextStates),
		"binding":       compare.Bindings,
		"present":       compare.Presentings,
		"granularity":   compare.Granularities,
		"disclose":      {string(compare.Everything)},
		"axis":          {compare.DiscloseAxis + "="},
		"by":            compare.Figures,
	}

	for _, p := range catalogue.Presets() {
		values["preset"] = append(values["preset"], p.Name)
	}

	axes, err := catalogue.Axes("")
	if err != nil {
		panic(err) // fails only for an unknown name
	}

	for _, a := range axes {
		values["axis"] = append(values["axis"], a.Name+"=")
	}

	return values
}

// suiteNames returns the names of all suites.
func suiteNames() (names []string) {
	for _, f := range matrix.Formats {
		for _, s := range f.Suites {
			names = append(names, s.Name)
		}
	}
	return names
}

// directive tells the shell not to complete files, except for schemas, and that the value of an axis
// continues.
func directive(flag string) cobra.ShellCompDirective {
	switch flag {
	case "schema":
		return cobra.ShellCompDirectiveDefault
	case "axis":
		return cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	return cobra.ShellCompDirectiveNoFileComp
}
