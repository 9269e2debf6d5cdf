package main

import (
	"errors"

	"github.com/spf13/cobra"

	"canonscope/compare/report"
	"canonscope/compare/stats"
)

func newGateCommand() *cobra.Command {
	var baseline string
	var anyMachine bool
	band := percent(stats.Band)
	cmd := &cobra.Command{
		Use:   "gate --baseline A B",
		Short: "Check that nothing got slower than in a baseline",
		Long: `Gate compares results as the command compare does, and prints a summary in
Markdown for a pull request, in continuous integration.

Exit status: 0 if every cell is shown to be equivalent within the band, or
faster; 1 if a cell got slower; 3 if none did but of some that is inconclusive:
there are too few processes for this band, the new results lack a cell, or one
of the campaigns calls its machine noisy or unfit. More processes (--runs 10, or
--full, of run), a wider band, or a quiet machine decide it. It is 2 if the
results cannot be compared.`,
		Example: "  canonscope gate --baseline results/main results/branch --band 5%",
		Args:    oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if baseline == "" {
				return errors.New("gate needs the results to compare with: --baseline FOLDER")
			}
			old, err := report.ReadSource(baseline)
			if err != nil {
				return err
			}
			c, err := compareWith(old, args[0], float64(band), anyMachine)
			if err != nil {
				return err
			}
			if err := c.Markdown(cmd.OutOrStdout()); err != nil {
				return err
			}
			switch c.Gate() {
			case report.Failed:
				return &toldError{statusNo}
			case report.Inconclusive:
				return &toldError{statusLimit}
			}
			return nil
		},
	}

	cmd.Flags().StringVar(&baseline, "baseline", "", "results `FOLDER` to compare with")
	band.addBand(cmd)
	cmd.Flags().BoolVar(&anyMachine, "cross-env", false, crossEnvUsage)
	return cmd
}
