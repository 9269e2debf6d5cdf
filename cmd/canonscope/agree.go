package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/agree"
	"canonscope/canon/choice"
	"canonscope/canon/engines"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/foreign"
	"canonscope/compare/matrix"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
)

// maxCompared is the number of files that agree reads of folders.
const maxCompared = 10_000

// familyDocuments is the number of documents of each name of --family.
const familyDocuments = 4

// agreeing is what the flags of agree ask for.
type agreeing struct {
	engines      engineFlag
	families     []string
	method       canon.Method
	random, seed uint64
	asJSON, page bool
	report       earl
	limits       canon.Limits
	timeout      timeLimit
	from         contextFlags
}

func newAgreeCommand() *cobra.Command {
	var a agreeing
	cmd := &cobra.Command{
		Use:   "agree [flags] [FILE|DIR]...",
		Short: "Compare the canonical forms of several engines",
		Long: `Agree gives the same inputs to several engines and prints who agrees with whom:
a matrix, and for each input that they disagree about the groups of equal bytes,
the first quad or byte that differs, the phase that made it and, where it is
known, the step of the specification that decides.

Inputs are files, the files of folders that end in .json, .jsonld, .nq or .nt,
documents of the catalogue with --family, or random ones with --random, of which
it prints the shortest input of each kind of difference. Without any it uses its
corpus: inputs whose right answers are known, with their sources. Each input is
also given in another order and with other labels of blank nodes, which must not
change the form. Data that the specifications drop are dropped.

The engines are bare: no guard refuses what they get wrong. Only answers to the
corpus are called right or wrong; open means that the engine gave none. Exit
status 1 means that engines disagree, that one is wrong, that one gives two
forms of one input, or that no two engines answered the same input.`,
		Example: `  canonscope agree
  canonscope agree --engine native,stock credential.json datasets/
  canonscope agree --family clique-5,ring-16,ob3
  canonscope agree --random 3000 --seed 7
  canonscope agree --markdown > matrix.md
  canonscope agree --engine stock --earl report.ttl`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd, args) },
	}

	f := cmd.Flags()
	a.engines.names = choice.Names([]canon.Engine{canon.Native, canon.Stock, canon.Tuned})
	f.Var(&a.engines, "engine", "engines to compare: "+engineHelp)
	f.StringVar((*string)(&a.method), "method", "",
		"rdfc or jcs; default both, and rdfc for files and --family")
	f.StringSliceVar(&a.families, "family", nil, "compare on documents of these names of the catalogue")
	f.Uint64Var(&a.random, "random", 0, "compare on `N` random inputs")
	f.Uint64Var(&a.seed, "seed", 1, "seed of --random; the same inputs again for the same seed")
	f.BoolVar(&a.asJSON, "json", false, "print JSON, with all inputs of files and the corpus")
	f.BoolVar(&a.page, "markdown", false, "print a page in Markdown")
	a.report.add(cmd)
	addSizes(cmd, &a.limits)
	a.timeout.add(cmd)
	a.from.add(cmd)
	return cmd
}

func (a *agreeing) run(cmd *cobra.Command, args []string) error {
	if err := a.check(cmd, args); err != nil {
		return err
	}
	loader, err := a.from.loader()
	if err != nil {
		return err
	}

	a.limits.Documents, a.limits.Time = defaultDocuments, time.Duration(a.timeout)
	if a.limits.Time == 0 {
		a.limits.Time = -1
	}
	c := &agree.Comparer{Loader: loader, Limits: a.limits}
	for _, name := range a.engines.names {
		e, err := a.compared(canon.Engine(name), engines.Config{Loader: loader})
		if err != nil {
			return err
		}
		defer closeEngine(e)
		c.Engines = append(c.Engines, *e)
	}

	var r *agree.Report
	if a.random > 0 {
		r = agree.NewReport(fmt.Sprintf("random inputs of seed %d", a.seed), c.Engines)
		err = c.Random(cmd.Context(), r, a.seed, a.random, a.method, func(inputs, kinds int) {
			if inputs%1000 == 0 && terminal(cmd.ErrOrStderr()) {
				fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d inputs, %d kinds of differences\n", inputs, a.random,
					kinds)
			}
		})
	} else {
		r, err = a.compare(cmd, c, args)
	}
	if err != nil {
		return err
	}
	for _, e := range c.Engines {
		noteBorrowed(cmd, &e)
	}
	return a.print(cmd, r)
}

