//phase:caller
package di

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/vcdm"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// common are flags of the command that only this format has in issue, present and verify.
var common = []compare.Option{{Name: "max-proofs"}, {Name: "max-signatures"}, {Name: "rdf-direction"}}

// option is an option that no other format has.
func option(name string, to any, usage string) compare.Option {
	return compare.Option{Name: name, Usage: usage, To: to, Alone: true}
}

// wrong is an error about an option.
func wrong(format string, args ...any) error {
	return &compare.OptionError{Err: fmt.Errorf(format, args...)}
}

// suiteFor returns a cryptosuite over the engine of a task.
func suiteFor(name string, t *compare.Task, o vcdm.SDOptions) (vcdm.Suite, error) {
	s, err := vcdm.SuiteNamed(name)
	if err != nil {
		return nil, &compare.OptionError{Err: err}
	}
	c, err := t.Canonicalizer(s.Method)
	if err != nil {
		return nil, &compare.OptionError{Err: err}
	}
	return vcdm.WithDirection(s.New(c, o), t.Direction), nil
}

// signing are the proof options that issue and a re-signing present take.
type signing struct {
	options       vcdm.Options
	deterministic bool
	noInject      bool
}

func (s *signing) list() []compare.Option {
	return append([]compare.Option{
		option("created", &s.options.Created,
			"`TIME` of the proof, such as 2026-01-31T12:00:00Z, or none; default now"),
		option("method", &s.options.Method, "verification method `URL`; default the key's own"),
		option("purpose", &s.options.Purpose,
			"proof purpose; default assertionMethod, or authentication for a presentation"),
		option("no-inject", &s.noInject,
			"refuse a document whose contexts do not define the terms of a proof"),
		option("deterministic", &s.deterministic, "sign ECDSA as RFC 6979 does"),
	}, common...)
}

// signer returns a signer and its options as JSON; purpose is used if --purpose is not given.
func (s *signing) signer(suite vcdm.Suite, purpose string, key *compare.KeyFile, t *compare.Task) (
	*vcdm.Signer, []byte, error) {

	signer := &vcdm.Signer{Suite: suite, Key: key.Secret, NoInject: s.noInject, Limits: t.Limits,
		Counts: new(vcdm.Counts)}
	if s.deterministic {
		signer.Key = signer.Key.Deterministic()
	}

	o := s.options
	o.Expires = t.Expires
	switch o.Created {
	case "":
		o.Created = time.Now().UTC().Format(time.RFC3339)
	case "none":
		o.Created = ""
	}

	o.Method = cmp.Or(o.Method, key.Method)
	if key.Public.Contradicts(o.Method) {
		return nil, nil, wrong("--method names a key other than that of --key %s", key.Path)
	}
	o.Purpose = cmp.Or(o.Purpose, purpose)
	return signer, o.AppendJSON(nil, suite.Name()), nil
}

// sign signs a document, and notes a context that the signer has added, and what a verifier will require
// if the key is not the did:key of the issuer or holder.
func (s *signing) sign(ctx context.Context, signer *vcdm.Signer, doc, options []byte, t *compare.Task) (
	[]byte, error) {

	member, of, err := rules.PartyOf(doc, t.Limits)
	if err != nil {
		return nil, err
	}
	signed, err := signer.Add(ctx, doc, options)
	if err != nil {
		return nil, err
	}
	if signer.Counts.Injections > 0 {
		t.Note("%s is added to the @context, which did not define the terms of a proof; "+
			"--no-inject refuses instead", vcdm.ProofContext)
	}
	if of != "" && s.options.Method == "" && of != signer.Key.Public().DID() {
		t.Note("the key is not that of the %s, %s; use --self to make it that, "+
			"or --method to name it in a controller document", member, of)
	}
	return signed, nil
}

