package sdjwt

import "canonscope/canon/lookup"

// table finds digests by their text. Input cannot choose digests that make it slow.
//
//phase:select
type table struct {
	texts   lookup.Texts
	digests []digest // by number
}

type digest struct {
	given int32 // number of the disclosure, from 1; 0 if there is none
	seen  bool  // the payload holds the digest
}

// reset empties the table and makes room for n digests.
func (t *table) reset(n int) {
	t.texts.Reset(n)
	t.digests = t.digests[:0]
}

// add returns the digest with a text, which is good until another one is added.
func (t *table) add(text []byte) *digest {
	n, added := t.texts.Add(text)
	if added {
		t.digests = append(t.digests, digest{})
	}
	return &t.digests[n-1]
}

// find returns the index of the disclosure with a digest, or -1.
func (t *table) find(text []byte) int {
	if n := t.texts.Find(text); n != 0 {
		return int(t.digests[n-1].given) - 1
	}
	return -1
}