// noteBorrowed prints that a foreign engine has the RDFC-1.0 of another one, if it has.
func noteBorrowed(cmd *cobra.Command, e *agree.Engine) {
	if c, ok := e.Methods[canon.RDFC].(*foreign.Canonicalizer); ok {
		if quads, err := c.QuadsAlone(cmd.Context()); err == nil && quads {
			note(cmd, "%s makes quads alone; RDFC-1.0 of them is by the native engine", e.Name)
		}
	}
}

func (a *agreeing) check(cmd *cobra.Command, args []string) error {
	sources := 0
	random := cmd.Flags().Changed("random")
	for _, given := range []bool{len(args) > 0, len(a.families) > 0, random} {
		if given {
			sources++
		}
	}
	switch {
	case random && a.random == 0:
		return errors.New("--random is 0; it must be at least 1")
	case sources > 1:
		return errors.New("files, --family and --random exclude one another")
	case a.asJSON && a.page:
		return errors.New("--json and --markdown exclude one another")
	case a.report.file != "" && sources > 0:
		return errors.New("--earl reports on the corpus; give neither files nor --family nor --random")
	case len(a.engines.names) == 0:
		return errors.New("--engine names no engine")
	case a.timeout < 0:
		return fmt.Errorf("--timeout is %v; it must not be negative", time.Duration(a.timeout))
	case a.method == "":
		return nil
	}
	return choice.Check("method", a.method, canon.Methods)
}

// compared returns an engine of a name. A method that it does not have is left out.
func (a *agreeing) compared(name canon.Engine, cfg engines.Config) (*agree.Engine, error) {
	e := &agree.Engine{Name: string(name), Methods: map[canon.Method]canon.Canonicalizer{}}
	if compare.Foreign(name) {
		e.Crashed = func(err error) bool {
			var fault *foreign.Fault
			return errors.As(err, &fault)
		}
	}

	for _, m := range canon.Methods {
		c, err := matrix.Canonicalizer(name, m, cfg, compare.Given{Engines: a.engines.commands})
		var unsupported *canon.UnsupportedError
		switch {
		case errors.As(err, &unsupported):
		case err != nil:
			return nil, err
		default:
			if first, ok := e.Methods[canon.RDFC].(*foreign.Canonicalizer); ok {
				c = &foreign.Canonicalizer{Engine: first.Engine, Method: m} // in one process
			}
			e.Methods[m] = c
		}
	}
	return e, nil
}

// closeEngine ends the processes of a foreign engine. It has answered, so how it ends does not matter.
func closeEngine(e *agree.Engine) {
	for _, c := range e.Methods {
		if c, ok := c.(io.Closer); ok {
			_ = c.Close()
		}
	}
}

// compare compares the engines on files, documents of the catalogue, or the corpus.
func (a *agreeing) compare(cmd *cobra.Command, c *agree.Comparer, args []string) (*agree.Report, error) {
	about, inputs, err := a.inputs(cmd, args)
	if err != nil {
		return nil, err
	}
	r := agree.NewReport(about, c.Engines)
	for i := range inputs {
		if in := &inputs[i]; a.method == "" || in.Method == a.method {
			row, err := c.Add(cmd.Context(), in)
			if err != nil {
				return nil, inFile(in.Name, err)
			}
			r.Add(row)
		}
	}
	return r, nil
}

