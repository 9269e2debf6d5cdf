package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/compare/report"
)

// reportSeveral sets folders side by side in another one.
func reportSeveral(cmd *cobra.Command, dirs, labels []string, out string, jsonText bool) error {
	if labels == nil {
		labels = labelsOf(dirs)
	}

	var reports []*report.Report
	for _, dir := range dirs {
		loaded, err := load(cmd, dir)
		if err != nil {
			return err
		}
		reports = append(reports, report.New(loaded.Campaign, matrix.Formats, loaded.Plan.Experiments,
			loaded.Plan.Against...))
	}

	folder, err := measure.ReportFolder(out)
	if err != nil {
		return err
	}

	defer folder.Close()
	return errors.Join(printSeveral(cmd, report.NewSeveral(labels, reports), folder, jsonText)...)
}

// printSeveral prints reports side by side, and writes their files into a folder.
func printSeveral(cmd *cobra.Command, s *report.Several, folder *measure.Folder, jsonText bool) []error {
	stdout := cmd.OutOrStdout()
	print := func(w io.Writer) error { return s.Text(w, colours(w)) }
	if jsonText {
		print = s.JSON
	}
	failed := []error{print(stdout)}
	for _, f := range s.Files() {
		if err := folder.Write(f.Name, f.Content); err != nil {
			failed = append(failed, fmt.Errorf("write results: %w", err))
		}
	}
	if kept, _ := folder.Kept(); !jsonText && len(kept) > 0 {
		_, err := fmt.Fprintf(stdout, "written to %s: %s\n", folder.Path, strings.Join(kept, ", "))
		failed = append(failed, err)
	}

	return failed
}

// labelsOf are the last parts of paths, or the whole paths where two end alike.
func labelsOf(dirs []string) []string {
	var labels []string
	for _, dir := range dirs {
		label := filepath.Base(filepath.Clean(dir))
		if slices.Contains(labels, label) {
			return dirs
		}
		labels = append(labels, label)
	}
	return labels
}
