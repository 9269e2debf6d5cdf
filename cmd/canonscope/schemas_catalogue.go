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

	"canonscope/canon/printable"
	"canonscope/compare/matrix"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
	"canonscope/schemas/shape"
)

// firstSeed is the seed of the documents whose figures are shown.
const firstSeed = 1

func newSchemasListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the catalogue with the figures of one document each",
		Long: `List prints the names of the catalogue with the size of one document of each:
bytes, quads and blank nodes. An axis of a schema is set in its name, as
ob3:results=10; schemas show lists the axes. A path to your credential works
wherever a name does. Then it prints the series, which have a schema for each N,
with quads and blank nodes as functions of N. Those of the kind nquads are RDF
datasets: they can be canonicalized, but not issued, presented or verified.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			type row struct {
				Name    string         `json:"name"`
				Kind    schemas.Kind   `json:"kind"`
				About   string         `json:"about"`
				Figures *shape.Figures `json:"figures"`
			}

			var rows []row
			for _, name := range catalogue.Names() {
				g, err := catalogue.Get(name)
				if err != nil {
					return err
				}
				f, err := figuresOf(cmd.Context(), g, firstSeed, 0)
				if err != nil {
					return err
				}
				rows = append(rows, row{name, g.Kind(), g.Describe(), f})
			}

			if asJSON {
				return printable.JSON(cmd.OutOrStdout(),
					map[string]any{"schemas": rows, "series": catalogue.Families(),
						"presets": catalogue.Presets(), "negatives": catalogue.Negatives()})
			}

			w := cmd.OutOrStdout()
			fmt.Fprintf(w, "%-16s %7s %5s %5s  %s\n", "NAME", "BYTES", "QUADS", "BLANK", "WHAT")
			for _, r := range rows {
				head := fmt.Sprintf("%-16s %7d %5d %5d  ", r.Name, r.Figures.Bytes, r.Figures.Quads,
					r.Figures.Blank)
				for _, line := range printable.Wrap(r.About, columns-len(head)) {
					fmt.Fprintf(w, "%s%s\n", head, line)
					head = strings.Repeat(" ", len(head))
				}
			}

			fmt.Fprintf(w, "\n%-16s %-10s %9s %7s %5s\n", "SERIES", "KIND", "N", "QUADS", "BLANK")

			for _, s := range catalogue.Families() {
				fmt.Fprintf(w, "%-16s %-10s %9s %7s %5s\n", s.Name, s.Kind,
					fmt.Sprintf("%d..%d", s.Min, s.Max), s.Quads, s.Blank)
				for _, line := range printable.Wrap(s.About, columns-4) {
					fmt.Fprintf(w, "    %s\n", line)
				}
			}

			fmt.Fprintln(w, "\nTo compare with canonscope run --preset:")

			for _, p := range catalogue.Presets() {
				fmt.Fprintf(w, "%s: %s\n", p.Name, p.About)
				for _, s := range p.Schemas {
					fmt.Fprintf(w, "  %s\n", s)
				}
			}

			_, err := fmt.Fprintf(w, "\nRefused by every processor: %s\n", strings.Join(catalogue.Negatives(),
				", "))
			return err
		},
	}

	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newSchemasShowCommand() *cobra.Command {
	var from contextFlags
	cmd := &cobra.Command{
		Use:   "show NAME|FILE",
		Short: "Show a schema: figures, what a presentation discloses, axes",
		Args:  oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			given := givenFlags{schemas: args, contexts: from}
			var filter matrix.Filter
			if err := given.read(&filter); err != nil {
				return err
			}
			name := filter.Schemas[0]
			g, err := matrix.Generator(name, filter.Given)
			if err != nil {
				return err
			}

			c, err := g.Document(firstSeed, 0)
			if err != nil {
				return err
			}

			w := cmd.OutOrStdout()
			p := printable.Printer{W: w, Width: columns}
			if catalogue.IsFile(name) {
				p.Line("%s", g.Describe())
			} else {
				p.Line("%s: %s", name, g.Describe())
			}
			fmt.Fprintf(w, "\nkind:       %s\n", g.Kind())
			if g.Kind() == schemas.Claims {
				fmt.Fprintf(w, "disclosed:  %s\nmandatory:  %s\n", listed(c.Disclose), listed(c.Mandatory))
			}

			f, err := shape.Measure(cmd.Context(), c.VCDM,
				shape.Options{Input: c.Kind.Input(), Loader: matrix.Loader(filter.Given)})
			if err != nil {
				p.Line("")
				p.Line("no figures: %v", err)
			} else {
				fmt.Fprintln(w)
				printFigures(cmd, f)
			}

			axes, err := catalogue.Axes(name)
			if err != nil || len(axes) == 0 {
				return nil // a file has none
			}

			fmt.Fprintln(w)
			fmt.Fprintf(w, "%-20s %-12s %s\n", "AXIS", "HERE", "RANGE")

			for _, a := range axes {
				here, err := a.Value(name)
				if err != nil {
					return err
				}
				values := strings.Join(a.Words, "|")
				if a.Words == nil {
					values = fmt.Sprintf("%.0f..%.0f", a.Min, a.Max)
				}
				fmt.Fprintf(w, "%-20s %-12s %s\n", a.Name, here, values)
				for _, line := range printable.Wrap(a.About, columns-4) {
					fmt.Fprintf(w, "    %s\n", line)
				}
			}

			return nil
		},
	}
	from.addOffline(cmd)
	return cmd
}

// listed writes JSON pointers on separate lines.
func listed(pointers []string) string {
	lines := make([]string, len(pointers))
	for i, p := range pointers {
		lines[i] = printable.Line(p)
	}
	return strings.Join(lines, "\n            ")
}

func newSchemasGenerateCommand() *cobra.Command {
	var (
		axes         []string
		seed         uint64
		index, count int
		out          string
	)

	cmd := &cobra.Command{
		Use:   "generate NAME",
		Short: "Generate documents of a schema",
		Long: `Generate prints a document of the catalogue: an unsigned credential, or an RDF
