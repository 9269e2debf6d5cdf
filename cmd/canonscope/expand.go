package main

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/canon/printable"
	"canonscope/canon/stock"
)

func newExpandCommand() *cobra.Command {
	var (
		engine         canon.Engine
		base           string
		lossy, compact bool
		limits         canon.Limits
		timeout        timeLimit
		from           contextFlags
	)

	cmd := &cobra.Command{
		Use:   "expand [flags] [FILE|-]",
		Short: "Print the expanded form of a JSON-LD document",
		Long: `Expand prints the expanded form of a JSON-LD document as JSON: every term as its
IRI, every value as an object.

A document that would lose data is refused. With --lossy the losses are listed
on standard error instead.`,
		Example: `  canonscope expand credential.json
  canonscope expand --lossy --context https://example.org/c=c.json - < doc.json`,
		Args: fileArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			file := inputOf(args)
			loader, err := from.loader()
			if err != nil {
				return err
			}

			p, err := engines.NewProcessor(engine, engines.Config{Loader: loader})
			if err != nil {
				return err
			}

			doc, err := readInput(cmd, file, limits)
			if err != nil {
				return err
			}
			if err := checkJSON(file, doc); err != nil {
				return err
			}

			var losses []canon.Loss
			var out []byte
			err = timeout.run(cmd, func(ctx context.Context) (err error) {
				// engines.New does not have this one, since it does not canonicalize.
				if engine == canon.Stock && !lossy {
					if err := stock.Guard(ctx, doc, canon.Options{Limits: limits}, loader); err != nil {
						return err
					}
				}
				out, err = p.Expand(ctx, doc, jsonld.Options{Lossy: lossy, Losses: &losses, Base: base,
					Limits: limits})
				return err
			})
			if err != nil {
				return inFile(file, err)
			}

			printLosses(cmd, losses)
			w := cmd.OutOrStdout()
			switch {
			case compact:
				return printBytes(w, append(out, '\n'))
			case !terminal(w):
				return printable.Indent(w, out)
			}

			var text bytes.Buffer
			if err := printable.Indent(&text, out); err != nil {
				return err
			}

			return printBytes(w, text.Bytes())
		},
	}

	f := cmd.Flags()
	addEngine(cmd, &engine, "what expands", []canon.Engine{canon.Stock, canon.Native})
	f.StringVar(&base, "base", "", "base `IRI` of the document")
	f.BoolVar(&lossy, "lossy", false, "drop data that would be lost, and list it")
	f.BoolVar(&compact, "one-line", false, "print the JSON without line breaks")
	addLimit(cmd.Flags(), &limits.Documents, "max-documents", defaultDocuments,
		"limit of context documents that are loaded")
	addSteps(cmd, &limits)
	addSizes(cmd, &limits)
	timeout.add(cmd)
	from.add(cmd)
	return cmd
}
