package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/engines"
	"canonscope/canon/printable"
)

func newCanonizeCommand() *cobra.Command {
	var (
		method                canon.Method
		engine                engineFlag
		opt                   canon.Options
		issued, digest, lossy bool
		determined            bool
		files                 manyFiles
		limits                canon.Limits
		timeout               timeLimit
		from                  contextFlags
		direction             directionFlag
	)

	cmd := &cobra.Command{
		Use:   "canonize [flags] [FILE|-]...",
		Short: "Print the canonical form of a document",
		Long: `Canonize prints the canonical form of a document: canonical N-Quads of RDFC-1.0,
or canonical JSON of RFC 8785 (JCS).

RDFC reads N-Quads and JSON-LD, JCS reads JSON. Without --input a file that ends
in .nq or .nt is N-Quads, and other input of RDFC is JSON-LD. A document that
would lose data is refused. With --lossy the native engine lists the losses on
standard error instead; it always lists numbers whose value JCS changes.
Contexts are found offline: in the files and folders given, then among those
built in. Only --allow-network uses the network.

For several files it prints the hash of each canonical form, as --digest does,
and its name; the exit status is the worst. Without a file it reads standard
input.`,
		Example: `  canonscope canonize credential.json
  canonscope canonize --digest --hash sha384 dataset.nq
  canonscope canonize --input nquads --map < dataset.nq
  canonscope canonize --method jcs --engine stock document.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.Limits, opt.Lossy, opt.Issued, opt.Direction = limits, lossy, issued, direction.option()
			if err := checkPair(method, &opt); err != nil {
				return err
			}

			switch {
			case method == canon.JCS && (issued || determined || limits.Work != 0 || opt.Direction != ""):
				return errors.New(
					"--map, --determined, --max-work and --rdf-direction are for rdfc, not for jcs")
			case issued && digest:
				return errors.New("--map and --digest exclude one another")
			case issued && len(args) > 1:
				return errors.New("--map prints the map of one document; give one file")
			}

			loader, err := from.loader()
			if err != nil {
				return err
			}
			if method == canon.JCS {
				opt.Lossy = true // RFC 8785 requires the change of numbers; it is reported
			}

			c, err := engine.canonicalizer(method, loader, lossy)
			if err != nil {
				return err
			}
			if closer, ok := c.(io.Closer); ok {
				defer closer.Close()
			}

			return files.run(cmd, args, func(file string) (*answer, error) {
				opt := opt
				opt.Input = inputFor(method, opt.Input, file)
				doc, err := readInput(cmd, file, limits)
				if err != nil {
					return nil, err
				}
				if err := checkInput(cmd, opt.Input, file, doc); err != nil {
					return nil, err
				}

				var form *canon.Form
				var tied []string
				err = timeout.run(cmd, func(ctx context.Context) (err error) {
					if form, err = c.Canonicalize(ctx, doc, opt); err != nil {
						return err
					}
					if form.Ties || method == canon.RDFC && engine.engine() != canon.Native && determined {
						tied, err = engines.Undetermined(ctx, doc, opt, loader)
					}
					return err
				})
				if err != nil {
					return nil, err
				}

				printLosses(cmd, form.Losses)
				if err := checkDetermined(cmd, tied, determined); err != nil {
					return nil, err
				}

				sum := digestOf(form.Text, opt.Hash)
				return &answer{line: sum + "  " + file, text: func(w io.Writer) error {
					switch {
					case issued:
						return printable.JSON(w, form.Issued)
					case digest:
						_, err := fmt.Fprintln(w, sum)
						return err
					}
					return printBytes(w, form.Text)
				}}, nil
			})
		},
	}

	f := cmd.Flags()
	f.StringVar((*string)(&method), "method", string(canon.RDFC), "rdfc (RDFC-1.0) or jcs (RFC 8785)")
	engine.add(cmd, "what canonicalizes")
	f.StringVar((*string)(&opt.Hash), "hash", string(canon.SHA256),
		"hash inside RDFC-1.0 and of --digest: sha256 or sha384")
	f.StringVar((*string)(&opt.Input), "input", "", "syntax of FILE: nquads, jsonld or json")
	f.BoolVar(&issued, "map", false, "print the issued-identifiers map as JSON instead")
	f.BoolVar(&digest, "digest", false, "print the hash of the canonical form in hexadecimal instead")
	files.add(cmd)
	f.BoolVar(&lossy, "lossy", false, "drop data that the canonical form cannot carry, and list it")
	f.BoolVar(&determined, "determined", false,
		"refuse a dataset that RDFC-1.0 allows more than one canonical form; default is a warning")
	addWork(cmd, &limits)
	direction.add(cmd, noDirection)
	addSizes(cmd, &limits)
	timeout.add(cmd)
	from.add(cmd)
	return cmd
}

// checkPair checks that a method takes an input.
func checkPair(method canon.Method, opt *canon.Options) error {
	takes := map[canon.Method][]canon.Input{canon.RDFC: {canon.JSONLD, canon.NQuads},
		canon.JCS: {canon.JSON}}[method]
	if err := choice.Check("method", method, canon.Methods); err != nil {
		return err
	}
	if err := choice.Check("hash", opt.Hash, []canon.Hash{canon.SHA256, canon.SHA384}); err != nil {
		return err
	}
	if opt.Input != "" && !slices.Contains(takes, opt.Input) {
		return fmt.Errorf("method %s takes input %s, not %q", method, choice.List(choice.Names(takes)),
			opt.Input)
	}
	return nil
}

// inputFor returns the syntax of a file: the one given, or else that of its method and name.
func inputFor(method canon.Method, asked canon.Input, file string) canon.Input {
	ext := filepath.Ext(file)
	switch {
	case asked != "":
		return asked
	case method == canon.JCS:
		return canon.JSON
	case ext == ".nq" || ext == ".nt":
		return canon.NQuads
	}
	return canon.JSONLD
}

// digestOf returns the hash of a canonical form in hexadecimal.
func digestOf(text []byte, hash canon.Hash) string {
	if hash == canon.SHA384 {
		sum := sha512.Sum384(text)
		return hex.EncodeToString(sum[:])
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// checkInput refuses a document that is clearly of another syntax, with what the command can do about it.
func checkInput(cmd *cobra.Command, input canon.Input, file string, doc []byte) error {
	remedy := func(other canon.Input, ext, reads string) string {
		if cmd.Flags().Lookup("input") == nil {
			return "the name of such a file ends in " + ext
		}
		return "--input " + string(other) + " reads " + reads
	}
	if input == canon.NQuads {
		if text := bytes.TrimLeft(doc, " \t\r\n"); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
			return fmt.Errorf("%s holds JSON, not N-Quads; %s", nameOf(file),
				remedy(canon.JSONLD, ".jsonld", "JSON-LD"))
		}
		return nil
	}
	err := checkJSON(file, doc)
	if err != nil && input == canon.JSONLD && nQuads.Match(bytes.TrimLeft(doc, " \t\r\n")) {
		return fmt.Errorf("%w; %s", err, remedy(canon.NQuads, ".nq", "them"))
	}
	return err
}

// checkDetermined warns of ties that leave the canonical form open, or refuses them.
func checkDetermined(cmd *cobra.Command, tied []string, refuse bool) error {
	if len(tied) == 0 {
		return nil
	}
	more := ""
	if n := len(tied) - maxListed; n > 0 {
		tied, more = tied[:maxListed], fmt.Sprintf(" and %d more", n)
	}
	err := fmt.Errorf("the canonical form is not determined: RDFC-1.0 allows exchanging labels among %s%s",
		strings.Join(tied, " "), more)
	if refuse {
		return err
	}
	note(cmd, "%s", shortLine(err))
	return nil
}

// maxListed is the number of losses that are printed.
const maxListed = 100

// printLosses lists what a document lost on standard error.
func printLosses(cmd *cobra.Command, losses []canon.Loss) {
	for i, l := range losses {
		if i == maxListed {
			note(cmd, "and %d more losses", len(losses)-i)
			return
		}
		note(cmd, "%s", lossText(l))
	}
}
