package sdjwt_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/compare"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/sdjwt"
	"canonscope/vcdm/keys"
)

// exceeds returns the limit that an error names, or nil.
func exceeds(err error) (l *canon.LimitError) {
	errors.As(err, &l)
	return l
}

// A disclosure counts 512 bytes of memory, both to make and to read: what fits is accepted, one more is not.
func TestDisclosuresAtTheBound(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	const most = 100
	limits := canon.Limits{Memory: 512 * most}
	v := sdjwt.Verifier{Engine: canon.Native, Key: key.Public(), Now: now, Limits: limits}
	h := sdjwt.Holder{Engine: canon.Native, Limits: limits}
	for n, want := range map[int]bool{most: false, most + 1: true} {
		tok := append(token(t, key, goodHeader, `{"vct":"urn:x"}`), strings.Repeat("AA~", n)...)
		_, err := v.Verify(tok)
		_, err2 := h.Present(tok, nil, nil)
		for _, err := range []error{err, err2} {
			l := exceeds(err)
			if (l != nil) != want || want && (l.Limit != "memory" || l.Where != fmt.Sprint("disclosure ", n) || l.Done != 512*int64(n)) {
				t.Errorf("%d disclosures: %v", n, err)
			}
		}
		i := sdjwt.Issuer{Engine: canon.Native, Key: key, Limits: limits}
		_, err = i.Issue([]byte(`{"vct":"urn:x","l":[0`+strings.Repeat(",0", n-1)+`]}`), sdjwt.Disclosable{Leaves: "/l"})
		if (err != nil) != want || want && exceeds(err) == nil {
			t.Errorf("%d claims: %v", n, err)
		}
	}
}

// least returns the least memory with which f meets no limit.
func least(f func(canon.Limits) error) int {
	return 1 + sort.Search(1<<24, func(n int) bool { return exceeds(f(canon.Limits{Memory: int64(n + 1)})) == nil })
}

// The stock engine counts 1536 bytes for a disclosure, and its text, to make one.
func TestStockDisclosuresAtTheBound(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	doc := func(n, size int) []byte {
		return []byte(`{"vct":"urn:x","o":{"a":"` + strings.Repeat("x", size) + `"},"l":[0` + strings.Repeat(",0", n) + `]}`)
	}
	issue := func(n, size int, leaves string) int {
		return least(func(l canon.Limits) error {
			i := sdjwt.Issuer{Engine: canon.Stock, Key: key, Limits: l}
			_, err := i.Issue(doc(n, size), sdjwt.Disclosable{Leaves: leaves})
			return err
		})
	}
	const text = 40 // of a disclosure of [salt, 0]: 30 bytes before base64url is less
	if one, two := issue(1, 0, "/l/0"), issue(1, 0, "/l"); two-one < 1536 || two-one > 1536+text {
		t.Errorf("a disclosure takes %d bytes", two-one)
	}
	plain := issue(0, 300, "") - issue(0, 0, "")
	if grown := issue(0, 300, "/o") - issue(0, 0, "/o"); grown != plain+400 {
		t.Errorf("300 bytes of text take %d bytes, want 400 more than %d", grown, plain)
	}
}

// The JSON pointers to all disclosures count four times: what fits is accepted, a byte more is not.
func TestPointersAtTheBound(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	const n, size = 300, 2000
	var claims []string
	total := 0
	for i := range n {
		claims = append(claims, fmt.Sprintf(`"n%03d":0`, i))
		total += len("/") + size + len("/n000") + 1 // for the end of each
	}
	i := sdjwt.Issuer{Key: key}
	tok, err := i.Issue([]byte(`{"vct":"urn:x","`+strings.Repeat("x", size)+`":{`+strings.Join(claims, ",")+`}}`),
		sdjwt.Disclosable{Leaves: "/" + strings.Repeat("x", size)})
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range engines {
		for less, want := range map[int64]bool{0: false, 1: true} {
			v := sdjwt.Verifier{Engine: engine, Key: key.Public(), Now: now, Limits: canon.Limits{Memory: 4*int64(total) - less}}
			_, err := v.Verify(tok)
			if l := exceeds(err); (err != nil) != want || want && (l == nil || l.Where != "pointers to disclosures") {
				t.Errorf("%s: %d bytes less: %v", engine, less, err)
			}
		}
	}
}

