package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon/printable"
	"canonscope/compare/measure"
)

func newVersionCommand() *cobra.Command {
	var asJSON, citation bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the command and of its protocols",
		Example: "  canonscope version --json\n  canonscope version --citation",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if citation {
				return printCitation(cmd.OutOrStdout())
			}
			return printVersion(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&citation, "citation", false, "print an entry for BibTeX that cites this version")
	cmd.MarkFlagsMutuallyExclusive("json", "citation")
	return cmd
}

// thisVersion is what the binary knows of itself, and the time of its revision.
func thisVersion() (v measure.About, built string) {
	v = measure.About{Version: "(devel)", Revision: "unknown", Go: "unknown", Protocol: measure.Version,
		Rules: measure.Rules().Hash()}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Go = info.GoVersion
		if info.Main.Version != "" {
			v.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Revision = s.Value
			case "vcs.time":
				built = s.Value
			}
		}
	}
	return v, built
}

// printCitation prints an entry for BibTeX. Its year is that of the revision, if the binary knows it.
func printCitation(w io.Writer) error {
	v, built := thisVersion()
	year := ""
	if t, err := time.Parse(time.RFC3339, built); err == nil {
		year = fmt.Sprintf("  year    = {%d},\n", t.UTC().Year())
	}
	_, err := fmt.Fprintf(w, `@software{canonscope,
  title   = {Canonscope: a canonicalization profiling workbench for W3C verifiable credentials},
  author  = {{The Canonscope authors}},
%s  version = {%s},
  note    = {revision %s, frame rules %.12s}
}
`, year, v.Version, v.Revision, v.Rules)
	return err
}

func printVersion(w io.Writer, asJSON bool) error {
	v, _ := thisVersion()
	if asJSON {
		return printable.JSON(w, v)
	}
	_, err := fmt.Fprintf(w, "canonscope %s, revision %s, %s, job protocol %d, frame rules %.12s\n",
		v.Version, v.Revision, v.Go, v.Protocol, v.Rules)
	return err
}
