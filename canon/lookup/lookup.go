// Package lookup finds things by their text. A [Table] holds a number for each text, under its [Hash]; the
// caller holds the texts and compares them, as it goes from one [Table.Probe] to the next. [Texts] holds the
// texts as well.
//
//phase:serialize primitive
package lookup

import (
	"hash/maphash"
	"math/bits"
)

// Table is a hash table with open addressing. The zero Table is empty and ready.
//
//phase:serialize primitive
type Table struct {
	slots []slot // a power of two
	used  int
	gen   uint32
}

type slot struct {
	hash, number uint32
	gen          uint32 // a slot of another generation than that of the table is free
}

var seed = maphash.MakeSeed()

// Hash returns the hash of a text. It differs from process to process, so that input cannot hold texts
// that collide. It stays out of its callers, whose loops would have fewer registers for what they mostly do.
//
//go:noinline
func Hash(text []byte) uint32 { return uint32(maphash.Bytes(seed, text)) }

// HashString is Hash of a string.
func HashString(text string) uint32 { return uint32(maphash.String(seed, text)) }

// minSlots is the size of a table that grows, maxIdle the one that an emptied table keeps without need.
const (
	minSlots = 64
	maxIdle  = 1024
)

// Reset empties t, without a look at its places, and makes sure that it has some for n texts.
func (t *Table) Reset(n int) {
	if len(t.slots) < 2*n || len(t.slots) > maxIdle && t.used < len(t.slots)/32 || t.gen == 1<<32-1 {
		t.slots = nil
		if n > 0 {
			t.slots = make([]slot, 1<<bits.Len(uint(2*n)))
		}
		t.gen = 0
	}
	t.used = 0
	t.gen++
}

// Size returns the memory of t in bytes.
func (t *Table) Size() int { return 12 * len(t.slots) }

// Room makes sure that there is a free place, which Probe needs and Put takes.
func (t *Table) Room() {
	if t.used >= len(t.slots)-len(t.slots)/4 {
		t.grow()
	}
}

func (t *Table) grow() {
	old := *t
	t.slots, t.gen = make([]slot, max(minSlots, 2*len(old.slots))), 1
	mask := uint32(len(t.slots) - 1)
	for _, s := range old.slots {
		if s.gen != old.gen {
			continue
		}
		i := s.hash & mask
		for t.slots[i].gen != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = slot{s.hash, s.number, t.gen}
	}
}

// Probe returns the first number under a hash at a place or behind it, and its place, or 0 and a free
// place. The search for a text begins at the place of its hash, and goes on behind the number of another
// text.
func (t *Table) Probe(hash, from uint32) (number, place uint32) {
	mask := uint32(len(t.slots) - 1)
	for place = from & mask; ; place = (place + 1) & mask {
		s := &t.slots[place]
		if s.gen != t.gen {
			return 0, place
		}
		if s.hash == hash {
			return s.number, place
		}
	}
}

// Put puts a number, which is not 0, in a free place that Probe has returned for the hash.
func (t *Table) Put(place, hash, number uint32) {
	t.slots[place] = slot{hash, number, t.gen}
	t.used++
}
