package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/schemas/jsonschema"
)

// maxViolations is the number of violations that validate prints without --json.
const maxViolations = 20

func newSchemasValidateCommand() *cobra.Command {
	var (
		schema, validator string
		opt               jsonschema.Options
		refs              []string
		asJSON            bool
		timeout           timeLimit
	)
	cmd := &cobra.Command{
		Use:   "validate [flags] FILE|-",
		Short: "Validate a credential against a JSON Schema",
		Long: `Validate checks a credential against a JSON Schema: one of the catalogue, or a
file. Without --schema the credential's type chooses. Exit status 1 says that
the credential is not valid.

The validator follows the schema's draft: gojsonschema for drafts 4 to 7,
santhosh-tekuri for 2019-09 and 2020-12. gojsonschema refuses by name what it
would misread in later drafts. Nothing is fetched: give a schema that another
one refers to with --ref.`,
		Example: `  canonscope schemas validate badge.json
  canonscope schemas validate --schema ob3 --validator gojsonschema badge.json
  canonscope schemas validate --schema mine.json \
    --ref https://example.org/base.json=base.json credential.json`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.Engine = jsonschema.Engine(validator)
			if opt.Limits.Work < 0 {
				return fmt.Errorf("--max-work is %d; it must not be negative", opt.Limits.Work)
			}
			var err error
			if opt.Resources, err = readRefs(refs); err != nil {
				return err
			}
			bounds := opt.Limits
			if bounds.Bytes == 0 {
				bounds.Bytes = jsonschema.MaxDocumentBytes
			}
			doc, err := readInput(cmd, args[0], bounds)
			if err != nil {
				return err
			}
			if schema == "" {
				if schema, err = jsonschema.Detect(doc, opt.Limits); err != nil {
					return fmt.Errorf("%s: %w", args[0], flagged(err))
				}
			}
			text, err := readSchema(schema)
			if err != nil {
				return err
			}
			var v jsonschema.Validator
			var r *jsonschema.Result
			err = timeout.run(cmd, func(context.Context) error { // neither library asks for the time
				var err error
				if v, err = jsonschema.Compile(text, opt); err != nil {
					return fmt.Errorf("%s: %w", schema, err)
				}
				if r, err = v.Validate(doc); err != nil {
					return fmt.Errorf("%s: %w", args[0], flagged(err))
				}
				return nil
			})
			if err != nil {
				return err
			}
			if asJSON {
				err = printValidationJSON(cmd, schema, v, r)
			} else {
				err = printValidation(cmd, args[0], schema, v, r)
			}
			if err == nil && !r.Valid {
				err = &noError{}
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&schema, "schema", "", "`NAME|FILE`: "+strings.Join(jsonschema.Names(), ", ")+", or a file")
	f.StringVar(&validator, "validator", "", fmt.Sprintf("%s or %s; default by the schema's draft", jsonschema.GoJSONSchema, jsonschema.SanthoshTekuri))
	f.BoolVar(&opt.AssertFormat, "format", false, "make format a constraint in drafts 2019-09 and 2020-12, too")
	f.StringArrayVar(&refs, "ref", nil, "serve a schema for $ref `URL=FILE`; may repeat")
	f.BoolVar(&asJSON, "json", false, "print the result as JSON, with all violations")
	f.IntVar(&opt.Limits.Bytes, "max-bytes", 0, fmt.Sprintf("limit of the document's size; default %d MiB", jsonschema.MaxDocumentBytes>>20))
	f.IntVar(&opt.Limits.Depth, "max-depth", 0, fmt.Sprintf("limit of the nesting of JSON; default %d", canon.DefaultDepth))
	f.Int64Var(&opt.Limits.Work, "max-work", 0, fmt.Sprintf("limit of evaluated subschemas, values and their text; default %d", jsonschema.MaxWork))
	timeout.add(cmd)
	return cmd
}

// flagged names the flag that raises the limit which a document has reached.
func flagged(err error) error {
	var limit *canon.LimitError
	if errors.As(err, &limit) && slices.Contains([]string{"bytes", "depth", "work"}, limit.Limit) {
		return fmt.Errorf("%w (--max-%s)", err, limit.Limit)
	}
	return err
}

// readSchema returns a schema of the catalogue, or else of a file.
func readSchema(name string) ([]byte, error) {
	if slices.Contains(jsonschema.Names(), name) {
		return jsonschema.Schema(name)
	}
	text, err := readSchemaFile(name)
	if err != nil {
		return nil, fmt.Errorf("--schema %s is neither a file nor one of %s", name, strings.Join(jsonschema.Names(), ", "))
	}
	return text, nil
}

// readSchemaFile reads little more than a schema may have, which its reader then reports.
func readSchemaFile(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, jsonschema.MaxSchemaBytes+1))
}

func readRefs(refs []string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, s := range refs {
		i := strings.LastIndexByte(s, '=')
		if i <= 0 {
			return nil, fmt.Errorf("--ref %s: want URL=FILE", s)
		}
		text, err := readSchemaFile(s[i+1:])
		if err != nil {
			return nil, fmt.Errorf("--ref: %w", err)
		}
		out[s[:i]] = text
	}
	return out, nil
}

func printValidation(cmd *cobra.Command, file, schema string, v jsonschema.Validator, r *jsonschema.Result) error {
	w := cmd.OutOrStdout()
	file, by := printable.Line(file), fmt.Sprintf("%s (%s, %s)", printable.Line(schema), v.Draft(), v.Engine())
	if r.Valid {
		_, err := fmt.Fprintf(w, "%s: valid against %s\n", file, by)
		return err
	}
	if _, err := fmt.Fprintf(w, "%s: not valid against %s\n", file, by); err != nil {
		return err
	}
	for i, x := range r.Violations {
		if i == maxViolations {
			_, err := fmt.Fprintf(w, "  and %d more; --json prints all\n", len(r.Violations)-i)
			return err
		}
		if _, err := fmt.Fprintf(w, "  %s\n", printable.Line(x.String())); err != nil {
			return err
		}
	}
	return nil
}

func printValidationJSON(cmd *cobra.Command, schema string, v jsonschema.Validator, r *jsonschema.Result) error {
	type violation struct {
		Pointer string `json:"pointer"`
		Keyword string `json:"keyword"`
		Message string `json:"message"`
	}
	all := []violation{}
	for _, x := range r.Violations {
		all = append(all, violation(x))
	}
	return printJSON(cmd, map[string]any{"valid": r.Valid, "schema": schema, "draft": v.Draft().String(), "validator": v.Engine(), "violations": all})
}
