package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon/choice"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/compare/report"
	"canonscope/compare/stats"
	"canonscope/profiles"
	"canonscope/schemas/jsonschema"
)

// Settings of run.
const (
	documents   = 64
	budget      = 57 * time.Second // of the default, so that it ends within a minute also on a busy machine
	deadline    = 2 * time.Minute  // of one child; ten times that with --full or for named cells
	idle        = 10 * time.Second // for which a child may use no CPU
	memory      = 2 << 30
	defaultRuns = 5
	fullRuns    = 10
	fullProfile = 3 // CPU seconds

	canonizeDeadline = 10 * time.Second

	experimentProfile = 1 // CPU seconds: a phase needs samples at every size
)

func newRunCommand() *cobra.Command {
	var (
		filter = matrix.Filter{Default: true}
		policy matrix.Policy
		plan   = measure.Plan{Documents: documents, Window: measure.DefaultWindow, Memory: memory,
			Deadline: deadline, Idle: idle}
		given    givenFlags
		binaries buildFlags
		away     fleetFlags
		out      string
		axes     []string
		presets  []string
		by       string
		against  []string
		binding  string
		present  string
		now      string
		cpu      int
		full     bool
		jsonText bool
		resume   string

		band      = percent(stats.Band)
		precision percent
	)

	cmd := &cobra.Command{
		Use:   "run [flags] [SCHEMA|FILE]...",
		Short: "Measure exchanges: what they cost and where it goes",
		Long: `Run measures exchanges of credentials in fresh processes, profiles them, and
prints a table: issue and verify of the whole credential, present of a part and
verify of what was presented.

--operation canonize measures canonicalization itself, of credentials, other
JSON-LD documents, JSON and N-Quads, by RDFC-1.0 and by JCS. A limit or a
deadline that it reaches is a result like a time, and so is what an engine does
not support beside others: the exit status is 0. It is 1 if a gate or a process
failed, or if nothing was tried.

A file is a credential or another document of the user; --context and --contexts
give contexts that it needs. Files are read once, before the campaign, and
results name each by its base name and the beginning of its SHA-256.

Without flags it measures a default subset in under a minute and lists what it
left out: simple-20 with up to five processes a cell, then ob3 with as many as
the time allows. Times are process CPU, the garbage collector included. A cell
is timed only after its gate: the canonical form agrees with another
implementation, verify accepts what was presented and refuses altered copies.
Results go to a new folder: env.json, runs.jsonl (a line as each run ends),
results.json, table.md, table.csv, bench.txt for benchstat, report.html for a
browser, profiles for "go tool pprof", flame graphs. The command report writes
them anew.

With --allocs a further pass of each cell records what it allocates. The table
then shows the bytes by phase, and the CPU with the collector charged to phases
by their bytes, which is a model.

Ratios compare rows of one tier and schema: with mdoc and sd-jwt-vc, or with the
suites and formats of --against. --algorithm usual takes for each suite the
algorithm that its users deploy.

With --resume an interrupted campaign goes on, also after a crash or a full
disk: what is finished is kept, and the rest is measured with the same binary,
seeds and orders.

With --fleet workers on other machines measure it, and nothing is left out for
its time. Several environments have a subfolder each, and stand side by side.

With --axis it measures a schema at each value of an axis and shows cost by
size and phase, with the laws of growth; scale does so for formats beside one
another. One axis varies at a time, the others keep their values. --preset does
so for an experiment of the catalogue. Both measure eddsa-rdfc-2022, or rdfc
with --operation canonize, with the engines native and stock, unless flags name
others. A file has axes as well: a JSON pointer repeats or removes what it
names, pad:POINTER adds bytes to a text, ids gives ids to unnamed nodes, a
pointer to @context takes a context from a file; canonical forms that stay the
same are refused. --axis disclose=1,5,all varies what is presented of a schema.
Cells that flags name are never left out, however long they take.

With --binary builds of canonscope are compared, as two versions of a library:
in each block their processes follow one another, and ratios are paired by
block. What builds draw, and the canonical forms they make, must be the same.
The command ab makes the builds as well.`,
		Example: `  canonscope run
  canonscope run my-credential.json
  canonscope run --context https://example.org/v1=v1.jsonld my-credential.json
  canonscope run --suite eddsa-rdfc-2022,eddsa-jcs-2022 --operation verify
  canonscope run --schema simple-20 --algorithm usual --against eddsa-rdfc-2022
  canonscope run --operation canonize --schema kit-simple,kit-ob3,ring-64
  canonscope run --schema ob3 --allocs
  canonscope run --axis achievements=1,2,5,10,30
  canonscope run --schema ob3 --axis alignments=1,10,50 --engine native
  canonscope run badge.json --axis /credentialSubject/achievement/tag=1,5,20
  canonscope run --schema simple-20 --suite jws --axis disclose=1,5,20,all
  canonscope run --schema ob3 --granularity leaf,branch,claim --disclose 3
  canonscope run --preset clr-or-elm
  canonscope run ob3 --engine stock --binary old=./before --binary new=./after
  canonscope run --full --out results/full
  canonscope run --resume results/full
  canonscope run --full --fleet nats://127.0.0.1:4222 --env rack,phones`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("resume") {
				return resumeRun(cmd, args, resume, &given, &binaries, &axes, &jsonText, &away)
			}

			for _, name := range args {
				if err := cmd.Flags().Set("schema", name); err != nil {
					return err
				}
			}

			changed := cmd.Flags().Changed
			if err := away.check(changed); err != nil {
				return err
			}
			switch {
			case full && (changed("n") || changed("runs")):
				return errors.New("--full sets --n and --runs; omit them")
			case changed("n") && plan.Window.N < 1:
				return fmt.Errorf("--n is %d; it must be at least 1", plan.Window.N)
			case plan.Runs < 1:
				return fmt.Errorf("--runs is %d; it must be at least 1", plan.Runs)
			case changed("profile-seconds") && !(plan.Profile >= 0 && plan.Profile <= 600):
				return fmt.Errorf("--profile-seconds is %v; it must be 0 to 600", plan.Profile)
			}

			if err := checkPolicy(policy); err != nil {
				return err
			}
			if len(policy.Procs) > 1 && (axes != nil || presets != nil) {
				return errors.New("--procs has one number with --axis and --preset")
			}
			if len(binaries) > 0 && (axes != nil || presets != nil) {
				return errors.New("--binary does not go with --axis and --preset; name schemas of several " +
					"sizes")
			}
			if err := checkCanonize(filter.Operations, changed); err != nil {
				return err
			}
			if policy.Disclose != "" && slices.ContainsFunc(axes, isDisclose) {
				return errors.New("--axis disclose varies what --disclose sets; give one of them")
			}

			if changed("validate") {
				if err := choice.Check("validator", jsonschema.Engine(policy.Validator),
					jsonschema.Engines); err != nil {
					return err
				}
			}

			var err error
			if policy.Binding, err = compare.ParseBinding(binding); err != nil {
				return err
			}
			if plan.Now = time.Now().UTC().Truncate(time.Second); changed("now") {
				if plan.Now, err = time.Parse(time.RFC3339, now); err != nil {
					return fmt.Errorf("--now %s: want a time such as 2026-01-31T12:00:00Z", now)
				}
			}
			if policy.Present, err = compare.ParsePresenting(present); err != nil {
				return err
			}
			if err := matrix.CheckAgainst(against); err != nil {
				return fmt.Errorf("--against: %w", err)
			}
			if err := choice.Check("sampler", plan.Sampler, profiles.Samplers); err != nil {
				return err
			}
			if err := plan.Sampler.Available(); err != nil {
				return fmt.Errorf("--sampler: %w; auto takes signals instead", err)
			}
			if plan.Canonize < 0 {
				return fmt.Errorf("--deadline is %v; it must not be negative", plan.Canonize)
			}
			if changed("cpu") {
				if err := measure.CheckCPU(cpu); err != nil {
					return fmt.Errorf("--cpu is %d; %w", cpu, err)
				}
				plan.CPU = &cpu
			}

			if full {
				plan.Window, plan.Runs, plan.Deadline = measure.FullWindow, fullRuns, 10*deadline
				if !changed("profile-seconds") {
					plan.Profile = fullProfile
				}
				if !changed("allocs") {
					plan.Allocs = true
				}
				if !changed("granularity") {
					policy.Granularities = []compare.Granularity{compare.Leaf, compare.Branch}
				}
				if !changed("procs") && axes == nil && presets == nil {
					policy.Procs = []int{1, 2}
				}
			}

			if plan.Window.N == 0 && !full {
				plan.Budget = budget
			}

			named := slices.ContainsFunc([]string{"format", "suite", "engine", "algorithm", "schema", "axis",
				"preset", "context-cache"}, changed)
			if named {
				plan.Keep, plan.Deadline = true, 10*deadline
			}

			if err := given.read(&filter); err != nil {
				return err
			}
			builds, err := binaries.read(cmd.Context())
			if err != nil {
				return err
			}
			compareBuilds(builds, &policy, &plan)
			experiments, err := experimentsOf(cmd.Context(), filter, axes, presets, plan.Seed)
			if err != nil {
				return err
			}
			if err := growBy(experiments, by); err != nil {
				return err
			}
			if experiments != nil && !full && !changed("profile-seconds") {
				plan.Profile = experimentProfile
			}

			selection, err := selectCells(experiments, filter, policy)
			if err != nil {
				return err
			}

			if err := checkSelection(cmd.Context(), selection, against); err != nil {
				return err
			}

			for _, text := range selection.Chosen(plan.Now) {
				note(cmd, "%s", text)
			}

			plan.Fitness, plan.Band, plan.Precision = true, float64(band), float64(precision)
			plan.Cells, plan.Rules, plan.Given = selection.Cells(), measure.Rules(), filter.Given
			plan.Command, plan.Args = commandLine(cmd)
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
			if full {
				note(cmd, "about %s for %d operations; with Ctrl-C what is finished stays, and --resume %s "+
					"goes on", roughly(plan.Estimate()), len(plan.Cells), folder.Path)
			}
			run := func(p measure.Progress) (*compare.Campaign, error) {
				return measure.Run(cmd.Context(), plan, children, folder, p)
			}
			return conclude(cmd, &plan, folder, jsonText, run)
		},
	}

	matrixFlags(cmd, &filter, &policy, &given)
	binaries.add(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&axes, "axis", nil,
		"walk `AXIS=VALUE,...` and show how costs grow; may repeat; schemas show lists the axes of a schema")
	flags.StringSliceVar(&presets, "preset", nil, "run these experiments: "+strings.Join(presetNames(), ", "))
	flags.StringVar(&by, "by", "", byUsage)
	flags.StringSliceVar(&against, "against", nil,
		"print ratios to these suites or formats; without it to mdoc and sd-jwt-vc")
	band.addBand(cmd)
	flags.Var(&precision, "precision", "add processes, at most 100 in all and while time allows, until the "+
		"interval of issue + verify is ±`PERCENT` in every row")
	flags.StringVar(&policy.Validator, "validate", "",
		"validate with this `VALIDATOR` of JSON Schema inside issue and verify of vcdm: "+
			strings.Join(choice.Names(jsonschema.Engines), ", "))

	flags.StringVar(&present, "present", compare.Resigned.String(),
		"how suites that do not derive present: resigned by the issuer, or whole, all that was issued")
	flags.StringVar(&now, "now", "", "`TIME` of issue and of the verifier's clock; default now")
	flags.DurationVar(&plan.Canonize, "deadline", canonizeDeadline,
		"`TIME` that canonize may take; 0 for no bound")
	flags.StringVar(&binding, "binding", compare.NoBinding.String(),
		"none, or holder: holders sign what they present, in every format")
	flags.IntVar(&plan.Window.N, "n", 0,
		"timed operations per process, instead of a window that holds collections")
	flags.IntVar(&plan.Runs, "runs", defaultRuns,
		"fresh processes per exchange; 3 are needed for an interval")
	flags.BoolVar(&plan.Raw, "raw", false, "keep the times of single operations, and print percentiles")
	flags.IntVar(&cpu, "cpu", 0, "pin processes to processor `NUMBER` (Linux)")
	flags.Uint64Var(&plan.Seed, "seed", 1, "seed of documents, keys and the order of cells")
	flags.StringVar(&out, "out", "", "results folder `DIR`, new or empty; default results/ and the time")
	flags.Float64Var(&plan.Profile, "profile-seconds", -1,
		"CPU seconds of each profile pass, 0 for none; default as many as time allows")
	flags.StringVar((*string)(&plan.Sampler), "sampler", string(profiles.Auto),
		"of CPU profiles: perf (Linux, 4,000 samples a second), signal (100), or auto, perf where allowed")
	flags.BoolVar(&plan.Allocs, "allocs", false,
		"also profile allocations, and charge the collector to phases by bytes; on with --full")
	flags.BoolVar(&full, "full", false, fmt.Sprintf(
		"measure longer: windows of %d collections, %d processes, GOMAXPROCS 1 and 2",
		measure.FullWindow.Collections, fullRuns))
	flags.BoolVar(&jsonText, "json", false, "print JSON instead of the table")
	away.add(cmd)
	flags.StringVar(&resume, "resume", "",
		"measure what is left of the campaign in `FOLDER`, which was interrupted, as it was planned")
	for name, value := range map[string]string{"n": "0", "profile-seconds": "0", "cpu": "0"} {
		flags.Lookup(name).DefValue = value // pflag hides a zero
	}

	return cmd
}

