package jsontape_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"canonscope/canon/jsontape"
)

// TestAt follows the pointers of RFC 6901 section 5, and some that lead to nothing.
func TestAt(t *testing.T) {
	const doc = `{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"o":{"":[[9]]}}`
	var tape jsontape.Tape
	if err := tape.Scan([]byte(doc), jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{"": doc, "/foo": `["bar","baz"]`, "/foo/0": `"bar"`, "/foo/1": `"baz"`, "/": "0", "/a~1b": "1",
		"/c%d": "2", "/e^f": "3", "/g|h": "4", `/i\j`: "5", `/k"l`: "6", "/ ": "7", "/m~0n": "8", "/o/": "[[9]]", "/o//0/0": "9"} {
		n := tape.At(pointer)
		if n < 0 || string(tape.Raw(n)) != want {
			t.Errorf("%q leads to node %d, want %s", pointer, n, want)
		} else if back := tape.Pointer(n); back != pointer {
			t.Errorf("%q comes back as %q", pointer, back)
		}
	}
	for text, token := range map[string]string{"": "", "a": "a", "a/b": "a~1b", "m~n": "m~0n", "~1": "~01", "/~": "~1~0"} {
		if got := jsontape.EscapeToken(text); got != token || jsontape.UnescapeToken(token) != text {
			t.Errorf("%q is escaped to %q, want %q, and %q back to %q", text, got, token, token, jsontape.UnescapeToken(token))
		}
	}
	for _, pointer := range []string{"foo", "/bar", "/foo/2", "/foo/01", "/foo/-1", "/foo/-0", "/foo/+1", "/foo/-", "/foo/", "/foo/0/0", "//", "/a/b", "/m~n/x"} {
		if n := tape.At(pointer); n >= 0 {
			t.Errorf("%q leads to %s", pointer, tape.Raw(n))
		}
	}
}

// A pointer is followed as far as it leads, through every container on the way; decoded values have the same parts.
func TestFollow(t *testing.T) {
	const doc = `{"a/b":[{"c":null},1],"d":{}}`
	var tape jsontape.Tape
	if err := tape.Scan([]byte(doc), jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	var decoded any
	if err := json.Unmarshal([]byte(doc), &decoded); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ pointer, at, rest, through string }{
		{"", "", "", ""},
		{"/a~1b/0/c", "/a~1b/0/c", "", " / /a~1b /a~1b/0"},
		{"/a~1b/2/c", "/a~1b", "/2/c", " /"},
		{"/a~1b/00", "/a~1b", "/00", " /"},
		{"/a~1b/1/", "/a~1b/1", "/", " / /a~1b"},
		{"/d/", "/d", "/", " /"},
		{"d", "", "d", ""},
	} {
		through := ""
		index := tape.Index(1)
		node, rest := index.Follow(c.pointer, func(n int) { through += " " + cmp.Or(tape.Pointer(n), "/") })
		if at := tape.Pointer(node); at != c.at || rest != c.rest || through != c.through {
			t.Errorf("%q leads to %q, %q is left; through%s", c.pointer, at, rest, through)
		}

		v, ok := decoded, strings.HasPrefix(c.pointer, "/") || c.pointer == ""
		for _, token := range strings.Split(c.pointer, "/")[1:] {
			if ok {
				v, ok = jsontape.Part(v, token)
			}
		}
		if ok != (c.rest == "") {
			t.Errorf("%q leads to %v in the decoded value: %v", c.pointer, v, ok)
		}
	}

	for text, want := range map[string]bool{"": true, "/": true, "/a~0~1": true, "a": false, "/a~": false, "/~2": false, "/~~01": false} {
		if jsontape.IsPointer(text) != want {
			t.Errorf("%q is a pointer: %v", text, !want)
		}
	}
}

// An index for many pointers answers as a tape does, and has gone through a long container once.
func TestIndex(t *testing.T) {
	var doc []byte
	doc = append(doc, `{"list":[`...)
	for i := range 200 {
		doc = fmt.Appendf(doc, `{"n":%d},`, i)
	}
	doc = append(doc, `0],"map":{`...)
	for i := range 200 {
		doc = fmt.Appendf(doc, `"k/%d":%d,"\u006b~%d":[%d],`, i, i, i, i)
	}
	doc = append(doc, `"":0},"short":[1,2]}`...)
	var tape jsontape.Tape
	if err := tape.Scan(doc, jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	pointers := []string{"", "/", "/list", "/list/201", "/list/00", "/list/-1", "/list/4294967297", "/list/99999999999999999999", "/list/200", "/list/200/n", "/map/", "/map/k", "/short/1", "/short/2", "/list/x", "/list/"}
	for i := range 300 {
		pointers = append(pointers, fmt.Sprintf("/list/%d", i), fmt.Sprintf("/list/%d/n", i), fmt.Sprintf("/map/k~1%d", i), fmt.Sprintf("/map/k~0%d/0", i))
	}
	index := tape.Index(len(pointers))
	found := 0
	for _, p := range pointers {
		got, want := index.At(p), tape.At(p)
		if got != want {
			t.Errorf("%q leads to node %d, want %d", p, got, want)
		}
		if got >= 0 {
			found++
		}
	}
	if found != 806 {
		t.Errorf("%d pointers lead to something", found)
	}
	if n := testing.AllocsPerRun(100, func() {
		few := tape.Index(5)
		few.At("/list/150/n")
		few.At("/map/")
	}); n > 0 {
		t.Errorf("%v allocations for few pointers", n)
	}
	if tape.IndexSize(5) != 0 || tape.IndexSize(1000) == 0 {
		t.Errorf("sizes %d and %d", tape.IndexSize(5), tape.IndexSize(1000))
	}
}

// BenchmarkMany shows what each of many pointers into a long container costs.
func BenchmarkMany(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		doc := []byte("[" + strings.Repeat("1,", n) + "1]")
		var tape jsontape.Tape
		if err := tape.Scan(doc, jsontape.Options{}); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				index := tape.Index(n)
				for i := range n {
					if index.Element(0, strconv.Itoa(n-i)) < 0 {
						b.Fatal("an element is not found")
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/pointer")
		})
	}
}

// An index finds the same for pointers in any order: the next member, one behind it, one before it, and none.
func TestIndexInAnyOrder(t *testing.T) {
	var tape jsontape.Tape
	doc := `{"a":{"x":1,"y~/":{"x":2},"z":3},"b":[{"x":4,"y":5},6],"a~1x":7,"":8,"c":{}}`
	if err := tape.Scan([]byte(doc), jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	pointers := []string{"", "/a", "/a/x", "/a/y~0~1", "/a/y~0~1/x", "/a/z", "/a/q", "/b", "/b/0", "/b/0/x", "/b/0/y", "/b/1",
		"/b/2", "/a~01x", "/", "/c", "/c/x", "c", "/a/", "/b/0/x/y"}
	for _, first := range pointers {
		for _, second := range pointers {
			for _, third := range pointers {
				index := tape.Index(1)
				for _, p := range []string{first, second, third} {
					if got, want := index.At(p), tape.At(p); got != want {
						t.Fatalf("%q after %q, %q: node %d, want %d", p, first, second, got, want)
					}
				}
			}
		}
	}
}
