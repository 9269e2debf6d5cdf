package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/compare/matrix"
	"canonscope/compare/measure"
)

// buildFlags is --binary: LABEL=FILE of each build.
type buildFlags []string

func (b *buildFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar((*[]string)(b), "binary", nil, "measure every cell by this build of "+
		"canonscope and compare it with the first one, in `LABEL=FILE`; repeat, also with an equal file")
}

// read finds out what the binaries are; there may be none.
func (b *buildFlags) read(ctx context.Context) ([]measure.Build, error) {
	var all []measure.Executable
	for _, text := range *b {
		label, path, ok := strings.Cut(text, "=")
		if !ok || path == "" {
			return nil, fmt.Errorf("--binary %s: want LABEL=FILE, as old=./canonscope-a", text)
		}
		all = append(all, measure.Executable{Label: label, Path: path})
	}
	if len(all) == 1 {
		return nil, errors.New("--binary is given once; builds are compared with each other, so give two")
	}
	builds, err := measure.BuildsOf(ctx, all, internalRun)
	if err != nil {
		return nil, fmt.Errorf("--binary: %w", err)
	}
	return builds, nil
}

// compareBuilds has a policy and a plan measure builds.
func compareBuilds(builds []measure.Build, policy *matrix.Policy, plan *measure.Plan) {
	plan.Builds = builds
	for _, b := range builds {
		policy.Builds = append(policy.Builds, b.Label)
	}
}
