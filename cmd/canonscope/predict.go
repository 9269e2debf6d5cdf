package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/compare/predict"
	"canonscope/schemas"
)

// predictRuns are the processes of each exchange that a model is fitted to.
const predictRuns = 3

func newPredictCommand() *cobra.Command {
	var (
		filter   = matrix.Filter{Algorithms: []string{matrix.Usual}}
		given    givenFlags
		model    string
		out      string
		check    bool
		jsonText bool
	)

	cmd := &cobra.Command{
		Use:   "predict [flags] FILE|NAME",
		Short: "Predict what a credential costs from its shape",
		Long: `Predict measures credentials of the catalogue, fits what each unit of their
shape costs, and predicts the cost of yours: a fixed part, and so much for each
quad, node, scoped node and alike node, for each byte of the document, of its
canonical form and of what labels hash, for each byte of contexts where they are
not kept, and for each disclosure. It prints the figure with the interval in
which the cost of 95 of 100 documents would lie that are as far from the model
as those of the catalogue.

--check measures the document as well and prints by how much the prediction was
off. With --model two credentials of the model are measured again beside it, so
that a machine that became slower is not taken for an error of the model.

Costs are those of this machine and this binary alone: --out keeps the results
in a folder, which --model reads later, and which is refused elsewhere. A folder
of "canonscope run" with the same credentials is such a model.

Without flags it predicts issue and verify by eddsa-rdfc-2022 with the engine
native, and of a document that is no credential its canonicalization.`,
		Example: `  canonscope predict badge.json
  canonscope predict badge.json --engine native,stock --out model
  canonscope predict --model model --check other.json
  canonscope predict --suite jws --operation present,verify-presented badge.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("predict takes 1 FILE or NAME, and got %d", len(args))
			}
			if model != "" && out != "" {
				return errors.New("--out keeps what is measured, and --model measures nothing; " +
					"omit one of them")
			}
			for _, e := range filter.Engines { // the shape of work is that of these
				if err := choice.Check("engine", canon.Engine(e), canon.Engines); err != nil {
					return err
				}
			}
			given.schemas = schemaFlag{args[0]}
			if err := given.read(&filter); err != nil {
				return err
			}
			g, err := matrix.Generator(filter.Schemas[0], filter.Given)
			if err != nil {
				return err
			}
			predictDefaults(&filter, g.Kind())

			var campaign *compare.Campaign
			if model != "" {
				l, err := measure.Load(model)
				if err != nil {
					return err
				}
				if err := predict.Same(l.Campaign.Environment); err != nil {
					return fmt.Errorf("--model %s %w; its costs are not those here: measure with --out",
						model, err)
				}
				campaign = l.Campaign
			}
			return predicted(cmd, &filter, campaign, model, out, check, jsonText)
		},
	}

	flags := cmd.Flags()
	flags.StringSliceVar(&filter.Engines, "engine", []string{string(canon.Native)},
		"engines: native, stock, tuned")
	flags.StringSliceVar(&filter.Suites, "suite", nil,
		"cryptosuites or envelopes; without it eddsa-rdfc-2022, and rdfc for canonize")
	flags.StringSliceVar(&filter.Operations, "operation", nil,
		"operations: canonize, or issue, verify, present, verify-presented; without it issue and verify")
	flags.StringVar(&model, "model", "", "read what costs were measured from the results `FOLDER`")
	flags.StringVar(&out, "out", "", "keep what is measured in a results folder `DIR`, new or empty")
	flags.BoolVar(&check, "check", false, "measure the document, and print by how much the prediction is off")
	flags.BoolVar(&jsonText, "json", false, "print JSON, with the residual of each credential")
	given.contexts.addOffline(cmd)
	return cmd
}

// predictDefaults names what flags do not.
func predictDefaults(f *matrix.Filter, kind schemas.Kind) {
	if len(f.Operations) == 0 {
		f.Operations = []string{string(compare.Issue), string(compare.Verify)}
		if kind != schemas.Claims {
			f.Operations = []string{string(compare.Canonize)}
		}
	}
	if len(f.Suites) > 0 {
		return
	}
	for _, op := range f.Operations {
		if f.Suites = []string{"eddsa-rdfc-2022"}; op == string(compare.Canonize) {
			f.Suites = []string{string(canon.RDFC)}
		}
	}
}

// predicted measures what is missing, and prints the prediction of the schema of a filter. A model is what an
// earlier campaign measured; without one the catalogue is measured, beside the document if that is checked.
func predicted(
	cmd *cobra.Command, f *matrix.Filter, model *compare.Campaign, folder, out string, check, jsonText bool,
) error {
	schema, todo := f.Schemas[0], []string{}
	switch {
	case model == nil:
		todo = append(todo, predict.Schemas...)
	case check:
		todo = append(todo, predict.Anchors...)
	}
	if check && !slices.Contains(todo, schema) {
		todo = append(todo, schema)
	}
	all := *f
	selection, err := matrix.Select(all, matrix.DefaultPolicy)
	if err != nil {
		return err
	}
	if err := checkSelection(cmd.Context(), selection, nil); err != nil {
		return err
	}
	if _, err := predict.ShapeOf(cmd.Context(), schema, f.Given); err != nil {
		title, _ := schemas.FileTitle(schema)
		return fmt.Errorf("%s: %w", title, err)
	}

	var checked *compare.Campaign
	if len(todo) > 0 {
		all.Schemas = todo
		c, err := measuredShortly(cmd, &all, out)
		if err != nil {
			return err
		}
		if check {
			checked = c
		}
		if model == nil {
			model, folder = c, out
		}
	}

	models, err := predict.Fit(cmd.Context(), model)
	if err != nil {
		return err
	}
	r, err := predict.New(cmd.Context(), schema, f.Given, models, selection, checked)
	if err != nil {
		return err
	}
	r.Folder, r.Runs = folder, model.Runs
	if jsonText {
		return printable.JSON(cmd.OutOrStdout(), r)
	}
	return predict.Text(cmd.OutOrStdout(), r)
}

// measuredShortly runs a short campaign, in a folder that is removed unless out names one.
func measuredShortly(cmd *cobra.Command, f *matrix.Filter, out string) (_ *compare.Campaign, err error) {
	selection, err := matrix.Select(*f, matrix.DefaultPolicy)
	if err != nil {
		return nil, err
	}
	if out == "" {
		dir, err := os.MkdirTemp("", "canonscope-predict-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		out = dir
	}
	folder, err := openResults(out)
	if err != nil {
		return nil, err
	}
	defer folder.Close()

	plan := measure.Plan{Documents: documents, Window: measure.DefaultWindow, Memory: memory,
		Deadline: 10 * deadline, Idle: idle, Canonize: canonizeDeadline, Runs: predictRuns, Seed: firstSeed,
		Now: time.Now().UTC().Truncate(time.Second), Cells: selection.Cells(), Rules: measure.Rules(),
		Given: f.Given, Disclosed: selection.Disclosed, Unsupported: selection.Unsupported(), Keep: true}
	plan.Command, plan.Args = commandLine(cmd)
	progress, clear := progressTo(cmd.ErrOrStderr())
	c, err := measure.Run(cmd.Context(), plan, children, folder, progress)
	clear()
	if c != nil && c.Interrupted {
		return nil, cmd.Context().Err()
	}
	return c, err
}
