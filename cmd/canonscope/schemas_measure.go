package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
	"canonscope/schemas/shape"
)

// measureBytes is the default of --max-bytes: tape and dataset of a document take about ten times its size.
const measureBytes = 32 << 20

func newSchemasMeasureCommand() *cobra.Command {
	var (
		opt    shape.Options
		from   contextFlags
		asJSON bool
	)

	cmd := &cobra.Command{
		Use:   "measure [flags] [FILE|NAME|-]",
		Short: "Measure the shape of any credential or dataset",
		Long: `Measure prints the figures of a credential that its cost depends on: bytes, JSON
values, depth, quads, blank nodes, contexts and the nodes that enter a scoped
context. The proof of the credential is ignored, as is a member "credential"
around it. Data that the canonical form would not carry is listed; a document
that no JSON-LD processor may accept is an error. A file that ends in .nq or .nt
is N-Quads.`,
		Example: `  canonscope schemas measure badge.json
  canonscope schemas measure --contexts my-contexts transcript.json
  canonscope schemas measure clr-large:achievements=10`,
		Args: fileArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			file := inputOf(args)
			var err error
			if opt.Loader, err = from.loader(); err != nil {
				return err
			}
			c, named, err := documentOrFile(cmd, file, opt.Limits)
			if err != nil {
				return err
			}
			if named {
				opt.Loader = contexts.Chain(opt.Loader, contexts.Experiments())
			}
			opt.Input = c.Kind.Input()
			f, err := shape.Measure(cmd.Context(), c.VCDM, opt)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if asJSON {
				return printable.JSON(cmd.OutOrStdout(), f)
			}
			printFigures(cmd, f)
			return nil
		},
	}

	f := cmd.Flags()
	f.BoolVar(&opt.WithProof, "with-proof", false, "keep the proof of the credential")
	f.BoolVar(&asJSON, "json", false, "print JSON, with all losses")
	addLimit(f, &opt.Limits.Bytes, "max-bytes", measureBytes, "limit of the document's size")
	addLimit(f, &opt.Limits.Depth, "max-depth", canon.DefaultDepth, "limit of the nesting of JSON")
	addLimit(f, &opt.Limits.Work, "max-work", 0,
		fmt.Sprintf("limit of n-degree calls plus permutations; default %d", canon.DefaultWork))
	from.add(cmd)
	return cmd
}

// documentOrFile returns the first document of a catalogue name, or else reads a file or standard input.
// named reports whether it is of the catalogue.
func documentOrFile(
	cmd *cobra.Command, name string, limits canon.Limits,
) (c *schemas.Credential, named bool, err error) {
	if name != "-" && !catalogue.IsFile(name) {
		g, err := catalogue.Get(name)
		if err == nil {
			c, err = g.Document(firstSeed, 0)
			return c, true, err
		}
		if doc, fileErr := readInput(cmd, name, limits); fileErr == nil {
			return &schemas.Credential{VCDM: doc}, false, nil
		}
		return nil, false, err
	}
	doc, err := readInput(cmd, name, limits)
	if err != nil {
		return nil, false, err
	}
	c = &schemas.Credential{VCDM: doc}
	if inputFor(canon.RDFC, "", name) == canon.NQuads {
		c.Kind = schemas.NQuads
	}
	return c, false, nil
}

// maxLosses is the number of losses that measure prints without --json.
const maxLosses = 10

func printFigures(cmd *cobra.Command, f *shape.Figures) {
	w := cmd.OutOrStdout()
	if f.Measured != "" {
		fmt.Fprintf(w, "measured: %s\n", f.Measured)
	}

	isJSON := f.Values > 0
	for _, row := range []struct {
		n      int64
		what   string
		ofJSON bool // alone
	}{
		{int64(f.Bytes), map[bool]string{true: "bytes, without white space", false: "bytes"}[isJSON], false},
		{int64(f.Values), "JSON values", true},
		{int64(f.Depth), "levels of nesting", true},
		{int64(f.NonASCII), "strings beyond ASCII", true},
		{int64(f.Longest), "bytes in the longest string", true},
		{int64(f.Quads), "quads", false},
		{int64(f.Blank), "blank nodes", false},
		{int64(f.NonUnique), "of them share a first-degree hash", false},
		{int64(f.Graphs), "named graphs", false},
		{f.Work, "n-degree calls and permutations", false},
		{int64(f.Contexts), "context documents", true},
		{int64(f.ContextBytes), "bytes of context documents", true},
		{int64(f.InlineBytes), "bytes of contexts in the document", true},
		{int64(f.Scoped), "nodes that enter a scoped context", true},
	} {
		if isJSON || !row.ofJSON {
			fmt.Fprintf(w, "%9d  %s\n", row.n, row.what)
		}
	}

	if !isJSON {
		return // N-Quads cannot lose data
	}

	if len(f.Losses) == 0 {
		fmt.Fprintf(w, "%9s  in safe mode\n", "clean")
		return
	}

	fmt.Fprintf(w, "%9d  pieces of data that the canonical form does not carry\n", len(f.Losses))

	for i, l := range f.Losses {
		if i == maxLosses {
			fmt.Fprintf(w, "           and %d more; --json prints all\n", len(f.Losses)-i)
			break
		}
		fmt.Fprintf(w, "           %s\n", lossText(l))
	}
}
