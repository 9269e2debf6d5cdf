package main

import "github.com/spf13/cobra"

// newRootCommand returns the command with all its subcommands. A subcommand returns its errors; main prints
// them once.
func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "canonscope",
		Short: "Canonicalization profiling workbench for W3C verifiable credentials",
		Long: `Canonscope measures and explains the cost of canonicalizing W3C verifiable
credentials. Nothing is fetched from a network unless a flag allows it.

Exit status: 0 done, 1 the answer is no, 2 usage or input error, 3 a limit was
reached, 128 and the number of the signal after Ctrl-C or another one.`,
		Example: `  canonscope run
  canonscope schemas generate simple-20 > credential.json
  canonscope canonize credential.json`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}

	group := func(id, title string, cmds ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: id, Title: title})
		for _, cmd := range cmds {
			cmd.GroupID = id
		}
		root.AddCommand(cmds...)
	}

	group("measure", "Measure:",
		newRunCommand(),
		newScaleCommand(),
		newReportCommand(),
		newCompareCommand(),
		newABCommand(),
		newGateCommand(),
		newExplainCommand(),
		newPredictCommand(),
		newProfileCommand(),
		newFlameCommand(),
		newPprofCommand(),
		newStudyCommand(),
		newFindingsCommand(),
		newCellsCommand(),
		newForeignCommand(),
		newFleetCommand(),
		newEnvCommand(),
		newSchemasCommand())
	group("credentials", "Credentials in files:", newKeyCommand(), newIssueCommand(), newPresentCommand(),
		newVerifyCommand(), newInspectCommand())
	group("forms", "Canonical forms:", newCanonizeCommand(), newExpandCommand(), newConformCommand(),
		newAgreeCommand())
	group("other", "Other:", newVersionCommand())
	root.SetHelpCommandGroupID("other")
	root.SetCompletionCommandGroupID("other")
	root.AddCommand(newInternalRunCommand(), newInternalExplainCommand())
	root.InitDefaultCompletionCmd()
	root.Flags().Bool("version", false, "print the version, as the command does")
	refuseTopics(root)
	needSubcommands(root)
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return refuseEmpty(cmd) }
	complete(root)
	usage(root)
	return root
}
