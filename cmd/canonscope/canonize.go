package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/canon/printable"
)

func newCanonizeCommand() *cobra.Command {
	var (
		method, engine, hash, input string
		issued, digest, lossy       bool
		determined                  bool
		limits                      canon.Limits
		timeout                     timeLimit
		from                        contextFlags
		direction                   directionFlag
	)
	cmd := &cobra.Command{
		Use:   "canonize --method rdfc|jcs [flags] FILE|-",
		Short: "Print the canonical form of a document",
		Long: `Canonize prints the canonical form of a document: canonical N-Quads of RDFC-1.0,
or canonical JSON of RFC 8785 (JCS).

RDFC reads N-Quads and JSON-LD, JCS reads JSON. Without --input a file that ends
in .nq or .nt is N-Quads; what else RDFC reads is JSON-LD. A document that would
lose data is refused, unless --lossy: then the native engine lists the losses on
standard error, as it always does with numbers that JCS writes as others.
Contexts are found offline: given files, then given folders, then those built
in; the network is asked only with --allow-network.`,
		Example: `  canonscope canonize --method rdfc credential.json
  canonscope canonize --method rdfc --digest --hash sha384 dataset.nq
  canonscope canonize --method rdfc --input nquads --map - < dataset.nq
  canonscope canonize --method jcs --engine stock document.json`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt := canon.Options{Input: canon.Input(input), Hash: canon.Hash(hash), Limits: limits, Lossy: lossy, Issued: issued, Direction: direction.option()}
			if err := checkPair(canon.Method(method), &opt, args[0]); err != nil {
				return err
			}
			switch {
			case method == string(canon.JCS) && (issued || determined || limits.Work != 0 || opt.Direction != ""):
				return errors.New("--map, --determined, --max-work and --rdf-direction are for rdfc, not for jcs")
			case issued && digest:
				return errors.New("--map and --digest exclude one another")
			}
			loader, err := from.loader()
			if err != nil {
				return err
			}
			if method == string(canon.JCS) {
				opt.Lossy = true // RFC 8785 wants the change of numbers; it is told
			}
			newEngine := engines.New
			if lossy {
				newEngine = engines.Unguarded
			}
			c, err := newEngine(engine, canon.Method(method), engines.Config{Loader: loader})
			if err != nil {
				return err
			}
			doc, err := readInput(cmd, args[0], limits)
			if err != nil {
				return err
			}
			if err := checkInput(opt.Input, args[0], doc); err != nil {
				return err
			}
			var form *canon.Form
			var tied []string
			err = timeout.run(cmd, func(ctx context.Context) (err error) {
				if form, err = c.Canonicalize(ctx, doc, opt); err != nil {
					return err
				}
				if method == string(canon.RDFC) && (engine == engines.Native || determined) {
					tied, err = engines.Undetermined(ctx, doc, opt, loader)
				}
				return err
			})
			if err != nil {
				return err
			}
			printLosses(cmd, form.Losses)
			if err := checkDetermined(cmd, tied, determined); err != nil {
				return err
			}
			switch {
			case issued:
				return printJSON(cmd, form.Issued)
			case digest && opt.Hash == canon.SHA384:
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%x\n", sha512.Sum384(form.Text))
			case digest:
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%x\n", sha256.Sum256(form.Text))
			default:
				_, err = cmd.OutOrStdout().Write(form.Text)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&method, "method", "", "rdfc (RDFC-1.0) or jcs (RFC 8785)")
	f.StringVar(&engine, "engine", engines.Native, "what canonicalizes: "+strings.Join(engines.Names, ", "))
	f.StringVar(&hash, "hash", string(canon.SHA256), "hash inside RDFC-1.0 and of --digest: sha256 or sha384")
	f.StringVar(&input, "input", "", "syntax of FILE: nquads, jsonld or json")
	f.BoolVar(&issued, "map", false, "print the issued-identifiers map as JSON instead")
	f.BoolVar(&digest, "digest", false, "print the hash of the canonical form in hexadecimal instead")
	f.BoolVar(&lossy, "lossy", false, "allow data to be dropped that the canonical form cannot carry, and list it")
	f.BoolVar(&determined, "determined", false, "refuse a dataset that RDFC-1.0 gives more than one canonical form; default is a warning")
	addWork(cmd, &limits)
	direction.add(cmd, noDirection)
	addSizes(cmd, &limits)
	timeout.add(cmd)
	from.add(cmd)
	return cmd
}

// checkPair checks that a method takes an input and fills the default of the input.
func checkPair(method canon.Method, opt *canon.Options, file string) error {
	takes := map[canon.Method][]string{canon.RDFC: {string(canon.JSONLD), string(canon.NQuads)}, canon.JCS: {string(canon.JSON)}}[method]
	switch {
	case method == "":
		return errors.New("--method is missing; there are: rdfc, jcs")
	case takes == nil:
		return fmt.Errorf("no method %q; there are: rdfc, jcs", method)
	}
	if opt.Hash != canon.SHA256 && opt.Hash != canon.SHA384 {
		return fmt.Errorf("no hash %q; there are: sha256, sha384", opt.Hash)
	}
	if opt.Input == "" {
		opt.Input = canon.Input(takes[0])
		if ext := filepath.Ext(file); method == canon.RDFC && (ext == ".nq" || ext == ".nt") {
			opt.Input = canon.NQuads
		}
	}
	if !slices.Contains(takes, string(opt.Input)) {
		return fmt.Errorf("method %s takes input %s, not %q", method, strings.Join(takes, " or "), opt.Input)
	}
	if opt.Limits.Work < 0 || opt.Limits.Bytes < 0 || opt.Limits.Depth < 0 {
		return errors.New("a limit must not be negative")
	}
	return nil
}

// checkInput refuses a document that is plainly of another syntax.
func checkInput(input canon.Input, file string, doc []byte) error {
	if input == canon.NQuads {
		if text := bytes.TrimLeft(doc, " \t\r\n"); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
			return fmt.Errorf("%s holds JSON, not N-Quads; --input jsonld reads JSON-LD", nameOf(file))
		}
		return nil
	}
	err := checkJSON(file, doc)
	if err != nil && input == canon.JSONLD && nQuads.Match(bytes.TrimLeft(doc, " \t\r\n")) {
		return fmt.Errorf("%w; --input nquads reads them", err)
	}
	return err
}

// checkDetermined warns of ties that leave the canonical form open, or refuses them.
func checkDetermined(cmd *cobra.Command, tied []string, refuse bool) error {
	if len(tied) == 0 {
		return nil
	}
	err := fmt.Errorf("the canonical form is not determined: RDFC-1.0 allows exchanging labels among %s", strings.Join(tied, " "))
	if refuse {
		return err
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "canonscope: %s\n", printable.Line(err.Error()))
	return err
}

// printLosses lists what a document lost on standard error.
func printLosses(cmd *cobra.Command, losses []canon.Loss) {
	for _, l := range losses {
		fmt.Fprintf(cmd.ErrOrStderr(), "canonscope: %q: %s\n", l.Pointer, printable.Line(l.Reason))
	}
}
