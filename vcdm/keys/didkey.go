//phase:caller
package keys

import (
	"errors"
	"fmt"
	"strings"
)

const didKey = "did:key:"

// DID returns the did:key identifier of the key.
func (p *Public) DID() string { return didKey + p.Multikey() }

// Method returns the verification method URL inside the key's did:key document: the identifier with the
// Multikey as fragment.
func (p *Public) Method() string {
	m := p.Multikey()
	return didKey + m + "#" + m
}

// Contradicts reports whether an identifier is made of a key, and not of this one: did:key and did:jwk
// identifiers are, with or without the fragment that names their verification method. Others say nothing of
// a key.
func (p *Public) Contradicts(id string) bool {
	id, fragment, hasFragment := strings.Cut(id, "#")
	if len(id) < len(didKey) {
		return false
	}
	switch strings.ToLower(id[:len(didKey)]) {
	case didKey:
		return id != p.DID() || hasFragment && fragment != p.Multikey()
	case "did:jwk:":
		b, err := b64.DecodeString(id[len(didKey):])
		if err != nil {
			return true
		}
		key, err := ParsePublicJWK(b)
		return err != nil || !key.Equal(p)
	}
	return false
}

// ErrNotDIDKey says that a URL is not of the did:key method.
var ErrNotDIDKey = errors.New("not a did:key URL")

// ParseMethod reads a did:key verification method URL, whose fragment must repeat the identifier. Other
// URLs give [ErrNotDIDKey].
func ParseMethod(url string) (*Public, error) {
	id, ok := strings.CutPrefix(url, didKey)
	if !ok {
		return nil, ErrNotDIDKey
	}
	key, fragment, ok := strings.Cut(id, "#")
	if !ok || fragment != key {
		return nil, fmt.Errorf("did:key verification method %q: the fragment must repeat the key", url)
	}
	return ParsePublic(key)
}
