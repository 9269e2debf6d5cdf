// Package baseline holds what the formats share that are not VCDM: their engines, and in [Hashes] their
// digests.
//
//phase:caller
package baseline

import (
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"time"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/compare"
	"canonscope/vcdm/keys"
)

// EngineOf returns the implementation that an engine names in a format. "" is native.
func EngineOf[T any](engine compare.Engine, format compare.Format, stock, native T) (T, error) {
	switch engine {
	case canon.Stock:
		return stock, nil
	case canon.Native, "":
		return native, nil
	}
	var none T
	if err := choice.Check("engine", engine, canon.Engines); err != nil {
		return none, err
	}
	return none, &canon.UnsupportedError{Engine: string(engine), What: "the format " + string(format)}
}

// Hashes are the names of SHA-256, SHA-384 and SHA-512 in a format.
type Hashes [3]string

// New returns the hash of a name, nil where there is none.
func (h *Hashes) New(name string) func() hash.Hash {
	switch name {
	case h[0]:
		return sha256.New
	case h[1]:
		return sha512.New384
	case h[2]:
		return sha512.New
	}
	return nil
}

// Sum is room for a digest of any of them.
type Sum [sha512.Size]byte

// Into hashes by a name that New knows and returns the size of the digest.
//
//phase:digest
func (h *Hashes) Into(s *Sum, name string, b []byte) int {
	switch name {
	case h[1]:
		d := sha512.Sum384(b)
		return copy(s[:], d[:])
	case h[2]:
		d := sha512.Sum512(b)
		return copy(s[:], d[:])
	}
	d := sha256.Sum256(b)
	return copy(s[:], d[:])
}

// Sign appends a signature to dst. It is a separate function so that profiles separate signing from encoding.
//
//phase:sign
func Sign(key *keys.Secret, dst, message []byte) ([]byte, error) {
	return key.AppendSignature(dst, message)
}

// Now returns a time, or the present where it is zero.
//
//phase:validate fallback
func Now(t time.Time) time.Time {
	if t.IsZero() {
		return time.Now()
	}
	return t
}

// Known returns a text as a string: the one of usual texts that it is, or else a copy.
func Known(text []byte, usual ...string) string {
	for _, u := range usual {
		if string(text) == u {
			return u
		}
	}
	return string(text)
}
