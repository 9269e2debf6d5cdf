package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/builds"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/compare/report"
	"canonscope/profiles"
	"canonscope/vcdm/keys"
)

// Settings of ab.
const (
	abRuns = 10
	abBand = 0.02 // a patch that gains 5 % is worth knowing
)

// abWindow is longer than that of run: two builds differ by less than two formats.
var abWindow = compare.Window{Collections: 5, Least: 0.25, Most: 1, Warm: 0.1}

func newABCommand() *cobra.Command {
	var (
		filter   matrix.Filter
		policy   matrix.Policy
		given    givenFlags
		recipe   builds.Recipe
		replace  []string
		out      string
		jsonText bool

		band, precision = percent(abBand), percent(0)

		plan = measure.Plan{Documents: documents, Window: abWindow, Memory: memory,
			Deadline: 10 * deadline, Idle: idle, Keep: true, Fitness: true, Canonize: canonizeDeadline}
	)

	cmd := &cobra.Command{
		Use:   "ab {--replace MODULE=DIR | --commit REV} [flags] [SCHEMA|FILE]...",
		Short: "Measure a patch of a library, or of canonscope",
		Long: `Ab builds canonscope twice, measures both builds in turns, and prints what the
new one costs as a multiple of the old one: with its interval and a verdict, the
phases that changed, and a picture of the difference for each operation.

With --replace the new build has a checkout of a module in place of the version
that canonscope requires: a patch of json-gold, jcs, jwx or cbor against its
release. With --commit the old build is canonscope at a commit, and the new one
the checkout as it is. The builds need the Go tool and a checkout of canonscope,
the current folder or --source. They are made from copies of go.mod and of the
commit, so nothing in the checkout changes, and from what is in the module
cache, so nothing is fetched.

The gate compares the new build as any engine: if its canonical forms are other
ones, it has no time, the differing quads are shown, and the exit status is 1.
Otherwise it is 0, whatever is faster.

Without flags that name cells it measures issue and verify of simple-20 by
eddsa-rdfc-2022, with the engines stock and native. Phases follow the frame
rules of each build's own sources.`,
		Example: `  canonscope ab --replace github.com/piprate/json-gold=../json-gold
  canonscope ab --commit HEAD~3 --engine native ob3
  canonscope ab --commit main --operation canonize --suite jcs simple-20
  canonscope ab --replace github.com/lestrrat-go/jwx/v2=../jwx --suite jws`,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if err := cmd.Flags().Set("schema", name); err != nil {
					return err
				}
			}

			changed := cmd.Flags().Changed
			switch {
			case len(replace) == 0 && recipe.Commit == "":
				return errors.New("ab needs what the new build has: --replace MODULE=DIR; or what the old " +
					"one is of: --commit REV")
			case len(replace) > 0 && recipe.Commit != "":
				return errors.New("--replace and --commit are two comparisons; make them one after the other")
			case plan.Runs < 1:
				return fmt.Errorf("--runs is %d; it must be at least 1", plan.Runs)
			case changed("n") && plan.Window.N < 1:
				return fmt.Errorf("--n is %d; it must be at least 1", plan.Window.N)
			case changed("profile-seconds") && !(plan.Profile >= 0 && plan.Profile <= 600):
				return fmt.Errorf("--profile-seconds is %v; it must be 0 to 600", plan.Profile)
			}
			for _, text := range replace {
				module, dir, ok := strings.Cut(text, "=")
				if !ok || dir == "" {
					return fmt.Errorf("--replace %s: want MODULE=DIR", text)
				}
				recipe.Replace = append(recipe.Replace, builds.Replacement{Module: module, Dir: dir})
			}

			if err := checkPolicy(policy); err != nil {
				return err
			}
			if err := checkCanonize(filter.Operations, changed); err != nil {
				return err
			}
			if err := given.read(&filter); err != nil {
				return err
			}
			usualCells(&filter)
			policy.Builds = []string{builds.Old, builds.New}
			selection, err := matrix.Select(filter, policy)
			if err != nil {
				return err
			}
			if err := checkSelection(cmd.Context(), selection, nil); err != nil {
				return err
			}

			made, err := os.MkdirTemp("", "canonscope-ab-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(made)
			say := func(text string) { note(cmd, "%s", text) }
			binaries, err := recipe.Make(cmd.Context(), made, say)
			if err != nil {
				return err
			}
			if plan.Builds, err = measure.BuildsOf(cmd.Context(), binaries, internalRun); err != nil {
				return err
			}

			plan.Now, plan.Band, plan.Precision = time.Now().UTC().Truncate(time.Second), float64(band),
				float64(precision)
			plan.Cells, plan.Rules, plan.Given = selection.Cells(), measure.Rules(), filter.Given
			plan.Command, _ = commandLine(cmd) // without arguments: the binaries are gone when it could go on
			plan.Disclosed, plan.Unsupported = selection.Disclosed, selection.Unsupported()
			folder, err := openResults(out)
			if err != nil {
				return err
			}
			defer folder.Close()
			return concludeAB(cmd, &plan, folder, jsonText)
		},
	}

	matrixFlags(cmd, &filter, &policy, &given)
	flags := cmd.Flags()
	flags.StringArrayVar(&replace, "replace", nil,
		"build with the checkout `MODULE=DIR` in place of a module that go.mod requires; may repeat")
	flags.StringVar(&recipe.Commit, "commit", "", "compare the checkout with its commit `REV`")
	flags.StringVar(&recipe.Source, "source", "",
		"checkout of canonscope in `DIR`; default the current folder")
	flags.IntVar(&plan.Runs, "runs", abRuns, "fresh processes of each build per exchange")
	flags.IntVar(&plan.Window.N, "n", 0,
		"timed operations per process, instead of a window that holds collections")
	flags.Float64Var(&plan.Profile, "profile-seconds", experimentProfile,
		"CPU seconds of each profile pass, 0 for none")
	flags.Lookup("n").DefValue = "0" // pflag hides a zero
	flags.Var(&precision, "precision", "add processes, at most 100 in all, until the interval of issue + "+
		"verify is ±`PERCENT` in every row")
	band.addBand(cmd)
	flags.Uint64Var(&plan.Seed, "seed", 1, "seed of documents, keys and the order of cells")
	flags.StringVar(&out, "out", "", "results folder `DIR`, new or empty; default results/ and the time")
	flags.BoolVar(&jsonText, "json", false, "print the results as JSON instead of the comparison")
	return cmd
}

