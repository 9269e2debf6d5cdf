package vcdm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// A presentation holds the credentials that it is given and nothing beside them, which its holder would
// sign (attacks, smaller finding 2).
func TestNewPresentation(t *testing.T) {
	const enveloped = `{"@context":"https://www.w3.org/ns/credentials/v2","type":"EnvelopedVerifiableCredential","id":"data:application/vc+jwt,a.b.c"}`
	p, err := rules.NewPresentation("did:example:holder", []byte(" \r\n"+credential+"\n"), []byte(enveloped))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Holder               string
		VerifiableCredential []json.RawMessage
	}
	if err := json.Unmarshal(p, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.VerifiableCredential) != 2 ||
		string(got.VerifiableCredential[0]) != strings.TrimSpace(credential) ||
		string(got.VerifiableCredential[1]) != enveloped || got.Holder != "did:example:holder" {
		t.Errorf("%s", p)
	}

	for _, bad := range []string{
		credential + `],"termsOfUse":[{"type":"x"}`, credential + `,` + credential, credential +
			"x", credential + "]", "[" + credential + "]",
		"", " ", "null", "1", `"text"`, "[]", "{}", "{", strings.TrimSuffix(strings.TrimSpace(credential),
			"}"), `{"type":"Person"}`, `{"type":["VerifiablePresentation"]}`,
		`{"type":{"VerifiableCredential":1}}`, `{"type":"VerifiableCredential","type":"x"}`,
		"{\"type\":\"VerifiableCredential\",\"a\":\"\xff\"}",
	} {
		p, err := rules.NewPresentation("", []byte(credential), []byte(bad))
		var e *problem.Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Where, "/verifiableCredential/1") || p != nil {
			t.Errorf("%q: %s, %v", bad, p, err)
		}
	}
	for _, bad := range []string{"me", ":", "did:", `did:x:"`, "did:x:\n", "did:x:\xff"} {
		if p, err := rules.NewPresentation(bad, []byte(credential)); err == nil {
			t.Errorf("%q: %s", bad, p)
		}
	}
}
