package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/schemas"
	"canonscope/vcdm/keys"
)

// withToy is the command with a format more. Nothing but the list of the matrix names it.
func withToy() {
	matrix.Formats = append(matrix.Formats, toy)
	main()
}

// toy signs a credential as it is: "toy", the signature and the document, with spaces between.
var toy = &compare.Definition{
	Name:   "toy",
	Column: "toy",
	Title:  "Toy",
	Suites: []compare.Suite{{Name: "sealed", Algorithms: keys.Algorithms}},

	Operations: compare.OfCredentials,

	Bound: "nothing for toy",
	Prepares: func(c compare.Cell, _ canon.Canonicalizer) (compare.Preparer, error) {
		return toyFormat(c.Algorithm), nil
	},
	Tamper: func(_ *schemas.Credential, presented []byte, _ bool) ([]compare.Tampered, error) {
		return []compare.Tampered{{What: "the end", Bytes: append(bytes.Clone(presented), ' ')}}, nil
	},
	Decode: func(in []byte) ([]byte, bool) { return bytes.TrimSpace(in), bytes.HasPrefix(in, []byte("toy ")) },
	Inspect: func(b []byte, _ canon.Limits) (*compare.Inspection, error) {
		return &compare.Inspection{JSON: func() (any, error) { return map[string]any{"format": "toy", "size": len(b)}, nil }}, nil
	},
	Files: map[compare.Operation]func() *compare.Files{compare.Issue: func() *compare.Files {
		var seal string
		return &compare.Files{
			Options: []compare.Option{{Name: "seal", Usage: "what is signed, too", To: &seal}},
			Draft: func(doc []byte, _ *time.Time, _ *compare.Task) (*compare.Draft, error) {
				return &compare.Draft{JSON: doc}, nil
			},
			Issue: func(_ context.Context, d *compare.Draft, key *compare.KeyFile, _ *compare.Task) ([]byte, error) {
				var doc bytes.Buffer
				if err := json.Compact(&doc, d.JSON); err != nil {
					return nil, err
				}
				return toySign(key.Secret, append(doc.Bytes(), seal...))
			},
		}
	},
		compare.Present: func() *compare.Files {
			return &compare.Files{Present: func(_ context.Context, in []byte, _ []string, _ *compare.Task) ([]byte, string, error) {
				return in, compare.Derived, nil
			}}
		},
		compare.Verify: func() *compare.Files {
			var key compare.KeyFile
			var strict bool
			return &compare.Files{
				Options: []compare.Option{
					{Name: "issuer-key", Usage: "key `FILE` of the toy", To: &key},
					{Name: "strict", Usage: "refuse toys", To: &strict},
				},
				Remedies: map[string]string{"Strict": "leave --strict out"},
				Verify: func(_ context.Context, in []byte, _ *compare.Task) (*compare.Verification, error) {
					if strict {
						return &compare.Verification{Refused: &compare.InvalidError{Of: "toy", Where: "all", Msg: "is a toy", Option: "Strict"}}, nil
					}
					if err := toyVerify(key.Public, in); err != nil {
						return &compare.Verification{Refused: err}, nil
					}
					return &compare.Verification{Count: 1}, nil
				},
			}
		}},
}

func toySign(key *keys.Secret, doc []byte) ([]byte, error) {
	sig, err := key.Sign(doc)
	if err != nil {
		return nil, err
	}
	return append([]byte("toy "+base64.RawURLEncoding.EncodeToString(sig)+" "), doc...), nil
}

func toyVerify(key *keys.Public, in []byte) error {
	parts := bytes.SplitN(in, []byte(" "), 3)
	if len(parts) != 3 || key == nil {
		return errors.New("not a toy, or no key")
	}
	sig, err := base64.RawURLEncoding.DecodeString(string(parts[1]))
	if err != nil || !key.Verify(parts[2], sig) {
		return errors.New("the signature of the toy is wrong")
	}
	return nil
}

type toyFormat compare.Algorithm

// Prepare implements compare.Preparer.
func (f toyFormat) Prepare(c *schemas.Credential, _ compare.Scenario) (*compare.Exchange, error) {
	key, err := keys.FromSeed(compare.Algorithm(f), bytes.Repeat([]byte{7}, 32))
	if err != nil {
		return nil, err
	}
	counters := &compare.Counters{}
	return compare.Deriving(counters, "signature", compare.Steps{
		Issue:   func() ([]byte, error) { counters.Signatures++; return toySign(key, c.VCDM) },
		Present: func(issued []byte) ([]byte, error) { return issued, nil },
		Verify: func(presented []byte) error {
			counters.Verifications++
			return toyVerify(key.Public(), presented)
		},
	}), nil
}