// checkCanonize refuses flags of exchanges where documents are canonicalized and nothing else.
func checkCanonize(operations []string, changed func(string) bool) error {
	if len(operations) == 0 || slices.ContainsFunc(operations, func(op string) bool {
		return op != string(compare.Canonize)
	}) {
		return nil
	}
	for _, f := range []struct{ flag, why string }{{"binding", "no holder signs"},
		{"validate", "nothing is validated"}, {"disclose", "nothing is disclosed"},
		{"granularity", "nothing is disclosed"}, {"present", "nothing is presented"},
		{"against", "ratios are to the first document"}} {
		if changed(f.flag) {
			return fmt.Errorf("--%s does not go with --operation canonize: %s; omit one of them", f.flag,
				f.why)
		}
	}
	return nil
}

func isDisclose(axis string) bool { return strings.HasPrefix(axis, compare.DiscloseAxis+"=") }

// checkSelection refuses what no campaign can measure: documents of another kind, those that cannot be read,
// and ratios to what is not measured.
func checkSelection(ctx context.Context, s *matrix.Selection, against []string) error {
	if err := s.Refused(); err != nil {
		return err
	}
	if err := s.Check(ctx); err != nil {
		return err
	}
	if err := s.CheckAgainst(against); err != nil {
		return fmt.Errorf("--against: %w", err)
	}
	return nil
}