func issuing() *compare.Files {
	var (
		s       signing
		name    string
		sd      vcdm.SDOptions
		only    bool   // only --mandatory is mandatory
		commits string // file with the commitment of a holder
		anyForm bool
	)

	return &compare.Files{
		Options: append(s.list(),
			option("suite", &name, "cryptosuite: "+strings.Join(vcdm.SuiteNames(), ", ")),
			option("mandatory", &sd.Mandatory,
				"JSON `POINTER` that every presentation discloses besides the defaults; may repeat"),
			option("mandatory-only", &only, "make only the --mandatory pointers mandatory"),
			option("commitment", &commits,
				"commitment `FILE` of the holder, to whom bbs-2023 binds; see key commit"),
			option("any-form", &anyForm, "do not apply the rules of the data model"),
			option("id", &s.options.ID, "`URL` of the proof, so that a later one can name it"),
			option("previous", &s.options.PreviousProof,
				"`URL` of a proof that this one builds on; may repeat"),
			option("domain", &s.options.Domain, "`DOMAIN` that the proof is meant for; may repeat"),
			option("challenge", &s.options.Challenge, "challenge that the proof answers"),
			compare.Option{Name: "resource"}),
		Draft: func(doc []byte, _ *time.Time, _ *compare.Task) (*compare.Draft, error) {
			if (len(sd.Mandatory) > 0 || only) && !derives(name) {
				return nil, wrong("--mandatory is for ecdsa-sd-2023 and bbs-2023; "+
					"%s has no selective disclosure", cmp.Or(name, "no --suite"))
			}
			if name == "" {
				return nil, wrong("no cryptosuite: give --suite, one of %s",
					strings.Join(vcdm.SuiteNames(), ", "))
			}
			if commits == "" {
				return &compare.Draft{JSON: doc}, nil
			}
			if name != bbs {
				return nil, wrong("--commitment is for bbs-2023; %s binds to no holder", name)
			}
			h, err := readHolder("commitment", commits)
			if err != nil {
				return nil, err
			}
			sd.BBS = vcdm.BBSOptions{Feature: h.Feature, Commitment: h.Commitment}
			return &compare.Draft{JSON: doc}, nil
		},
		Issue: func(ctx context.Context, d *compare.Draft, key *compare.KeyFile, t *compare.Task) (
			[]byte, error) {

			doc, purpose := d.JSON, vcdm.AssertionMethod
			presentation, err := rules.IsPresentation(doc, t.Limits)
			if err != nil {
				return nil, err
			}
			if presentation {
				purpose = vcdm.Authentication
			}

			if derives(name) {
				if presentation {
					return nil, wrong("%s is for credentials, from which a holder derives; "+
						"sign a presentation with ecdsa-rdfc-2019", name)
				}
				if sd.Mandatory, err = mandatory(ctx, doc, sd.Mandatory, only, t); err != nil {
					return nil, err
				}
				if name == bbs {
					noteLinking(sd.Mandatory, t)
				}
			}

			suite, err := suiteFor(name, t, sd)
			if err != nil {
				return nil, err
			}
			known, err := t.Digests()
			if err != nil {
				return nil, &compare.OptionError{Err: err}
			}
			signer, options, err := s.signer(suite, purpose, key, t)
			if err != nil {
				return nil, err
			}

			if !anyForm {
				check := rules.CheckCredential
				if presentation {
					check = rules.CheckPresentation
				}
				if err := check(doc, t.Limits); err != nil {
					return nil, err
				}
			}
			if err := checkRelated(doc, known, t); err != nil {
				return nil, err
			}
			return s.sign(ctx, signer, doc, options, t)
		},
	}
}

// mandatory adds the default mandatory pointers unless only is set, and warns if presentations would not be
// credentials.
func mandatory(ctx context.Context, doc []byte, pointers []string, only bool, t *compare.Task) (
	[]string, error) {

	needs, err := rules.VerifierNeeds(doc, t.Limits)
	if err != nil {
		return nil, err
	}
	if !only {
		for _, pointer := range needs {
			if !slices.Contains(pointers, pointer) {
				pointers = append(pointers, pointer)
			}
		}
		return pointers, nil
	}
	shown := []byte("{}")
	if len(pointers) > 0 {
		if shown, err = (vcdm.Selector{Limits: t.Limits}).Select(ctx, doc, pointers); err != nil {
			return nil, err
		}
	}
	return pointers, warnOfMissing(needs, shown, t,
		"presentations may leave out %s, which verifiers need; make it --mandatory")
}

// derives reports whether a cryptosuite has selective disclosure.
func derives(name string) bool {
	s, err := vcdm.SuiteNamed(name)
	return err == nil && s.Derives
}

// noteLinking warns of a mandatory part that makes all presentations of a credential known as its own.
func noteLinking(mandatory []string, t *compare.Task) {
	for _, pointer := range mandatory {
		if pointer == "" || pointer == "/id" || pointer == "/credentialStatus" ||
			strings.HasPrefix(pointer, "/credentialStatus/") {
			t.Note("%s is mandatory, so that verifiers can link the presentations of this credential",
				cmp.Or(pointer, "the whole document"))
		}
	}
}

// warnOfMissing warns of each member that pointers name and a document lacks.
func warnOfMissing(pointers []string, doc []byte, t *compare.Task, format string) error {
	have, err := rules.VerifierNeeds(doc, t.Limits)
	if err != nil {
		return err
	}
	for _, pointer := range pointers {
		if !slices.Contains(have, pointer) {
			t.Note(format, pointer)
		}
	}
	return nil
}

