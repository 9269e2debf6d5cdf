package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/canon/engines"
)

// suite is an official test suite that conform runs.
type suite struct {
	method canon.Method
	title  string
	run    func(ctx context.Context, dir string, engine canon.Canonicalizer) ([]conform.Result, error)
}

func newConformCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "conform",
		Short: "Run an official test suite through an engine",
		Long: `Conform runs an official test suite through an engine and prints the outcome of each test, with the reason where it did
not pass. Exit status 1 says that a test failed; a test that the engine does not claim is skipped.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newSuiteCommand("rdfc", suite{canon.RDFC, "the RDFC-1.0 suite: DIR holds manifest.jsonld, or pairs NNN-in.nq and NNN-out.nq", conform.RDFC}),
		newSuiteCommand("jcs", suite{canon.JCS, "the JCS vectors: DIR holds the folders input and output, or numbers.csv, or both", conform.JCS}),
	)
	return cmd
}

func newSuiteCommand(name string, s suite) *cobra.Command {
	var engine string
	cmd := &cobra.Command{
		Use:     name + " [flags] DIR",
		Short:   "Run " + s.title,
		Example: "  canonscope conform " + name + " --engine stock suite/",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := engines.New(engine, s.method, engines.Config{})
			if err != nil {
				return err
			}
			results, err := s.run(cmd.Context(), args[0], c)
			if err != nil {
				return err
			}
			return printResults(cmd.OutOrStdout(), name+" "+engine, results)
		},
	}
	cmd.Flags().StringVar(&engine, "engine", engines.Native, strings.Join(engines.Names, ", "))
	return cmd
}

// printResults prints a line for each test and their counts. A failed test is the answer no.
func printResults(w io.Writer, title string, results []conform.Result) error {
	for _, r := range results {
		line := fmt.Sprintf("%-8s%s", r.Outcome, r.Test)
		if r.Name != "" && r.Name != r.Test {
			line += "  " + r.Name
		}
		if r.Reason != "" {
			line += ": " + r.Reason
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	passed, failed, skipped := conform.Count(results)
	if _, err := fmt.Fprintf(w, "%s: %d passed, %d failed, %d skipped of %d\n", title, passed, failed, skipped, len(results)); err != nil {
		return err
	}
	if failed > 0 {
		return &noError{}
	}
	return nil
}
