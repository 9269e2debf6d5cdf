package sdjwt_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"canonscope/canon/jsontape"

	"canonscope/canon"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/sdjwt"
	"canonscope/vcdm/keys"
)

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestMemory feeds signed tokens that cost most per byte. What an engine allocates in total bounds what it uses at a time:
// native 64 times the token, and stock, whose decoder copies what it grows, 256 times.
func TestMemory(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	const n = 40000
	var digests, disclosures []string
	for i := range 2000 {
		disclosures = append(disclosures, fmt.Sprintf(`["s","n%d",%d]`, i, i))
	}
	for i := range n {
		digests = append(digests, fmt.Sprintf(`"d%d"`, i))
	}
	tokens := map[string][]byte{
		"numbers":  token(t, key, goodHeader, `{"vct":"urn:x","l":[0`+strings.Repeat(",0", n)+`]}`),
		"objects":  token(t, key, goodHeader, `{"vct":"urn:x","l":[{}`+strings.Repeat(",{}", n)+`]}`),
		"digests":  token(t, key, goodHeader, `{"vct":"urn:x","_sd":[`+strings.Join(digests, ",")+`]}`),
		"dots":     token(t, key, goodHeader, `{"vct":"urn:x","l":[{"...":`+strings.Join(digests, `},{"...":`)+`}]}`),
		"unused":   token(t, key, goodHeader, `{"vct":"urn:x"}`, disclosures...),
		"tildes":   append(token(t, key, goodHeader, `{"vct":"urn:x"}`), strings.Repeat("AA~", n)...),
		"deep":     token(t, key, goodHeader, `{"vct":"urn:x","l":`+strings.Repeat("[", 500)+strings.Repeat("]", 500)+`}`),
		"too deep": token(t, key, goodHeader, `{"vct":"urn:x","l":`+strings.Repeat("[", n)+strings.Repeat("]", n)+`}`),
		"keys":     token(t, key, goodHeader, `{"vct":"urn:x",`+strings.Join(digests, ":0,")+`:0}`),
		"name":     token(t, key, goodHeader, `{"vct":"urn:x","l":{"`+strings.Repeat("n", 20_000)+`":{`+strings.Join(digests[:5000], ":0,")+`:0}}}`),
		"header":   token(t, key, `{"alg":"EdDSA","typ":"dc+sd-jwt","x":[`+strings.Repeat("0,", n)+`0]}`, `{"vct":"urn:x"}`),
	}
	for name, tok := range tokens {
		for _, engine := range engines {
			v := sdjwt.Verifier{Engine: engine, Key: key.Public(), Now: now}
			v.Verify(tok) // fills what is kept for reuse
			for op, f := range map[string]func(){
				"verify":  func() { v.Verify(tok) },
				"present": func() { (&sdjwt.Holder{Engine: engine}).Present(tok, []string{"/l"}, nil) },
			} {
				factor := uint64(64)
				if engine == canon.Stock {
					factor = 256
				}
				if got := allocated(f); got > factor*uint64(len(tok)) {
					t.Errorf("%s %s %s: %d bytes for a token of %d, %d times", engine, name, op, got, len(tok), got/uint64(len(tok)))
				}
			}
		}
	}
}

// TestManyNames discloses many names into a large object, and one of them twice.
func TestManyNames(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	v := sdjwt.Verifier{Key: key.Public(), Now: now}
	for _, n := range []int{3, 100} {
		for _, last := range []string{"new", "plain0", "n1"} {
			var members, digests, disclosures []string
			for i := range n {
				members = append(members, fmt.Sprintf(`"plain%d":0`, i))
				d := fmt.Sprintf(`["s%d","n%d",1]`, i, i)
				if i == n-1 {
					d = `["s","` + last + `",1]`
				}
				disclosures = append(disclosures, d)
				sum := sha256.Sum256([]byte(b64.EncodeToString([]byte(d))))
				digests = append(digests, `"`+b64.EncodeToString(sum[:])+`"`)
			}
			tok := token(t, key, goodHeader, `{"vct":"urn:x",`+strings.Join(members, ",")+`,"_sd":[`+strings.Join(digests, ",")+`]}`, disclosures...)
			if _, err := sameAnswer(t, v, tok); (err == nil) != (last == "new") {
				t.Errorf("%d names and %s: %v", n, last, err)
			}
		}
	}
}

