package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/schemas/catalogue"
)

// schemaFlag is --schema, a list of names and paths. A value that as a whole names what exists is that file;
// only in others do commas separate, as in flags with lists.
type schemaFlag []string

// String, Set and Type implement pflag.Value.
func (l *schemaFlag) String() string { return strings.Join(*l, ",") }

func (l *schemaFlag) Set(text string) error {
	words := []string{text}
	if text != "" && !exists(text) {
		var err error
		if words, err = csv.NewReader(strings.NewReader(text)).Read(); err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
	}
	*l = append(*l, words...)
	return nil
}

func (l *schemaFlag) Type() string { return fileList }

const fileList = "NAME|FILE,..."

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// givenFlags are the flags that name what is measured and the contexts that it needs.
type givenFlags struct {
	schemas  schemaFlag
	engines  engineFlag
	contexts contextFlags
}

func (g *givenFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var(&g.schemas, "schema",
		"only these credentials: names of the catalogue, e.g. simple-20, ob3, or files")
	g.contexts.addOffline(cmd)
}

// read reads the files once, and adds to a filter their bytes and the names of all that is measured. A name
// of the catalogue comes before a file that is called the same: that is ./NAME.
func (g *givenFlags) read(f *matrix.Filter) (err error) {
	f.Given = compare.Given{Documents: make(map[string][]byte), Engines: g.engines.commands}
	f.Engines = append(f.Engines, g.engines.names...)
	if f.Given.Contexts, err = g.contexts.read(); err != nil {
		return err
	}

	for _, name := range g.schemas {
		if !catalogue.IsFile(name) {
			if _, err := catalogue.Get(name); err == nil || !exists(name) {
				f.Schemas = append(f.Schemas, name)
				continue
			}
		}
		path := name
		name, doc, err := catalogue.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := catalogue.OfFile(name, doc); err != nil {
			return inFile(path, err)
		}
		if other, ok := f.Given.Documents[name]; ok && !bytes.Equal(other, doc) {
			return fmt.Errorf("two files would have the name %s in the results; rename %s", name, path)
		}
		f.Given.Documents[name] = doc
		f.Schemas = append(f.Schemas, name)
	}

	return nil
}

// quoted is a word of a command line as a shell reads it.
func quoted(word string) string {
	const special = " \t\n'\"\\$`&|;<>()*?[]{}#~!"
	if word != "" && !strings.ContainsAny(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
