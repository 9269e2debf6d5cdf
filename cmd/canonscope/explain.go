package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/canon/userfile"
	"canonscope/compare"
	"canonscope/compare/explain"
	"canonscope/schemas/catalogue"
)

// internalExplain is the hidden subcommand that explain.Process starts.
const internalExplain = "internal-explain"

func newInternalExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:    internalExplain,
		Short:  "Time documents in turns",
		Hidden: true,
		Args:   noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return explain.Serve(cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

// Settings of explain.
const (
	explainSeconds = 30
	mostSeconds    = 3600
	explainTop     = 16
)

func newExplainCommand() *cobra.Command {
	var (
		opt     explain.Options
		engines engineFlag
		from    contextFlags
		top     int
		out     string
		asJSON  bool
		diff    bool
	)

	cmd := &cobra.Command{
		Use:   "explain [flags] FILE|NAME",
		Short: "Show which part of a credential costs most, and why",
		Long: `Explain charges what a credential or another JSON-LD document costs to its
parts.

Counted, exactly: for every JSON pointer and every term of the contexts the
quads, bytes of the canonical form, blank nodes, hashes and scoped contexts. The
sums are those of the document. Its proof is left out, as a signature does.

Measured: how much less the document costs without each of its dearest parts,
down the tree until parts are within noise or the time is over, in fresh
processes that time the whole and all changed documents in turns. Then advice:
changed documents that are shown to cost less, with what the change would alter.
--seconds 0 counts alone.

--out FILE.html writes a page with the document as a tree; --out DIR the page,
explain.json and a profile whose stacks are JSON pointers: "go tool pprof
-sample_index=bytes explain.pb.gz". --diff compares two documents, or two
files of explain --json.`,
		Example: `  canonscope explain credential.json
  canonscope explain ob3 --engine native,stock
  canonscope explain --suite eddsa-rdfc-2022 --seconds 120 clr-large
  canonscope explain ob3 --out ob3.html
  canonscope explain --seconds 0 --json credential.json > before.json
  canonscope explain --diff before.json changed.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			want := 1
			if diff {
				want = 2
			}
			switch {
			case len(args) != want:
				return fmt.Errorf("explain takes %d of FILE or NAME, and got %d", want, len(args))
			case top < 1:
				return fmt.Errorf("--top is %d; it must be at least 1", top)
			case !(opt.Seconds >= 0 && opt.Seconds <= mostSeconds):
				return fmt.Errorf("--seconds is %v; it must be 0 to %d", opt.Seconds, mostSeconds)
			case diff && out != "":
				return errors.New("--out is not for --diff")
			}
			for _, name := range engines.names {
				opt.Engines = append(opt.Engines, canon.Engine(name))
			}
			opt.Commands = engines.commands
			opt.Process = explain.Process{Args: []string{internalExplain}}
			opt.Note = func(text string) {
				if terminal(cmd.ErrOrStderr()) {
					fmt.Fprintf(cmd.ErrOrStderr(), "measuring %s\n", text)
				}
			}

			given, err := from.read()
			if err != nil {
				return err
			}
			if diff {
				return explainDiff(cmd, args, given, opt, top, asJSON)
			}
			r, err := explained(cmd.Context(), args[0], given, opt)
			if err != nil {
				return err
			}
			if out != "" {
				if err := writeExplained(out, r, top); err != nil {
					return err
				}
			}
			if asJSON {
				return printable.JSON(cmd.OutOrStdout(), r)
			}
			return explain.Text(cmd.OutOrStdout(), r, top)
		},
	}

	f := cmd.Flags()
	f.StringVar(&opt.Suite, "suite", "",
		"measure issue and verify with a suite of vcdm, not canonicalization")
	engines.names = []string{string(canon.Native)}
	f.Var(&engines, "engine", "engines to measure: "+engineHelp)
	f.Float64Var(&opt.Seconds, "seconds", explainSeconds, "time to measure; 0 counts alone")
	f.IntVar(&top, "top", explainTop, "rows of each table")
	f.BoolVar(&asJSON, "json", false, "print JSON, with all parts")
	f.StringVar(&out, "out", "", "write a page to `FILE.html`, or all files to a new folder")
	f.BoolVar(&diff, "diff", false, "compare two documents or files of explain --json")
	addLimit(f, &opt.Limits.Bytes, "max-bytes", measureBytes, "limit of the document's size")
	from.addOffline(cmd)
	return cmd
}

// readExplained reads a document: a name of the catalogue comes before a file that is called the same.
func readExplained(name string, contexts map[string][]byte) (*explain.Document, error) {
	given := compare.Given{Documents: map[string][]byte{}, Contexts: contexts}
	if !catalogue.IsFile(name) {
		if _, err := catalogue.Get(name); err == nil || !exists(name) {
			return explain.Read(name, given)
		}
	}
	schema, doc, err := catalogue.ReadFile(name)
	if err != nil {
		return nil, err
	}
	given.Documents[schema] = doc
	d, err := explain.Read(schema, given)
	if err != nil {
		return nil, inFile(name, err)
	}
	return d, nil
}

// explained counts a document and measures it for the time that opt has.
func explained(
	ctx context.Context, name string, contexts map[string][]byte, opt explain.Options,
) (*explain.Report, error) {
	d, err := readExplained(name, contexts)
	if err != nil {
		return nil, err
	}
	r, err := explain.Count(ctx, d, opt.Limits)
	if err != nil || opt.Seconds == 0 || len(r.Losses) > 0 { // a form without all data is not measured
		return r, err
	}
	e, err := explain.NewExplainer(d, r, opt)
	if err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{e.Probe, e.Measure, e.Advise} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// writeExplained writes a page, or the page and the other files of a report to a new folder.
func writeExplained(out string, r *explain.Report, top int) error {
	var page, text, profile bytes.Buffer
	if err := errors.Join(explain.HTML(&page, r, top), printable.JSON(&text, r),
		explain.Profile(&profile, r)); err != nil {
		return err
	}
	if strings.EqualFold(filepath.Ext(out), ".html") {
		if err := os.WriteFile(out, page.Bytes(), 0o666); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		return nil
	}

	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return err
	}
	if err := os.Mkdir(out, 0o777); err != nil {
		return fmt.Errorf("--out: %w; name a new folder", err)
	}
	return errors.Join(os.WriteFile(filepath.Join(out, "explain.html"), page.Bytes(), 0o666),
		os.WriteFile(filepath.Join(out, "explain.json"), text.Bytes(), 0o666),
		os.WriteFile(filepath.Join(out, "explain.pb.gz"), profile.Bytes(), 0o666))
}

// explainDiff compares two documents or reports.
func explainDiff(
	cmd *cobra.Command, names []string, contexts map[string][]byte, opt explain.Options, top int, asJSON bool,
) error {
	var both [2]*explain.Report
	for i, name := range names {
		if b, err := userfile.ReadAll(name); err == nil && explain.IsReport(b) {
			both[i] = new(explain.Report)
			if err := json.Unmarshal(b, both[i]); err != nil {
				return inFile(name, err)
			}
		}
	}

	for i, other := range both {
		if other != nil {
			continue
		}
		if both[1-i] != nil && len(both[1-i].Costs) == 0 {
			opt.Seconds = 0 // the report has nothing to compare with
		}
		r, err := explained(cmd.Context(), names[i], contexts, opt)
		if err != nil {
			return err
		}
		both[i] = r
	}

	d := explain.Compare(both[0], both[1])
	if asJSON {
		return printable.JSON(cmd.OutOrStdout(), d)
	}
	return explain.DiffText(cmd.OutOrStdout(), d, top)
}
