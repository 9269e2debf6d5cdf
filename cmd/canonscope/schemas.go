package main

import "github.com/spf13/cobra"

func newSchemasCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schemas",
		Short: "Credentials of the catalogue, their contexts and JSON Schemas",
	}
	cmd.AddCommand(newSchemasListCommand(), newSchemasShowCommand(), newSchemasGenerateCommand(),
		newSchemasMeasureCommand())
	cmd.AddCommand(newSchemasValidateCommand(), newSchemasContextsCommand())
	return cmd
}
