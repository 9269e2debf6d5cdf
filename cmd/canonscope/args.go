package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon/choice"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// oneArg checks that a command has the one argument that its use line ends in.
func oneArg(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	name := cmd.Use[strings.LastIndexByte(cmd.Use, ' ')+1:]
	return fmt.Errorf("%s takes one %s, not %d arguments; see %s --help", words(cmd), name, len(args),
		cmd.CommandPath())
}

// noArgs checks that a command has no arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no argument, not %q; see %s --help", words(cmd), args[0], cmd.CommandPath())
}

// flagError replaces errors in terms of Go's parsers by the values that a flag takes.
func flagError(cmd *cobra.Command, err error) error {
	text, want := err.Error(), ""
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1 {
		return unknownFlag(cmd, unknown.GetSpecifiedName())
	}
	var number *strconv.NumError
	if errors.As(err, &number) {
		text = strings.TrimSuffix(text, ": "+number.Error())
		want = map[string]string{"ParseBool": "true or false",
			"ParseUint": "a whole number that is not negative", "ParseInt": "a whole number",
			"ParseFloat": "a number"}[number.Func]
		if errors.Is(err, strconv.ErrRange) {
			want += " in the range of 64 bits"
		}
	} else if before, _, ok := strings.Cut(text, " flag: time: "); ok {
		text, want = before+" flag", "a time such as 90s or 2m"
	}
	if want == "" {
		return err
	}
	return errors.New(text + ": want " + want)
}

// unknownFlag suggests the nearest flag of a command, since there are too many to list.
func unknownFlag(cmd *cobra.Command, name string) error {
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	if name == "fleet" {
		return fmt.Errorf("%s has no --fleet; run and scale measure on other machines", cmd.CommandPath())
	}
	if near := choice.Nearest(name, slices.Values(known)); near != "" {
		return fmt.Errorf("unknown flag --%s; did you mean --%s?", name, near)
	}
	return fmt.Errorf("unknown flag --%s; %s --help lists its flags", name, cmd.CommandPath())
}

// refuseEmpty refuses a list without elements, as of --suite "$SUITE" with a variable that is not set. Where
// a list selects, none would otherwise mean all.
func refuseEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.String() == "" && (f.Value.Type() == "strings" || f.Value.Type() == fileList)
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = len(list.GetSlice()) == 0
		}
		if empty && err == nil {
			err = fmt.Errorf("--%s is empty; name what it takes, or omit it", f.Name)
		}
	})
	return err
}

// words are those of a command after the name of the root, which begins every error anyway.
func words(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// needSubcommands makes each command that only has subcommands refuse a line without one, and list them.
// Only the root prints its help instead.
func needSubcommands(cmd *cobra.Command) {
	if !cmd.HasSubCommands() {
		return
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 0 && cmd.HasParent():
			return choice.Unknown(words(cmd)+" command", args[0], subcommands(cmd)...)
		case len(args) > 0:
			return choice.Unknown("command", args[0], subcommands(cmd)...)
		case !cmd.HasParent():
			if version, err := cmd.Flags().GetBool("version"); err == nil && version {
				return printVersion(cmd.OutOrStdout(), false)
			}
			return cmd.Help()
		}
		cmd.SetOut(cmd.ErrOrStderr())
		if err := cmd.Help(); err != nil {
			return err
		}
		return fmt.Errorf("%s needs a command: %s", words(cmd), choice.List(subcommands(cmd)))
	}
	for _, sub := range cmd.Commands() {
		needSubcommands(sub)
	}
}

func subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

// refuseTopics makes help refuse what is not a command, as a command line with it would be.
func refuseTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		panic(err) // it has just been made
	}
	help.RunE = func(_ *cobra.Command, args []string) error {
		cmd, rest, err := root.Find(args)
		if err != nil {
			return err
		}
		if len(rest) > 0 && cmd.HasSubCommands() {
			return cmd.RunE(cmd, rest)
		}
		cmd.InitDefaultHelpFlag()
		return cmd.Help()
	}
}

// usage makes the help of a command and its subcommands fit a terminal of 80 columns.
func usage(root *cobra.Command) {
	root.SetUsageTemplate(strings.NewReplacer(
		"Flags.FlagUsages ", "Flags.FlagUsagesWrapped 80 ",
		"{{if .Runnable}}", "{{if not .HasAvailableSubCommands}}", // groups run only to refuse
		"{{.CommandPath}} [command]{{end}}", "{{.CommandPath}} COMMAND{{end}}",
		`Use "{{.CommandPath}} [command] --help" for more information about a command.`,
		"{{.CommandPath}} COMMAND --help describes each.",
		"Available Commands:", "Commands:",
	).Replace(root.UsageTemplate()))
}
