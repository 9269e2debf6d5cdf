package jcs_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	peer "github.com/gowebpki/jcs"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/jcs"
	"canonscope/canon/jsontape"
)

// cases are inputs that other implementations have got wrong; want "" means a syntax error.
var cases = []struct{ src, want string }{
	// RFC 8785 section 3.2.2: the example of the specification.
	{`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
		`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`},
	// Section 3.2.3: order by UTF-16 code units.
	{`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`, `{"\r":2,"1":4,"` + "\u0080" + `":6,"ö":7,"€":1,"😀":5,"` + "\ufb33" + `":3}`},
	{`{"\ufffd":1,"😀":2,"\ue000":3,"\ud7ff":4,"z":5,"":6}`, "{\"\":6,\"z\":5,\"\ud7ff\":4,\"😀\":2,\"\ue000\":3,\"\ufffd\":1}"},
	{`{"a\ufffd":1,"a😀":2,"a":3}`, `{"a":3,"a😀":2,"a` + "\ufffd" + `":1}`},
	{`{"aaaaaaaab":1,"aaaaaaaaa":2,"aaaaaaaa":3,"aaaaaaa\u0000":4,"aaaaaaa":5}`, `{"aaaaaaa":5,"aaaaaaa\u0000":4,"aaaaaaaa":3,"aaaaaaaaa":2,"aaaaaaaab":1}`},
	{`{"b":1,"a":{"d":[{"f":1,"e":2}],"c":3}}`, `{"a":{"c":3,"d":[{"e":2,"f":1}]},"b":1}`},
	// Bare scalars, space, empty containers.
	{` true `, `true`}, {"\t\r\n null", `null`}, {`""`, `""`}, {` [ ] `, `[]`}, {` { } `, `{}`}, {`[{ },[ ]]`, `[{},[]]`},
	{"{\n \"b\" : 1 ,\n \"a\" :\t\"x\" }", `{"a":"x","b":1}`},
	// Strings: the fewest escapes.
	{`"\u0008\u0009\u000a\u000c\u000d\u0022\u005c\u002f"`, `"\b\t\n\f\r\"\\/"`},
	{`"\u0000\u001F\u007f\u2028\u00E9\uD83D\uDE00"`, `"\u0000\u001f` + "\x7f\u2028é😀" + `"`},
	{"\"\x7f\u2028\"", "\"\x7f\u2028\""},
	// Numbers.
	{`-0`, `0`}, {`-0.0`, `0`}, {`-0e5`, `0`}, {`0.0`, `0`}, {`0e0`, `0`}, {`-1`, `-1`}, {`10`, `10`}, {`1.0`, `1`}, {`100e-2`, `1`},
	{`9007199254740991`, `9007199254740991`}, {`9007199254740993`, `9007199254740992`}, {`-9007199254740993`, `-9007199254740992`},
	{`999999999999999`, `999999999999999`}, {`-99999999999999`, `-99999999999999`}, {`1234567890123456789`, `1234567890123456800`},
	{`1e20`, `100000000000000000000`}, {`1e21`, `1e+21`}, {`999999999999999999999`, `1e+21`}, {`123456789012345678901`, `123456789012345680000`},
	{`0.000001`, `0.000001`}, {`0.0000001`, `1e-7`}, {`1.5e-7`, `1.5e-7`}, {`1e-400`, `0`}, {`5e-324`, `5e-324`}, {`2e-324`, `0`},
	{`3e-324`, `5e-324`}, {`1.7976931348623157e308`, `1.7976931348623157e+308`}, {`1e-10`, `1e-10`}, {`-1.25E+2`, `-125`},
	{`1e400`, ""}, {`-1e400`, ""}, {`[1,2,1.7976931348623159e308]`, ""},
	// Refused.
	{``, ""}, {` `, ""}, {`{"a":1,"a":1}`, ""}, {`{"a":1,"\u0061":1}`, ""}, {`"\ud800"`, ""}, {`{"\ud800":1}`, ""}, {`"\udc00\ud800"`, ""}, {`"\ud800\u0041"`, ""},
	{"\"\xff\"", ""}, {"\"\xc0\x80\"", ""}, {"\"\xed\xa0\x80\"", ""}, {"\"\xe2\x82\"", ""}, {"\"\xf5\x80\x80\x80\"", ""}, {"\"\x80\"", ""},
	{`NaN`, ""}, {`Infinity`, ""}, {`-Infinity`, ""}, {`+1`, ""}, {`01`, ""}, {`-01`, ""}, {`00`, ""}, {`1.`, ""}, {`1.e3`, ""}, {`.5`, ""}, {`-.5`, ""},
	{`0x1p-2`, ""}, {`1_000`, ""}, {"\xef\xbb\xbf1", ""}, {`1 2`, ""}, {`[1 2]`, ""}, {`[1,]`, ""}, {`{"a":1,}`, ""}, {"\"\n\"", ""}, {"\"\x00\"", ""},
	{"[1,\v2]", ""}, {"\f1", ""}, {"\u00a01", ""}, {`"\x20"`, ""}, {`"\u12"`, ""}, {`{"a"}`, ""}, {`{1:2}`, ""}, {`[`, ""}, {`"`, ""}, {`tru`, ""},
}

func TestCases(t *testing.T) {
	for _, c := range cases {
		got, _, err := jcs.Transform(nil, []byte(c.src), jcs.Options{})
		var syntax *canon.SyntaxError
		switch {
		case c.want == "" && !errors.As(err, &syntax):
			t.Errorf("%q: got %q, %v; want a syntax error", c.src, got, err)
		case c.want != "" && (err != nil || string(got) != c.want):
			t.Errorf("%q: got %q, %v; want %q", c.src, got, err, c.want)
		}
	}
}

func TestOfficialVectors(t *testing.T) {
	dir := official.Dir(t, "jcs")
	files, err := filepath.Glob(filepath.Join(dir, "input", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no vectors", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(dir, "output", filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := jcs.Transform(nil, src, jcs.Options{})
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v\ngot  %s\nwant %s", filepath.Base(file), err, got, want)
		}
	}
}

func TestOfficialNumbers(t *testing.T) {
	f, err := os.Open(filepath.Join(official.Dir(t, "jcs"), "numbers.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 20_000 {
		t.Fatal(len(rows), err)
	}
	for _, row := range rows {
		v, err := strconv.ParseUint(row[0], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		x := math.Float64frombits(v)
		if got := string(jcs.AppendNumber(nil, x)); got != row[1] {
			t.Errorf("%s: got %s, want %s", row[0], got, row[1])
		}
		for _, text := range []string{row[1], strconv.FormatFloat(x, 'e', 16, 64), strconv.FormatFloat(x, 'f', -1, 64)} {
			got, _, err := jcs.Transform(nil, []byte(text), jcs.Options{})
			if err != nil || string(got) != row[1] {
				t.Errorf("%s: got %s, %v; want %s", text, got, err, row[1])
			}
		}
	}
}

func TestWarnings(t *testing.T) {
	src := "{\"a\":[1,9007199254740993],\n \"b\":{\"x/y\":1e-400,\"z\":-0.0},\"ok\":[0.1,1e21,123456789.50,-9007199254740991,0.30e1,0e-9,9007199254740994]}"
	_, warnings, err := jcs.Transform(nil, []byte(src), jcs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []jcs.Warning{
		{jcs.Precision, "/a/1", 8, 1, 9, "9007199254740993", "9007199254740992"},
		{jcs.Underflow, "/b/x~1y", 39, 2, 13, "1e-400", "0"},
		{jcs.NegativeZero, "/b/z", 50, 2, 24, "-0.0", "0"},
	}
	if !slices.Equal(warnings, want) {
		t.Errorf("got  %v\nwant %v", warnings, want)
	}
	for _, lost := range []string{"9007199254740993", "1152921504606846976", "0.12345678901234567890", "333333333.33333329", "3e-324", "9.99999999999999999", "-1234567890123456789"} {
		if _, w, _ := jcs.Transform(nil, []byte(lost), jcs.Options{}); len(w) != 1 || w[0].Kind != jcs.Precision {
			t.Errorf("%s: %v", lost, w)
		}
	}
	out, _, err := jcs.Transform([]byte("kept"), []byte(src), jcs.Options{Strict: true})
	var change *jcs.ChangeError
	if !errors.As(err, &change) || len(change.Warnings) != 3 || string(out) != "kept" || !strings.Contains(err.Error(), `"/a/1"`) {
		t.Errorf("strict: %q, %v", out, err)
	}
	many := "[" + strings.Repeat("-0,", 100_000) + "-0]"
	if _, w, err := jcs.Transform(nil, []byte(many), jcs.Options{}); err != nil || len(w) != jcs.MaxWarnings {
		t.Error(len(w), err)
	}
}

func TestOmit(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`{"b":{"proof":1},"proof":{"x":1e-400},"a":1}`, `{"a":1,"b":{"proof":1}}`},
		{`{"\u0070roof":1}`, `{}`},
		{`[{"proof":1}]`, `[{"proof":1}]`},
		{`"proof"`, `"proof"`},
	} {
		if c.src[0] == '[' {
			// The outermost value is not an object: nothing is left out.
			c.want = c.src
		}
		got, w, err := jcs.Transform(nil, []byte(c.src), jcs.Options{Omit: "proof"})
		if err != nil || string(got) != c.want || len(w) > 0 {
			t.Errorf("%s: %s, %v, %v", c.src, got, w, err)
		}
	}
}

func TestAppendNode(t *testing.T) {
	var tape jsontape.Tape
	if err := tape.Scan([]byte(`{"a": [ {"c":-0, "b":"\u0041"} ]}`), jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	got, w, err := jcs.AppendNode([]byte("x="), &tape, tape.Get(0, "a"), jcs.Options{})
	if err != nil || string(got) != `x=[{"b":"A","c":0}]` || len(w) != 1 || w[0].Pointer != "/a/0/c" {
		t.Error(string(got), w, err)
	}
}

func TestLimits(t *testing.T) {
	deep := []byte(strings.Repeat("[", 600) + strings.Repeat("]", 600))
	var limit *canon.LimitError
	if _, _, err := jcs.Transform(nil, deep, jcs.Options{}); !errors.As(err, &limit) || limit.Limit != "depth" {
		t.Error(err)
	}
	if got, _, err := jcs.Transform(nil, deep, jcs.Options{Limits: canon.Limits{Depth: 600}}); err != nil || !bytes.Equal(got, deep) {
		t.Error(err)
	}
	if _, _, err := jcs.Transform(nil, deep, jcs.Options{Limits: canon.Limits{Bytes: 100}}); !errors.As(err, &limit) || limit.Limit != "bytes" {
		t.Error(err)
	}
}

// TestOrder compares the order of keys with the order of their UTF-16 code units.
func TestOrder(t *testing.T) {
	var keys []string
	for _, a := range []string{"", "a", "aaaaaaa", "aaaaaaaa", "é", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010FFFF"} {
		for _, b := range []string{"", "b", "\x00", "~", "\x7f", "\u0080", "\ud7ff", "\ue000", "\ufffd", "\U0001F600"} {
			keys = append(keys, a+b)
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	sorted := slices.Clone(keys)
	slices.SortFunc(sorted, func(a, b string) int { return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) })
	for size := 1; size <= len(keys); size++ {
		for from := 0; from+size <= len(keys); from += size {
			part := keys[from : from+size]
			var src, want []string
			for _, k := range part {
				src = append(src, string(jsontape.AppendQuoted(nil, k))+":0")
			}
			for _, k := range sorted {
				if slices.Contains(part, k) {
					want = append(want, string(jsontape.AppendQuoted(nil, k))+":0")
				}
			}
			got, _, err := jcs.Transform(nil, []byte("{"+strings.Join(src, ",")+"}"), jcs.Options{})
			if err != nil || string(got) != "{"+strings.Join(want, ",")+"}" {
				t.Fatalf("%v\ngot  %q\nwant %q", err, got, want)
			}
		}
	}
}

func TestNoAllocations(t *testing.T) {
	if raced {
		t.Skip("the race detector is on")
	}
	for _, src := range [][]byte{credential(20), credential(2500)} {
		dst, _, err := jcs.Transform(nil, src, jcs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { dst, _, _ = jcs.Transform(dst[:0], src, jcs.Options{}) }); n != 0 {
			t.Errorf("%d bytes: %v allocations", len(src), n)
		}
	}
}

func TestConcurrent(t *testing.T) {
	var group sync.WaitGroup
	for g := range 32 {
		group.Go(func() {
			src := credential(5 + g)
			want, _, _ := jcs.Transform(nil, src, jcs.Options{})
			var dst []byte
			for range 50 {
				var err error
				if dst, _, err = jcs.Transform(dst[:0], src, jcs.Options{}); err != nil || !bytes.Equal(dst, want) {
					t.Error("another result", err)
					return
				}
			}
		})
	}
	group.Wait()
}

// FuzzTransform compares with gowebpki/jcs, and checks that a canonical form is its own canonical form.
func FuzzTransform(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(c.src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		got, _, err := jcs.Transform(nil, src, jcs.Options{})
		want, peerErr := peer.Transform(src)
		var limit *canon.LimitError
		if errors.As(err, &limit) {
			return
		}
		if (err == nil) != (peerErr == nil) {
			t.Fatalf("%q: %v, but gowebpki/jcs says %v", src, err, peerErr)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%q: got %q, gowebpki/jcs %q", src, got, want)
		}
		again, warnings, err := jcs.Transform(nil, got, jcs.Options{})
		if err != nil || !bytes.Equal(again, got) || !json.Valid(got) || slices.ContainsFunc(warnings, func(w jcs.Warning) bool { return w.Kind != jcs.Precision }) {
			t.Fatalf("%q is not its own canonical form: %q, %v, %v", got, again, warnings, err)
		}
	})
}

// credential is a credential with n attributes whose members are in an unsorted order.
func credential(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"@context":["https://www.w3.org/ns/credentials/v2","https://example.org/contexts/simple"],"id":"urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33",`)
	b.WriteString(`"type":["VerifiableCredential","SimpleCredential"],"issuer":"did:example:76e12ec712ebc6f1c221ebfeb1f","validFrom":"2026-01-01T00:00:00Z","credentialSubject":{"id":"did:example:ebfeb1f712ebc6f1c276e12ec21"`)
	for i := range n {
		fmt.Fprintf(&b, `,"attribute%02d":"value %02d"`, i*7919%n, i)
	}
	b.WriteString("}}")
	return b.Bytes()
}

func BenchmarkTransform(b *testing.B) {
	for _, n := range []int{20, 3500} {
		src := credential(n)
		b.Run(fmt.Sprintf("native-%dB", len(src)), func(b *testing.B) {
			var dst []byte
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				dst, _, _ = jcs.Transform(dst[:0], src, jcs.Options{})
			}
		})
		b.Run(fmt.Sprintf("gowebpki-%dB", len(src)), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := peer.Transform(src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
