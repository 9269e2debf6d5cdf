package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/canon/printable"
	"canonscope/compare/findings"
)

func newFindingsCommand() *cobra.Command {
	var runs, asJSON bool
	cmd := &cobra.Command{
		Use:   "findings [NUMBER]",
		Short: "List what was found, with the commands that show it",
		Long: `Findings lists what this project found about libraries, specifications and ways
to measure. With a number it prints one in full: what happens, what to tell the
authors, and the commands that show it, each meant to take under
a minute.

--run runs these commands here. Exit status: 0 if all answered as described, 1
if one did not, for example because a library was mended. Measurements have no
answer to check; they print at what to look.`,
		Example: `  canonscope findings
  canonscope findings 2
  canonscope findings 2 --run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if runs {
					return errors.New("--run needs the NUMBER of a finding; canonscope findings lists them")
				}
				if asJSON {
					return printable.JSON(cmd.OutOrStdout(), findings.All)
				}
				return listFindings(cmd.OutOrStdout())
			}

			n, err := strconv.Atoi(args[0])
			if err != nil {
				return fmt.Errorf("%q is not the number of a finding; canonscope findings lists them",
					printable.Short(args[0], maxName))
			}
			f, err := findings.Numbered(n)
			switch {
			case err != nil:
				return err
			case asJSON && !runs:
				return printable.JSON(cmd.OutOrStdout(), f)
			case asJSON:
				return errors.New("--run prints what its commands do; omit --json")
			}

			if err := printFinding(cmd.OutOrStdout(), f); err != nil || !runs {
				return err
			}
			return runFinding(cmd, f)
		},
	}

	cmd.Flags().BoolVar(&runs, "run", false, "run the commands that show the finding")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func listFindings(w io.Writer) error {
	p := printable.Printer{W: w, Width: columns}
	for i := range findings.All {
		f := &findings.All[i]
		if i == 0 || findings.All[i-1].About != f.About {
			p.Line("%s", f.About)
		}
		p.Line("  %2d %s", f.N, f.Title)
	}
	p.Line("")
	p.Line("canonscope findings NUMBER has the details, the commands that show it, and what to tell its " +
		"authors.")
	return p.Err
}

func printFinding(w io.Writer, f *findings.Finding) error {
	p := printable.Printer{W: w, Width: columns}
	p.Line("%d. %s: %s", f.N, f.About, f.Title)
	p.Line("")
	p.Line("%s", f.Text)
	p.Line("")
	p.Line("To tell its authors: %s", f.Tell)
	p.Line("")
	p.Line("Shown by:")
	for i := range f.Steps {
		s := &f.Steps[i]
		fmt.Fprintf(w, "  %s\n", s.Command()) // whole, so that it can be copied
		p.Line("    %s", expects(s))
	}
	return p.Err
}

// expects describes the outcome of a step.
func expects(s *findings.Step) string {
	if s.Look != "" {
		return "a measurement; look at " + s.Look
	}
	text := fmt.Sprintf("exit status %d", s.Status)
	if s.Needs != "" {
		text = "after canonscope foreign install " + s.Needs + ": " + text
	}
	for _, says := range s.Says {
		text += ", prints " + says
	}
	for _, not := range s.Lacks {
		text += ", does not print " + not
	}
	return text
}

// runFinding runs the steps of a finding in this process.
func runFinding(cmd *cobra.Command, f *findings.Finding) error {
	out := cmd.OutOrStdout()
	var differs []error
	all := ""
	for i := range f.Steps {
		s := &f.Steps[i]
		if !s.Ready() {
			all = " as far as it was run"
			fmt.Fprintf(out, "\n$ %s\nnot run: canonscope foreign install %s installs what it needs\n",
				s.Command(), s.Needs)
			continue
		}
		fmt.Fprintf(out, "\n$ %s\n", s.Command())
		var answer bytes.Buffer
		status := runStep(s, io.MultiWriter(out, &answer), io.MultiWriter(cmd.ErrOrStderr(), &answer))
		if cmd.Context().Err() != nil {
			return cmd.Context().Err()
		}
		if err := s.Check(status, answer.String()); err != nil {
			differs = append(differs, &noError{err.Error()})
		}
	}
	if differs == nil && !f.Measured() {
		fmt.Fprintf(out, "\nas described%s\n", all)
	}
	return errors.Join(differs...)
}

// runStep runs a step and returns its exit status. What the command before a pipe prints as an error is part
// of the outcome.
func runStep(s *findings.Step, stdout, stderr io.Writer) int {
	var in bytes.Buffer
	in.WriteString(strings.Join(s.Input, "\n") + "\n")
	if s.From != nil {
		in.Reset()
		if status := run(s.From, strings.NewReader(""), &in, stderr); status != statusDone {
			return status
		}
	}
	return run(s.Args, &in, stdout, stderr)
}
