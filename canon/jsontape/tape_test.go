package jsontape_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/official"
	"canonscope/canon/jsontape"
)

func scan(t *testing.T, src string) *jsontape.Tape {
	t.Helper()
	var tape jsontape.Tape
	if err := tape.Scan([]byte(src), jsontape.Options{}); err != nil {
		t.Fatalf("Scan(%q): %v", src, err)
	}
	return &tape
}

func TestMalformed(t *testing.T) {
	for _, c := range []struct {
		src          string
		line, column int
		msg          string // part of the message
	}{
		{"", 1, 1, "end of the input"},
		{" \n ", 2, 2, "end of the input"},
		{"\xEF\xBB\xBF{}", 1, 1, "byte order mark"},
		{"{} x", 1, 4, "end of the document, found 'x'"},
		{"{}{}", 1, 3, "end of the document"},
		{"[1,]", 1, 3, "trailing comma"},
		{"[,1]", 1, 2, "a value"},
		{"[1 2]", 1, 4, "',' or ']'"},
		{"[1", 1, 3, "closing bracket"},
		{"[1}", 1, 3, "',' or ']'"},
		{`{"a":1]`, 1, 7, "',' or '}'"},
		{`{"a":1,}`, 1, 7, "trailing comma"},
		{`{,}`, 1, 2, "a key"},
		{`{a:1}`, 1, 2, "a key"},
		{`{"a" 1}`, 1, 6, "':'"},
		{`{"a":}`, 1, 6, "a value"},
		{"{\r\n\"a\":1,\r\n \"a\":2}", 3, 2, `duplicate key "a"`},
		{`{"a":1,"\u0061":2}`, 1, 8, "duplicate key"},
		{`{"\u0061":1,"a":2}`, 1, 13, "duplicate key"},
		{`{"":1,"":2}`, 1, 7, "duplicate key"},
		{`{"é":{"é":0},"\u00e9":2}`, 1, 16, "duplicate key"},
		{`{"😀":1,"\ud83d\ude00":2}`, 1, 11, "duplicate key"},
		{`"abc`, 1, 5, "closing quote"},
		{`"abcdefghijkl`, 1, 14, "closing quote"},
		{`"\`, 1, 2, "closing quote"},
		{"\"a\x01\"", 1, 3, "control character U+0001"},
		{"\"0123456789\n\"", 1, 12, "control character U+000A"},
		{"\"\x1f\"", 1, 2, "control character"},
		{`"\x41"`, 1, 2, "unknown escape"},
		{`"\u12g4"`, 1, 2, "hexadecimal"},
		{`"\u12`, 1, 2, "hexadecimal"},
		{`"\ud800"`, 1, 2, "lone surrogate"},
		{`"\udc00\ud800"`, 1, 2, "lone surrogate"},
		{`"\ud800\u0041"`, 1, 2, "lone surrogate"},
		{`"\ud800\n"`, 1, 2, "lone surrogate"},
		{`"\udfff"`, 1, 2, "lone surrogate"},
		{"\"\xff\"", 1, 2, "invalid UTF-8"},
		{"\"\x80\"", 1, 2, "invalid UTF-8"},
		{"\"\xc0\xaf\"", 1, 2, "invalid UTF-8"},
		{"\"\xe0\x80\xaf\"", 1, 2, "invalid UTF-8"},
		{"\"ab\xed\xa0\x80\"", 1, 4, "invalid UTF-8"},
		{"\"\xf4\x90\x80\x80\"", 1, 2, "invalid UTF-8"},
		{"\"é\xe2\x82\"", 1, 4, "invalid UTF-8"},
		{"[\xff]", 1, 2, "byte 0xFF"},
		{"tru", 1, 1, "a value"},
		{"True", 1, 1, "a value"},
		{"nul", 1, 1, "a value"},
		{"falsy", 1, 1, "a value"},
		{"truex", 1, 5, "end of the document"},
		{"NaN", 1, 1, "a value"},
		{"Infinity", 1, 1, "a value"},
		{"-Infinity", 1, 2, "a digit is missing"},
		{"+1", 1, 1, "a value"},
		{"01", 1, 1, "start with 0"},
		{"-01", 1, 2, "start with 0"},
		{"00", 1, 1, "start with 0"},
		{"1.", 1, 3, "after the decimal point"},
		{"1.e3", 1, 3, "after the decimal point"},
		{".5", 1, 1, "a value"},
		{"-.5", 1, 2, "a digit is missing"},
		{"1e", 1, 3, "exponent"},
		{"1e+", 1, 4, "exponent"},
		{"0x10", 1, 2, "end of the document"},
		{"1_000", 1, 2, "end of the document"},
		{"-", 1, 2, "a digit is missing"},
		{"[1,\v2]", 1, 4, "a value"},
		{"\f1", 1, 1, "a value"},
		{"\u00a01", 1, 1, "a value"},
		{"[1]\x00", 1, 4, "end of the document"},
		{"//c\n1", 1, 1, "a value"},
		{"'a'", 1, 1, "a value"},
	} {
		var tape jsontape.Tape
		err := tape.Scan([]byte(c.src), jsontape.Options{})
		var syntax *canon.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: got %v, want a SyntaxError", c.src, err)
			continue
		}
		if syntax.Line != c.line || syntax.Column != c.column || !strings.Contains(syntax.Msg, c.msg) {
			t.Errorf("%q: got %v, want line %d column %d: ...%s...", c.src, err, c.line, c.column, c.msg)
		}
		if len(tape.Nodes) != 0 {
			t.Errorf("%q: a failed scan leaves %d nodes", c.src, len(tape.Nodes))
		}
	}
}

