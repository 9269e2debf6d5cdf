package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"canonscope/canon/printable"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/compare/report"
)

func newReportCommand() *cobra.Command {
	var (
		out      string
		labels   []string
		jsonText bool
	)

	cmd := &cobra.Command{
		Use:   "report FOLDER...",
		Short: "Print the table of a folder, and write its reports anew",
		Long: `Report reads what run measured into a results folder, prints the table, and
writes table.md, table.csv, bench.txt, results.json, growth.txt and report.html
anew. Raw data is never written: plan.json, env.json, runs.jsonl, profiles and
flame graphs. A campaign that was interrupted or killed has what it finished.

With --out the reports go to another folder. Several folders, of machines, days
or toolchains, need it: they are set side by side, cell by cell, and the report
counts in how many of them each ordering of formats holds.`,
		Example: `  canonscope report results/20260131-120000
  canonscope report monday tuesday --label before,after --out both`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return errors.New("report needs a results folder, which canonscope run makes; " +
					"see canonscope report --help")
			case len(args) > 1 && out == "":
				return errors.New("report of several folders needs --out DIR, a folder for what it writes")
			case len(labels) > 0 && len(labels) != len(args):
				return fmt.Errorf("--label has %d labels for %d folders", len(labels), len(args))
			}

			for i, label := range labels {
				if label == "" || slices.Contains(labels[:i], label) {
					return fmt.Errorf("--label %q is empty, or there are two of it", label)
				}
			}
			if len(args) > 1 {
				return reportSeveral(cmd, args, labels, out, jsonText)
			}

			return reportOne(cmd, args[0], out, jsonText)
		},
	}

	cmd.Flags().StringVar(&out, "out", "", "write the reports to folder `DIR`, new or empty")
	cmd.Flags().StringSliceVar(&labels, "label", nil,
		"`NAME` of each of several folders; default the last part of its path")
	cmd.Flags().BoolVar(&jsonText, "json", false, "print JSON instead of the table")
	return cmd
}

// reportOne reports one folder, in it or in another.
func reportOne(cmd *cobra.Command, dir, out string, jsonText bool) error {
	folder, err := measure.Reopen(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	loaded, err := load(cmd, dir)
	if err != nil {
		return err
	}

	to := folder
	if out != "" {
		if to, err = measure.ReportFolder(out); err != nil {
			return err
		}
		defer to.Close()
	}

	shown := report.New(loaded.Campaign, matrix.Formats, loaded.Plan.Experiments, loaded.Plan.Against...)
	return errors.Join(finish(cmd.OutOrStdout(), shown, to, folder.FS(), jsonText)...)
}

// load reads a folder, and notes the half line that is left out.
func load(cmd *cobra.Command, dir string) (*measure.Loaded, error) {
	loaded, err := measure.Load(dir)
	if err != nil {
		return nil, err
	}
	if loaded.Half > 0 {
		note(cmd, "%s ends in half a line of %d bytes, which is left out",
			printable.Line(filepath.Join(dir, "runs.jsonl")), loaded.Half)
	}
	return loaded, nil
}
