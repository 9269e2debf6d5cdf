//phase:caller
package sdjwt

import (
	"bytes"
	"context"
	"errors"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/baseline"
	"canonscope/compare/internal/claims"
	"canonscope/vcdm/keys"
)

// Definition is the format.
var Definition = &compare.Definition{
	Name:   compare.SDJWT,
	Column: "SDJWT",
	Title:  "SD-JWT VC",
	Suites: []compare.Suite{{Name: "jws", Algorithms: keys.Algorithms}},
	Stock:  "stock sd-jwt-vc is jwx for JOSE; its salts, disclosures and digests are this project's",
	Bound:  "a challenge for sd-jwt-vc (KB-JWT: aud, nonce, sd_hash)",
	Prepares: func(c compare.Cell, _ canon.Canonicalizer) (compare.Preparer, error) {
		return NewFormat(c.Engine, c.Algorithm), nil
	},
	Chosen:     claims.Chosen(request),
	Operations: compare.OfCredentials,
	Tamper:     tamper,
	Decode:     func(in []byte) ([]byte, bool) { return bytes.TrimSpace(in), IsToken(in) },
	Inspect:    Inspect,
	Files: map[compare.Operation]func() *compare.Files{
		compare.Issue: issuing, compare.Present: presenting, compare.Verify: verifying},
	Conform: &compare.Conformance{Name: "sdjwt", Title: "SD-JWT and SD-JWT VC data",
		Holds:  "cases.json, index.json with the folders it names, or sdjwt-*.txt",
		Module: "github.com/lestrrat-go/jwx/v2", Run: Conform},
}

// request says for what a credential is read.
func request(t *compare.Task) claims.Request {
	return claims.Request{Format: compare.SDJWT, Type: "vct", Now: t.Now, Limits: t.Limits}
}

func issuing() *compare.Files {
	var (
		i      Issuer
		holder compare.KeyFile
		lossy  bool
	)
	return &compare.Files{
		Options: []compare.Option{
			baseline.HolderOption(&holder),
			baseline.LossyOption(&lossy),
			baseline.Option("digest", &i.Hash, "sha-256, sha-384, sha-512"),
		},
		Draft: func(doc []byte, until *time.Time, t *compare.Task) (*compare.Draft, error) {
			q := request(t)
			q.Lossy, q.Until = lossy, until
			return claims.Read(doc, q)
		},
		Issue: func(_ context.Context, d *compare.Draft, key *compare.KeyFile, t *compare.Task) (
			[]byte, error) {

			i.Engine, i.Key, i.Holder, i.Limits = t.Engine, key.Secret, holder.Public, t.Limits
			return i.Issue(d.JSON, Disclosable{Leaves: claims.Subject})
		},
	}
}

func presenting() *compare.Files {
	var b Binding
	var issuer compare.KeyFile
	key := compare.KeyFile{NeedsSecret: true}
	return &compare.Files{
		Options: []compare.Option{
			baseline.Option("issuer-key", &issuer,
				"key `FILE` of the issuer to check the token with first; default the key in it"),
			baseline.HolderOption(&key),
			baseline.Option("audience", &b.Audience, "the verifier that the KB-JWT is meant for"),
			baseline.Option("nonce", &b.Nonce, "the verifier's nonce"),
		},
		Present: func(_ context.Context, token []byte, disclose []string, t *compare.Task) (
			out []byte, how string, err error) {

			h := Holder{Engine: t.Engine, Key: key.Secret, Limits: t.Limits}
			switch err := h.Check(token, issuer.Public); {
			case errors.Is(err, ErrNoKey):
				t.Note("not checked: the issuer's signature, whose key the token does not hold; " +
					"give it with --issuer-key FILE")
			case err != nil:
				return nil, "", err
			}
			if key.Path == "" {
				out, err = h.Present(token, disclose, nil)
				return out, compare.Derived, err
			}
			if b.Audience == "" || b.Nonce == "" {
				return nil, "", errors.New("--holder-key binds a presentation to its verifier: " +
					"give --audience and --nonce")
			}
			bound, err := HolderKey(token, t.Limits)
			if err := baseline.CheckHolder(&key, bound, err); err != nil {
				return nil, "", err
			}
			out, err = h.Present(token, disclose, &b)
			return out, compare.Derived, err
		},
	}
}

func verifying() *compare.Files {
	var v Verifier
	var trust baseline.Trust
	return &compare.Files{
		Options: append(trust.Options(),
			baseline.Option("any-subject", &v.AnySubject,
				"accept an issuer (iss) that is not in the x5c certificate, or the name of another key"),
			baseline.Option("any-audience", &v.AnyAudience,
				"accept a token for an audience (aud) without --audience"),
			baseline.Option("legacy-typ", &v.LegacyTyp, "accept the typ of drafts before -19, vc+sd-jwt"),
			baseline.Option("unasked-kb", &v.UnaskedKB,
				"accept a KB-JWT that --nonce does not ask for, unchecked"),
			baseline.Option("plain", &v.Plain,
				"apply RFC 9901 alone, not the rules on typ, vct and what may be disclosed"),
			baseline.Option("audience", &v.Audience, "this verifier's name"),
			baseline.Option("nonce", &v.Nonce, "demand a KB-JWT with this nonce")),
		Remedies: map[string]string{
			"AnySubject":  "--any-subject accepts it",
			"AnyAudience": "--any-audience accepts it",
			"LegacyTyp":   "--legacy-typ accepts it",
			"Now":         "--now compares with another time",
			"Plain":       "--plain checks it as an SD-JWT of RFC 9901 alone",
			"UnaskedKB":   "--audience and --nonce check it, --unasked-kb accepts it unchecked",
		},
		Verify: func(_ context.Context, token []byte, t *compare.Task) (_ *compare.Verification, err error) {
			out := new(compare.Verification)
			if v.Key, v.Roots, out.Key, err = trust.Resolve(); err != nil {
				return nil, err
			}
			if (v.Audience == "") != (v.Nonce == "") {
				return nil, errors.New("a KB-JWT is for a verifier and answers its nonce: " +
					"give both --audience and --nonce, or neither")
			}
			v.Engine, v.Now, v.Leeway, v.Limits, v.Binding = t.Engine, t.Now, t.Skew, t.Limits, v.Nonce != ""
			r, err := v.Verify(token)
			if err != nil {
				return &compare.Verification{Refused: err}, nil
			}

			out.Issuer, out.Disclosed, out.Unchecked = r.Issuer, r.Disclosed(), r.Unchecked
			out.Count = len(out.Disclosed)
			if r.Signer != "" {
				out.Signers = []string{r.Signer}
			}
			switch {
			case r.Issuer != "" && v.AnySubject:
				out.About = []string{"issuer " + r.Issuer + ", which was not compared with the key"}
			case r.Issuer != "":
				out.About = []string{"issuer " + r.Issuer}
			}
			out.Claims, err = r.Claims()
			return out, err
		},
	}
}
