package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/canon/engines"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/matrix"
)

// suites are the official test suites that conform runs: those of canonicalization, then those of formats.
var suites = append([]*compare.Conformance{
	{Name: "rdfc", Title: "the RDFC-1.0 suite",
		Holds: "manifest.jsonld, or pairs NNN-in.nq and NNN-out.nq", Module: "github.com/piprate/json-gold",
		Method: canon.RDFC, Forms: conform.RDFC},
	{Name: "jcs", Title: "the JCS vectors",
		Holds: "the folders input and output, or numbers.csv, or both", Module: "github.com/gowebpki/jcs",
		Method: canon.JCS, Forms: conform.JCS},
	{Name: "jsonld", Title: "the expand and toRdf suites of the JSON-LD API",
		Holds: "their manifests", Module: "github.com/piprate/json-gold",
		Run: func(ctx context.Context, engine canon.Engine, dir string) ([]conform.Result, error) {
			p, err := engines.NewProcessor(engine, engines.Config{Loader: conform.JSONLDLoader(dir)})
			if err != nil {
				return nil, err
			}
			return conform.JSONLD(ctx, dir, p)
		}},
}, formatSuites()...)

func formatSuites() (suites []*compare.Conformance) {
	for _, f := range matrix.Formats {
		if f.Conform != nil {
			suites = append(suites, f.Conform)
		}
	}
	return suites
}

func newConformCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "conform",
		Short: "Run an official test suite through an engine",
		Long: `Conform runs an official test suite through an engine and prints the outcome of
each test, with the reason if it did not pass. Exit status 1 means that a test
failed; tests of features that the engine does not claim are skipped.`,
	}
	for _, s := range suites {
		cmd.AddCommand(newSuiteCommand(s))
	}
	return cmd
}

func newSuiteCommand(s *compare.Conformance) *cobra.Command {
	var engine engineFlag
	var report earl
	cmd := &cobra.Command{
		Use:   s.Name + " [flags] DIR",
		Short: "Run " + s.Title,
		Long:  "Run " + s.Title + ". DIR holds\n" + s.Holds + ".",
		Example: "  canonscope conform " + s.Name + " suite/\n" +
			"  canonscope conform " + s.Name + " --engine stock --earl report.ttl suite/",
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(args[0]); err != nil {
				return err
			} else if !info.IsDir() {
				return fmt.Errorf("%s is not a folder; it must hold %s", args[0], s.Holds)
			}
			results, err := conformed(cmd.Context(), s, &engine, args[0])
			if err == nil {
				err = cmd.Context().Err() // interrupted tests have not failed
			}
			if err != nil {
				return err
			}
			answer := printResults(cmd.OutOrStdout(), s.Name+" "+engine.String(), results)
			if report.file != "" {
				if err := report.write(s.Module, engine.engine(), results); err != nil {
					return err
				}
			}
			return answer
		},
	}

	engine.add(cmd, "what is tested")
	report.add(cmd)
	return cmd
}

// conformed runs a suite through an engine.
func conformed(
	ctx context.Context, s *compare.Conformance, engine *engineFlag, dir string,
) ([]conform.Result, error) {
	switch {
	case s.Forms != nil:
		c, err := engine.canonicalizer(s.Method, nil, true)
		if err != nil {
			return nil, err
		}
		if closer, ok := c.(io.Closer); ok {
			defer closer.Close()
		}
		return s.Forms(ctx, dir, c)
	case compare.Foreign(engine.engine()):
		return nil, &canon.UnsupportedError{Engine: engine.String(), What: "the suite " + s.Name +
			"; conform rdfc and jcs take every engine"}
	}
	return s.Run(ctx, engine.engine(), dir)
}

// printResults prints a line for each test and their counts. A failed test is the answer no.
func printResults(w io.Writer, title string, results []conform.Result) error {
	for _, r := range results {
		line := fmt.Sprintf("%-8s%s", r.Outcome, printable.Line(r.Test))
		if r.Name != "" && r.Name != r.Test {
			line += "  " + printable.Line(r.Name)
		}
		if r.Reason != "" {
			line += ": " + strings.ReplaceAll(strings.TrimSpace(r.Reason), "\n", "\n        ")
		}
		if _, err := fmt.Fprintln(w, printable.Lines(line)); err != nil {
			return err
		}
	}
	passed, failed, skipped := conform.Count(results)
	if _, err := fmt.Fprintf(w, "%s: %d passed, %d failed, %d skipped of %d\n", title, passed, failed,
		skipped, len(results)); err != nil {
		return err
	}
	if failed > 0 {
		return &noError{}
	}
	return nil
}

// earl is an EARL report to write.
type earl struct {
	file, subject, assertor, name string
}

func (e *earl) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&e.file, "earl", "", "write an EARL report in Turtle to `FILE`")
	f.StringVar(&e.subject, "earl-subject", "",
		"IRI of the software in the report; default its module, or urn:canonscope")
	f.StringVar(&e.assertor, "earl-assertor", "", "IRI of the assertor of the report; default the software")
	f.StringVar(&e.name, "earl-name", "", "name of the assertor of the report")
}

// write writes the report on an engine; module is that of the library behind engines other than native.
func (e *earl) write(module string, engine canon.Engine, results []conform.Result) error {
	subject := conform.Subject{IRI: "urn:canonscope", Name: "Canonscope", Version: moduleVersion(""),
		Language: "Go", Description: "Canonicalization profiling workbench for W3C verifiable credentials"}
	switch {
	case compare.Foreign(engine):
		subject = conform.Subject{IRI: "urn:canonscope:engine:" + string(engine), Name: string(engine),
			Description: "A program that Canonscope ran as an engine"}
	case engine != canon.Native:
		subject = conform.Subject{IRI: "https://" + module, Name: module,
			Version: moduleVersion(module), Language: "Go",
			Description: module + " as used by the engine " + string(engine) + " of Canonscope"}
	}

	if e.subject != "" {
		subject.IRI = e.subject
	}

	subject.Assertor, subject.AssertorIs = subject.IRI, subject.Name
	if e.assertor != "" {
		subject.Assertor, subject.AssertorIs = e.assertor, e.assertor
	}
	if e.name != "" {
		subject.AssertorIs = e.name
	}

	f, err := os.Create(e.file)
	if err != nil {
		return err
	}

	err = conform.WriteEARL(f, subject, results, time.Now())
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(e.file)
	}

	return err
}

// moduleVersion returns the version of a module in this binary; "" means the module of the command.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	switch {
	case !ok:
		return "unknown"
	case path == "" && info.Main.Version != "":
		return info.Main.Version
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return "(devel)"
}
