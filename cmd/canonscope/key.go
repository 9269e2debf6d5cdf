package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"canonscope/compare"
	"canonscope/vcdm/keys"
)

func newKeyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Make and convert keys",
	}
	cmd.AddCommand(newKeyGenerateCommand(), newKeyPublicCommand(), newKeyCommitCommand())
	return cmd
}

func newKeyGenerateCommand() *cobra.Command {
	var algorithm, file string
	var jwk bool
	cmd := &cobra.Command{
		Use:   "generate [flags]",
		Short: "Make a new key pair",
		Long: `Generate prints a new key pair as a verification method of type Multikey with
its did:key identifier, or with --jwk as a JSON Web Key. The output holds the
secret key: --output writes it to a new file that only its owner can read.`,
		Example: "  canonscope key generate --algorithm ES256 --output issuer.json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if jwk && keys.Algorithm(algorithm) == keys.BBS {
				return errBBSJWK
			}
			s, err := keys.Generate(keys.Algorithm(algorithm))
			if err != nil {
				return err
			}
			out := s.MultikeyJSON()
			if jwk {
				out = append(s.JWK(), '\n')
			}
			if file != "" {
				return writeSecret(file, out)
			}
			_, err = cmd.OutOrStdout().Write(out)
			return err
		},
	}

	cmd.Flags().StringVarP(&file, "output", "o", "", "write to a new `FILE` that only its owner can read")
	cmd.Flags().StringVar(&algorithm, "algorithm", string(keys.EdDSA), "EdDSA, ES256, ES384, BBS")
	cmd.Flags().BoolVar(&jwk, "jwk", false, "print a JSON Web Key")
	return cmd
}

// errBBSJWK is the error of a form that no specification gives these keys yet.
var errBBSJWK = errors.New("a key for BBS has no JSON Web Key here; omit --jwk for a Multikey")

// writeSecret writes a new file that only its owner can read.
func writeSecret(file string, b []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; a key is not written over another file", file)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

func newKeyPublicCommand() *cobra.Command {
	var jwk bool
	cmd := &cobra.Command{
		Use:   "public [flags] FILE",
		Short: "Print the public half of a key",
		Long: `Public prints the public half of a key as a verification method of type
Multikey, or with --jwk as a JSON Web Key. FILE is a Multikey, a JSON Web Key or
PEM, a key or certificate as openssl writes it.`,
		Example: `  canonscope key public issuer.json
  canonscope key public --jwk issuer.pem`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := readKey(args[0])
			if err != nil {
				return err
			}
			out := f.Public.MultikeyJSON()

			if jwk && f.Public.Algorithm() == keys.BBS {
				return errBBSJWK
			}
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
		return nil, &compare.OptionError{Err: err}
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, &compare.OptionError{Err: fmt.Errorf("%s is empty", path)}
	}
	f, err := keys.ParseFile(b)
	if err != nil {
		return nil, &compare.OptionError{Err: fmt.Errorf("%s: %w", path, err)}
	}
	return f, nil
}

// readSecret reads a key file that has a secret key.
func readSecret(path string) (*keys.File, error) {
	if path == "" {
		return nil, &compare.OptionError{Err: errors.New(
			"no key: give --key FILE; canonscope key generate makes one")}
	}
	f, err := readKey(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w; canonscope key generate makes a key", err)
	case f.Secret == nil:
		return nil, &compare.OptionError{Err: fmt.Errorf(
			"%s holds no secret key; give the file that canonscope key generate printed", path)}
	}
	return f, nil
}