// checkRelated compares the digests of related resources with known ones, and lists the unknown resources.
func checkRelated(doc []byte, known rules.Hashes, t *compare.Task) error {
	err := rules.CheckRelated(doc, t.Limits, known)
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var wrong []error
	for _, err := range all.Unwrap() {
		if e := new(problem.Error); errors.Is(err, rules.ErrUnrecorded) && errors.As(err, &e) {
			t.Note("not checked: %s; --resource URL=FILE compares it", e.Where)
		} else {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

// bbs is the suite whose presentations nothing but their content links.
const bbs = "bbs-2023"

// readHolder reads the file of an option with what key commit has made.
func readHolder(option, path string) (*vcdm.BBSHolder, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, wrong("--%s: %w", option, err)
	}
	h := new(vcdm.BBSHolder)
	if err := json.Unmarshal(b, h); err != nil {
		return nil, wrong("--%s %s: not what canonscope key commit makes: %w", option, path, err)
	}
	return h, nil
}

// holding are the options of a holder with bbs-2023.
type holding struct{ secrets, domain, header string }

func (h *holding) list() []compare.Option {
	return []compare.Option{
		option("holder", &h.secrets,
			"`FILE` with the secrets that the credential is bound to; see key commit"),
		option("pseudonym-domain", &h.domain, "`DOMAIN` where the holder's pseudonym belongs"),
		option("presentation-header", &h.header, "`TEXT` that the presentation is bound to, such as a nonce "+
			"of the verifier"),
	}
}

// options are those of bbs-2023, which alone has any.
func (h *holding) options(suite string) (o vcdm.BBSOptions, err error) {
	if *h != (holding{}) && suite != bbs {
		return o, wrong("--holder, --pseudonym-domain and --presentation-header are for bbs-2023, "+
			"not %s", suite)
	}
	if h.secrets != "" {
		if o.Holder, err = readHolder("holder", h.secrets); err != nil {
			return o, err
		}
		if o.Holder.Blind == nil {
			return o, wrong("--holder %s has the commitment without its secrets; give the file that "+
				"key commit --output wrote", h.secrets)
		}
	}
	o.Domain = h.domain
	if h.header != "" {
		o.Header = []byte(h.header)
	}
	return o, nil
}

func presenting() *compare.Files {
	var s signing
	var h holding
	key := compare.KeyFile{NeedsSecret: true}
	return &compare.Files{
		Options: append(append(s.list(), h.list()...),
			option("key", &key, "key `FILE` with its secret: Multikey, JSON Web Key or PEM")),
		Present: func(ctx context.Context, doc []byte, disclose []string, t *compare.Task) (
			out []byte, how string, err error) {

			if len(disclose) == 0 {
				return nil, "", wrong(
					"nothing to disclose: give --disclose POINTER, such as /credentialSubject/name")
			}
			switch presentation, err := rules.IsPresentation(doc, t.Limits); {
			case err != nil:
				return nil, "", err
			case presentation:
				return nil, "", fmt.Errorf("%s is a presentation; present discloses a part of a credential",
					t.Name)
			}

			name, err := vcdm.SuiteOf(doc, t.Limits)
			if err != nil {
				return nil, "", err
			}
			holder, err := h.options(name)
			if err != nil {
				return nil, "", err
			}
			suite, err := suiteFor(name, t, vcdm.SDOptions{BBS: holder})
			if err != nil {
				return nil, "", err
			}
			if out, how, err = s.disclose(ctx, suite, doc, disclose, &key, t); err != nil {
				return nil, "", err
			}

			needs, err := rules.VerifierNeeds(doc, t.Limits)
			if err != nil {
				return nil, "", err
			}
			if err := warnOfMissing(needs, out, t,
				"the presentation lacks %s, which the credential has and verifiers need"); err != nil {
				return nil, "", err
			}

			links, err := vcdm.Links(out, t.Limits)
			for _, link := range links {
				t.Note("can link presentations: %s", link)
			}
			return out, how, err
		},
	}
}

// disclose derives a presentation, or signs the subset again where the suite does not derive.
func (s *signing) disclose(ctx context.Context, suite vcdm.Suite, doc []byte, disclose []string,
	key *compare.KeyFile, t *compare.Task) (out []byte, how string, err error) {

	name := suite.Name()
	if sd, ok := suite.(*vcdm.SD); ok {
		if key.Path != "" {
			return nil, "", wrong("%s derives without the issuer's key; omit --key", name)
		}
		h := &vcdm.Holder{Suite: sd, Limits: t.Limits}
		out, err = h.Derive(ctx, doc, disclose)
		return out, compare.Derived, err
	}

	if key.Path == "" {
		return nil, "", wrong(
			"%s has no selective disclosure; the issuer can sign the subset again with --key", name)
	}
	signer, options, err := s.signer(suite, vcdm.AssertionMethod, key, t)
	if err != nil {
		return nil, "", err
	}
	subset, err := vcdm.Selector{Limits: t.Limits}.Select(ctx, doc, disclose)
	if err != nil {
		return nil, "", err
	}
	out, err = s.sign(ctx, signer, subset, options, t)
	how = "re-signed: " + name + " has no selective disclosure, and the given key signed the subset"
	return out, how, err
}

func verifying() *compare.Files {
	var v vcdm.Verifier
	var controllers []string
	return &compare.Files{
		Options: append([]compare.Option{
			option("domain", &v.Domain, "`DOMAIN` that the proof must name; may repeat"),
			option("challenge", &v.Challenge, "challenge that the proof must answer"),
			option("purpose", &v.Purpose,
				"required purpose of the proof; default assertionMethod, "+
					"or authentication for a presentation"),
			option("any-issuer", &v.AnyIssuer,
				"accept a proof by a party other than the issuer, or holder of a presentation"),
			option("controller", &controllers, "controlled identifier document `FILE` with keys; may repeat"),
			option("known-contexts", &v.Contexts,
				"`JSON` of a @context that the reader knows, so that others are refused; may repeat"),
			option("any-form", &v.AnyForm, "do not apply the rules of the data model"),
			{Name: "bound"}, {Name: "resource"}}, common...),
		Verify: func(ctx context.Context, doc []byte, t *compare.Task) (*compare.Verification, error) {
			for _, k := range v.Contexts {
				if !json.Valid([]byte(k)) {
					return nil, wrong(
						`--known-contexts %s: want JSON, as '["https://www.w3.org/ns/credentials/v2"]'`, k)
				}
			}
			resolver, err := readControllers(controllers)
			if err != nil {
				return nil, &compare.OptionError{Err: err}
			}
			v.Now = func() time.Time { return t.Now }
			resolver.Now, resolver.Limits = v.Now, t.Limits
			if v.Resources, err = t.Digests(); err != nil {
				return nil, &compare.OptionError{Err: err}
			}
			v.Resolver, v.Limits, v.Skew, v.AllReasons = resolver, t.Limits, t.Skew, true
			if err := addSuites(&v, t); err != nil {
				return nil, err
			}

			if _, err := rules.IsPresentation(doc, t.Limits); err != nil {
				return nil, err // not even an object
			}
			r, err := verifyAll(ctx, &v, doc)
			if err != nil {
				return nil, err
			}
			return answer(r, t), nil
		},
	}
}

// addSuites gives a verifier the suites that the engine can do, once for all files.
func addSuites(v *vcdm.Verifier, t *compare.Task) error {
	if v.Suites != nil {
		return nil
	}
	for _, name := range vcdm.SuiteNames() {
		s, err := suiteFor(name, t, vcdm.SDOptions{})
		var unsupported *canon.UnsupportedError
		if errors.As(err, &unsupported) {
			continue // the engine has no such method
		}
		if err != nil {
			return err
		}
		v.Suites = append(v.Suites, s)
	}
	return nil
}

// verifyAll verifies a document. Reaching a limit is an error, not an answer.
func verifyAll(ctx context.Context, v *vcdm.Verifier, doc []byte) (*vcdm.Result, error) {
	r := v.VerifyAll(ctx, doc)
	var limit *canon.LimitError
	switch err := r.Err(); {
	case errors.As(err, &limit):
		return nil, limit
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, ctx.Err()
	}
	return r, nil
}

// readControllers reads controlled identifier documents, by their ids.
func readControllers(files []string) (*vcdm.Documents, error) {
	docs := map[string][]byte{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var d struct {
			ID      string `json:"id"`
			Type    any    `json:"type"`
			Subject any    `json:"credentialSubject"`
		}
		err = json.Unmarshal(b, &d)
		switch {
		case d.Subject != nil:
			return nil, fmt.Errorf("%s: a credential, not a controlled identifier document", f)
		case err != nil || d.ID == "":
			return nil, fmt.Errorf("%s: not a controlled identifier document: it has no id", f)
		case d.Type == "Multikey" || d.Type == "JsonWebKey":
			return nil, fmt.Errorf(
				"%s: a key, not a controlled identifier document with the key as a verificationMethod", f)
		}

		docs[d.ID] = b
	}

	return &vcdm.Documents{Document: func(_ context.Context, url string) ([]byte, error) {
		if b, ok := docs[url]; ok {
			return b, nil
		}
		return nil, errors.New(
			"nothing is fetched; give its controlled identifier document with --controller FILE")
	}}, nil
}
