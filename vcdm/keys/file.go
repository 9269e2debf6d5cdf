//phase:caller
package keys

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"canonscope/canon/jsontape"
)

// File is a key pair or public key as a file holds it, with its verification method.
type File struct {
	Kind       string // Multikey, JsonWebKey, JSON Web Key, PEM
	Method     string // verification method URL: the file's id, or the key's did:key URL
	Controller string // "" where the file does not say it and the method is not a did:key URL
	Public     *Public
	Secret     *Secret // nil in a public file
}

// ParseFile reads a key: a verification method of type Multikey or JsonWebKey or a JSON Web Key, as JSON,
// or PEM.
func ParseFile(b []byte) (*File, error) {
	var f File
	if err := f.parse(b); err != nil {
		return nil, err
	}
	if f.Secret != nil {
		f.Public = f.Secret.Public()
	}
	if f.Method == "" {
		f.Method = f.Public.Method()
	}
	if f.Controller == "" && strings.HasPrefix(f.Method, didKey) {
		f.Controller = f.Public.DID()
	}
	return &f, nil
}

// parse reads the keys of a file, and the method of a Multikey.
func (f *File) parse(b []byte) (err error) {
	if isPEM(b) {
		f.Kind = "PEM"
		return f.pem(b)
	}
	f.Kind = "JSON Web Key"
	var kty, d, kind string
	if err := decode(b, member{"kty", &kty}, member{"d", &d}); err != nil {
		return fmt.Errorf("key file: not a Multikey, JSON Web Key or PEM: %w", err)
	}
	_ = decode(b, member{"type", &kind}) // a list of types is of no key
	switch {
	case kty != "" && d != "":
		f.Secret, err = ParseSecretJWK(b)
		return err
	case kty != "":
		f.Public, err = ParsePublicJWK(b)
		return err
	}
	switch f.Kind = kind; kind {
	case "Multikey":
		return f.multikey(b)
	case "JsonWebKey":
		return f.jsonWebKey(b)
	}
	return errors.New("key file: " + describe(b))
}

// describe returns what a JSON file is, if it is not a key.
func describe(b []byte) string {
	var t jsontape.Tape
	if err := t.Scan(b, jsontape.Options{}); err == nil {
		switch HolderOf(&t) {
		case Set:
			return "a JWK Set; take one of its keys"
		case Controlled:
			return "a controlled identifier document; take the key out of one of its methods"
		}
		if t.Get(0, "credentialSubject") >= 0 {
			return "a credential, not a key"
		}
	}
	return "not a Multikey, JSON Web Key or PEM"
}

// member is a member of a JSON object that must be a string.
type member struct {
	name string
	text *string
}

// decode reads members of a JSON object where they are present. Names count as they are written and occur
// once, which encoding/json does not see to: it would take "X" for "x". Its errors name members.
func decode(b []byte, members ...member) error {
	var t jsontape.Tape
	if err := t.Scan(b, jsontape.Options{}); err != nil {
		return err
	}
	if kind := t.Nodes[0].Kind; kind != jsontape.Object {
		return fmt.Errorf("it is not a JSON object but %s", kind)
	}
	for _, m := range members {
		n := t.Get(0, m.name)
		if n < 0 {
			continue
		}
		if kind := t.Nodes[n].Kind; kind != jsontape.String {
			return fmt.Errorf("%s is not a string but %s", m.name, kind)
		}
		*m.text = string(t.Text(n))
	}
	return nil
}

// multikey reads a verification method of type Multikey (Controlled Identifiers 2.2.2).
func (f *File) multikey(b []byte) error {
	var public, secret string
	err := decode(b, member{"publicKeyMultibase", &public}, member{"secretKeyMultibase", &secret})
	if err == nil && secret != "" {
		f.Secret, err = ParseSecret(secret)
	}
	if err == nil && public != "" {
		f.Public, err = ParsePublic(public)
	}
	return f.method(b, "publicKeyMultibase", "secretKeyMultibase", err)
}

// jsonWebKey reads a verification method of type JsonWebKey (Controlled Identifiers 2.2.3).
func (f *File) jsonWebKey(b []byte) error {
	var t jsontape.Tape
	err := t.Scan(b, jsontape.Options{})
	public, secret := t.Get(0, "publicKeyJwk"), t.Get(0, "secretKeyJwk")
	if err == nil && secret >= 0 {
		f.Secret, err = ParseSecretJWK(t.Raw(secret))
	}
	if err == nil && public >= 0 {
		f.Public, err = ParsePublicJWK(t.Raw(public))
	}
	return f.method(b, "publicKeyJwk", "secretKeyJwk", err)
}

// method reads what every verification method has beside its keys, which two members gave.
func (f *File) method(b []byte, public, secret string, err error) error {
	switch {
	case err != nil:
		return err
	case f.Public == nil && f.Secret == nil:
		return fmt.Errorf("key file: %s and %s are missing", public, secret)
	case f.Public != nil && f.Secret != nil && !f.Public.Equal(f.Secret.Public()):
		return fmt.Errorf("key file: %s belongs to another key than %s", public, secret)
	}
	return decode(b, member{"id", &f.Method}, member{"controller", &f.Controller})
}

// MultikeyJSON returns the key pair as a verification method of type Multikey with its secret half.
func (s *Secret) MultikeyJSON() []byte { return s.Public().multikeyJSON(s.Multikey()) }

// MultikeyJSON returns the key as a verification method of type Multikey.
func (p *Public) MultikeyJSON() []byte { return p.multikeyJSON("") }

func (p *Public) multikeyJSON(secret string) []byte {
	b, err := json.MarshalIndent(struct {
		ID                 string `json:"id,omitempty"`
		Type               string `json:"type"`
		Controller         string `json:"controller,omitempty"`
		PublicKeyMultibase string `json:"publicKeyMultibase"`
		SecretKeyMultibase string `json:"secretKeyMultibase,omitempty"`
	}{p.Method(), "Multikey", p.DID(), p.Multikey(), secret}, "", "  ")
	if err != nil {
		panic(err) // only strings
	}
	return append(b, '\n')
}
