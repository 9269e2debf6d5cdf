//phase:caller
package keys

import (
	"bytes"
	"slices"

	"canonscope/canon/jsontape"
)

// HoldsSecret describes a file that holds a secret key.
const HoldsSecret = "holds a secret key, which is not shown; whoever has it can sign with it"

// NotShown is the JSON that replaces a secret.
const NotShown = `"(secret, not shown)"`

// Redacted returns the JSON of a tape with a text in the place of each secret key in it: the secret members
// of JSON Web Keys, members named as a secret or private key, Multikeys and PEM. secrets reports whether
// there was one; without, the JSON is the tape's own.
func Redacted(t *jsontape.Tape) (doc []byte, secrets bool) {
	var hidden []int // nodes
	for i := range t.Nodes {
		switch t.Nodes[i].Kind {
		case jsontape.String:
			if isSecret(t.Text(i)) {
				hidden = append(hidden, i)
			}
		case jsontape.Object:
			jwk := t.Get(i, "kty") >= 0 || t.Get(i, "crv") >= 0
			for k, v := range t.Members(i) {
				if name := t.Text(k); IsSecretName(name) || jwk && IsSecretParameter(name) {
					hidden = append(hidden, v)
				}
			}
		}
	}

	if len(hidden) == 0 {
		return t.Src, false
	}

	slices.Sort(hidden)
	from := uint32(0)
	for _, i := range hidden {
		n := &t.Nodes[i]
		if n.Start >= from { // else it is in what is left out, or is that
			doc = append(append(doc, t.Src[from:n.Start]...), NotShown...)
			from = n.End
		}
	}

	return append(doc, t.Src[from:]...), true
}

// IsSecretName reports whether a member of JSON that has a name holds a secret key, such as privateKeyJwk.
func IsSecretName(name []byte) bool {
	const longest = len("private_key")
	start := bytes.ToLower(name[:min(len(name), longest)])
	return bytes.HasPrefix(start, []byte("secretkey")) || bytes.HasPrefix(start, []byte("secret_key")) ||
		bytes.HasPrefix(start, []byte("privatekey")) || bytes.HasPrefix(start, []byte("private_key"))
}

// IsSecretParameter reports whether a member of a JSON Web Key is secret (RFC 7518 section 6).
func IsSecretParameter(name []byte) bool {
	switch string(name) {
	case "d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv":
		return true
	}
	return false
}

// isSecret reports whether a text is a secret key, as Multikey or PEM.
func isSecret(text []byte) bool {
	const longest = 128 // a Multikey of 66 bytes
	if len(text) > 0 && len(text) <= longest && text[0] == 'z' {
		_, err := ParseSecret(string(text))
		return err == nil
	}
	return bytes.Contains(text, []byte("PRIVATE KEY-----"))
}

// Holder is JSON that holds keys.
type Holder string

const (
	OneKey     Holder = "key"
	Set        Holder = "JWK Set"                        // RFC 7517 section 5
	Controlled Holder = "controlled identifier document" // Controlled Identifiers section 2
)

// HolderOf returns the kind of JSON that holds keys, "" for other JSON.
func HolderOf(t *jsontape.Tape) Holder {
	if t.Nodes[0].Kind != jsontape.Object {
		return ""
	}
	kind := t.Get(0, "type")
	has := func(name string) bool { return t.Get(0, name) >= 0 }
	switch {
	case has("credentialSubject"), has("verifiableCredential"), has("payload"):
		return ""
	case has("kty"), kind >= 0 && t.Nodes[kind].Kind == jsontape.String &&
		(t.TextIs(kind, "Multikey") || t.TextIs(kind, "JsonWebKey")):
		return OneKey
	case has("keys"):
		return Set
	case has("verificationMethod") && !has("proofValue") && // options of a proof name one method
		t.Nodes[t.Get(0, "verificationMethod")].Kind != jsontape.String:
		return Controlled
	}
	return ""
}
