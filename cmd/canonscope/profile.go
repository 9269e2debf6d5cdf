package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/compare/report"
	"canonscope/profiles"
)

// Settings of profile.
const (
	profileRuns    = 3    // processes that time the operation
	profileWithin  = 0.01 // half of the interval of a phase
	profileSeconds = 20   // of CPU that it may take
	maxSeconds     = 3600
)

func newProfileCommand() *cobra.Command {
	var (
		given     givenFlags
		operation string
		suite     string
		out       string
		asReport  bool
		plan      = measure.Plan{Documents: documents, Window: measure.DefaultWindow, Memory: memory, Seed: 1,
			Runs: profileRuns, Keep: true, Deadline: 10 * deadline, Idle: idle, Precise: profileWithin,
			Canonize: canonizeDeadline}
	)

	cmd := &cobra.Command{
		Use:   "profile CELL|SCHEMA|FILE",
		Short: "Profile one operation until its phases are known",
		Long: fmt.Sprintf(`Profile times an operation in %d processes, then samples it until every phase
above 5 %% has an interval within 1 point, or --seconds of CPU are over. It
prints which of them it was, the phases with their intervals, the ten dearest
functions and where the files are: a profile for "go tool pprof" and a picture,
in a new results folder, which flame and pprof read.

CELL is an id from a table or from cells --json; a name of the catalogue or a
file of a credential or another document takes the flags. --report prints
Markdown for the tracker of a library instead.`, profileRuns),
		Example: `  canonscope profile ob3 --engine stock
  canonscope profile my-credential.json --operation issue
  canonscope profile ob3 --engine stock --report > report.md`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(plan.Profile > 0 && plan.Profile <= maxSeconds) {
				return fmt.Errorf("--seconds is %v; it must be above 0 and at most %d", plan.Profile,
					maxSeconds)
			}
			if err := choice.Check("sampler", plan.Sampler, profiles.Samplers); err != nil {
				return err
			}
			if err := plan.Sampler.Available(); err != nil {
				return fmt.Errorf("--sampler: %w; auto takes signals instead", err)
			}

			filter := matrix.Filter{Operations: []string{operation}, Suites: []string{suite},
				Algorithms: []string{"usual"}}
			if cell, err := compare.ParseCell(args[0]); err == nil {
				for _, name := range []string{"operation", "engine", "suite"} {
					if cmd.Flags().Changed(name) && (name != "operation" || cell.Operation != "") {
						return fmt.Errorf("--%s does not go with the id of a cell, which names it", name)
					}
				}
				if cell.Operation == "" {
					cell.Operation = compare.Operation(operation)
				}
				plan.Cells = []compare.Cell{cell}
			} else {
				if err := given.schemas.Set(args[0]); err != nil {
					return err
				}
				if len(given.schemas) != 1 {
					return errors.New("profile takes one schema or file")
				}
			}

			if err := given.read(&filter); err != nil {
				return err
			}
			if plan.Cells == nil {
				var err error
				if plan.Cells, err = theCell(cmd, filter); err != nil {
					return err
				}
			}

			plan.Rules, plan.Given = measure.Rules(), filter.Given
			plan.Command, plan.Args = commandLine(cmd)
			folder, err := openResults(out)
			if err != nil {
				return err
			}
			defer folder.Close()

			progress, clear := progressTo(cmd.ErrOrStderr())
			campaign, err := measure.Run(cmd.Context(), plan, children, folder, progress)
			clear()
			if campaign == nil {
				return err
			}
			shown := report.New(campaign, matrix.Formats, nil)
			failed := append(parts(err), finish(io.Discard, shown, folder, folder.FS(), false)...)
			if len(failed) > 0 {
				return errors.Join(failed...)
			}

			if err := verdict(campaign); err != nil {
				return err
			}
			r, err := report.Profiled(campaign, "")
			if err != nil {
				return &noError{campaign.Results[0].Reason}
			}
			p, err := profileOf(folder.Path, r.ID)
			if err != nil {
				return err
			}

			told := report.Profiling{Campaign: campaign, Result: r, Profile: p.profile, Rules: plan.Rules,
				Within: profileWithin}
			if asReport {
				return told.Markdown(cmd.OutOrStdout())
			}
			return told.Text(cmd.OutOrStdout())
		},
	}

	given.contexts.addOffline(cmd)
	flags := cmd.Flags()
	flags.StringVar(&operation, "operation", string(compare.Verify), "one of "+
		strings.Join(choice.Names(compare.Operations), ", "))
	given.engines.add(cmd, "one of")
	flags.StringVar(&suite, "suite", "eddsa-rdfc-2022", "cryptosuite or envelope")
	flags.Float64Var(&plan.Profile, "seconds", profileSeconds, "CPU seconds that the profile may take")
	flags.StringVar((*string)(&plan.Sampler), "sampler", string(profiles.Auto),
		"perf (Linux, 4,000 samples a second), signal (100), or auto, perf where allowed")
	flags.StringVar(&out, "out", "", "results folder `DIR`, new or empty; default results/ and the time")
	flags.BoolVar(&asReport, "report", false, "print Markdown for the tracker of a library")

	return cmd
}

// theCell returns the one cell that a filter selects, without the floor.
func theCell(cmd *cobra.Command, filter matrix.Filter) ([]compare.Cell, error) {
	if filter.Operations[0] == string(compare.Canonize) && !cmd.Flags().Changed("suite") {
		filter.Suites = []string{string(canon.RDFC)}
	}
	selection, err := matrix.Select(filter, matrix.DefaultPolicy)
	if err != nil {
		return nil, err
	}
	if err := checkSelection(cmd.Context(), selection, nil); err != nil {
		return nil, err
	}
	cells := slices.DeleteFunc(selection.Cells(), func(c compare.Cell) bool {
		return c.Format == compare.Floor
	})
	if len(cells) == 0 {
		for _, r := range selection.Unsupported() {
			return nil, &noError{r.Reason}
		}
		return nil, errors.New("there is no such cell; canonscope cells lists them")
	}
	return cells[:1], nil
}
