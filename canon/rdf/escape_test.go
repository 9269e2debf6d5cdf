package rdf

import (
	"strings"
	"testing"
)

func TestAppendLiteral(t *testing.T) {
	for _, c := range []struct{ value, lang, datatype, want string }{
		{"", "", "", `""`},
		{"a", "", XSDString, `"a"`},
		{"a", "en-GB", RDFLangString, `"a"@en-GB`},
		{"1", "", "u:int", `"1"^^<u:int>`},
		{"\b\t\n\f\r\"\\'", "", "", `"\b\t\n\f\r\"\\'"`},
		{"\x00\x01\x0b\x0e\x1f\x7f", "", "", `"\u0000\u0001\u000B\u000E\u001F\u007F"`},
		{"\u0080\u00ad\u2028\uf8ff\ufeff\ufffd🌃\U0001fffe", "", "", "\"\u0080\u00ad\u2028\uf8ff\ufeff\ufffd🌃\U0001fffe\""},
		{"\ufffe\uffff", "", "", `"\uFFFE\uFFFF"`},
		{"sixteen plain ch\"", "", "", `"sixteen plain ch\""`},
		{"0123456\x7f01234567", "", "", `"0123456\u007F01234567"`},
		{"ÀÈÏïﬁ", "", "", `"ÀÈÏïﬁ"`},
	} {
		if got := string(AppendLiteral(nil, c.value, c.lang, c.datatype)); got != c.want {
			t.Errorf("AppendLiteral(%q) = %s, want %s", c.value, got, c.want)
		}
		if got := string(AppendLiteral(nil, []byte(c.value), []byte(c.lang), c.datatype)); got != c.want {
			t.Errorf("AppendLiteral of bytes %q = %s, want %s", c.value, got, c.want)
		}
	}
}

// Every byte, at every place of a word, is escaped if and only if the table says so.
func TestPlainFindsEveryByte(t *testing.T) {
	for c := range 256 {
		for at := range 17 {
			s := []byte("xxxxxxxxxxxxxxxxx")
			s[at] = byte(c)
			want := len(s)
			if special[c] {
				want = at
			}
			if got := plain(s); got != want {
				t.Fatalf("byte %#x at %d: plain = %d, want %d", c, at, got, want)
			}
		}
	}
}

func TestValidIRI(t *testing.T) {
	for iri, want := range map[string]bool{"http://e/": true, "u:": true, "urn:a:é": true, "a+b-c.1:x": true,
		"": false, "rel": false, "/abs": false, ":x": false, "1a:x": false, "u:a b": false, "u:<": false, "u:\\u0041": false, "#f": false} {
		if ValidIRI(iri) != want {
			t.Errorf("ValidIRI(%q) = %v", iri, !want)
		}
	}
}

// Every byte, at every place of a word, ends an IRI or begins its fragment if and only if the table says so.
func TestIRIStopFindsEveryByte(t *testing.T) {
	for c := range 256 {
		for at := range 19 {
			s := []byte("xyzXYZ_]~!09xyzXYZ_")
			s[at] = byte(c)
			want := len(s)
			if c <= ' ' || strings.IndexByte("#<>\"{}|^`\\", byte(c)) >= 0 {
				want = at
			}
			if got := IRIStop(s, 0); got != want {
				t.Fatalf("byte %#x at %d: IRIStop = %d, want %d", c, at, got, want)
			}
			if want == at && IRIStop(s, at+1) != len(s) {
				t.Fatalf("byte %#x at %d: IRIStop goes on wrongly", c, at)
			}
		}
	}
}
