//phase:caller
package rules

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/problem"

	"github.com/mr-tron/base58"
)

// Hashes gives the recorded digest of a resource: algorithm is "sha256", "sha384", "sha512", or the code of
// another multihash. ok is false where none is recorded.
type Hashes func(url, algorithm string) (digest []byte, ok bool)

// sha is a hash function of SHA-2.
type sha struct {
	name      string
	hash      func() hash.Hash
	size      int  // of a digest
	multihash byte // code
}

// shaHashes are the hash functions whose digests can be compared.
var shaHashes = [...]sha{{"sha256", sha256.New, 32, 0x12}, {"sha384", sha512.New384, 48, 0x20},
	{"sha512", sha512.New, 64, 0x13}}

// HashesOf returns hashes over the bytes of resources, by URL, each made once: a document may name one as
// often as it likes.
func HashesOf(resources map[string][]byte) Hashes {
	type key struct{ url, algorithm string }
	var mu sync.Mutex
	made := map[key][]byte{}
	return func(url, algorithm string) ([]byte, bool) {
		b, ok := resources[url]
		if !ok {
			return nil, false
		}
		mu.Lock()
		defer mu.Unlock()
		h := key{url, algorithm}
		if digest, ok := made[h]; ok {
			return digest, true
		}
		for _, known := range shaHashes {
			if algorithm == known.name {
				digest := known.hash()
				digest.Write(b)
				made[h] = digest.Sum(nil)
			}
		}
		return made[h], made[h] != nil
	}
}

// ErrUnrecorded is the cause of an error about a digest that cannot be compared, because none is recorded
// for the resource and the hash function.
var ErrUnrecorded = errors.New("no digest is recorded to compare it with")

// CompareRelated compares the digests of related resources with recorded ones (Verifiable Credentials Data
// Model 2.0 section 5.3), nil where none is recorded. A digest that differs is an error; so is one that
// cannot be compared, whose cause is [ErrUnrecorded].
func (d *Document) CompareRelated(recorded Hashes) []error {
	t := d.Tape
	list := t.Get(0, "relatedResource")
	c := &checker{tape: t}
	if c.related(0, ""); list < 0 || len(c.errs) > 0 {
		return c.errs
	}

	c.each(list, "/relatedResource", func(e int, at string) {
		url := string(t.Text(t.Get(e, "id")))
		for _, m := range relatedDigests {
			digests := t.Get(e, m.name)
			if digests < 0 {
				continue
			}
			c.each(digests, at+"/"+m.name, func(digest int, place string) {
				if c.kind(digest) != jsontape.String {
					c.fail(place, "must be a string")
				} else if err := compareDigest(string(t.Text(digest)), url, m.read, recorded); err != nil {
					c.errs = append(c.errs, &problem.Error{Type: problem.MalformedValue, Where: place,
						Err: err})
				}
			})
		}
	})
	return c.errs
}

// relatedDigests are the members that hold digests of a related resource.
var relatedDigests = [...]struct {
	name string
	read func(text string) (algorithm string, digest []byte, err error)
}{{"digestSRI", parseSRI}, {"digestMultibase", parseMultihash}}

// CheckRelated compares the digests of a credential's relatedResource with recorded ones, as a verifier
// with Resources does.
func CheckRelated(doc []byte, limits canon.Limits, recorded Hashes) error {
	d, err := read(doc, limits)
	if err != nil {
		return err
	}
	return errors.Join(d.CompareRelated(recorded)...)
}

func compareDigest(text, url string, read func(string) (string, []byte, error), recorded Hashes) error {
	algorithm, digest, err := read(text)
	if err != nil {
		return err
	}
	var want []byte
	ok := recorded != nil
	if ok {
		want, ok = recorded(url, algorithm)
	}
	switch {
	case !ok:
		return fmt.Errorf("%s of %s: %w", algorithm, url, ErrUnrecorded)
	case !bytes.Equal(digest, want):
		return fmt.Errorf("is not the digest of %s", url)
	}
	return nil
}

// parseSRI reads one digest of Subresource Integrity, a hash-expression: algorithm, hyphen, base64 of
// either alphabet.
//
//phase:parse
func parseSRI(text string) (algorithm string, digest []byte, err error) {
	algorithm, value, _ := strings.Cut(text, "-")
	if !slices.ContainsFunc(shaHashes[:], func(h sha) bool { return h.name == algorithm }) {
		return "", nil, errors.New("must start with sha256-, sha384- or sha512-")
	}
	value = strings.TrimSuffix(strings.TrimSuffix(value, "="), "=")
	digest, err = base64.RawStdEncoding.Strict().DecodeString(urlToStd.Replace(value))
	if err != nil || value == "" {
		return "", nil, errors.New("is not base64 behind the hyphen")
	}
	return algorithm, digest, nil
}

var urlToStd = strings.NewReplacer("-", "+", "_", "/")

// parseMultihash reads a multibase text of a multihash (Controlled Identifiers 2.4, 2.5). The text of a
// digest alone, which issuers write too, counts as that of the hash function of SHA-2 with its length.
//
//phase:parse
func parseMultihash(text string) (algorithm string, digest []byte, err error) {
	var b []byte
	switch {
	case strings.HasPrefix(text, "u"):
		b, err = base64.RawURLEncoding.Strict().DecodeString(text[1:])
	case strings.HasPrefix(text, "z") && len(text) < 100:
		b, err = base58.Decode(text[1:])
	default:
		return "", nil, errors.New("must start with u (base64url) or z (base58-btc)")
	}
	if err != nil {
		return "", nil, errors.New("is not a multibase text")
	}
	for _, h := range shaHashes {
		if len(b) == h.size {
			return h.name, b, nil
		}
	}
	if len(b) < 3 || b[0] > 0x7f || int(b[1]) != len(b)-2 {
		return "", nil, errors.New("is not a multihash")
	}
	algorithm = fmt.Sprintf("multihash %#x", b[0])
	for _, h := range shaHashes {
		if b[0] == h.multihash && int(b[1]) == h.size {
			algorithm = h.name
		}
	}
	return algorithm, b[2:], nil
}