// TestNesting nests by JSON and by disclosures in disclosures, up to the limit and beyond it.
func TestNesting(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	v := sdjwt.Verifier{Key: key.Public(), Now: now}
	v.Limits.Depth = 6
	var limit *canon.LimitError
	for levels, payload := range map[int]string{5: `[[[[[]]]]]`, 6: `[[[[[[]]]]]]`} {
		_, err := sameAnswer(t, v, token(t, key, goodHeader, `{"vct":"urn:x","l":`+payload+`}`))
		if errors.As(err, &limit) != (levels > 5) {
			t.Errorf("%d levels below the first: %v", levels, err)
		}
	}
	chain := func(n int) []byte {
		var d []string
		for i := range n - 1 {
			d = append(d, fmt.Sprintf(`["s","n",{"_sd":["DIGEST-%d"]}]`, i+1))
		}
		return token(t, key, goodHeader, `{"vct":"urn:x","_sd":["DIGEST-0"]}`, append(d, `["s","n",{}]`)...)
	}
	for n := 1; n <= 8; n++ {
		_, err := sameAnswer(t, v, chain(n))
		if errors.As(err, &limit) != (n > 5) {
			t.Errorf("a chain of %d disclosures: %v", n, err)
		}
	}
	v.Limits.Bytes = 100
	if _, err := sameAnswer(t, v, chain(1)); !errors.As(err, &limit) {
		t.Errorf("bytes: %v", err)
	}
}

// Attack 10: pointers to disclosures below a long name are far longer than the token, and count as memory.
func TestLongPointers(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	var digests, disclosures []string
	for i := range 400 {
		d := fmt.Sprintf(`["s","n%d",%d]`, i, i)
		disclosures = append(disclosures, d)
		sum := sha256.Sum256([]byte(base64.RawURLEncoding.EncodeToString([]byte(d))))
		digests = append(digests, `"`+base64.RawURLEncoding.EncodeToString(sum[:])+`"`)
	}
	tok := token(t, key, goodHeader, `{"vct":"urn:x","`+strings.Repeat("x", 200_000)+`":{"_sd":[`+strings.Join(digests, ",")+`]}}`, disclosures...)
	for _, engine := range engines {
		var limit *canon.LimitError
		if _, err := (&sdjwt.Verifier{Engine: engine, Key: key.Public(), Now: now}).Verify(tok); !errors.As(err, &limit) || limit.Limit != "memory" {
			t.Errorf("%s: %v", engine, err)
		}
	}
}

// The limits of a caller also bound the JSON serialization.
func TestLimitsOfSerialization(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	flat := flattened(t, token(t, key, goodHeader, `{"vct":"urn:x"}`))
	for _, engine := range engines {
		var limit *canon.LimitError
		v := sdjwt.Verifier{Engine: engine, Key: key.Public(), Now: now, Limits: canon.Limits{Depth: 1}}
		if _, err := v.Verify(flat); !errors.As(err, &limit) || limit.Limit != "depth" {
			t.Errorf("%s: %v", engine, err)
		}
	}
}

