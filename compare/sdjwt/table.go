package sdjwt

import (
	"bytes"
	"hash/maphash"
)

// table finds digests by their text. Input cannot choose digests that make it slow.
//
//phase:select
type table struct {
	slots []slot
	used  int
	text  []byte // of all slots
}

type slot struct {
	hash     uint32
	from, to uint32 // in text; an unused slot has to == 0
	given    int32  // number of the disclosure, from 1, or 0
	seen     bool   // the payload holds the digest
}

var seed = maphash.MakeSeed()

// reset empties the table and makes room for n digests.
func (t *table) reset(n int) {
	size := 64
	for size < 2*n {
		size *= 2
	}
	if cap(t.slots) < size {
		t.slots = make([]slot, size)
	} else {
		t.slots = t.slots[:size]
		clear(t.slots)
	}
	t.used, t.text = 0, append(t.text[:0], 0)
}

// add returns the slot of a text.
func (t *table) add(text []byte) *slot {
	if 2*t.used >= len(t.slots) {
		t.grow()
	}
	hash := uint32(maphash.Bytes(seed, text))
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.to == 0 {
			t.used++
			s.hash, s.from = hash, uint32(len(t.text))
			t.text = append(t.text, text...)
			s.to = uint32(len(t.text))
			return s
		}
		if s.hash == hash && bytes.Equal(t.text[s.from:s.to], text) {
			return s
		}
	}
}

// find returns the index of the disclosure with a digest, or -1.
func (t *table) find(text []byte) int {
	hash := uint32(maphash.Bytes(seed, text))
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; t.slots[i].to != 0; i = (i + 1) & mask {
		if s := &t.slots[i]; s.hash == hash && bytes.Equal(t.text[s.from:s.to], text) {
			return int(s.given) - 1
		}
	}
	return -1
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.to == 0 {
			continue
		}
		i := s.hash & mask
		for t.slots[i].to != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}
