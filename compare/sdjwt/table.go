package sdjwt

import (
	"bytes"

	"canonscope/canon/lookup"
	"canonscope/compare/internal/baseline"
)

// table finds digests by their text. Input cannot choose digests that make it slow.
//
//phase:select
type table struct {
	index   lookup.Table // of digests; numbers from 1
	digests []digest
	text    []byte // of all digests
}

type digest struct {
	from, to uint32 // in text
	given    int32  // number of the disclosure, from 1; 0 if there is none
	seen     bool   // the payload holds the digest
}

// reset empties the table and makes room for n digests.
func (t *table) reset(n int) {
	t.index.Reset(n)
	t.digests, t.text = t.digests[:0], t.text[:0]
}

// number returns the number of a digest in the index, or 0 and the hash and place of one.
func (t *table) number(text []byte) (n, hash, place uint32) {
	t.index.Room()
	hash = lookup.Hash(text)
	n, place = t.index.Probe(hash, hash)
	for n != 0 && !bytes.Equal(t.text[t.digests[n-1].from:t.digests[n-1].to], text) {
		n, place = t.index.Probe(hash, place+1)
	}
	return n, hash, place
}

// add returns the digest with a text, which is good until another one is added.
func (t *table) add(text []byte) *digest {
	n, hash, place := t.number(text)
	if n == 0 {
		t.text = append(t.text, text...)
		n = t.put(hash, place, len(text))
	}
	return &t.digests[n-1]
}

// addSum is add of a sum in base64url.
func (t *table) addSum(sum []byte) *digest {
	from := len(t.text)
	t.text = baseline.AppendBase64(t.text, sum)
	n, hash, place := t.number(t.text[from:])
	if n == 0 {
		n = t.put(hash, place, len(t.text)-from)
	} else {
		t.text = t.text[:from]
	}
	return &t.digests[n-1]
}

// put adds the last text and returns its number.
func (t *table) put(hash, place uint32, size int) uint32 {
	to := len(t.text)
	t.digests = append(t.digests, digest{from: uint32(to - size), to: uint32(to)})
	n := uint32(len(t.digests))
	t.index.Put(place, hash, n)
	return n
}

// find returns the index of the disclosure with a digest, or -1.
func (t *table) find(text []byte) int {
	if n, _, _ := t.number(text); n != 0 {
		return int(t.digests[n-1].given) - 1
	}
	return -1
}
