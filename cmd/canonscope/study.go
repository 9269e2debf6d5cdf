package main

import (
	"fmt"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/measure"
	"canonscope/compare/study"
)

func newStudyCommand() *cobra.Command {
	var (
		opt       study.Options
		out       string
		quick, js bool

		engines engineFlag
	)
	cmd := &cobra.Command{
		Use:   "study",
		Short: "Repeat the published study, and judge each of its claims",
		Long: `Study repeats the scenarios of the study of 2026 by Fujie and Suzuki and prints
each of its claims beside what was measured here: agrees, differs, or cannot be
judged here, why, and the command that shows it alone. A published range is
judged by the whole interval, with a band of 10 %; an order of formats by
paired tests. What is part of the method agrees if it is done so here. The
study's times are those of another machine and language, and claims on several
languages or machines need those: such claims cannot be judged here.

The scenarios are campaigns of run, each in a folder below that of --out with
all its reports, and checks of security, limits and loaders. report.html in the
folder begins with what held and what did not, study.json has all. --quick, the
default, takes less than 10 minutes on two processors that do nothing else;
--full has the published numbers of processes and operations, and takes hours.`,
		Example: `  canonscope study
  canonscope study --full --out results/study
  canonscope study --scenario security,loader
  canonscope study --scenario canonize --engine exec:node`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				out = filepath.Join("results", time.Now().UTC().Format("20060102-150405")+"-study")
			}
			opt.Out, opt.Runner = out, children
			opt.Plan = measure.Plan{Seed: 1, Documents: documents, Window: measure.DefaultWindow,
				Memory:   memory,
				Deadline: 10 * deadline, Idle: idle, Canonize: canonizeDeadline,
				Now: time.Now().UTC().Truncate(time.Second)}
			opt.Plan.Command, _ = commandLine(cmd)
			opt.Engines, opt.Plan.Given.Engines = engines.names, engines.commands
			for _, name := range engines.names {
				if !compare.Foreign(compare.Engine(name)) {
					return fmt.Errorf("--engine %s: the study has the engines of this project; it takes "+
						"others, as exec:NAME", name)
				}
			}

			signal.Ignore(syscall.SIGPIPE) // a reader may close the pipe; the files are still written
			progress, clear := progressTo(cmd.ErrOrStderr())
			opt.Progress = func(scenario string) measure.Progress {
				return func(s measure.Step) {
					s.Stage = scenario + ", " + s.Stage
					progress(s)
				}
			}
			s, err := study.Run(cmd.Context(), opt)
			clear()
			if s == nil {
				return err
			}

			if js {
				if err := printable.JSON(cmd.OutOrStdout(), s); err != nil {
					return err
				}
			} else {
				if err := study.Text(cmd.OutOrStdout(), s); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n", printable.Line(filepath.Join(out, "report.html")))
			}
			return err
		},
	}

	var names []string
	for i := range study.Scenarios {
		names = append(names, study.Scenarios[i].Name)
	}
	f := cmd.Flags()
	f.BoolVar(&quick, "quick", false, "measure as long as ten minutes allow; the default")
	f.BoolVar(&opt.Full, "full", false, "measure with the published numbers of processes and operations")
	f.StringSliceVar(&opt.Only, "scenario", nil, "only these scenarios: "+strings.Join(names, ", "))
	f.Var(&engines, "engine", "also canonicalize with exec:NAME, an engine in another language; see "+
		"canonscope help foreign")
	f.StringVar(&out, "out", "", "folder `DIR`, new or empty; default results/, the time and -study")
	f.BoolVar(&js, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("quick", "full")
	return cmd
}
