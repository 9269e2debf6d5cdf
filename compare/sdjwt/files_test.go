package sdjwt_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/sdjwt"
	"canonscope/vcdm/keys"
)

// A holder's key in a file binds a presentation, to a verifier that has to be named, if the credential is
// bound to that key; without one the presentation is not bound.
func TestFilesPresent(t *testing.T) {
	key, holder := claimstest.Key(t, keys.EdDSA), claimstest.Key(t, keys.ES256)
	bound := token(t, key, goodHeader, fmt.Sprintf(`{"vct":"urn:x","cnf":{"jwk":%s}}`, holder.Public().JWK()))
	task := &compare.Task{Engine: canon.Native, Now: now, Note: func(string, ...any) {}}
	for _, c := range []struct {
		options map[string]any
		want    string
	}{
		{map[string]any{}, ""},
		{map[string]any{"holder-key": claimstest.KeyFile(holder), "audience": "a", "nonce": "n"}, ""},
		{map[string]any{"holder-key": claimstest.KeyFile(holder), "audience": "a"}, "give --audience and --nonce"},
		{map[string]any{"holder-key": claimstest.KeyFile(holder), "nonce": "n"}, "give --audience and --nonce"},
		{map[string]any{"holder-key": claimstest.KeyFile(key), "audience": "a", "nonce": "n"}, "bound to another key"},
	} {
		binds := c.options["holder-key"] != nil
		out, _, err := claimstest.Files(t, sdjwt.Definition, compare.Present, c.options).Present(t.Context(), bound, nil, task)
		if c.want == "" && (err != nil || strings.HasSuffix(string(out), "~") == binds) ||
			c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v %s", c.want, err, out)
		}
	}
}

// What was altered between the issuer and the holder is refused before anything is presented, where the token
// or an option has the issuer's key; where none has, a note says that nothing was checked.
func TestPresentChecks(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	notes := 0
	task := &compare.Task{Engine: canon.Native, Now: now, Note: func(string, ...any) { notes++ }}
	present := func(token []byte, options map[string]any) error {
		_, _, err := claimstest.Files(t, sdjwt.Definition, compare.Present, options).Present(t.Context(), token, nil, task)
		return err
	}
	option := func() map[string]any {
		return map[string]any{"issuer-key": compare.KeyFile{Path: "k.pem", Public: key.Public()}}
	}

	for payload, options := range map[string]func() map[string]any{
		`{"vct":"urn:x","iss":"` + key.Public().DID() + `"}`: func() map[string]any { return nil },
		`{"vct":"urn:x","iss":"https://i.example"}`:          option,
	} {
		issued := token(t, key, goodHeader, payload)
		if notes = 0; present(issued, options()) != nil || notes > 0 {
			t.Fatalf("%s: refused, or %d notes", payload, notes)
		}
		for at := range issued {
			altered := bytes.Clone(issued)
			altered[at] ^= 1
			if notes = 0; present(altered, options()) == nil && notes == 0 { // noted where the name iss is altered
				t.Errorf("%s: byte %d of %d was altered: presented", payload, at, len(issued))
			}
		}
	}

	notes = 0
	if err := present(token(t, key, goodHeader, `{"vct":"urn:x","iss":"https://i.example"}`), nil); err != nil || notes != 1 {
		t.Errorf("without a key: %v, %d notes", err, notes)
	}
}

// The answer about a file names the issuer or signer, and whether the issuer was compared with the key. A
// KB-JWT is demanded by audience and nonce together.
func TestFilesVerify(t *testing.T) {
	key := claimstest.Key(t, keys.ES256)
	issuer := compare.KeyFile{Path: "k.pem", Public: key.Public()}
	a := newX5C(t)
	roots := compare.Certificates{Path: "roots.pem", DER: [][]byte{a.root.Raw}}
	named := a.token(a.certificate(issuerCertificate{subject: "Issuer", dns: []string{"issuer.example"}}),
		`{"vct":"urn:x","iss":"https://issuer.example"}`)
	nameless := token(t, key, `{"alg":"ES256","typ":"dc+sd-jwt"}`, `{"vct":"urn:x","_sd":["DIGEST-0"]}`, `["s","a",1]`)
	const about = "issuer https://issuer.example"
	for name, c := range map[string]struct {
		token          []byte
		options        map[string]any
		about, signers []string
		err, refused   string
	}{
		"key": {token: nameless, options: map[string]any{"issuer-key": issuer}},
		"certificate": {token: named, options: map[string]any{"roots": roots}, about: []string{about},
			signers: []string{"CN=Issuer"}},
		"any subject": {token: named, options: map[string]any{"roots": roots, "any-subject": true},
			about: []string{about + ", which was not compared with the key"}, signers: []string{"CN=Issuer"}},
		"neither":       {token: named, options: map[string]any{}, err: "whose signature?"},
		"nonce alone":   {token: named, options: map[string]any{"roots": roots, "nonce": "n"}, err: "give both"},
		"audience only": {token: named, options: map[string]any{"roots": roots, "audience": "a"}, err: "give both"},
		"both": {token: named, options: map[string]any{"roots": roots, "audience": "a", "nonce": "n"},
			refused: "requires key binding"},
	} {
		out, err := claimstest.Files(t, sdjwt.Definition, compare.Verify, c.options).Verify(t.Context(), c.token, &compare.Task{Engine: canon.Native, Now: now})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", name, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case c.refused != "":
			if out.Refused == nil || !strings.Contains(out.Refused.Error(), c.refused) {
				t.Errorf("%s: %v, want %s", name, out.Refused, c.refused)
			}
		case out.Refused != nil || !reflect.DeepEqual(out.About, c.about) || !reflect.DeepEqual(out.Signers, c.signers) ||
			out.Count != len(out.Disclosed) || len(out.Claims) == 0:
			t.Errorf("%s: %+v", name, out)
		}
	}
}

// A credential is issued from a file in one call, and what cannot be read is an error.
func TestFilesIssue(t *testing.T) {
	f := claimstest.Files(t, sdjwt.Definition, compare.Issue, map[string]any{"digest": "sha-384"})
	key := claimstest.Key(t, keys.EdDSA)
	d := &compare.Draft{JSON: []byte(`{"vct":"urn:x","credentialSubject":{"a":1,"b":[2]}}`)}
	tok, err := f.Issue(t.Context(), d, &compare.KeyFile{Secret: key, Public: key.Public()}, &compare.Task{Engine: canon.Native})
	if err != nil {
		t.Fatal(err)
	}
	if r := accepts(t, sdjwt.Verifier{Key: key.Public(), Now: now}, tok); len(r.Disclosed()) != 2 {
		t.Errorf("disclosures of %v, want each leaf", r.Disclosed())
	}
}

// What the format chooses of a credential is listed, and a credential that it cannot carry is an error.
func TestChosen(t *testing.T) {
	c := claimstest.Simple(20)
	task := &compare.Task{Now: now}
	if list, err := sdjwt.Definition.Chosen(c, task); err != nil || len(list) == 0 {
		t.Errorf("%q, %v", list, err)
	}
	c.Subject = []byte("{")
	if list, err := sdjwt.Definition.Chosen(c, task); err == nil {
		t.Errorf("%q", list)
	}
}
