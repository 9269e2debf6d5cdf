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

// wrapUsage makes the help of a command and its subcommands fit a terminal of 80 columns.
func wrapUsage(root *cobra.Command) {
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages ", "Flags.FlagUsagesWrapped 80 "))
}
