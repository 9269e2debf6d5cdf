package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"canonscope/compare/report"
	"canonscope/compare/stats"
)

func newCompareCommand() *cobra.Command {
	var anyMachine, jsonText bool
	band := percent(stats.Band)
	cmd := &cobra.Command{
		Use:   "compare [flags] A B...",
		Short: "Compare results folders: what got faster or slower, and where",
		Long: `Compare sets the results of each B beside those of A: the ratio of what every
operation costs, with its interval and a verdict, the dearest changes first, and
the phases that changed in it. It first prints what differs in environment,
binary, rules and inputs.

A and B are results folders, files of Go benchmark text, or folders with the raw
files of the 2026 study (LANGUAGE_FORMAT_runN.json, with the nanoseconds of each
format/implementation/operation). Every process is one value.

A verdict is faster, slower, equivalent (shown to differ by less than the band)
or inconclusive, at 5 % for the whole table. If both campaigns measured the
floor and bare primitives, as the default does, the ratios are divided by those,
since another day makes a machine faster or slower as a whole. If a campaign
calls its machine noisy or unfit, there is no verdict.

The exit status is 0 whatever was found, and 2 if results cannot be compared.`,
		Example: `  canonscope compare results/old results/new
  canonscope compare --band 5% --json results/old results/new
  canonscope compare --cross-env results/laptop results/server
  canonscope compare old.txt new.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("compare takes two or more results folders; see canonscope compare --help")
			}
			baseline, err := report.ReadSource(args[0])
			if err != nil {
				return err
			}

			var all []*report.Comparison
			for _, path := range args[1:] {
				c, err := compareWith(baseline, path, float64(band), anyMachine)
				if err != nil {
					return err
				}
				all = append(all, c)
			}

			out := cmd.OutOrStdout()
			if jsonText {
				return report.ComparisonsJSON(out, all)
			}
			for i, c := range all {
				if i > 0 {
					fmt.Fprintln(out)
				}
				if err := c.Text(out, colours(out)); err != nil {
					return err
				}
			}
			return nil
		},
	}

	band.addBand(cmd)
	cmd.Flags().BoolVar(&anyMachine, "cross-env", false, crossEnvUsage)
	cmd.Flags().BoolVar(&jsonText, "json", false, "print JSON")
	return cmd
}

const crossEnvUsage = "compare also what different machines measured"

// compareWith reads results and compares them with a baseline.
func compareWith(
	baseline *report.Source, path string, band float64, anyMachine bool,
) (*report.Comparison, error) {
	s, err := report.ReadSource(path)
	if err != nil {
		return nil, err
	}
	c, err := report.Compare(baseline, s, band, anyMachine)
	var machines *report.MachinesError
	if errors.As(err, &machines) {
		return nil, fmt.Errorf("%w; --cross-env compares them all the same", err)
	}
	return c, err
}