// A refusal names the disclosure that is wrong, and the payload if that is.
func TestRefusalNamesThePart(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	v := sdjwt.Verifier{Key: key.Public(), Now: now, Plain: true}
	const object, array = `{"_sd":["DIGEST-0","DIGEST-1"]}`, `{"l":[{"...":"DIGEST-0"},{"...":"DIGEST-1"}]}`
	one := token(t, key, goodHeader, `{"_sd":["DIGEST-0"]}`, `["s","a",1]`)
	tail := one[bytes.IndexByte(one, '~')+1:]
	for _, c := range []struct {
		token []byte
		where string
	}{
		{token(t, key, goodHeader, object, `["s","a",1]`, `{}`), "disclosure 2"},
		{token(t, key, goodHeader, object, `["s","a",1]`, `["s"]`), "disclosure 2"},
		{token(t, key, goodHeader, object, `["s","a",1]`, `[1,"b",1]`), "disclosure 2"},
		{token(t, key, goodHeader, object, `["s","a",1]`, `["s","a",2]`), "disclosure 2"},
		{token(t, key, goodHeader, object, `["s","a",1]`, `["s","_sd",2]`), "disclosure 2"},
		{token(t, key, goodHeader, object, `["s","a",1]`, `["s",2,2]`), "disclosure 2"},
		{token(t, key, goodHeader, object, `["s","a",1]`, `["s",2]`), "disclosure 2"},
		{token(t, key, goodHeader, object, `["s","a",1]`, `["s","b",1`), "disclosure 2"},
		{token(t, key, goodHeader, object, `["s","a",1]`, `["s","b",1],2`), "disclosure 2"},
		{token(t, key, goodHeader, array, `["s",1]`, `["s","b",1]`), "disclosure 2"},
		{token(t, key, goodHeader, `{"_sd":["DIGEST-0"]}`, `["s","a",1]`, `["s","b",1]`), "disclosure 2"},
		{append(bytes.Clone(one), tail...), "disclosure 2"},
		{append(bytes.Clone(one), '~'), "disclosure 2"},
		{append(bytes.Clone(one), "!~"...), "disclosure 2"},
		{token(t, key, goodHeader, `{"a"`, `["s","a",1]`), "payload"},
		{token(t, key, goodHeader, `{"_sd":["DIGEST-0"]},1`, `["s","a",1]`), "payload"},
		{token(t, key, goodHeader, `[]`, `["s","a",1]`), "payload"},
	} {
		for _, engine := range engines {
			v.Engine = engine
			_, err := v.Verify(c.token)
			var invalid *compare.InvalidError
			if !errors.As(err, &invalid) || invalid.Where != c.where {
				t.Errorf("%s: %v, want a fault of %s", engine, err, c.where)
			}
		}
	}
}

// An issuer draws 16 bytes of salt for each disclosure and no more (RFC 9901 section 9.3), and discloses what
// is below a pointer, not what comes after it.
func TestIssuerDrawsWhatItNeeds(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	for _, c := range []struct {
		claims string
		d      sdjwt.Disclosable
		want   int
	}{
		{`{"vct":"urn:x","a":1,"b":2}`, sdjwt.Disclosable{Pointers: []string{"/a"}}, 1},
		{`{"vct":"urn:x","l":[1,2]}`, sdjwt.Disclosable{Leaves: "/l/0"}, 1},
		{`{"vct":"urn:x","l":[[1,2],3]}`, sdjwt.Disclosable{Leaves: "/l/0"}, 2},
		{`{"vct":"urn:x","l":[1]}`, sdjwt.Disclosable{Leaves: "/none"}, 0},
	} {
		for _, engine := range engines {
			salts := bytes.NewReader(bytes.Repeat([]byte("0123456789abcdef"), c.want))
			i := sdjwt.Issuer{Engine: engine, Key: key, Salts: salts}
			tok, err := i.Issue([]byte(c.claims), c.d)
			if err != nil || bytes.Count(tok, []byte("~")) != 1+c.want || salts.Len() != 0 {
				t.Errorf("%s: %s: %v, %d bytes of salt are left, %s", engine, c.claims, err, salts.Len(), tok)
			}
		}
	}
}

