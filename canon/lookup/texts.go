//phase:serialize primitive
package lookup

import (
	"bytes"
	"iter"
)

// Texts holds different texts, which have numbers from 1 in the order in which they were added. The zero
// Texts is empty and ready.
//
//phase:serialize primitive
type Texts struct {
	table Table
	all   []byte
	ends  []int // of each in all
}

// Reset empties t and makes sure that it has places for n texts.
func (t *Texts) Reset(n int) {
	t.table.Reset(n)
	t.all, t.ends = t.all[:0], t.ends[:0]
}

// Len returns the number of texts.
func (t *Texts) Len() int { return len(t.ends) }

// Size returns the memory of t in bytes.
func (t *Texts) Size() int { return t.table.Size() + cap(t.all) + 8*cap(t.ends) }

// Find returns the number of a text, 0 if it has not been added.
func (t *Texts) Find(text []byte) int {
	number, _, _ := t.find(text)
	return number
}

// Add returns the number of a text, which it adds if need be, and reports whether that was so.
func (t *Texts) Add(text []byte) (number int, added bool) {
	number, hash, place := t.find(text)
	if number != 0 {
		return number, false
	}
	t.all = append(t.all, text...)
	t.ends = append(t.ends, len(t.all))
	t.table.Put(place, hash, uint32(len(t.ends)))
	return len(t.ends), true
}

func (t *Texts) find(text []byte) (number int, hash, place uint32) {
	t.table.Room()
	hash = Hash(text)
	n, place := t.table.Probe(hash, hash)
	for n != 0 && !bytes.Equal(t.all[t.start(int(n)):t.ends[n-1]], text) {
		n, place = t.table.Probe(hash, place+1)
	}
	return int(n), hash, place
}

// start returns the place in all of a text.
func (t *Texts) start(number int) int {
	if number == 1 {
		return 0
	}
	return t.ends[number-2]
}

// Strings yields the texts by their index from 0, as parts of one string.
func (t *Texts) Strings() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		all, from := string(t.all), 0
		for i, to := range t.ends {
			if !yield(i, all[from:to]) {
				return
			}
			from = to
		}
	}
}
