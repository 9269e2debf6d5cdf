//phase:caller
package sdjwt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/canon/userfile"
	"canonscope/compare"
	"canonscope/vcdm/keys"
)

// Conform runs the files in dir through an engine: cases.json (tokens with their expected answers),
// index.json with the folders it lists (tokens issued, presented and processed by the reference generator,
// keys in keys.json), published-tokens.json, and tokens of other implementations, sdjwt-ALG-*.txt with
// keys-ALG.json.
func Conform(_ context.Context, engine compare.Engine, dir string) ([]conform.Result, error) {
	if _, err := engineOf(engine); err != nil {
		return nil, err
	}
	s := suite{dir, engine}
	return conform.Parts(dir, []conform.Part{{Files: "cases.json", Run: s.cases},
		{Files: "index.json", Run: s.vectors}, {Files: "published-tokens.json", Run: s.published},
		{Files: "sdjwt-*-expected.json", Run: s.maker}})
}

type suite struct {
	dir    string
	engine compare.Engine
}

func (s suite) cases(file string) (results []conform.Result, err error) {
	var in struct {
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

	if err := conform.ReadJSON(&in, file); err != nil {
		return nil, err
	}

	for _, c := range in.Cases {
		key, err := keys.ParsePublicJWK(in.Keys[c.Key])
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, c.ID, err)
		}
		v := Verifier{Engine: s.engine, Key: key, Plain: !c.VC, Now: time.Unix(in.Now, 0),
			Audience: in.Expected.Aud, MaxAge: time.Duration(in.Expected.MaxAge) * time.Second}
		if c.Binding {
			v.Binding, v.Nonce = true, in.Expected.Nonce
		}
		_, err = v.Verify([]byte(c.Token))
		results = append(results, conform.Result{Test: c.ID, Name: c.Rule}.Answer(c.Expect, err))
	}

	return results, nil
}

// issuer reads the issuer's key and the nonce of the presentations.
func (s suite) issuer(file string) (key *keys.Public, nonce string, err error) {
	var in struct {
		Issuer json.RawMessage `json:"issuer_public_jwk"`
		KB     struct{ Nonce string }
	}
	if err := conform.ReadJSON(&in, s.dir, file); err != nil {
		return nil, "", err
	}
	key, err = keys.ParsePublicJWK(in.Issuer)
	return key, in.KB.Nonce, err
}

func (s suite) vectors(file string) (results []conform.Result, err error) {
	var index []struct {
		ID      string
		Binding bool `json:"key_binding"`
		Count   int  `json:"disclosures_presented"`
	}
	if err := conform.ReadJSON(&index, file); err != nil {
		return nil, err
	}
	key, nonce, err := s.issuer("keys.json")
	if err != nil {
		return nil, err
	}
	for _, c := range index {
		v := Verifier{Engine: s.engine, Key: key, Plain: !strings.HasPrefix(c.ID, "sd-jwt-vc-"),
			Now: time.Unix(1700000000, 0)}
		err := vector(v, filepath.Join(s.dir, filepath.FromSlash(c.ID)), c.Binding, nonce, c.Count)
		results = append(results, conform.Result{Test: c.ID}.Answer("accept", err))
	}
	return results, nil
}

// vector verifies an issued token and its presentation, and compares the processed payload and the number
// of disclosures. nonce is that of a presentation with key binding.
func vector(v Verifier, dir string, binding bool, nonce string, disclosures int) error {
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
		var kb struct {
			Iat int64
			Aud string
		}
		if err := conform.ReadJSON(&kb, dir, "kb_jwt_payload.json"); err != nil {
			return err
		}
		v.Binding, v.Audience, v.Nonce, v.Now = true, kb.Aud, nonce, time.Unix(kb.Iat+1, 0)
	}

	want, err := userfile.ReadAll(filepath.Join(dir, "verified_contents.json"))
	if err != nil {
		return err
	}

	r, payload, err := processed(v, presented)
	if err != nil {
		return err
	}
	if len(r.Disclosed()) != disclosures {
		return fmt.Errorf("%d disclosures, want %d", len(r.Disclosed()), disclosures)
	}

	return same(payload, want)
}