// TestSpecialBytes puts each byte that ends the fast scan of a string at every place of a word.
func TestSpecialBytes(t *testing.T) {
	for at := range 40 {
		text := strings.Repeat("x", at)
		for c := range 256 {
			src := "\"" + text + string([]byte{byte(c)}) + "yyyyyyyyyyyyyyyyyyyyyyy\""
			var tape jsontape.Tape
			err := tape.Scan([]byte(src), jsontape.Options{})
			good := c >= ' ' && c < 0x80 && c != '"' && c != '\\'
			if (err == nil) != good {
				t.Fatalf("byte 0x%02X at %d: %v", c, at, err)
			}
			if good && string(tape.Text(0)) != src[1:len(src)-1] {
				t.Fatalf("byte 0x%02X at %d: text %q", c, at, tape.Text(0))
			}
		}
	}
}

// Each byte, at each place of a string, as a key and as a value.
func TestEveryByteInAString(t *testing.T) {
	for c := range 256 {
		for at := range 24 {
			text := bytes.Repeat([]byte("a"), 24)
			text[at] = byte(c)
			for _, format := range []string{`["%s"]`, `{"k":1,"%s":"v"}`, `{"k":"v","%s":"v"}`, `{"k":"v","l":"%s"}`} {
				src := fmt.Appendf(nil, format, text)
				if c == '"' {
					continue // it ends the string
				}
				var tape jsontape.Tape
				err := tape.Scan(src, jsontape.Options{})
				if wrong := c < ' ' || c == '\\' || c >= 0x80; wrong != (err != nil) {
					t.Fatalf("byte %#x at %d of %s: %v", c, at, format, err)
				}
				if err != nil {
					continue
				}
				found := false
				for i := range tape.Nodes {
					if tape.Nodes[i].Kind == jsontape.String && bytes.Equal(tape.Text(i), text) {
						found = true
						if common := c != 0x7F; tape.Nodes[i].Common() != common {
							t.Fatalf("byte %#x at %d of %s: Common is %v", c, at, format, !common)
						}
					}
				}
				if !found {
					t.Fatalf("byte %#x at %d of %s: the string is not in the tape", c, at, format)
				}
			}
		}
	}
}

