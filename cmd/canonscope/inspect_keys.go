package main

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"canonscope/canon/jsontape"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/vcdm/keys"
)

// keyJSON is a key as --json shows it, never with its secret.
type keyJSON struct {
	Kind      string          `json:"kind"` // Multikey, JSON Web Key, or what PEM names it
	Algorithm keys.Algorithm  `json:"algorithm,omitempty"`
	Secret    bool            `json:"secret"` // whether the file holds the secret half
	DID       string          `json:"did,omitempty"`
	Method    string          `json:"verificationMethod,omitempty"` // whose key it is
	Multikey  string          `json:"publicKeyMultibase,omitempty"`
	JWK       json.RawMessage `json:"publicKeyJwk,omitempty"`
	Usages    []string        `json:"relationships,omitempty"` // of a verification method
	Error     string          `json:"error,omitempty"`         // why it cannot be read

	*certificateJSON
}

type certificateJSON struct {
	Subject    string `json:"subject"`
	Issuer     string `json:"issuer"`
	ValidFrom  string `json:"validFrom"`
	ValidUntil string `json:"validUntil"`
}

// keyFileJSON is a file or document with keys, as --json shows it.
type keyFileJSON struct {
	Format string    `json:"format"`
	Size   int       `json:"size"`
	ID     string    `json:"id,omitempty"` // of a controlled identifier document
	Keys   []keyJSON `json:"keys"`
	More   int       `json:"more,omitempty"` // keys that are not shown
}

// maxKeys bounds the keys shown for a file.
const maxKeys = 100

// add adds a key, up to maxKeys.
func (f *keyFileJSON) add(k func() keyJSON) {
	if len(f.Keys) == maxKeys {
		f.More++
		return
	}
	f.Keys = append(f.Keys, k())
}

const (
	formatKey        = "key"
	formatSet        = "jwk-set"
	formatController = "controlled-identifier-document"
)

func (f *keyFileJSON) inspection() *compare.Inspection {
	return &compare.Inspection{Line: f.line, Print: f.print, JSON: func() (any, error) { return f, nil }}
}

// keyOf describes a key that a file holds.
func keyOf(kind string, f *keys.File) keyJSON {
	return keyJSON{Kind: kind, Algorithm: f.Public.Algorithm(), Secret: f.Secret != nil, DID: f.Public.DID(),
		Method: f.Method, Multikey: f.Public.Multikey(), JWK: f.Public.JWK()}
}

// inspectKey reads one key as JSON.
func inspectKey(t *jsontape.Tape) *compare.Inspection {
	return (&keyFileJSON{Format: formatKey, Size: len(t.Src), Keys: []keyJSON{keyIn(t, 0)}}).inspection()
}

func isPEM(in []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(in), []byte("-----BEGIN ")) }

// inspectPEM reads every key and certificate of PEM.
func inspectPEM(in []byte) (*compare.Inspection, error) {
	out := &keyFileJSON{Format: formatKey, Size: len(in)}
	for rest := in; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "EC PARAMETERS" { // which openssl writes before a key
			out.add(func() keyJSON { return keyInPEM(block) })
		}
	}
	if len(out.Keys) == 0 {
		_, err := keys.ParseFile(in) // returns the reason
		return nil, err
	}
	return out.inspection(), nil
}