// What encoding/json makes of a document is counted before it begins, in all parts of a token together.
func TestStockTree(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	objects := `{"vct":"urn:x","l":[{"":1}` + strings.Repeat(`,{"":1}`, 1000) + `]`
	v := sdjwt.Verifier{Engine: canon.Stock, Key: key.Public(), Now: now, Limits: canon.Limits{Memory: 1 << 20}}
	for name, c := range map[string]struct {
		token []byte
		limit bool
	}{
		"payload":             {token(t, key, goodHeader, objects+`}`), false},
		"payload and another": {token(t, key, goodHeader, objects+`,"_sd":["DIGEST-0"]}`, `["s","n",[{}`+strings.Repeat(`,{}`, 2000)+`]]`), true},
	} {
		var limit *canon.LimitError
		if _, err := v.Verify(c.token); errors.As(err, &limit) != c.limit || limit != nil && limit.Limit != "memory" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The memory that a caller allows bounds the scan and the number of disclosures; before, it was the default's.
func TestMemoryOfCaller(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	zeros := token(t, key, goodHeader, `{"vct":"urn:x","l":[0`+strings.Repeat(",0", 20_000)+`]}`)
	tildes := append(token(t, key, goodHeader, `{"vct":"urn:x"}`), strings.Repeat("WyIiLDBd~", 10_000)...)
	for _, engine := range engines {
		for name, tok := range map[string][]byte{"zeros": zeros, "tildes": tildes} {
			var limit *canon.LimitError
			v := sdjwt.Verifier{Engine: engine, Key: key.Public(), Now: now, Limits: canon.Limits{Memory: 1 << 20}}
			if _, err := v.Verify(tok); !errors.As(err, &limit) || limit.Limit != "memory" {
				t.Errorf("%s %s: %v", engine, name, err)
			}
		}
	}
}

// An issuer makes no more disclosures than fit into the memory that the caller allows.
func TestIssueMany(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	claims := []byte(`{"vct":"urn:x","l":[0` + strings.Repeat(",0", 3000) + `]}`)
	for _, engine := range engines {
		var limit *canon.LimitError
		i := sdjwt.Issuer{Engine: engine, Key: key, Limits: canon.Limits{Memory: 1 << 20}}
		if _, err := i.Issue(claims, sdjwt.Disclosable{Leaves: "/l"}); !errors.As(err, &limit) || limit.Limit != "memory" {
			t.Errorf("%s: %v", engine, err)
		}
	}
}

// Names above many claims are not copied for each of them.
func TestIssueBelowLongName(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	var members []string
	for i := range 5000 {
		members = append(members, fmt.Sprintf(`"n%d":0`, i))
	}
	claims := []byte(`{"vct":"urn:x","` + strings.Repeat("n", 20_000) + `":{` + strings.Join(members, ",") + `}}`)
	for _, engine := range engines {
		i := sdjwt.Issuer{Engine: engine, Key: key}
		got := allocated(func() {
			if _, err := i.Issue(claims, sdjwt.Disclosable{Leaves: "/none"}); err != nil {
				t.Error(err)
			}
		})
		if got > 256*uint64(len(claims)) {
			t.Errorf("%s: %d bytes for %d", engine, got, len(claims))
		}
	}
}

// An inspection names few digests without a disclosure, and cuts the pointers to where digests stand.
func TestInspectBelowLongName(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	var dots []string
	for i := range 1000 {
		dots = append(dots, fmt.Sprintf(`{"...":"%d"}`, i))
	}
	tok := token(t, key, goodHeader, `{"`+strings.Repeat("n", 100_000)+`":[`+strings.Join(dots, ",")+`,{"...":"DIGEST-0"},{"...":"DIGEST-0"}]}`, `["s",1]`)
	var out strings.Builder
	if err := inspect(&out, tok); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 2*len(tok) {
		t.Errorf("%d bytes of a token of %d", out.Len(), len(tok))
	}
	for _, want := range []string{"digests without a disclosure: 1000\n", "  and 900 more\n", "digest is in the token 2 times, first in /nnn"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the output", want)
		}
	}
	in, err := sdjwt.Inspect(tok, canon.Limits{Depth: 1})
	var limit *canon.LimitError
	if !errors.As(err, &limit) || in != nil {
		t.Errorf("%v, want a limit", err)
	}
}

// TestManyPointers presents by more pointers than are looked through one by one: both engines choose the same disclosures as
// for each pointer alone, and complain about the same pointer.
func TestManyPointers(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	names := []string{"a", "a!", "a/b", "a~", "ab", "b", "", "0", "1", "10", "a b"}
	claims := map[string]any{"vct": "urn:x"}
	var pointers []string
	for _, outer := range names {
		inner := map[string]any{}
		at := "/" + jsontape.EscapeToken("x"+outer)
		pointers = append(pointers, at)
		for _, name := range names {
			inner[name] = []any{1, map[string]any{name: outer}}
			below := at + "/" + jsontape.EscapeToken(name)
			pointers = append(pointers, below, below+"/0", below+"/1", below+"/1/"+jsontape.EscapeToken(name))
		}
		claims["x"+outer] = inner
	}
	doc, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	issued, err := (&sdjwt.Issuer{Engine: canon.Native, Key: key}).Issue(doc, sdjwt.Disclosable{Pointers: pointers})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		wanted := make([]string, 20+r.IntN(40))
		alone := map[string]bool{}
		for i := range wanted {
			wanted[i] = pointers[r.IntN(len(pointers))]
			one, err := (&sdjwt.Holder{Engine: canon.Native}).Present(issued, wanted[i:i+1], nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range strings.Split(string(one), "~")[1:] {
				alone[d] = true
			}
		}
		for _, engine := range engines {
			h := sdjwt.Holder{Engine: engine}
			shown, err := h.Present(issued, wanted, nil)
			if err != nil {
				t.Fatal(err)
			}
			disclosures := strings.Split(string(shown), "~")[1:]
			for _, d := range disclosures {
				if !alone[d] {
					t.Errorf("%s: a disclosure is not asked for", engine)
				}
			}
			if len(disclosures) != len(alone) { // each once, the empty end too
				t.Errorf("%s: %d disclosures, want %d", engine, len(disclosures), len(alone))
			}
			var fault *canon.PointerError
			if _, err := h.Present(issued, append(slices.Insert(slices.Clone(wanted), 7, "/nothing"), "/neither"), nil); !errors.As(err, &fault) || fault.Pointer != "/nothing" {
				t.Errorf("%s: %v", engine, err)
			}
		}
	}
}