// The filter of an object never misses a key.
func TestMayHave(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var b strings.Builder
		b.WriteString("{")
		for i := range rng.IntN(50) {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, `"%x%d":%s`, rng.Uint32(), i, []string{"1", `"text"`, "{}"}[rng.IntN(3)])
		}
		tape := scan(t, b.String()+"}")
		for k := range tape.Members(0) {
			if !tape.Nodes[0].MayHave(jsontape.HashBit(tape.Nodes[k].Hash)) {
				t.Fatalf("%s: MayHave denies %s", b.String(), tape.Raw(k))
			}
		}
		if tape.Nodes[0].MayHave(0) {
			t.Fatal("MayHave finds a key for an empty set")
		}
	}
}

func TestLargeObjects(t *testing.T) {
	for _, n := range []int{31, 32, 33, 34, 100, 5000} {
		var b strings.Builder
		b.WriteString("{")
		for i := range n {
			fmt.Fprintf(&b, `"key%d":{"a":%d,"b":[]},`, i, i)
		}
		good := b.String() + `"last":0}`
		tape := scan(t, good)
		if got := tape.Len(0); got != n+1 {
			t.Errorf("%d keys: Len %d", n+1, got)
		}
		for _, key := range []string{"key0", "key7", fmt.Sprint("key", n-1)} {
			if v := tape.Get(0, key); v < 0 || string(tape.Raw(tape.Get(v, "a"))) != key[3:] {
				t.Errorf("%d keys: Get(%s) = %d", n+1, key, v)
			}
			for _, again := range []string{key, `\u006b` + key[1:]} {
				var bad jsontape.Tape
				err := bad.Scan([]byte(b.String()+`"`+again+`":0}`), jsontape.Options{})
				if err == nil || !strings.Contains(err.Error(), "duplicate key") {
					t.Errorf("%d keys and %s again: %v", n, again, err)
				}
			}
		}
	}
}

func TestLimits(t *testing.T) {
	deep := func(n int) []byte {
		return []byte(strings.Repeat("[", n) + strings.Repeat("]", n))
	}
	var tape jsontape.Tape
	if err := tape.Scan(deep(512), jsontape.Options{}); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		src   []byte
		opt   jsontape.Options
		limit string
	}{
		{deep(513), jsontape.Options{}, "depth"},
		{bytes.Repeat([]byte(`{"a":`), 1_000_000), jsontape.Options{}, "depth"},
		{deep(4), jsontape.Options{Depth: 3}, "depth"},
		{deep(jsontape.MaxDepth + 1), jsontape.Options{Depth: 1 << 40}, "depth"},
		{[]byte(`"abc"`), jsontape.Options{Bytes: 4}, "bytes"},
	} {
		err := tape.Scan(c.src, c.opt)
		var limit *canon.LimitError
		if !errors.As(err, &limit) || limit.Limit != c.limit {
			t.Errorf("got %v, want a limit of %s", err, c.limit)
		}
	}
	if err := tape.Scan(deep(100_000), jsontape.Options{Depth: 100_000}); err != nil {
		t.Error(err)
	}
}

func TestText(t *testing.T) {
	for src, want := range map[string]string{
		`"plain"`:                      "plain",
		`""`:                           "",
		`"\"\\\/\b\f\n\r\t"`:           "\"\\/\b\f\n\r\t",
		`"a\u00e9\u20ACz"`:             "aé€z",
		`"\ud83d\uDE00!"`:              "😀!",
		`"\u0000"`:                     "\x00",
		"\"\u2028 \x7f\"":              "\u2028 \x7f",
		`"\\u0041"`:                    `\u0041`,
		`"0123456789abcdef\n"`:         "0123456789abcdef\n",
		`"\ud800\udc00\udbff\udfff\n"`: "\U00010000\U0010FFFF\n",
	} {
		tape := scan(t, src)
		if got := string(tape.Text(0)); got != want {
			t.Errorf("Text(%s) = %q, want %q", src, got, want)
		}
		if got := string(tape.AppendString([]byte("+"), 0)); got != "+"+want {
			t.Errorf("AppendString(%s) = %q", src, got)
		}
		if !tape.TextIs(0, want) || tape.TextIs(0, want+"x") || tape.TextIs(0, "") != (want == "") {
			t.Errorf("TextIs(%s) is wrong", src)
		}
	}
}

