package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/canon/printable"
	"canonscope/schemas/contexts"
)

func newSchemasContextsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "contexts",
		Short: "JSON-LD contexts that are built in",
	}
	cmd.AddCommand(newContextsListCommand(), newContextsShowCommand(), newContextsCheckCommand())
	return cmd
}

// contextRef is the argument of contexts show for this content.
func contextRef(c contexts.Info) string {
	if c.Variant == "" {
		return c.Name
	}
	return c.Name + "@" + c.Variant
}

func newContextsListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the built-in contexts and other contents of their URLs",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				type row struct {
					Name    string `json:"name"`
					Variant string `json:"variant,omitempty"`
					Title   string `json:"title"`
					URL     string `json:"url"`
					SHA256  string `json:"sha256"` // of the official file
					Date    string `json:"date,omitempty"`
					Terms   int    `json:"terms"`
					Bytes   int    `json:"bytes"` // as rendered
				}
				var rows []row
				for _, c := range contexts.List(true) {
					rows = append(rows, row{c.Name, c.Variant, c.Title, c.URL, c.SHA256, c.Date, c.Terms,
						len(c.JSON)})
				}
				return printable.JSON(cmd.OutOrStdout(), rows)
			}

			w := cmd.OutOrStdout()
			url := ""
			for _, c := range contexts.List(true) {
				if c.URL != url {
					url = c.URL
					fmt.Fprintf(w, "%s\n  %s\n", url, c.Title)
				}
				if _, err := fmt.Fprintf(w, "  %-42s %-10s %4d terms  %.12s\n", contextRef(c), c.Date,
					c.Terms, c.SHA256); err != nil {
					return err
				}
			}

			return nil
		},
	}

	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, with whole hashes")
	return cmd
}

func newContextsShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show URL|NAME[@VARIANT]",
		Short: "Print a built-in context",
		Long: `Show prints a built-in context as JSON. It is equal by value to the official
file, but not by bytes: use the official hash, which contexts list prints.`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			var doc []byte
			c, err := contexts.Find(args[0])
			if err == nil {
				doc = c.JSON
			} else { // contexts of experiments have no name
				d, loadErr := contexts.Experiments().Load(cmd.Context(), args[0])
				if loadErr != nil {
					return err
				}
				doc = d.Bytes
			}
			return printable.Indent(cmd.OutOrStdout(), doc)
		},
	}
}

func newContextsCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check DIR",
		Short: "Prove the built-in contexts equal to a folder of official files",
		Long: `Check compares every built-in context with the files that a folder has for its
URL, by value: the order of members does not count. Differences of other files
for the URL, which the folder does not serve, are listed. Exit status 1 means
that a file which the folder serves differs from the built-in context.`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := contexts.Dir(args[0])
			if err != nil {
				return err
			}

			all, absent, err := f.Check()
			if err != nil {
				return err
			}

			w := cmd.OutOrStdout()
			proven := map[string]bool{}
			for _, c := range all {
				verdict := "other"
				switch {
				case c.Equal && len(c.Differences) == 0:
					verdict = "equal"
				case c.Primary:
					verdict = "DIFFERS"
				}
				proven[c.Name] = proven[c.Name] || c.Primary && verdict == "equal"
				ref := c.Name
				if c.Variant != "" {
					ref += "@" + c.Variant
				}
				note := ""
				if c.Official {
					note = " (official bytes)"
				}
				fmt.Fprintf(w, "%-7s %s: %s%s\n", verdict, ref, printable.Line(filepath.Base(c.File)), note)
				for _, d := range c.Differences {
					fmt.Fprintf(w, "          %s\n", printable.Line(difference(d)))
				}
			}

			for _, name := range absent {
				fmt.Fprintf(w, "%-7s %s\n", "absent", name)
			}

			n := 0
			for _, ok := range proven {
				if ok {
					n++
				}
			}

			if _, err := fmt.Fprintf(w, "%d of %d contexts proven equal, %d not in the folder\n", n,
				len(contexts.List(false)), len(absent)); err != nil {
				return err
			}

			if !contexts.Proven(all) {
				return &noError{}
			}

			return nil
		},
	}
}

// difference describes in one line how a file differs from the built-in context.
func difference(d contexts.Difference) string {
	path := strings.ReplaceAll(strings.TrimPrefix(d.Path, "/@context/"), "/@context/", " / ")
	switch {
	case d.B == "":
		return "without " + path
	case d.A == "":
		return "with " + path + " " + d.B
	}
	return path + ": " + d.A + ", the file has " + d.B
}
