package main

import "github.com/spf13/cobra"

// newRootCommand returns the command with all its subcommands. A subcommand returns its errors; main prints them once.
func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "canonscope",
		Short: "Canonicalization profiling workbench for W3C verifiable credentials",
		Long: `Canonscope measures and explains the cost of canonicalizing W3C verifiable
credentials.

Exit status: 0 done, 1 the answer is no, 2 usage or input error, 3 a limit was
reached.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newCanonizeCommand(), newExpandCommand(), newConformCommand())
	root.AddCommand(newKeyCommand(), newIssueCommand(), newPresentCommand(), newVerifyCommand(), newInspectCommand())
	root.AddCommand(newSchemasCommand())
	root.AddCommand(newRunCommand(), newCellsCommand(), newEnvCommand(), newVersionCommand(), newInternalRunCommand())
	root.InitDefaultCompletionCmd()
	needSubcommands(root)
	complete(root)
	wrapUsage(root)
	return root
}