func keyInPEM(block *pem.Block) keyJSON {
	k := keyJSON{Kind: "PEM, " + block.Type, Secret: strings.Contains(block.Type, "PRIVATE")}
	if f, err := keys.ParseFile(pem.EncodeToMemory(block)); err == nil {
		k = keyOf(k.Kind, f)
	} else {
		k.Error = err.Error()
	}
	if block.Type == "CERTIFICATE" {
		if c, err := keys.ParseCertificate(block.Bytes); err == nil {
			k.certificateJSON = certificateOf(c)
		}
	}
	return k
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func certificateOf(c *x509.Certificate) *certificateJSON {
	return &certificateJSON{keys.SubjectOf(c), c.Issuer.String(), stamp(c.NotBefore), stamp(c.NotAfter)}
}

// inspectSet reads a JWK Set.
func inspectSet(t *jsontape.Tape) (*compare.Inspection, error) {
	list := t.Get(0, "keys")
	if t.Nodes[list].Kind != jsontape.Array {
		return nil, fmt.Errorf("a JWK Set whose keys are not an array but of kind %s", t.Nodes[list].Kind)
	}
	out := &keyFileJSON{Format: formatSet, Size: len(t.Src), Keys: []keyJSON{}}
	for e := range t.Elements(list) {
		out.add(func() keyJSON { return keyIn(t, e) })
	}
	return out.inspection(), nil
}

// keyIn describes the key at a node.
func keyIn(t *jsontape.Tape, node int) keyJSON {
	raw := t.Raw(node)
	f, err := keys.ParseFile(raw)
	if err == nil {
		return keyOf(f.Kind, f)
	}
	k := keyJSON{Kind: cmp.Or(t.GetText(node, "type"), "JSON Web Key"), Error: err.Error()}
	var one jsontape.Tape
	if one.Scan(raw, jsontape.Options{}) == nil {
		_, k.Secret = keys.Redacted(&one)
	}
	return k
}

// relationships of a controlled identifier document (Controlled Identifiers section 2.3).
var relationships = []string{"authentication", "assertionMethod", "keyAgreement", "capabilityInvocation",
	"capabilityDelegation"}

// inspectController reads a controlled identifier document: its verification methods and their
// relationships.
func inspectController(t *jsontape.Tape) *compare.Inspection {
	out := &keyFileJSON{Format: formatController, Size: len(t.Src), ID: t.GetText(0, "id"), Keys: []keyJSON{}}
	at := map[string]int{}
	method := func(node int) {
		out.add(func() keyJSON {
			k := keyIn(t, node)
			if id := t.GetText(node, "id"); id != "" {
				k.Method = id
				at[id] = len(out.Keys)
			}
			return k
		})
	}

	if list := t.Get(0, "verificationMethod"); t.Nodes[list].Kind == jsontape.Array {
		for e := range t.Elements(list) {
			method(e)
		}
	}

	for _, name := range relationships {
		list := t.Get(0, name)
		if list < 0 || t.Nodes[list].Kind != jsontape.Array {
			continue
		}
		for e := range t.Elements(list) {
			id := t.GetText(e, "id")
			switch t.Nodes[e].Kind {
			case jsontape.String:
				id = string(t.Text(e))
			case jsontape.Object:
				method(e)
			}
			if i, known := at[id]; known && !slices.Contains(out.Keys[i].Usages, name) {
				out.Keys[i].Usages = append(out.Keys[i].Usages, name)
			}
		}
	}

	return out.inspection()
}

// what names the kind of the file.
func (f *keyFileJSON) what() string {
	switch f.Format {
	case formatSet:
		return "JWK Set"
	case formatController:
		return "controlled identifier document"
	}
	if len(f.Keys) == 1 {
		return "key file"
	}
	return "PEM file"
}

func (f *keyFileJSON) secret() bool {
	return slices.ContainsFunc(f.Keys, func(k keyJSON) bool { return k.Secret })
}

func (f *keyFileJSON) line() string {
	text := fmt.Sprintf("%s, %d bytes", f.what(), f.Size)
	if len(f.Keys) == 1 {
		k := &f.Keys[0]
		text += ", " + k.Kind
		switch {
		case k.Error != "":
			text += ", " + k.Error
		default:
			text += ", " + string(k.Algorithm) + ", " + k.DID
		}
	} else {
		text += ", " + count(len(f.Keys)+f.More, "key")
	}
	if f.secret() {
		text += ", holds a secret key"
	}
	return text
}

func (f *keyFileJSON) print(w io.Writer) error {
	b := bufio.NewWriter(w)
	p := printable.Printer{W: b}
	p.Line("%s of %d bytes, %s", f.what(), f.Size, count(len(f.Keys)+f.More, "key"))
	if f.ID != "" {
		p.Line("  %s", f.ID)
	}
	for _, k := range f.Keys {
		k.print(&p)
	}
	if f.More > 0 {
		p.Line("and %d more", f.More)
	}
	if f.secret() {
		p.Line(keys.HoldsSecret)
	}
	return b.Flush()
}

func (k *keyJSON) print(p *printable.Printer) {
	half := "public key"
	if k.Secret {
		half = "secret key and its public half"
	}
	if k.Error != "" {
		p.Line("%s", k.Kind)
		p.Line("  cannot be used: %s", k.Error)
	} else {
		p.Line("%s: %s, %s", k.Kind, k.Algorithm, half)
	}
	if c := k.certificateJSON; c != nil {
		p.Line("  of %s", c.Subject)
		p.Line("  by %s, valid %s to %s", c.Issuer, c.ValidFrom, c.ValidUntil)
	}
	if k.Method != "" {
		p.Line("  verificationMethod %s", k.Method)
	}
	for _, usage := range k.Usages {
		p.Line("  for %s", usage)
	}
	if k.Error != "" {
		return
	}
	p.Line("  did %s", k.DID)
	p.Line("  publicKeyMultibase %s", k.Multikey)
	p.Line("  publicKeyJwk %s", k.JWK)
}
