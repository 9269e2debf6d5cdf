//phase:caller
package keys

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"canonscope/canon/jsontape"
)

// File is a key pair or public key as a file holds it, with the verification method it stands for.
type File struct {
	Kind       string // Multikey, JsonWebKey, JSON Web Key, PEM
	Method     string // verification method URL: the file's id, or the key's did:key URL
	Controller string // "" where the file does not say it and the method is no did:key URL
	Public     *Public
	Secret     *Secret // nil in a public file
}

// multikeyFile is a verification method of type Multikey (Controlled Identifiers 2.2.2).
type multikeyFile struct {
	ID                 string `json:"id,omitempty"`
	Type               string `json:"type"`
	Controller         string `json:"controller,omitempty"`
	PublicKeyMultibase string `json:"publicKeyMultibase"`
	SecretKeyMultibase string `json:"secretKeyMultibase,omitempty"`
}

// ParseFile reads a key: a verification method of type Multikey or JsonWebKey or a JSON Web Key, as JSON, or PEM.
func ParseFile(b []byte) (*File, error) {
	var f File
	err := f.parse(b)
	if err != nil {
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
	case kty != "":
		f.Public, err = ParsePublicJWK(b)
	case kind == "Multikey":
		f.Kind = kind
		err = f.multikey(b)
	case kind == "JsonWebKey":
		f.Kind = kind
		err = f.jsonWebKey(b)
	default:
		err = errors.New("key file: " + describe(b))
	}
	return err
}

// describe says what a JSON file is in place of a key.
func describe(b []byte) string {
	var t jsontape.Tape
	if err := t.Scan(b, jsontape.Options{}); err == nil {
		switch {
		case t.Get(0, "keys") >= 0:
			return "a JWK Set; take one of its keys"
		case t.Get(0, "verificationMethod") >= 0:
			return "a controlled identifier document; take the key out of one of its methods"
		case t.Get(0, "credentialSubject") >= 0:
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

// decode reads members of a JSON object where they are present. Names count as they are written and stand once, which
// encoding/json does not see to: it would take "X" for "x". Its errors name members.
func decode(b []byte, members ...member) error {
	var t jsontape.Tape
	if err := t.Scan(b, jsontape.Options{}); err != nil {
		return err
	}
	if kind := t.Nodes[0].Kind; kind != jsontape.Object {
		return fmt.Errorf("it is no JSON object but %s", kind)
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

func (f *File) multikey(b []byte) error {
	var m multikeyFile
	err := decode(b, member{"id", &m.ID}, member{"controller", &m.Controller}, member{"publicKeyMultibase", &m.PublicKeyMultibase},
		member{"secretKeyMultibase", &m.SecretKeyMultibase})
	if err == nil && m.SecretKeyMultibase != "" {
		f.Secret, err = ParseSecret(m.SecretKeyMultibase)
	}
	if err == nil && m.PublicKeyMultibase != "" {
		f.Public, err = ParsePublic(m.PublicKeyMultibase)
	}
	switch {
	case err != nil:
		return err
	case f.Public == nil && f.Secret == nil:
		return errors.New("key file: publicKeyMultibase and secretKeyMultibase are missing")
	case f.Public != nil && f.Secret != nil && !f.Public.Equal(f.Secret.Public()):
		return errors.New("key file: publicKeyMultibase belongs to another key than secretKeyMultibase")
	}
	f.Method, f.Controller = m.ID, m.Controller
	return nil
}

// jsonWebKey reads a verification method of type JsonWebKey (Controlled Identifiers 2.2.3).
func (f *File) jsonWebKey(b []byte) error {
	if err := decode(b, member{"id", &f.Method}, member{"controller", &f.Controller}); err != nil {
		return err
	}
	var t jsontape.Tape
	err := t.Scan(b, jsontape.Options{})
	public, secret := t.Get(0, "publicKeyJwk"), t.Get(0, "secretKeyJwk")
	if err == nil && secret >= 0 {
		f.Secret, err = ParseSecretJWK(t.Raw(secret))
	}
	if err == nil && public >= 0 {
		f.Public, err = ParsePublicJWK(t.Raw(public))
	}
	switch {
	case err != nil:
		return err
	case f.Public == nil && f.Secret == nil:
		return errors.New("key file: publicKeyJwk and secretKeyJwk are missing")
	case f.Public != nil && f.Secret != nil && !f.Public.Equal(f.Secret.Public()):
		return errors.New("key file: publicKeyJwk belongs to another key than secretKeyJwk")
	}
	return nil
}

// MultikeyJSON returns the key pair as a verification method of type Multikey with its secret half.
func (s *Secret) MultikeyJSON() []byte {
	m := s.Public().multikeyFile()
	m.SecretKeyMultibase = s.Multikey()
	return m.json()
}

// MultikeyJSON returns the key as a verification method of type Multikey.
func (p *Public) MultikeyJSON() []byte { return p.multikeyFile().json() }

func (p *Public) multikeyFile() *multikeyFile {
	return &multikeyFile{ID: p.Method(), Type: "Multikey", Controller: p.DID(), PublicKeyMultibase: p.Multikey()}
}

func (m *multikeyFile) json() []byte {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic(err) // only strings
	}
	return append(b, '\n')
}
