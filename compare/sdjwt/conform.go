package sdjwt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"canonscope/canon/conform"
	"canonscope/vcdm/keys"
)

// Conform runs what it finds in dir through an engine: cases.json (tokens with the answer they must get), index.json with
// the folders it names (tokens issued, presented and processed by the reference generator, keys in keys.json),
// published-tokens.json, and the tokens sdjwt-ALG-*.txt of other makers with keys-ALG.json.
func Conform(dir, engine string) ([]conform.Result, error) {
	if _, err := engineOf(engine); err != nil {
		return nil, err
	}
	s := &suite{dir: dir, engine: engine}
	for _, part := range []func() error{s.cases, s.vectors, s.published, s.makers} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	if len(s.results) == 0 {
		return nil, fmt.Errorf("%s has none of cases.json, index.json, published-tokens.json and sdjwt-*.txt", dir)
	}
	return s.results, nil
}

type suite struct {
	dir, engine string
	results     []conform.Result
}

// read decodes a file of the suite and says whether it is there.
func (s *suite) read(v any, path ...string) (bool, error) {
	file := filepath.Join(append([]string{s.dir}, path...)...)
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, err)
	}
	return true, nil
}

func (s *suite) add(id, name string, err error) {
	r := conform.Result{Test: id, Name: name, Outcome: conform.Passed}
	if err != nil {
		r.Outcome, r.Reason = conform.Failed, err.Error()
	}
	s.results = append(s.results, r)
}

func (s *suite) cases() error {
	var file struct {
		Cases []struct {
			ID, Expect, Key, Rule string
			Token                 string `json:"sd_jwt"`
			Binding               bool   `json:"key_binding_required"`
			VC                    bool   `json:"sd_jwt_vc_rules"`
		}
		Keys     map[string]json.RawMessage `json:"issuer_keys"`
		Now      int64
		Expected struct {
			Aud, Nonce string
			MaxAge     int64 `json:"max_age_s"`
		} `json:"kb_expected"`
	}
	if ok, err := s.read(&file, "cases.json"); !ok {
		return err
	}
	for _, c := range file.Cases {
		key, err := keys.ParsePublicJWK(file.Keys[c.Key])
		if err != nil {
			return fmt.Errorf("cases.json %s: %w", c.ID, err)
		}
		v := Verifier{Engine: s.engine, Key: key, Plain: !c.VC, Now: time.Unix(file.Now, 0), Binding: c.Binding, Audience: file.Expected.Aud,
			Nonce: file.Expected.Nonce, MaxAge: time.Duration(file.Expected.MaxAge) * time.Second}
		_, err = v.Verify([]byte(c.Token))
		s.judge(c.ID, c.Rule, c.Expect, err)
	}
	return nil
}

// judge compares an answer with the expected one; a matter of policy has none.
func (s *suite) judge(id, rule, expect string, got error) {
	switch {
	case expect == "policy":
		answer := "accepted"
		if got != nil {
			answer = got.Error()
		}
		s.results = append(s.results, conform.Result{Test: id, Name: rule, Outcome: conform.Skipped, Reason: "a matter of policy; by default " + answer})
	case expect == "reject" && got == nil:
		s.add(id, rule, errors.New("accepted, and must be refused"))
	case expect == "reject":
		s.add(id, rule, nil)
	default:
		s.add(id, rule, got)
	}
}

type issuerKeys struct {
	Issuer json.RawMessage   `json:"issuer_public_jwk"`
	KB     map[string]string `json:"kb"`
}

func (s *suite) issuer(file string) (k issuerKeys, key *keys.Public, err error) {
	ok, err := s.read(&k, file)
	if err != nil {
		return k, nil, err
	}
	if !ok {
		return k, nil, fmt.Errorf("%s has no %s", s.dir, file)
	}
	key, err = keys.ParsePublicJWK(k.Issuer)
	return k, key, err
}

func (s *suite) vectors() error {
	var index []struct {
		ID      string
		Binding bool `json:"key_binding"`
	}
	if ok, err := s.read(&index, "index.json"); !ok {
		return err
	}
	file, key, err := s.issuer("keys.json")
	if err != nil {
		return err
	}
	for _, c := range index {
		var kb struct {
			Iat int64
			Aud string
		}
		if c.Binding {
			if _, err := s.read(&kb, c.ID, "kb_jwt_payload.json"); err != nil {
				return err
			}
		}
		s.add(c.ID, "", s.vector(filepath.Join(s.dir, filepath.FromSlash(c.ID)), Verifier{Engine: s.engine, Key: key, Plain: true,
			Now: time.Unix(1700000000, 0)}, c.Binding, kb.Aud, file.KB["nonce"], time.Unix(kb.Iat+1, 0)))
	}
	return nil
}