// A long string is not unescaped to be told from a short text.
func TestTextIsLong(t *testing.T) {
	const n = 1 << 12
	var tape jsontape.Tape
	if err := tape.Scan([]byte(`"`+strings.Repeat(`\u0061`, n)+`"`), jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	if !tape.TextIs(0, strings.Repeat("a", n)) || tape.TextIs(0, strings.Repeat("a", n-1)) || tape.TextIs(0, strings.Repeat("a", n+1)) {
		t.Error("another text")
	}
	if allocs := testing.AllocsPerRun(10, func() { tape.TextIs(0, "a") }); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestPointer(t *testing.T) {
	tape := scan(t, `{"a":[1,{"b/c":[[],{}],"~\u0041":2}],"":{"x":null}}`)
	want := []string{"", "/a", "/a", "/a/0", "/a/1", "/a/1/b~1c", "/a/1/b~1c", "/a/1/b~1c/0", "/a/1/b~1c/1", "/a/1/~0A", "/a/1/~0A", "/", "/", "//x", "//x"}
	for i := range tape.Nodes {
		if got := tape.Pointer(i); got != want[i] {
			t.Errorf("Pointer(%d) = %q, want %q", i, got, want[i])
		}
	}
}

func TestEdit(t *testing.T) {
	for _, c := range []struct{ src, without, with string }{
		{`{"p":1}`, `{}`, `{"p":[9]}`},
		{`{}`, `{}`, `{"p":[9]}`},
		{`{ }`, `{ }`, `{ "p":[9]}`},
		{`{"a":1}`, `{"a":1}`, `{"a":1,"p":[9]}`},
		{`{"p":{"x":[1,2]},"a":1}`, `{"a":1}`, `{"p":[9],"a":1}`},
		{`{"a":1,"p":2}`, `{"a":1}`, `{"a":1,"p":[9]}`},
		{"{\n  \"a\": {\"b\":[]} ,\n  \"\\u0070\": 2\n}", "{\n  \"a\": {\"b\":[]}\n}", "{\n  \"a\": {\"b\":[]} ,\n  \"\\u0070\": [9]\n}"},
		{"{\n  \"a\": 1,\n  \"p\": 2 ,\n  \"b\": 3\n}", "{\n  \"a\": 1,\n  \"b\": 3\n}", "{\n  \"a\": 1,\n  \"p\": [9] ,\n  \"b\": 3\n}"},
		{"{\n  \"a\": 1\n}", "{\n  \"a\": 1\n}", "{\n  \"a\": 1,\"p\":[9]\n}"},
	} {
		tape := scan(t, c.src)
		without := c.src
		if k := tape.Key(0, "p"); k >= 0 {
			without = string(tape.AppendWithout(nil, 0, k))
		}
		if without != c.without {
			t.Errorf("%s without p: %s", c.src, without)
		}
		if with := string(tape.AppendMember(nil, 0, "p", []byte("[9]"))); with != c.with {
			t.Errorf("%s with p: %s", c.src, with)
		}
	}
	tape := scan(t, `[1, [2] , 3]`)
	var got []string
	for c := range tape.Elements(0) {
		got = append(got, string(tape.AppendWithout(nil, 0, c)))
	}
	if want := "[[2] , 3]|[1, 3]|[1, [2]]"; strings.Join(got, "|") != want {
		t.Errorf("elements removed one by one: %s", strings.Join(got, "|"))
	}
	if s := string(jsontape.AppendQuoted(nil, "a\"\\\x00\x1f\b\f\n\r\t/é\u2028")); s != `"a\"\\\u0000\u001f\b\f\n\r\t/é`+"\u2028\"" {
		t.Error(s)
	}
}

// TestOfficialDocuments compares every JSON file of the official data with encoding/json, by value.
func TestOfficialDocuments(t *testing.T) {
	dir := official.Dir(t)
	var tape jsontape.Tape
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".jsonld") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var want any
		wantErr := json.Unmarshal(src, &want)
		if err := tape.Scan(src, jsontape.Options{}); err != nil {
			if wantErr == nil {
				t.Logf("%s: refused: %v", path, err)
			}
			return nil
		}
		files++
		if wantErr != nil {
			t.Errorf("%s: accepted, but %v", path, wantErr)
			return nil
		}
		a, _ := json.Marshal(value(t, &tape, 0))
		b, _ := json.Marshal(want)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: another value than encoding/json", path)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatal(files, err)
	}
}

