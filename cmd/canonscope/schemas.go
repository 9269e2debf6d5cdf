package main

import "github.com/spf13/cobra"

func newSchemasCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schemas",
		Short: "Credentials of the catalogue, their contexts and JSON Schemas",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSchemasListCommand(), newSchemasShowCommand(), newSchemasGenerateCommand(), newSchemasMeasureCommand())
	cmd.AddCommand(newSchemasValidateCommand(), newSchemasContextsCommand())
	return cmd
}
