package main

import (
	"github.com/spf13/cobra"

	"canonscope/compare/matrix"
	"canonscope/compare/measure"
)

// internalRun is the hidden subcommand that measure.Process starts.
const internalRun = "internal-run"

func newInternalRunCommand() *cobra.Command {
	return &cobra.Command{
		Use:    internalRun,
		Short:  "Do one job from standard input and write its events",
		Hidden: true,
		Args:   noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return measure.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), matrix.OpenGiven)
		},
	}
}