// value rebuilds what a tape holds.
func value(t *testing.T, tape *jsontape.Tape, i int) any {
	switch tape.Nodes[i].Kind {
	case jsontape.Null:
		return nil
	case jsontape.False, jsontape.True:
		return tape.Nodes[i].Kind == jsontape.True
	case jsontape.String:
		return string(tape.Text(i))
	case jsontape.Array:
		list := []any{}
		for e := range tape.Elements(i) {
			list = append(list, value(t, tape, e))
		}
		return list
	case jsontape.Object:
		object := map[string]any{}
		for k, v := range tape.Members(i) {
			object[string(tape.Text(k))] = value(t, tape, v)
		}
		return object
	}
	var f float64
	if err := json.Unmarshal(tape.Raw(i), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestNoAllocations(t *testing.T) {
	src := credential(20)
	var tape jsontape.Tape
	if err := tape.Scan(src, jsontape.Options{}); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _ = tape.Scan(src, jsontape.Options{}) }); n != 0 {
		t.Errorf("a reused tape allocates %v times", n)
	}
}

// FuzzScan compares the verdict with encoding/json and checks that the spans of the tape nest.
func FuzzScan(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\u0041",true,null]}`, `"\ud800"`, "[1.5e-7]", `{"a":1,"\u0061":2}`, "\"\xc3\xa9\""} {
		f.Add([]byte(s))
	}
	var reused jsontape.Tape
	f.Fuzz(func(t *testing.T, src []byte) {
		var tape jsontape.Tape
		err := tape.Scan(src, jsontape.Options{})
		if again := reused.Scan(src, jsontape.Options{}); fmt.Sprint(again) != fmt.Sprint(err) || !slices.Equal(reused.Nodes, tape.Nodes) {
			t.Fatalf("%q: %v, with a tape that is used again %v", src, err, again)
		}
		var v any
		if err == nil {
			if e := json.Unmarshal(src, &v); e != nil && !strings.Contains(e.Error(), "cannot unmarshal number") {
				t.Fatalf("accepted, but %v", e)
			}
			for i, n := range tape.Nodes {
				if n.Start >= n.End || int(n.End) > len(src) || int(n.Next) <= i || int(n.Next) > len(tape.Nodes) {
					t.Fatalf("node %d is %+v", i, n)
				}
				tape.Pointer(i)
			}
			return
		}
		if json.Valid(src) {
			// What encoding/json lets through: duplicates, surrogates, invalid UTF-8, depth.
			for _, known := range []string{"duplicate key", "lone surrogate", "invalid UTF-8", "depth"} {
				if strings.Contains(err.Error(), known) {
					return
				}
			}
			t.Fatalf("refused valid JSON: %v", err)
		}
	})
}