func (a *agreeing) inputs(cmd *cobra.Command, args []string) (about string, inputs []agree.Input, err error) {
	switch {
	case len(a.families) > 0:
		inputs, err = a.ofCatalogue()
		return "catalogue " + strings.Join(a.families, ", "), inputs, err
	case len(args) == 0:
		inputs, err = agree.Corpus()
		return "corpus", inputs, err
	}

	files, err := comparedFiles(args)
	if err != nil {
		return "", nil, err
	}
	method := cmp.Or(a.method, canon.RDFC)
	for _, file := range files {
		syntax := inputFor(method, "", file)
		doc, err := readInput(cmd, file, a.limits)
		if err == nil {
			err = checkInput(cmd, syntax, file, doc)
		}
		if err != nil {
			return "", nil, inFile(file, err)
		}
		inputs = append(inputs, agree.Input{Name: nameOf(file), Method: method, Syntax: syntax, Doc: doc})
	}
	return "files", inputs, nil
}

// comparedFiles returns files, and in the place of a folder the documents in it.
func comparedFiles(args []string) (files []string, err error) {
	endings := []string{".json", ".jsonld", ".nq", ".nt"}
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			files = append(files, arg) // reading it gives the error
			continue
		}
		before := len(files)
		err := filepath.WalkDir(arg, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && slices.Contains(endings, filepath.Ext(name)) {
				files = append(files, name)
			}
			if len(files) > maxCompared {
				return fmt.Errorf("%s holds more than %d documents; name fewer files", arg, maxCompared)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s holds no file that ends in %s", arg, choice.List(endings))
		}
	}
	return files, nil
}

// ofCatalogue makes the documents of --family.
func (a *agreeing) ofCatalogue() (inputs []agree.Input, err error) {
	for _, name := range a.families {
		g, err := catalogue.Get(name)
		if err != nil {
			return nil, err
		}
		for i := range familyDocuments {
			c, err := g.Document(a.seed, i)
			if err != nil {
				return nil, err
			}

			in := agree.Input{Name: fmt.Sprintf("%s %d", name, i), Method: cmp.Or(a.method, canon.RDFC),
				Doc: c.VCDM}
			switch kind := g.Kind(); {
			case in.Method == canon.JCS && kind == schemas.NQuads:
				return nil, fmt.Errorf("%s is N-Quads, which jcs cannot read", name)
			case in.Method == canon.JCS:
				in.Syntax = canon.JSON
			case kind == schemas.NQuads:
				in.Syntax = canon.NQuads
			case kind == schemas.JSON:
				return nil, fmt.Errorf("%s is JSON without contexts; --method jcs compares it", name)
			default:
				in.Syntax = canon.JSONLD
			}
			inputs = append(inputs, in)
		}
	}

	return inputs, nil
}

// print prints a report and sets the exit status.
func (a *agreeing) print(cmd *cobra.Command, r *agree.Report) error {
	if a.report.file != "" {
		if err := a.writeEARL(r); err != nil {
			return err
		}
	}
	w := cmd.OutOrStdout()
	var err error
	switch {
	case a.asJSON:
		err = printable.JSON(w, r)
	case a.page:
		err = r.Markdown(w)
	default:
		err = r.Text(w)
	}
	switch {
	case err != nil:
		return err
	case !r.Agree():
		return &noError{}
	case !r.Compared():
		return &noError{"no two engines answered the same input, so that nothing is known of their agreement"}
	}
	return nil
}

// writeEARL writes the outcomes of the engine for the corpus.
func (a *agreeing) writeEARL(r *agree.Report) error {
	if len(r.Engines) > 1 {
		return fmt.Errorf("--earl is about one engine, not %d; choose one with --engine", len(r.Engines))
	}
	engine := canon.Engine(r.Engines[0])
	module := "github.com/piprate/json-gold"
	if a.method == canon.JCS {
		module = "github.com/gowebpki/jcs"
	}
	return a.report.write(module, engine, r.Results(r.Engines[0]))
}
