package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/vcdm"
)

func newKeyCommitCommand() *cobra.Command {
	var feature, file string
	features := vcdm.Features[vcdm.HolderBinding:]
	cmd := &cobra.Command{
		Use:   "commit --output FILE [flags]",
		Short: "Make the secrets of a holder, and commit to them",
		Long: `Commit makes the secrets of a holder for an optional feature of bbs-2023, writes
them to a new file that only its owner can read, and prints the commitment to
them. The issuer takes the commitment (issue --commitment) and learns nothing
of the secrets; the holder presents with them (present --holder).

With anonymous_holder_binding, only who has the secret can present. With
pseudonym, presentations show a pseudonym of the holder that is the same each
time for one domain, and another for each other domain. The last feature is
both. bbs-2023 marks all of them as at risk of change.`,
		Example: `  canonscope key commit --output holder.json > public.json
  canonscope key commit --feature pseudonym --output holder.json > public.json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return errors.New("key commit needs a file for the secrets: --output FILE")
			}
			f, err := vcdm.FeatureNamed(feature)
			if err != nil {
				return err
			}
			h, err := vcdm.CommitBBS(f)
			if err != nil {
				return err
			}

			secrets, err := json.MarshalIndent(h, "", "  ")
			if err != nil {
				return err
			}
			public, err := json.MarshalIndent(h.Public(), "", "  ")
			if err != nil {
				return err
			}
			if err := writeSecret(file, append(secrets, '\n')); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", public)
			return err
		},
	}

	cmd.Flags().StringVarP(&file, "output", "o", "",
		"write the secrets to a new `FILE` that only its owner can read")
	cmd.Flags().StringVar(&feature, "feature", features[0], strings.Join(features, ", "))
	return cmd
}