// processed verifies a token and returns the result with the processed payload.
func processed(v Verifier, token []byte) (*Result, map[string]any, error) {
	r, err := v.Verify(token)
	if err != nil {
		return nil, nil, err
	}
	b, err := r.Claims()
	if err != nil {
		return nil, nil, err
	}
	payload, err := stockParse(b, newBudget(canon.Limits{}))
	return r, payload, err
}

// same compares a processed payload with the expected one.
func same(payload map[string]any, want []byte) error {
	m, err := stockParse(want, newBudget(canon.Limits{}))
	if err != nil || reflect.DeepEqual(payload, m) {
		return err
	}
	got, err := stockEncode(payload)
	if err == nil {
		want, err = stockEncode(m)
	}
	if err == nil {
		err = fmt.Errorf("the processed payload is %s, want %s", got, want)
	}
	return err
}

func tokenFile(dir, name string) ([]byte, error) {
	b, err := userfile.ReadAll(filepath.Join(dir, name+".txt"))
	if errors.Is(err, os.ErrNotExist) {
		b, err = userfile.ReadAll(filepath.Join(dir, name+".json"))
	}
	return bytes.TrimSpace(b), err
}

func (s suite) published(file string) (results []conform.Result, err error) {
	var in struct {
		Vectors []struct {
			ID, Aud, Nonce string
			KB             bool
			Token          string          `json:"sd_jwt"`
			Payload        json.RawMessage `json:"processed_payload"`
		}
	}

	if err := conform.ReadJSON(&in, file); err != nil {
		return nil, err
	}

	key, _, err := s.issuer("keys.json")
	if err != nil {
		return nil, err
	}

	for _, c := range in.Vectors {
		v := Verifier{Engine: s.engine, Key: key, Plain: true, Now: time.Unix(1750000000, 0), Audience: c.Aud,
			MaxAge: 10 * 365 * 24 * time.Hour}
		if c.KB {
			v.Binding, v.Nonce = true, c.Nonce
		}
		_, payload, err := processed(v, []byte(c.Token))
		if err == nil {
			err = same(payload, c.Payload)
		}
		results = append(results, conform.Result{Test: c.ID}.Answer("accept", err))
	}

	return results, nil
}

// maker verifies the tokens of another implementation and compares the disclosed claims.
func (s suite) maker(file string) (results []conform.Result, err error) {
	base := strings.TrimSuffix(file, "-expected.json")
	name := filepath.Base(base)
	key, _, err := s.issuer("keys-" + strings.TrimPrefix(name, "sdjwt-") + ".json")
	if err != nil {
		return nil, err
	}

	var expected struct {
		Disclosed map[string]string
		VCT, ISS  string
		KB        struct{ Aud, Nonce string }
	}

	if err := conform.ReadJSON(&expected, file); err != nil {
		return nil, err
	}

	want := maps.Clone(expected.Disclosed)
	want["vct"], want["iss"] = expected.VCT, expected.ISS

	for _, part := range []string{"-issued", "-presented", "-presented-kb"} {
		token, err := userfile.ReadAll(base + part + ".txt")
		if err != nil {
			return nil, err
		}
		v := Verifier{Engine: s.engine, Key: key, Now: time.Unix(1796031100, 0)}
		if part == "-presented-kb" {
			v.Binding, v.Audience, v.Nonce = true, expected.KB.Aud, expected.KB.Nonce
		}
		r, payload, err := processed(v, bytes.TrimSpace(token))
		if err == nil {
			err = discloses(payload, want)
		}
		if err == nil && part != "-issued" && len(r.Disclosed()) != len(expected.Disclosed) {
			err = fmt.Errorf("%d disclosures, want %d", len(r.Disclosed()), len(expected.Disclosed))
		}
		results = append(results, conform.Result{Test: name + part}.Answer("accept", err))
	}

	return results, nil
}

// discloses checks claims of a processed payload.
func discloses(payload map[string]any, want map[string]string) error {
	for name, value := range want {
		if payload[name] != value {
			return fmt.Errorf("%s is %v, want %s", name, payload[name], value)
		}
	}
	return nil
}
