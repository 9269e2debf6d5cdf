package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"canonscope/compare"
)

func newVerifyCommand() *cobra.Command {
	var (
		engine  engineFlags
		now     string
		skew    time.Duration
		files   manyFiles
		formats formatFlags
	)

	cmd := &cobra.Command{
		Use:   "verify [flags] [FILE|-]...",
		Short: "Verify the proofs of a credential or a presentation",
		Long: `Verify checks every proof of a credential, or of a presentation and the
credentials in it: signature, proof options, purpose, dates of the proof,
validity period, the rules of the data model, and that the issuer signed the
credential or the holder the presentation. Nothing is fetched: keys come from
did:key identifiers and from the documents of --controller. Exit status 1 means
that it is not verified; every reason is printed. What was not checked is
listed: status, schemas, and related resources that are neither built-in
contexts nor given with --resource.

A signature shows who signed which statements. Only contexts that the reader
knows show that terms have the expected meaning. Contexts that are inline or not
built in are listed; --known-contexts refuses all others than those it names.
With an RDFC suite, claims that are not checked may be anywhere in a document:
read them as JSON-LD, not by their place.

For an SD-JWT or mdoc it checks signature, digests, validity period and form,
with the key of --issuer-key or a certificate chain to --roots; with --nonce
also the KB-JWT, with --transcript the device signature.

For several files it prints one line each, with --json one object a line; the
exit status is the worst. Without a file it reads standard input.`,
		Example: `  canonscope verify credential.json
  canonscope verify --domain verifier.example --challenge 1f44d55f vp.json
  canonscope verify --json --now 2026-06-30T12:00:00Z < credential.json
  canonscope verify credentials/*.json
  canonscope verify --issuer-key issuer.json token.txt
  canonscope verify --roots iaca.pem mdoc.hex`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var at *time.Time
			if now != "" {
				t, err := time.Parse(time.RFC3339, now)
				if err != nil {
					return fmt.Errorf("--now %s: want a time such as 2026-01-31T12:00:00Z", now)
				}
				at = &t
			}
			if skew < 0 {
				return fmt.Errorf("--skew is %v; it must not be negative", skew)
			}

			return files.run(cmd, args, func(file string) (*answer, error) {
				format, in, err := formats.read(cmd, file, engine.limits)
				if err != nil {
					return nil, err
				}
				t := engine.task(cmd, file)
				t.Skew, t.JSON = skew, files.asJSON
				if at != nil {
					t.Now = *at
				}
				return formats.verify(cmd, format, in, t, engine.timeout)
			})
		},
	}

	f := cmd.Flags()
	f.StringVar(&now, "now", "", "`TIME` to compare dates with; default now")
	f.DurationVar(&skew, "skew", 0,
		"allowed difference of clocks: a proof may be so far in the future; "+
			"sd-jwt-vc and mdoc are valid so much longer at both ends")
	f.Bool("bound", true, "require a proof by the issuer or holder; the default")
	if err := f.MarkHidden("bound"); err != nil {
		panic(err) // the flag exists
	}
	engine.from.addResources(cmd)
	formats.add(cmd, compare.Verify, "")
	files.addJSON(cmd, "print the result as JSON, errors as problem details (RFC 9457)")
	files.add(cmd)
	engine.add(cmd)
	return cmd
}
