package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon/printable"
	"canonscope/compare/foreign"
)

func newForeignCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "foreign",
		Short: "List, install and check engines that are other programs",
		Long: `Wherever an engine is named, exec:NAME is another program: an adapter that is
installed, or else the program NAME. exec:NAME=COMMAND is a command, which is
split into words as a shell does it, without one; it must be the last of a list.
It speaks the protocol canonscope-engine/1, which compare/foreign/doc.go
describes. An engine that crashes, hangs or is wrong is an outcome in the table.

Adapters are small programs around the libraries of other languages.`,
	}
	cmd.AddCommand(newForeignListCommand(), newForeignInstallCommand(), newForeignCheckCommand())
	return cmd
}

func newForeignListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the adapters, and which are installed",
		Example: `  canonscope foreign list
  canonscope run --operation canonize simple-20 --engine native,exec:node`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for i := range foreign.Families {
				f := &foreign.Families[i]
				state := "installed"
				if !f.Installed() {
					state = "canonscope foreign install " + f.Name
				}
				for _, a := range f.Adapters {
					if _, err := fmt.Fprintf(cmd.OutOrStdout(), "exec:%-8s %-50s %s\n", a.Name, a.About,
						state); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

func newForeignInstallCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "install FAMILY",
		Short: "Install the adapters of a runtime into the user's cache folder",
		Long: `Install prints what it is going to fetch, and installs the adapters of a runtime
into the user's cache folder. Nothing else of Canonscope needs them. Those in
Python take the libraries that python3 finds, those in Java the jars that
CLASSPATH lists, else those of Debian.`,
		Example: `  canonscope foreign install node
  canonscope foreign install python
  canonscope foreign install java`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := foreign.FamilyNamed(args[0])
			if err != nil {
				return err
			}
			dir, err := f.Folder()
			if err != nil {
				return err
			}

			if what := f.Fetches(); what != "" && !f.Installed() {
				note(cmd, "%s", "fetches "+what)
			}
			if dir, err = f.Install(cmd.Context()); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), dir)
			return err
		},
	}
}

func newForeignCheckCommand() *cobra.Command {
	var asJSON bool
	var within time.Duration
	cmd := &cobra.Command{
		Use:   "check ENGINE",
		Short: "Start an engine, and print what it is and how it is bound",
		Example: `  canonscope foreign check exec:node
  canonscope foreign check 'exec:mine=./my-engine --fast'`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			command, err := foreign.Parse(args[0])
			if err != nil {
				return err
			}
			if within <= 0 {
				return fmt.Errorf("--timeout is %v; it must be positive", within)
			}

			engine := foreign.New(command, nil, foreign.Limits{Hello: within})
			defer engine.Close()
			hello, bounds, err := engine.Hello(cmd.Context())
			if err != nil {
				return &noError{err.Error()}
			}
			if asJSON {
				return printable.JSON(cmd.OutOrStdout(), struct {
					Hello  foreign.Hello  `json:"hello"`
					Bounds foreign.Bounds `json:"bounds"`
				}{hello, bounds})
			}
			var text strings.Builder
			fmt.Fprintf(&text, "%s %s\n%s; lineage %s\n", hello.Name, hello.Version, hello.Language,
				hello.Lineage)
			for _, a := range hello.Can {
				fmt.Fprintf(&text, "%s: %s\n", a.Suite, strings.Join(a.Operations, ", "))
			}
			fmt.Fprintf(&text, "network: %s\nmemory: %s\nits processes: %s\n", bounds.Network, bounds.Memory,
				bounds.Processes)
			return printBytes(cmd.OutOrStdout(), []byte(printable.Lines(text.String())))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().DurationVar(&within, "timeout", foreign.DefaultHello,
		"limit of the `TIME` until the engine answers")
	return cmd
}