// The header names a key if the issuer has a name for it.
func TestKeyID(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	for _, engine := range engines {
		for kid, want := range map[string]any{"": nil, "k1": "k1"} {
			i := sdjwt.Issuer{Engine: engine, Key: key, KeyID: kid}
			tok, err := i.Issue([]byte(`{"vct":"urn:x"}`), sdjwt.Disclosable{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := b64.DecodeString(string(tok[:bytes.IndexByte(tok, '.')]))
			if err != nil {
				t.Fatal(err)
			}
			var header map[string]any
			decode(t, b, &header)
			if header["kid"] != want {
				t.Errorf("%s: kid %v, want %v", engine, header["kid"], want)
			}
		}
	}
}

// In the JSON serialization neither a disclosure nor a KB-JWT holds a tilde, which would begin another part.
func TestSerializationWithTilde(t *testing.T) {
	for _, member := range []string{`"disclosures":["~a"]`, `"disclosures":["a~"]`, `"kb_jwt":"~a.b.c"`, `"kb_jwt":"a.b~.c"`} {
		in := `{"payload":"","protected":"","signature":"","header":{` + member + `}}`
		if out, err := sdjwt.Compact([]byte(in), canon.Limits{}); err == nil {
			t.Errorf("%s gives %s", member, out)
		}
	}
}

// The JSON of a token names what cannot be read, and no place of a disclosure that no digest refers to; digests
// are found in arrays in arrays.
func TestInspectFaults(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	tok := token(t, key, goodHeader, `{"l":[[{"...":"DIGEST-0"}]]}`, `["s",1]`, `["s","b",2]`, `{}`)
	in, err := sdjwt.Inspect(append(tok, "!~"...), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := in.JSON()
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`[{"value":1,"in":"/l/0/0"},{"name":"b","value":2}]`, `"disclosure 3: is not a disclosure"`,
		`"disclosure 4: is not base64url`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s is not in %s", want, b)
		}
	}
}

// A holder of an array's element sends all that is disclosed inside it.
func TestPresentBelowElement(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	tok := token(t, key, goodHeader, `{"vct":"urn:x","l":[{"_sd":["DIGEST-0"]},[{"_sd":["DIGEST-1"]}]]}`, `["s","a",1]`, `["s","b",2]`)
	for pointer, want := range map[string]int{"/l/0": 1, "/l/1": 1, "/l/1/0": 1, "/l": 2, "/vct": 0, "": 2} {
		if out := samePresentation(t, tok, []string{pointer}); bytes.Count(out, []byte("~")) != 1+want {
			t.Errorf("%q: %s", pointer, out)
		}
	}
}

// Disclosures in arrays in disclosures count as levels, as those in objects do.
func TestNestingInArrays(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	v := sdjwt.Verifier{Key: key.Public(), Now: now, Limits: canon.Limits{Depth: 6}}
	for n := 1; n <= 8; n++ {
		var d []string
		for i := range n - 1 {
			d = append(d, fmt.Sprintf(`["s",[{"...":"DIGEST-%d"}]]`, i+1))
		}
		_, err := sameAnswer(t, v, token(t, key, goodHeader, `{"vct":"urn:x","l":[{"...":"DIGEST-0"}]}`, append(d, `["s",[]]`)...))
		if (exceeds(err) != nil) != (n > 4) {
			t.Errorf("%d disclosures: %v", n, err)
		}
	}
}

// Of several header parameters of the wrong type the first by name is named, whatever their order.
func TestWrongParametersByName(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	v := sdjwt.Verifier{Key: key.Public(), Now: now}
	for _, wrong := range []string{`"kid":1,"cty":1,"x5u":1`, `"cty":1,"kid":1,"x5u":1`, `"x5u":1,"kid":1,"cty":1`} {
		refuses(t, v, token(t, key, `{"alg":"EdDSA","typ":"dc+sd-jwt",`+wrong+`}`, `{"vct":"urn:x"}`), `"cty" has the wrong type`)
	}
}

// A token may be issued now, within the leeway, and no later; a time beyond the calendar is named in seconds.
func TestIssuedAt(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	for _, leeway := range []int64{0, 60} {
		v := sdjwt.Verifier{Key: key.Public(), Now: now, Leeway: time.Duration(leeway) * time.Second}
		accepts(t, v, token(t, key, goodHeader, fmt.Sprintf(`{"vct":"urn:x","iat":%d}`, now.Unix()+leeway)))
		refuses(t, v, token(t, key, goodHeader, fmt.Sprintf(`{"vct":"urn:x","iat":%d}`, now.Unix()+leeway+1)), "in the future")
	}
	v := sdjwt.Verifier{Key: key.Public(), Now: now}
	for exp, want := range map[string]string{"-1.25e11": "expired at -1.25e+11 s", "-1e11": "expired at -1199-02-15T14:13:20Z", "0": "expired at 1970-01-01T00:00:00Z"} {
		refuses(t, v, token(t, key, goodHeader, `{"vct":"urn:x","exp":`+exp+`}`), want)
	}
	for nbf, want := range map[string]string{"1.25e11": "not valid before 1.25e+11 s", "1e11": "not valid before 5138-11-16T09:46:40Z"} {
		refuses(t, v, token(t, key, goodHeader, `{"vct":"urn:x","nbf":`+nbf+`}`), want)
	}
}

// A chain of sixteen certificates is read, and a longer one refused.
func TestChainAtTheBound(t *testing.T) {
	a := newX5C(t)
	leaf := base64.StdEncoding.EncodeToString(a.certificate(issuerCertificate{subject: "a"}).Raw)
	root := base64.StdEncoding.EncodeToString(a.root.Raw)
	v := sdjwt.Verifier{Roots: a.pool, Now: now}
	chain := func(n int) []byte {
		x5c := `"` + leaf + `"` + strings.Repeat(`,"`+root+`"`, n-1)
		return token(t, a.key, `{"alg":"ES256","typ":"dc+sd-jwt","x5c":[`+x5c+`]}`, `{"vct":"urn:x"}`)
	}
	accepts(t, v, chain(keys.MaxChain))
	refuses(t, v, chain(keys.MaxChain+1), "more than 16")
}

// A holder finds the key that a credential is bound to, in both serializations, or that it has none.
func TestHolderKey(t *testing.T) {
	key, holder := claimstest.Key(t, keys.EdDSA), claimstest.Key(t, keys.ES256)
	bound := token(t, key, goodHeader, fmt.Sprintf(`{"cnf":{"jwk":%s}}`, holder.Public().JWK()))
	for name, c := range map[string]struct {
		token []byte
		found bool
		err   string
	}{
		"compact":    {bound, true, ""},
		"flattened":  {flattened(t, bound), true, ""},
		"no cnf":     {token(t, key, goodHeader, `{}`), false, ""},
		"no jwk":     {token(t, key, goodHeader, `{"cnf":{"kid":"k"}}`), false, ""},
		"no key":     {token(t, key, goodHeader, `{"cnf":{"jwk":{}}}`), false, "/cnf/jwk"},
		"no payload": {token(t, key, goodHeader, `{`), false, "payload"},
		"no tilde":   {bytes.TrimSuffix(bound, []byte("~")), false, "no '~'"},
		"no parts":   {[]byte("a.b~"), false, "3 parts"},
		"no JSON":    {[]byte("{"), false, "JSON serialization"},
	} {
		got, err := sdjwt.HolderKey(c.token, canon.Limits{})
		if (got != nil) != c.found || c.found && !got.Equal(holder.Public()) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// A line break anywhere and a JWS of another number of parts are refused as what they are.
func TestFormOfToken(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	v := sdjwt.Verifier{Key: key.Public(), Now: now}
	good := string(token(t, key, goodHeader, `{"vct":"urn:x"}`))
	for tok, want := range map[string]string{"\n" + good: "line break", "\r" + good: "line break", good + "\n": "line break", "~": "3 parts, found 1",
		"a~": "3 parts, found 1", "a.b~": "3 parts, found 2", "a.b.c.d~": "3 parts, found more", ".e30.AA~": "the end of the input"} {
		for _, engine := range engines {
			v.Engine = engine
			if _, err := v.Verify([]byte(tok)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q: %v, want %s", engine, tok, err, want)
			}
		}
	}
}

// The cases of a suite say how old a KB-JWT may be.
func TestConformMaxAge(t *testing.T) {
	key, holder := claimstest.Key(t, keys.EdDSA), claimstest.Key(t, keys.ES256)
	signed := token(t, key, goodHeader, fmt.Sprintf(`{"vct":"urn:x","cnf":{"jwk":%s}}`, holder.Public().JWK()))
	bound, err := (&sdjwt.Holder{Key: holder}).Present(signed, nil, &sdjwt.Binding{Audience: "a", Nonce: "n", Now: now.Add(-15 * time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	for age, want := range map[int]conform.Outcome{899: conform.Failed, 900: conform.Passed} {
		dir := t.TempDir()
		b := fmt.Appendf(nil, `{"cases":[{"id":"one","expect":"accept","key":"k","sd_jwt":%q,"key_binding_required":true,"sd_jwt_vc_rules":true}],
			"issuer_keys":{"k":%s},"now":%d,"kb_expected":{"aud":"a","nonce":"n","max_age_s":%d}}`, bound, key.Public().JWK(), now.Unix(), age)
		if err := os.WriteFile(filepath.Join(dir, "cases.json"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		results, err := sdjwt.Conform(t.Context(), "native", dir)
		if err != nil || len(results) != 1 || results[0].Outcome != want {
			t.Errorf("at most %d s: %+v, %v", age, results, err)
		}
	}
}

// Pointers select the same in any order, however many are given.
func TestPointersInAnyOrder(t *testing.T) {
	key := claimstest.Key(t, keys.EdDSA)
	for _, n := range []int{15, 16, 17, 18} {
		var members, pointers []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"n%02d":%d`, i, i))
			pointers = append(pointers, fmt.Sprintf("/o/n%02d", n-1-i))
		}
		i := sdjwt.Issuer{Key: key}
		tok, err := i.Issue([]byte(`{"vct":"urn:x","o":{`+strings.Join(members, ",")+`}}`), sdjwt.Disclosable{Leaves: "/o"})
		if err != nil {
			t.Fatal(err)
		}
		if out := samePresentation(t, tok, pointers); bytes.Count(out, []byte("~")) != 1+n {
			t.Errorf("%d pointers: %s", n, out)
		}
	}
}