// vector verifies what was issued and presented, and compares the processed payload.
func (s *suite) vector(dir string, v Verifier, binding bool, audience, nonce string, at time.Time) error {
	issued, err := tokenFile(dir, "sd_jwt_issuance")
	if err != nil {
		return err
	}
	if _, err := v.Verify(issued); err != nil {
		return fmt.Errorf("issued: %w", err)
	}
	presented, err := tokenFile(dir, "sd_jwt_presentation")
	if err != nil {
		return err
	}
	if binding {
		v.Binding, v.Audience, v.Nonce, v.Now = true, audience, nonce, at
	}
	want, err := os.ReadFile(filepath.Join(dir, "verified_contents.json"))
	if err != nil {
		return err
	}
	return processed(v, presented, want)
}

// processed verifies a token and compares its processed payload.
func processed(v Verifier, token, want []byte) error {
	r, err := v.Verify(token)
	if err != nil {
		return err
	}
	got, err := r.Claims()
	if err != nil {
		return err
	}
	var x, y any
	if err := errors.Join(json.Unmarshal(got, &x), json.Unmarshal(want, &y)); err != nil {
		return err
	}
	if !reflect.DeepEqual(x, y) {
		return fmt.Errorf("the processed payload is %s, want %s", got, bytes.TrimSpace(want))
	}
	return nil
}

func tokenFile(dir, name string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(dir, name+".txt"))
	if errors.Is(err, os.ErrNotExist) {
		b, err = os.ReadFile(filepath.Join(dir, name+".json"))
	}
	return bytes.TrimSpace(b), err
}

func (s *suite) published() error {
	var file struct {
		Vectors []struct {
			ID, Aud, Nonce string
			KB             bool
			Token          string          `json:"sd_jwt"`
			Payload        json.RawMessage `json:"processed_payload"`
		}
	}
	if ok, err := s.read(&file, "published-tokens.json"); !ok {
		return err
	}
	_, key, err := s.issuer("keys.json")
	if err != nil {
		return err
	}
	for _, c := range file.Vectors {
		v := Verifier{Engine: s.engine, Key: key, Plain: true, Now: time.Unix(1750000000, 0), Binding: c.KB, Audience: c.Aud, Nonce: c.Nonce,
			MaxAge: 10 * 365 * 24 * time.Hour}
		s.add(c.ID, "", processed(v, []byte(c.Token), c.Payload))
	}
	return nil
}

// makers verifies the tokens of other makers and compares what they disclose.
func (s *suite) makers() error {
	files, err := filepath.Glob(filepath.Join(s.dir, "sdjwt-*-expected.json"))
	if err != nil {
		return err
	}
	for _, f := range files {
		base := strings.TrimSuffix(f, "-expected.json")
		name := filepath.Base(base)
		_, key, err := s.issuer("keys-" + strings.TrimPrefix(name, "sdjwt-") + ".json")
		if err != nil {
			return err
		}
		var expected struct {
			Disclosed map[string]any
			KB        struct{ Aud, Nonce string }
		}
		if _, err := s.read(&expected, name+"-expected.json"); err != nil {
			return err
		}
		for _, part := range []string{"-issued", "-presented", "-presented-kb"} {
			token, err := os.ReadFile(base + part + ".txt")
			if err != nil {
				return err
			}
			v := Verifier{Engine: s.engine, Key: key, Now: time.Unix(1796031100, 0)}
			if part == "-presented-kb" {
				v.Binding, v.Audience, v.Nonce = true, expected.KB.Aud, expected.KB.Nonce
			}
			s.add(name+part, "", discloses(v, bytes.TrimSpace(token), expected.Disclosed))
		}
	}
	return nil
}

// discloses verifies a token and looks for claims in it.
func discloses(v Verifier, token []byte, want map[string]any) error {
	r, err := v.Verify(token)
	if err != nil {
		return err
	}
	got, err := r.Claims()
	if err != nil {
		return err
	}
	var m map[string]any
	if err := json.Unmarshal(got, &m); err != nil {
		return err
	}
	for name, value := range want {
		if !reflect.DeepEqual(m[name], value) {
			return fmt.Errorf("%s is %v, want %v", name, m[name], value)
		}
	}
	return nil
}
