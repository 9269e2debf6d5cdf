package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/vcdm"
)

// manyFiles are the flags of a command that answers for each of its files.
type manyFiles struct{ quiet, asJSON bool }

func (m *manyFiles) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&m.quiet, "quiet", false, "print no answer, only set the exit status")
}

func (m *manyFiles) addJSON(cmd *cobra.Command, usage string) {
	cmd.Flags().BoolVar(&m.asJSON, "json", false, usage)
}

// answer is the answer of a command about one file.
type answer struct {
	no   bool                    // the answer is no
	line string                  // as one line, for several files
	json any                     // for --json
	text func(w io.Writer) error // at length
}

// run gets the answer for each file, and prints that of a single file in full, those of several as one line
// each. The error has the worst of their exit statuses.
func (m *manyFiles) run(cmd *cobra.Command, args []string, of func(file string) (*answer, error)) error {
	files, err := inputs(cmd, args)
	if err != nil {
		return err
	}

	if len(files) == 1 {
		a, err := of(files[0])
		if err != nil {
			return inFile(files[0], err)
		}
		if err := m.print(cmd.OutOrStdout(), a, false); err != nil {
			return err
		}
		if a.no {
			return &noError{}
		}
		return nil
	}

	worst := statusDone
	for _, file := range files {
		a, err := of(file)
		if err == nil {
			if a.no {
				worst = max(worst, statusNo)
			}
			if err := m.print(cmd.OutOrStdout(), a, true); err != nil {
				return err
			}
			continue
		}

		if cmd.Context().Err() != nil {
			return err
		}
		err = inFile(file, err)
		worst = max(worst, status(err))
		printErrors(cmd.ErrOrStderr(), err)
		if m.asJSON && !m.quiet {
			if err := printErrorJSON(cmd.OutOrStdout(), file, err, true); err != nil {
				return err
			}
		}
	}

	if worst == statusDone {
		return nil
	}

	return &toldError{worst}
}

func (m *manyFiles) print(w io.Writer, a *answer, oneLine bool) error {
	switch {
	case m.quiet:
		return nil
	case m.asJSON:
		return writeJSON(w, a.json, oneLine)
	case oneLine:
		_, err := fmt.Fprintln(w, printable.Line(a.line))
		return err
	}
	return a.text(w)
}

func writeJSON(w io.Writer, v any, oneLine bool) error {
	if oneLine {
		return printable.JSONLine(w, v)
	}
	return printable.JSON(w, v)
}

// fileArgs checks that a command has at most one file. Without a name it reads standard input.
func fileArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%s takes one file, not %d arguments; see %s --help", words(cmd), len(args),
			cmd.CommandPath())
	}
	_, err := inputs(cmd, args)
	return err
}

// inputs returns the files of a command: those of its arguments, or else standard input unless it is a
// terminal.
func inputs(cmd *cobra.Command, args []string) ([]string, error) {
	stdin := 0
	for _, file := range args {
		if file == "-" {
			stdin++
		}
	}
	switch {
	case stdin > 1:
		return nil, errors.New("standard input (-) can be read once only")
	case len(args) > 0:
		return args, nil
	}
	if f, ok := cmd.InOrStdin().(*os.File); ok {
		if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
			return nil, fmt.Errorf("%s needs a file, or - for standard input; see %s --help", words(cmd),
				cmd.CommandPath())
		}
	}
	return []string{"-"}, nil
}

// inputOf is the one input of a command whose arguments fileArgs has checked.
func inputOf(args []string) string {
	if len(args) == 0 {
		return "-"
	}
	return args[0]
}

// inFile adds the name of the file to an error, unless it has it already or is about a key.
func inFile(file string, err error) error {
	if _, joined := err.(interface{ Unwrap() []error }); joined {
		var all []error
		for _, e := range parts(err) {
			all = append(all, inFile(file, e))
		}
		return errors.Join(all...)
	}
	var no *noError
	var key *vcdm.KeyError
	var option *compare.OptionError
	switch {
	case err == nil, errors.As(err, &no), errors.As(err, &key), errors.As(err, &option):
		return err
	case strings.HasPrefix(err.Error(), "--"), strings.Contains(err.Error(), nameOf(file)):
		return err
	}
	return fmt.Errorf("%s: %w", nameOf(file), err)
}

// toldError has the exit status for answers that have been printed.
type toldError struct{ status int }

func (e *toldError) Error() string { return "" }

// errorJSON is an error as --json prints it.
type errorJSON struct {
	File    string `json:"file,omitempty"`
	Message string `json:"error"`
	Remedy  string `json:"remedy,omitempty"`
	Limit   string `json:"limit,omitempty"` // that was reached
	Status  int    `json:"exitStatus"`
}

// printErrorJSON prints why there is no answer.
func printErrorJSON(w io.Writer, file string, err error, oneLine bool) error {
	e := errorJSON{File: file, Message: printable.Short(err.Error(), maxText), Remedy: advice(err),
		Status: status(err)}
	var limit *canon.LimitError
	if errors.As(err, &limit) {
		e.Limit = limit.Limit
	}
	return writeJSON(w, e, oneLine)
}

// wantsJSON reports whether a command line asks for --json of a command that has it.
func wantsJSON(root *cobra.Command, args []string) bool {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Flags().Lookup("json") == nil || cmd.Flags().Lookup("json").Value.Type() != "bool" {
		return false
	}
	for _, arg := range args {
		switch arg {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

// lineOf is the line of a file among others.
func lineOf(file, said, why string) string {
	if why != "" {
		said += ": " + why
	}
	return nameOf(cmp.Or(file, "-")) + ": " + said
}