// commandLine is that of this process, as a shell reads it, and its arguments.
func commandLine(cmd *cobra.Command) (line string, args []string) {
	line = "canonscope"
	for _, word := range os.Args[1:] {
		line += " " + quoted(word)
	}
	if found, args, err := cmd.Root().Find(os.Args[1:]); err == nil && found == cmd {
		return line, args
	}
	return line, nil
}

// children are processes of this binary.
var children = measure.Process{Args: []string{internalRun}}

// conclude measures, and prints and writes what came of it.
func conclude(cmd *cobra.Command, plan *measure.Plan, folder *measure.Folder, jsonText bool,
	run func(measure.Progress) (*compare.Campaign, error),
) error {
	progress, clear := progressTo(cmd.ErrOrStderr())

	// A reader of the table may close the pipe; the files are still written.
	signal.Ignore(syscall.SIGPIPE)
	campaign, err := run(progress)
	clear()
	if campaign == nil {
		return err
	}
	shown := report.New(campaign, matrix.Formats, plan.Experiments, plan.Against...)
	failed := append(parts(err), finish(cmd.OutOrStdout(), shown, folder, folder.FS(), jsonText)...)
	if len(failed) == 0 {
		return verdict(campaign)
	}
	return errors.Join(slices.CompactFunc(failed,
		func(a, b error) bool { return a.Error() == b.Error() })...)
}

