package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
)

// resumeRun measures what is left of a campaign. The flags are those that it was begun with.
func resumeRun(
	cmd *cobra.Command, args []string, dir string, given *givenFlags, binaries *buildFlags, axes *[]string,
	jsonText *bool,
) error {
	other := ""
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "resume" {
			other = "--" + f.Name
		}
	})
	switch {
	case other != "":
		return fmt.Errorf("--resume does not go with %s: a campaign goes on as it was planned", other)
	case len(args) > 0:
		return errors.New("--resume takes no schema: a campaign goes on as it was planned")
	}

	folder, l, err := measure.Continue(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := cmd.ParseFlags(l.Plan.Args); err != nil {
		return fmt.Errorf("%s: the arguments of its command: %w", dir, err)
	}
	for _, name := range cmd.Flags().Args() {
		if err := given.schemas.Set(name); err != nil {
			return err
		}
	}
	var filter matrix.Filter
	if err := given.read(&filter); err != nil {
		return fmt.Errorf("%w; the campaign was begun with %s", err, l.Plan.Command)
	}
	// Along an axis of a file its changed copies are given as well.
	if _, err := matrix.Along(cmd.Context(), filter.Given, filter.Schemas, *axes, l.Plan.Seed); err != nil {
		return err
	}

	builds, err := binaries.read(cmd.Context())
	if err != nil {
		return err
	}
	if err := l.WithBuilds(builds); err != nil {
		return fmt.Errorf("results folder %s %w", dir, err)
	}

	return conclude(cmd, &l.Plan, folder, *jsonText, func(p measure.Progress) (*compare.Campaign, error) {
		return measure.Resume(cmd.Context(), l, filter.Given, children, folder, p)
	})
}
