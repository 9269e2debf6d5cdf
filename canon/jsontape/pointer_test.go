package jsontape_test

import (
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