// openResults opens the folder that --out names, or else a new one that is called after the time.
func openResults(out string) (*measure.Folder, error) {
	if out == "" {
		return measure.NewFolder(filepath.Join("results", time.Now().UTC().Format("20060102-150405")))
	}
	return measure.OpenFolder(out)
}

// finish prints the table and writes the files of a report, each whatever becomes of the others: the
// output may have no reader, and the folder no space. The page has the flame graphs of flames.
func finish(stdout io.Writer, r *report.Report, folder *measure.Folder, flames fs.FS, jsonText bool) []error {
	printed := make(chan error, 1)
	go func() {
		if jsonText {
			printed <- r.JSON(stdout)
		} else {
			printed <- r.Text(stdout, colours(stdout))
		}
	}()

	var failed []error
	for _, f := range r.Files(flames) {
		if err := folder.Write(f.Name, f.Content); err != nil {
			failed = append(failed, fmt.Errorf("write results: %w", err))
		}
	}

	kept, lost := folder.Kept()
	for _, err := range lost {
		failed = append(failed, fmt.Errorf("write results: %w", err))
	}

	err := <-printed
	if err == nil && !jsonText {
		err = report.Kept(stdout, r.Campaign, folder.Path, kept)
	}
	if err != nil {
		failed = append(failed, err)
	}

	return failed
}

