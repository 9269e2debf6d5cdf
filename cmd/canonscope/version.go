package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"canonscope/canon/printable"
	"canonscope/compare/measure"
)

func newVersionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the command and of its protocols",
		Example: "  canonscope version --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printVersion(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// versionJSON is the version as --json prints it.
type versionJSON struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Go       string `json:"go"`
	Protocol int    `json:"jobProtocol"`
	Rules    string `json:"frameRules"`
}

func printVersion(w io.Writer, asJSON bool) error {
	v := versionJSON{"(devel)", "unknown", "unknown", measure.Version, measure.Rules().Hash()}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Go = info.GoVersion
		if info.Main.Version != "" {
			v.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	if asJSON {
		return printable.JSON(w, v)
	}
	_, err := fmt.Fprintf(w, "canonscope %s, revision %s, %s, job protocol %d, frame rules %.12s\n",
		v.Version, v.Revision, v.Go, v.Protocol, v.Rules)
	return err
}