// credential is a small credential with n attributes, about 925 bytes for 20.
func credential(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"@context":["https://www.w3.org/ns/credentials/v2","https://example.org/contexts/simple"],"id":"urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33",`)
	b.WriteString(`"type":["VerifiableCredential","SimpleCredential"],"issuer":"did:example:76e12ec712ebc6f1c221ebfeb1f","validFrom":"2026-01-01T00:00:00Z","credentialSubject":{"id":"did:example:ebfeb1f712ebc6f1c276e12ec21"`)
	for i := range n {
		fmt.Fprintf(&b, `,"attribute%02d":"value %02d"`, i, i)
	}
	b.WriteString("}}")
	return b.Bytes()
}

func BenchmarkScan(b *testing.B) {
	long := []byte(`["` + strings.Repeat("plain ASCII text of some length ", 3000) + `"]`)
	french := []byte(`["` + strings.Repeat("texte accentué à l'école primaire ", 3000) + `"]`)
	for _, c := range []struct {
		name string
		src  []byte
	}{{"credential-20", credential(20)}, {"credential-2000", credential(2000)}, {"text", long}, {"french", french}} {
		b.Run(c.name, func(b *testing.B) {
			var tape jsontape.Tape
			b.SetBytes(int64(len(c.src)))
			b.ReportAllocs()
			for b.Loop() {
				if err := tape.Scan(c.src, jsontape.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestLeaves(t *testing.T) {
	for doc, want := range map[string]int{`1`: 1, `{}`: 1, `[]`: 1, `{"a":1,"b":[2,{},[]],"c":{"d":null}}`: 5} {
		var tape jsontape.Tape
		if err := tape.Scan([]byte(doc), jsontape.Options{}); err != nil {
			t.Fatal(err)
		}
		if got := tape.Leaves(0); got != want {
			t.Errorf("%s: %d leaves, want %d", doc, got, want)
		}
		if got := tape.IsLeaf(0); got != (want == 1) {
			t.Errorf("%s: leaf %v", doc, got)
		}
	}
}

// A string is common unless it has an escape, U+007F or a character from U+F000 to U+FFFF, wherever in it that stands.
func TestCommonStrings(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "plain": true, "é": true, "\U0001F600": true, "\uE000": true,
		"\x7f": false, "\uF000": false, "\uFFFD": false, "\uFFFE": false, "\uFFFF": false, `\n`: false, `\u0061`: false,
	} {
		for before := range 20 {
			for after := range 20 {
				src := `"` + strings.Repeat("x", before) + text + strings.Repeat("y", after) + `"`
				tape := scan(t, src)
				if got := tape.Nodes[0].Common(); got != want {
					t.Fatalf("%q: common %v", src, got)
				}
				if got := tape.Nodes[0].Escaped(); got != strings.Contains(src, `\`) {
					t.Fatalf("%q: escaped %v", src, got)
				}
			}
		}
	}
}

// Space between the parts of an object changes no verdict and no value, whatever stands in its members.
func TestSpaceInObjects(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	one := func(from ...string) string { return from[r.IntN(len(from))] }
	refused := 0
	for range 20_000 {
		var tight, loose []string
		spread := 1 + r.IntN(500)
		for range r.IntN(40) {
			key := `"` + strings.Repeat("k", r.IntN(12)) + one("", "a", "b", `\u0061`, "é", "\x7f", "\uFFFF") + fmt.Sprint(r.IntN(spread)) + `"`
			value := one(`"v"`, `"long enough for two looks"`, `""`, `"\n"`, `"\ud800"`, "\"\x01\"", `1`, `[]`, `{"k":"v","l":"w"}`, `"x`)
			if len(value) > 3 && r.IntN(30) > 0 && (strings.Contains(value, "d800") || strings.Contains(value, "\x01") || value == `"x`) {
				value = `"right"`
			}
			tight, loose = append(tight, key+":"+value), append(loose, " "+key+" : "+value+" ")
		}
		a, b := `{`+strings.Join(tight, ",")+`}`, `{`+strings.Join(loose, ",")+`}`
		var x, y jsontape.Tape
		errA, errB := x.Scan([]byte(a), jsontape.Options{}), y.Scan([]byte(b), jsontape.Options{})
		if (errA == nil) != (errB == nil) || len(x.Nodes) != len(y.Nodes) {
			t.Fatalf("%s: %v; with space %v", a, errA, errB)
		}
		if errA != nil {
			refused++
		}
		for i := range x.Nodes {
			m, n := &x.Nodes[i], &y.Nodes[i]
			if m.Kind != n.Kind || m.Next != n.Next || m.Hash != n.Hash || m.Common() != n.Common() || m.Kind == jsontape.String && string(x.Raw(i)) != string(y.Raw(i)) {
				t.Fatalf("%s: node %d is %+v, with space %+v", a, i, m, n)
			}
		}
	}
	if refused < 2000 || refused > 18_000 {
		t.Errorf("%d of 20000 refused", refused)
	}
}