// verdict is the answer no for a campaign with a cell that failed, or without any answer. That a document
// reaches a limit or the deadline is an answer.
func verdict(c *compare.Campaign) error {
	if c.Interrupted {
		return &noError{fmt.Sprintf("interrupted; every finished run is in %s; canonscope run --resume %s "+
			"measures the rest", filepath.Join(c.Out, "runs.jsonl"), quoted(c.Out))}
	}
	answered := 0
	for _, r := range c.Results {
		switch {
		case r.State == compare.Measured, r.Cell.Outcome(r.State):
			answered++
		case r.State == compare.Unsupported, r.State == compare.LeftOut:
		default:
			reason, _, _ := strings.Cut(r.Reason, "\n") // the table has it all
			return &noError{fmt.Sprintf("%s: %s: %s", report.Short(r.ID), r.State, reason)}
		}
	}
	if answered == 0 {
		return &noError{"nothing was measured"}
	}
	return nil
}

func progressLine(s measure.Step) string {
	stage := s.Stage
	if s.Part != "" {
		stage += ", " + s.Part
	}
	left := ""
	if s.Left > 0 {
		left = fmt.Sprintf("; %s of %s left", roughly(s.Left), roughly(s.Elapsed+s.Left))
	}
	cell := printable.Line(report.Short(s.Cell))
	return fmt.Sprintf("%s: %d of %d%s; %s", stage, s.Done+1, s.Total, left, cell)
}

// roughly is a time in two digits or three.
func roughly(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 100*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// progressTo keeps one line of a terminal up to date; elsewhere it writes a line when a stage begins.
func progressTo(w io.Writer) (progress measure.Progress, clear func()) {
	if terminal(w) {
		return func(s measure.Step) {
			fmt.Fprintf(w, "\r\x1b[K%.79s", progressLine(s))
		}, func() { fmt.Fprint(w, "\r\x1b[K") }
	}
	last := ""
	return func(s measure.Step) {
		if s.Stage == last {
			return
		}
		last = s.Stage
		left := ""
		if s.Left > 0 {
			left = fmt.Sprintf(", %s of %s left", roughly(s.Left), roughly(s.Elapsed+s.Left))
		}
		fmt.Fprintf(w, "%s%s\n", s.Stage, left)
	}, func() {}
}
