package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"canonscope/canon/printable"
)

func newPprofCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "pprof [CELL]",
		Short: "Open the profile of a cell in go tool pprof",
		Long: `Pprof starts "go tool pprof -http" on the profile of a cell, or prints how to
where there is no Go tool. CELL is FOLDER:CELL, a results folder with one
profile or a file, as for flame; without it the newest folder in results.`,
		Example: `  canonscope pprof "results/new:stock verify"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("pprof takes one cell, not %d arguments; see %s --help", len(args),
					cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) == 1 {
				name = args[0]
			} else {
				var err error
				if name, err = newestResults(); err != nil {
					return err
				}
			}
			p, err := openProfile(name)
			if err != nil {
				return err
			}

			path, err := filepath.Abs(p.path) // no name of a file is a flag
			if err != nil {
				return err
			}
			if _, err := exec.LookPath("go"); err != nil {
				out := printable.Printer{W: cmd.OutOrStdout(), Width: width(cmd.OutOrStdout())}
				out.Line("There is no Go tool here. Where one is, this opens the profile in a browser:")
				out.Line("")
				out.Line("  go tool pprof -http localhost: %s", quoted(p.path))
				out.Line("")
				out.Line("canonscope flame %s draws it without.", quoted(name))
				return out.Err
			}

			tool := exec.CommandContext(cmd.Context(), "go", "tool", "pprof", "-http", "localhost:", path)
			tool.Stdin, tool.Stdout, tool.Stderr = os.Stdin, cmd.OutOrStdout(), cmd.ErrOrStderr()
			return tool.Run()
		},
	}
}

// newestResults is the folder of the campaign that was run last.
func newestResults() (string, error) {
	all, err := filepath.Glob(filepath.Join("results", "*", "results.json"))
	if err != nil || len(all) == 0 {
		return "", errors.New("there are no results in the folder results; name a cell, or make some with " +
			"canonscope run")
	}
	age := func(file string) int64 {
		info, err := os.Stat(file)
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	newest := slices.MaxFunc(all, func(a, b string) int { return cmp.Compare(age(a), age(b)) })
	return filepath.Dir(newest), nil
}
