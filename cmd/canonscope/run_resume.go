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
	jsonText *bool, away *fleetFlags,
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

	read := func(l *measure.Loaded) (compare.Given, error) {
		return givenAgain(cmd, dir, l, given, axes)
	}
	if dirs := environments(dir); dirs != nil {
		top, err := measure.Reopen(dir)
		if err != nil {
			return err
		}
		defer top.Close()
		return away.resume(cmd, top, dirs, read, jsonText)
	}

	folder, l, err := measure.Continue(dir)
	if err != nil {
		return err
	}
	if l.Plan.Environment != "" {
		folder.Close()
		return away.resume(cmd, nil, []string{dir}, read, jsonText)
	}
	defer folder.Close()
	g, err := read(l)
	if err != nil {
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
		return measure.Resume(cmd.Context(), l, g, children, folder, p)
	})
}

// givenAgain reads what the user gave a campaign, by the flags that it was begun with.
func givenAgain(
	cmd *cobra.Command, dir string, l *measure.Loaded, given *givenFlags, axes *[]string,
) (compare.Given, error) {
	none := compare.Given{}
	if err := cmd.ParseFlags(l.Plan.Args); err != nil {
		return none, fmt.Errorf("%s: the arguments of its command: %w", dir, err)
	}
	for _, name := range cmd.Flags().Args() {
		if err := given.schemas.Set(name); err != nil {
			return none, err
		}
	}
	var filter matrix.Filter
	if err := given.read(&filter); err != nil {
		return none, fmt.Errorf("%w; the campaign was begun with %s", err, l.Plan.Command)
	}
	// Along an axis of a file its changed copies are given as well.
	_, err := matrix.Along(cmd.Context(), filter.Given, filter.Schemas, *axes, l.Plan.Seed)
	return filter.Given, err
}