dataset in N-Quads. The same name, seed and index give the same bytes on every
machine. With --out it writes documents to a folder, and their figures to
figures.jsonl there, one line a document.`,
		Example: `  canonscope schemas generate ob3 > badge.json
  canonscope schemas generate clr-large --axis achievements=10
  canonscope schemas generate ring-16 | canonscope canonize --input nquads
  canonscope schemas generate simple-20 --seed 7 --count 64 --out documents`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := catalogue.Get(args[0])
			if err != nil {
				return err
			}
			for _, a := range axes {
				axis, value, ok := strings.Cut(a, "=")
				if !ok {
					return fmt.Errorf("--axis %s: want AXIS=VALUE", a)
				}
				if g, err = catalogue.With(g, axis, value); err != nil {
					return err
				}
			}
			switch {
			case count < 1:
				return errors.New("--count must be at least 1")
			case out != "":
				return writeDocuments(cmd.Context(), g, seed, index, count, out)
			case count > 1:
				return errors.New("--count needs --out DIR")
			}
			c, err := g.Document(seed, index)
			if err != nil {
				return err
			}
			return printDocument(cmd, c.VCDM)
		},
	}

	f := cmd.Flags()
	f.StringArrayVar(&axes, "axis", nil, "set an axis `AXIS=VALUE`; may repeat")
	f.Uint64Var(&seed, "seed", firstSeed, "seed of the documents")
	f.IntVar(&index, "index", 0, "which document of the seed")
	f.IntVar(&count, "count", 1, "number of documents, from --index on")
	f.StringVar(&out, "out", "", "write to a folder `DIR`")
	return cmd
}

// writeDocuments writes count documents and a line of figures for each.
func writeDocuments(
	ctx context.Context, g schemas.Generator, seed uint64, index, count int, dir string,
) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}

	var lines []byte
	for i := index; i < index+count; i++ {
		c, err := g.Document(seed, i)
		if err != nil {
			return err
		}
		extension := "json"
		if c.Kind == schemas.NQuads {
			extension = "nq"
		}
		name := fmt.Sprintf("%s-%02d.%s", strings.NewReplacer(":", "_", "%", "_").Replace(g.Name()), i,
			extension)
		if err := os.WriteFile(filepath.Join(dir, name), append(bytes.TrimRight(c.VCDM, "\n"), '\n'),
			0o644); err != nil {
			return err
		}
		f, err := shape.Measure(ctx, c.VCDM, shape.Options{Input: c.Kind.Input(),
			Loader: contexts.Experiments()})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		line, err := json.Marshal(struct {
			File    string         `json:"file"`
			Schema  string         `json:"schema"`
			Seed    uint64         `json:"seed"`
			Index   int            `json:"index"`
			Figures *shape.Figures `json:"figures"`
		}{name, g.Name(), seed, i, f})
		if err != nil {
			return err
		}
		lines = append(lines, printable.Line(string(line))+"\n"...)
	}

	return os.WriteFile(filepath.Join(dir, "figures.jsonl"), lines, 0o644)
}

// figuresOf measures one document of a generator.
func figuresOf(ctx context.Context, g schemas.Generator, seed uint64, i int) (*shape.Figures, error) {
	c, err := g.Document(seed, i)
	if err != nil {
		return nil, err
	}
	return shape.Measure(ctx, c.VCDM, shape.Options{Input: c.Kind.Input(), Loader: contexts.Experiments()})
}