// usualCells has a filter that names no exchanges name the usual ones.
func usualCells(f *matrix.Filter) {
	if len(f.Formats)+len(f.Suites)+len(f.Algorithms) == 0 {
		f.Suites, f.Algorithms = []string{"eddsa-rdfc-2022"}, []string{string(keys.EdDSA)}
		if slices.Contains(f.Operations, string(compare.Canonize)) {
			f.Suites, f.Algorithms = []string{string(canon.RDFC)}, nil
		}
	}
	if len(f.Engines) == 0 {
		f.Engines = []string{string(canon.Stock), string(canon.Native)}
	}
	if len(f.Schemas) == 0 {
		f.Schemas = []string{"simple-20"}
	}
	if len(f.Operations) == 0 {
		f.Operations = []string{string(compare.Issue), string(compare.Verify)}
	}
}

// concludeAB measures, prints the comparison and writes what came of it.
func concludeAB(cmd *cobra.Command, plan *measure.Plan, folder *measure.Folder, jsonText bool) error {
	progress, clear := progressTo(cmd.ErrOrStderr())
	campaign, err := measure.Run(cmd.Context(), *plan, children, folder, progress)
	clear()
	if campaign == nil {
		return err
	}

	shown := report.New(campaign, matrix.Formats, nil)
	pictures, failed := differencesOf(cmd.Context(), shown, plan.Builds, folder)
	failed = append(parts(err), failed...)
	table := io.Discard
	if jsonText {
		table = cmd.OutOrStdout()
	}
	failed = append(failed, finish(table, shown, folder, folder.FS(), jsonText)...)
	if !jsonText {
		out := cmd.OutOrStdout()
		for _, c := range shown.Table.Builds {
			failed = append(failed, parts(c.Text(out, colours(out)))...)
		}
		p := printable.Printer{W: out, Width: columns}
		p.Line("")
		for _, text := range shown.Table.Fitness {
			p.Line("%s", text)
		}
		for _, name := range pictures {
			p.Line("%s", path.Join(folder.Path, name))
		}
		p.Line("results in %s; report.html shows them", folder.Path)
		failed = append(failed, parts(p.Err)...)
	}
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	return verdict(campaign)
}

// differencesOf draws the difference of the builds in each operation that both have a profile of, the dearest
// change first, into the results folder. It returns the names of the files.
func differencesOf(
	ctx context.Context, shown *report.Report, of []measure.Build, folder *measure.Folder,
) (names []string, failed []error) {
	for _, c := range shown.Table.Builds {
		for _, change := range c.Cells {
			if ctx.Err() != nil {
				return names, failed
			}
			cell, err := compare.ParseCell(change.ID)
			if err != nil {
				failed = append(failed, err)
				continue
			}
			name, err := drawBuilds(shown.Campaign, cell, of, folder)
			if err != nil {
				failed = append(failed, err)
			} else if name != "" {
				names = append(names, name)
			}
		}
	}
	return names, failed
}

// drawBuilds draws the difference of the first two builds in a cell; it returns "" without both profiles.
func drawBuilds(
	c *compare.Campaign, cell compare.Cell, of []measure.Build, folder *measure.Folder,
) (name string, err error) {
	var sides []*profiled
	for _, b := range of[:2] {
		id := cell.Of(b.Label).ID()
		i := slices.IndexFunc(c.Results, func(r compare.Result) bool { return r.ID == id })
		if i < 0 || c.Results[i].Profile == nil || c.Results[i].Profile.Pprof == "" {
			return "", nil
		}
		r := &c.Results[i]

		f, err := folder.FS().Open(r.Profile.Pprof)
		if err != nil {
			return "", err
		}
		defer f.Close()
		side, err := readProfile(f, report.Short(r.ID), r.Profile.Pprof, report.CPU(r))
		if err != nil {
			return "", err
		}

		side.rules = b.FrameRules
		sides = append(sides, side)
		base := path.Base(r.Profile.Flame)
		name = "difference/" + strings.TrimSuffix(base, "_"+b.Label+path.Ext(base)) + ".svg"
	}

	svg, _, err := drawTwo(sides, formatSVG, profiles.DifferenceOptions{})
	if err != nil {
		return "", err
	}
	return name, folder.Write(name, svg)
}
