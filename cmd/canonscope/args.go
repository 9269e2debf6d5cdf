package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// oneArg checks that a command has the one argument that its use line ends in.
func oneArg(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	name := cmd.Use[strings.LastIndexByte(cmd.Use, ' ')+1:]
	return fmt.Errorf("%s takes one %s, not %d arguments; see %s --help", cmd.CommandPath(), name, len(args), cmd.CommandPath())
}

// needSubcommands makes each command that only has subcommands refuse a line without one of them, with the list of them.
// The root alone has something to say without: its help.
func needSubcommands(cmd *cobra.Command) {
	if !cmd.HasSubCommands() {
		return
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 0:
			return fmt.Errorf("%s has no command %q; there are: %s", cmd.CommandPath(), args[0], subcommands(cmd))
		case !cmd.HasParent():
			return cmd.Help()
		}
		cmd.SetOut(cmd.ErrOrStderr())
		if err := cmd.Help(); err != nil {
			return err
		}
		return fmt.Errorf("%s needs a command; there are: %s", cmd.CommandPath(), subcommands(cmd))
	}
	for _, sub := range cmd.Commands() {
		needSubcommands(sub)
	}
}

func subcommands(cmd *cobra.Command) string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return strings.Join(names, ", ")
}

// wrapUsage makes the help of a command and its subcommands fit a terminal of 80 columns.
func wrapUsage(root *cobra.Command) {
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages ", "Flags.FlagUsagesWrapped 80 "))
}
