package lookup_test

import (
	"fmt"
	"testing"

	"canonscope/canon/lookup"
)

// A table finds what was added since the last Reset and nothing else, through growth and among equal hashes.
func TestTable(t *testing.T) {
	var table lookup.Table
	var texts []string
	find := func(text string, hash uint32) (number, place uint32) {
		table.Room()
		n, place := table.Probe(hash, hash)
		for n != 0 && texts[n-1] != text {
			n, place = table.Probe(hash, place+1)
		}
		return n, place
	}
	for _, c := range []struct {
		name  string
		count int
		room  int
		hash  func(text string) uint32
	}{
		{"small", 10, 0, lookup.HashString},
		{"with room", 300, 300, lookup.HashString},
		{"growing", 5000, 0, lookup.HashString},
		{"one hash", 200, 0, func(string) uint32 { return 7 }},
		{"small again", 10, 10, lookup.HashString},
	} {
		table.Reset(c.room)
		texts = texts[:0]
		for i := range c.count {
			text := fmt.Sprint("text ", i)
			n, place := find(text, c.hash(text))
			if n != 0 {
				t.Fatalf("%s: %q is there before it is added, as %d", c.name, text, n)
			}
			texts = append(texts, text)
			table.Put(place, c.hash(text), uint32(len(texts)))
		}
		for i, text := range texts {
			if n, _ := find(text, c.hash(text)); n != uint32(i+1) {
				t.Fatalf("%s: %q is %d, want %d", c.name, text, n, i+1)
			}
		}
		if n, _ := find("other", c.hash("other")); n != 0 {
			t.Errorf("%s: what was not added is %d", c.name, n)
		}
	}
	if table.Size() > 12*64 {
		t.Errorf("a small table takes %d bytes after a large one", table.Size())
	}
	if lookup.HashString("text") != lookup.Hash([]byte("text")) {
		t.Error("the hash depends on the type")
	}
}

// Texts number what is added in its order, once each, and forget it when they are emptied.
func TestTexts(t *testing.T) {
	var texts lookup.Texts
	for _, count := range []int{3, 300, 0, 2} {
		texts.Reset(count / 2)
		for i := range 2 * count {
			text := fmt.Sprint(i % max(count, 1)) // the second half repeats the first, which begins with ""
			if text == "0" {
				text = ""
			}
			if i < count && texts.Find([]byte(text)) != 0 {
				t.Fatalf("%q is there before it is added", text)
			}
			number, added := texts.Add([]byte(text))
			if number != i%count+1 || added != (i < count) || texts.Find([]byte(text)) != number {
				t.Fatalf("%q is %d, added %v", text, number, added)
			}
		}
		seen := 0
		for i, text := range texts.Strings() {
			if texts.Find([]byte(text)) != i+1 {
				t.Errorf("text %d is %q", i, text)
			}
			if seen++; seen == 250 {
				break
			}
		}
		if texts.Len() != count || seen != min(count, 250) || texts.Find([]byte("other")) != 0 {
			t.Errorf("%d texts of %d, %d of them seen", texts.Len(), count, seen)
		}
	}
	if texts.Size() < 12*64 {
		t.Errorf("texts take %d bytes", texts.Size())
	}
}
