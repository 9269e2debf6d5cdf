package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/canon/userfile"
	"canonscope/schemas/jsonschema"
)

// maxViolations is the number of violations that validate prints without --json.
const maxViolations = 20

func newSchemasValidateCommand() *cobra.Command {
	var (
		schema, validator string
		opt               jsonschema.Options
		refs              []string
		files             manyFiles
		timeout           timeLimit
	)

	cmd := &cobra.Command{
		Use:   "validate [flags] [FILE|-]...",
		Short: "Validate a credential against a JSON Schema",
		Long: `Validate checks a credential against a JSON Schema: one of the catalogue, or a
file. Without --schema the credential's type selects it. Exit status 1 means
that the credential is not valid.

The validator follows the schema's draft: gojsonschema for drafts 4 to 7,
santhosh-tekuri for 2019-09 and 2020-12. gojsonschema refuses constructs of
later drafts that it would misread. Nothing is fetched: use --ref for a schema
that another one refers to.`,
		Example: `  canonscope schemas validate badge.json
  canonscope schemas validate --schema ob3 --validator gojsonschema badge.json
  canonscope schemas validate --schema mine.json \
    --ref https://example.org/base.json=base.json credential.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.Engine = jsonschema.Engine(validator)
			var err error
			if opt.Resources, err = readRefs(refs); err != nil {
				return err
			}
			bounds := opt.Limits
			if bounds.Bytes == 0 {
				bounds.Bytes = jsonschema.MaxDocumentBytes
			}
			return files.run(cmd, args, func(file string) (*answer, error) {
				doc, err := readInput(cmd, file, bounds)
				if err != nil {
					return nil, err
				}
				if err := checkJSON(file, doc); err != nil {
					return nil, err
				}
				return validate(cmd, file, doc, schema, opt, timeout)
			})
		},
	}

	f := cmd.Flags()
	f.StringVar(&schema, "schema", "", "`NAME|FILE`: "+strings.Join(jsonschema.Names(), ", ")+", or a file")
	f.StringVar(&validator, "validator", "", fmt.Sprintf("%s or %s; default by the schema's draft",
		jsonschema.GoJSONSchema, jsonschema.SanthoshTekuri))
	f.BoolVar(&opt.AssertFormat, "format", false,
		"make format a constraint also in drafts 2019-09 and 2020-12")
	f.StringArrayVar(&refs, "ref", nil, "serve a schema for $ref `URL=FILE`; may repeat")
	files.addJSON(cmd, "print the result as JSON, with all violations")
	files.add(cmd)
	addLimit(f, &opt.Limits.Bytes, "max-bytes", 0,
		fmt.Sprintf("limit of the document's size; default %d MiB", jsonschema.MaxDocumentBytes>>20))
	addLimit(f, &opt.Limits.Depth, "max-depth", 0, fmt.Sprintf("limit of the nesting of JSON; default %d",
		canon.DefaultDepth))
	addLimit(f, &opt.Limits.Work, "max-work", 0,
		fmt.Sprintf("limit of evaluated subschemas, values and their text; default %d", jsonschema.MaxWork))
	timeout.add(cmd)
	return cmd
}

// validate answers for one credential; schema "" means that of its type.
func validate(
	cmd *cobra.Command, file string, doc []byte, schema string, opt jsonschema.Options, timeout timeLimit,
) (*answer, error) {
	if schema == "" {
		var err error
		if schema, err = jsonschema.Detect(doc, opt.Limits); err != nil {
			return nil, flagged(err)
		}
	}

	text, err := readSchema(schema)
	if err != nil {
		return nil, err
	}

	var v jsonschema.Validator
	var r *jsonschema.Result
	err = timeout.run(cmd, func(context.Context) error { // neither library checks the time
		var err error
		if v, err = jsonschema.Compile(text, opt); err != nil {
			return fmt.Errorf("%s: %w", schema, err)
		}
		if r, err = v.Validate(doc); err != nil {
			return inFile(file, flagged(err))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	outdated, err := jsonschema.Outdated(schema, doc, opt.Limits)
	if err != nil {
		return nil, flagged(err)
	}
	if outdated {
		fmt.Fprintf(cmd.ErrOrStderr(), outdatedText, printable.Line(nameOf(file)))
	}

	by := fmt.Sprintf("%s (%s, %s)", schema, v.Draft(), v.Engine())
	line := lineOf(file, "valid against "+by, "")
	if !r.Valid {
		line = lineOf(file, "not valid against "+by, count(len(r.Violations), "violation"))
	}

	return &answer{
		no:   !r.Valid,
		line: line,
		json: newValidationJSON(file, schema, v, r),
		text: func(w io.Writer) error { return printValidation(w, file, by, r) },
	}, nil
}

// outdatedText is the remedy for a document of VCDM 1.1.
const outdatedText = `canonscope: %s is of VCDM 1.1, and the schema of 2.0
  give a schema for 1.1 with --schema FILE, or convert the document to 2.0: its
  @context begins with https://www.w3.org/ns/credentials/v2, and issuanceDate and
  expirationDate become validFrom and validUntil
`

// flagged adds to an error the flag that raises the limit that was reached.
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
	var kind *userfile.KindError
	if errors.As(err, &kind) {
		return nil, fmt.Errorf("--schema: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("--schema %s is neither a file nor one of %s", name,
			strings.Join(jsonschema.Names(), ", "))
	}
	return text, nil
}

// readSchemaFile reads little more than the limit of a schema, which its parser then reports.
func readSchemaFile(file string) ([]byte, error) {
	return userfile.Read(file, jsonschema.MaxSchemaBytes)
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

func printValidation(w io.Writer, file, by string, r *jsonschema.Result) error {
	p := printable.Printer{W: w, Width: width(w)}
	if r.Valid {
		p.Line("%s: valid against %s", nameOf(file), by)
		return p.Err
	}
	p.Line("%s: not valid against %s", nameOf(file), by)
	for i, x := range r.Violations {
		if i == maxViolations {
			p.Line("  and %d more; --json prints all", len(r.Violations)-i)
			break
		}
		p.Line("  %s", x.String())
	}
	return p.Err
}

// validationJSON is a result as --json prints it.
type validationJSON struct {
	File       string          `json:"file"`
	Valid      bool            `json:"valid"`
	Schema     string          `json:"schema"`
	Draft      string          `json:"draft"`
	Validator  string          `json:"validator"`
	Violations []violationJSON `json:"violations"`
}

type violationJSON struct {
	Pointer string `json:"pointer"`
	Keyword string `json:"keyword"`
	Message string `json:"message"`
}

func newValidationJSON(file, schema string, v jsonschema.Validator, r *jsonschema.Result) validationJSON {
	out := validationJSON{file, r.Valid, schema, v.Draft().String(), string(v.Engine()), []violationJSON{}}
	for _, x := range r.Violations {
		out.Violations = append(out.Violations, violationJSON(x))
	}
	return out
}
