package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"canonscope/vcdm/keys"
)

func newKeyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Make and convert keys",
	}
	cmd.AddCommand(newKeyGenerateCommand(), newKeyPublicCommand())
	return cmd
}

func newKeyGenerateCommand() *cobra.Command {
	var algorithm string
	var jwk bool
	cmd := &cobra.Command{
		Use:   "generate [flags]",
		Short: "Print a new key pair",
		Long: `Generate prints a new key pair as a verification method of type Multikey with
its did:key identifier, or with --jwk as a JSON Web Key. The output holds the
secret key.`,
		Example: "  canonscope key generate --algorithm ES256 > issuer.json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := keys.Generate(keys.Algorithm(algorithm))
			if err != nil {
				return err
			}
			out := s.MultikeyJSON()
			if jwk {
				out = append(s.JWK(), '\n')
			}
			_, err = cmd.OutOrStdout().Write(out)
			return err
		},
	}
	cmd.Flags().StringVar(&algorithm, "algorithm", string(keys.EdDSA), "EdDSA, ES256, ES384")
	cmd.Flags().BoolVar(&jwk, "jwk", false, "print a JSON Web Key")
	return cmd
}

func newKeyPublicCommand() *cobra.Command {
	var jwk bool
	cmd := &cobra.Command{
		Use:     "public [flags] FILE",
		Short:   "Print the public half of a key",
		Example: "  canonscope key public issuer.json",
		Args:    oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := readKey(args[0])
			if err != nil {
				return err
			}
			out := f.Public.MultikeyJSON()
			if jwk {
				out = append(f.Public.JWK(), '\n')
			}
			_, err = cmd.OutOrStdout().Write(out)
			return err
		},
	}
	cmd.Flags().BoolVar(&jwk, "jwk", false, "print a JSON Web Key")
	return cmd
}

// readKey reads a key file.
func readKey(path string) (*keys.File, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, &optionError{err}
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, &optionError{fmt.Errorf("%s is empty", path)}
	}
	f, err := keys.ParseFile(b)
	if err != nil {
		return nil, &optionError{fmt.Errorf("%s: %w", path, err)}
	}
	return f, nil
}

// readSecret reads a key file that has a secret key.
func readSecret(path string) (*keys.File, error) {
	if path == "" {
		return nil, &optionError{errors.New("no key: give --key FILE; canonscope key generate makes one")}
	}
	f, err := readKey(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w; canonscope key generate makes a key", err)
	case f.Secret == nil:
		return nil, &optionError{fmt.Errorf("%s holds no secret key; give the file that canonscope key generate printed", path)}
	}
	return f, nil
}
