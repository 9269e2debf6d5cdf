package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"canonscope/compare/measure"
	"canonscope/profiles"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the command and of what it speaks",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			version, revision, goVersion := "(devel)", "unknown", "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				goVersion = info.GoVersion
				if info.Main.Version != "" {
					version = info.Main.Version
				}
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						revision = s.Value
					}
				}
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "canonscope %s, revision %s, %s, job protocol %d, frame rules %.12s\n",
				version, revision, goVersion, measure.Version, profiles.LoadRules().Hash())
			return err
		},
	}
}
