package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/compare/stats"
	"canonscope/profiles"
)

// CPU seconds of a profile. A phase needs samples at every size, of which perf takes 40 times as many, and
// many operations: native ones are short.
const (
	scaleProfile       = 1
	scaleNativeProfile = 0.2
)

func newScaleCommand() *cobra.Command {
	var (
		filter   matrix.Filter
		policy   matrix.Policy
		given    givenFlags
		axes     []string
		by       string
		against  []string
		out      string
		jsonText bool
		away     fleetFlags

		plan = measure.Plan{Documents: documents, Window: measure.DefaultWindow, Memory: memory,
			Deadline: 10 * deadline, Idle: idle, Keep: true, Fitness: true, Band: stats.Band,
			Canonize: canonizeDeadline}
	)

	cmd := &cobra.Command{
		Use:   "scale --axis AXIS=FROM..TO[:POINTS] [flags] [SCHEMA|FILE]",
		Short: "Fit laws of growth: what each further attribute costs",
		Long: `Scale measures a credential at several sizes, nine unless POINTS says otherwise,
each so many times the last, and fits laws of growth to what processes measured:
a formula as 66.7 + 0.33·n µs for each operation, format, engine and phase, what
each further attribute costs, from which size on one format costs less than
another, and from which the last part of a law is most of it. Each has its 95 %
interval.

The law is the simplest of those that fit as well as any: fixed, a·n, a·n·ln n,
a·n², a·n + b·n², with or without a fixed part, and a power. A law whose points
are farther from it than processes explain has an exclamation mark.

Without other flags it measures issue and verify of VCDM with RDFC-1.0 and with
JCS, of SD-JWT VC and of mdoc, with native engines, of the first schema that has
the axis. Suites that all take EdDSA sign with it, unless --algorithm names
others. --by has n be another figure than the axis. The results folder has plots
as SVG, and a page with them. With --fleet workers on other machines measure it,
all sizes of a block on one of them.`,
		Example: `  canonscope scale --axis attributes=5..500
  canonscope scale --axis attributes=5..500:5 --suite eddsa-rdfc-2022,jws
  canonscope scale --schema ob3 --axis alignments=1..128 --engine stock
  canonscope scale --axis achievements=1..64 --by quads --against mdoc
  canonscope scale --schema simple-20 --axis disclose=1..20:5 --format sd-jwt-vc`,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if err := cmd.Flags().Set("schema", name); err != nil {
					return err
				}
			}
			switch {
			case len(axes) == 0 || axes[0] == "":
				return errors.New("scale needs --axis AXIS=FROM..TO, as attributes=5..500; " +
					"schemas show lists the axes of a schema")
			case len(axes) > 1:
				return fmt.Errorf("scale walks one axis, and --axis names %d; run --axis walks several",
					len(axes))
			case plan.Runs < stats.Fewest:
				return fmt.Errorf("--runs is %d; a law needs at least %d", plan.Runs, stats.Fewest)
			case cmd.Flags().Changed("n") && plan.Window.N < 1:
				return fmt.Errorf("--n is %d; it must be at least 1", plan.Window.N)
			case len(policy.Procs) > 1:
				return errors.New("--procs has one number with --axis")
			}
			if err := checkPolicy(policy); err != nil {
				return err
			}
			if err := away.check(cmd.Flags().Changed); err != nil {
				return err
			}
			if err := checkCanonize(filter.Operations, cmd.Flags().Changed); err != nil {
				return err
			}
			if policy.Disclose != "" && isDisclose(axes[0]) {
				return errors.New("--axis disclose varies what --disclose sets; give one of them")
			}
			if err := matrix.CheckAgainst(against); err != nil {
				return fmt.Errorf("--against: %w", err)
			}

			if err := given.read(&filter); err != nil {
				return err
			}
			experiments, err := experimentsOf(cmd.Context(), filter, axes, nil, plan.Seed)
			if err != nil {
				return err
			}
			for _, e := range experiments {
				if len(e.Points) < stats.Fewest {
					return fmt.Errorf("--axis %s: %d sizes; a law needs at least %d",
						axes[0], len(e.Points), stats.Fewest)
				}
			}
			if err := growBy(experiments, by); err != nil {
				return err
			}
			selection, err := matrix.SelectRivals(experiments, filter, policy)
			if err != nil {
				return err
			}
			if err := checkSelection(cmd.Context(), selection, against); err != nil {
				return err
			}

			plan.Now, plan.Profile = time.Now().UTC().Truncate(time.Second), scaleProfile
			plan.Cells, plan.Rules, plan.Given = selection.Cells(), measure.Rules(), filter.Given
			plan.Command, plan.Args = commandLine(cmd)
			slow := func(c compare.Cell) bool { return c.Engine != canon.Native }
			if some := slices.ContainsFunc(plan.Cells, slow); !some && profiles.Perf.Available() == nil {
				plan.Profile = scaleNativeProfile
			} else if some && !cmd.Flags().Changed("allocs") {
				plan.Allocs = true
			}
			plan.Disclosed, plan.LeftOut = selection.Disclosed, selection.LeftOut
			plan.Unsupported = selection.Unsupported()
			plan.Experiments, plan.Against = experiments, against
			if away.access.URL != "" {
				return runFleet(cmd, &away, plan, out, jsonText)
			}
			folder, err := openResults(out)
			if err != nil {
				return err
			}

			defer folder.Close()
			run := func(p measure.Progress) (*compare.Campaign, error) {
				return measure.Run(cmd.Context(), plan, children, folder, p)
			}
			return conclude(cmd, &plan, folder, jsonText, run)
		},
	}

	matrixFlags(cmd, &filter, &policy, &given)
	flags := cmd.Flags()
	flags.StringArrayVar(&axes, "axis", nil,
		"walk `AXIS=FROM..TO`, or FROM..TO:POINTS, or some VALUE,VALUE,VALUE; schemas show lists the axes")
	flags.StringVar(&by, "by", "", byUsage)
	flags.StringSliceVar(&against, "against", nil,
		"cross only with these suites or formats; without it all with one another")
	flags.IntVar(&plan.Runs, "runs", defaultRuns, "fresh processes per exchange and size, at least 3")
	flags.IntVar(&plan.Window.N, "n", 0,
		"timed operations per process, instead of a window that holds collections")
	flags.Lookup("n").DefValue = "0" // pflag hides a zero
	flags.BoolVar(&plan.Allocs, "allocs", false,
		"also fit laws to the bytes that phases allocate; on for engines other than native")
	flags.Uint64Var(&plan.Seed, "seed", 1, "seed of documents, keys and the order of cells")
	flags.StringVar(&out, "out", "", "results folder `DIR`, new or empty; default results/ and the time")
	flags.BoolVar(&jsonText, "json", false, "print JSON instead of the text")
	away.add(cmd)
	return cmd
}
