package main

import (
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"canonscope/canon/printable"
	"canonscope/compare/measure"
)

func newEnvCommand() *cobra.Command {
	var jsonText bool
	cmd := &cobra.Command{
		Use:   "env",
		Short: "Print the environment record that every result has",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			env := measure.Environment()
			if jsonText {
				return printable.JSON(cmd.OutOrStdout(), env)
			}
			tw := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			fmt.Fprintf(tw, "fingerprint\t%s\n", measure.Fingerprint(env))
			for _, k := range slices.Sorted(maps.Keys(env)) {
				fmt.Fprintf(tw, "%s\t%s\n", k, env[k])
			}
			return tw.Flush()
		},
	}
	cmd.Flags().BoolVar(&jsonText, "json", false, "print JSON")
	return cmd
}
