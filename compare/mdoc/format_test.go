package mdoc_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/compare/internal/claimstest"
	"canonscope/compare/mdoc"
	"canonscope/schemas"
	"canonscope/vcdm/keys"
)

var engines, now = claimstest.Engines, claimstest.Now

func TestExchange(t *testing.T) {
	claimstest.Exchange(t, mdoc.NewFormat, map[compare.Engine]int{canon.Stock: 21 + 5, canon.Native: 21 + 5})
}

func TestTamper(t *testing.T) {
	claimstest.Tamper(t, mdoc.NewFormat, func([]byte) bool { return false })
}

// The gate alters all that a signature covers, and leaves out the device's.
func TestTampers(t *testing.T) {
	issuer := []string{"the payload", "the signature"}
	claimstest.Tampers(t, mdoc.NewFormat, mdoc.Definition.Tamper, map[compare.Binding][]string{
		compare.NoBinding: append([]string{"a disclosed value"}, issuer...),
		compare.HolderBinding: append([]string{"a disclosed value", "the device's signature",
			"the device's signature by leaving it out"}, issuer...),
	})
	// What is altered is in the part that is named.
	key := draftKey{claimstest.Key(t, keys.EdDSA), []byte{1}}
	issued := key.build(t, nil)
	copies, err := mdoc.Definition.Tamper(&schemas.Credential{VCDM: []byte("{}")}, issued, false)
	if err != nil {
		t.Fatal(err)
	}
	var before, after struct {
		IssuerAuth []cbor.RawMessage `cbor:"issuerAuth"`
	}
	decode(t, issued, &before)
	for _, altered := range copies {
		decode(t, altered.Bytes, &after)
		same := func(i int) bool { return bytes.Equal(before.IssuerAuth[i], after.IssuerAuth[i]) }
		if signature := altered.What == "the signature"; !same(0) || same(2) != signature || same(3) == signature {
			t.Errorf("%s: %x", altered.What, altered.Bytes)
		}
	}
	// Of several documents nobody knows which one is meant.
	c := claimstest.Simple(20)
	_, _, presented := claimstest.Run(t, mdoc.NewFormat(canon.Native, "EdDSA"), c, compare.Scenario{Binding: compare.HolderBinding})
	var response map[string]any
	decode(t, presented, &response)
	response["documents"] = append(response["documents"].([]any), response["documents"].([]any)...)
	if _, err := mdoc.Definition.Tamper(c, encode(t, response), true); !says(err, "one document") {
		t.Errorf("two documents: %v", err)
	}
}

func TestUnknownNames(t *testing.T) { claimstest.UnknownNames(t, mdoc.NewFormat) }

// TestDisclosesExactly compares what the verifier gets with the leaves chosen by hand, in CBOR diagnostic notation.
func TestDisclosesExactly(t *testing.T) {
	for _, engine := range engines {
		for _, c := range []struct {
			credential *schemas.Credential
			want       map[string]string
		}{
			{claimstest.Simple(20), map[string]string{"attr00": `"value 00 abcdefghijklmno"`, "attr04": `"value 04 abcdefghijklmno"`,
				"attr09": `"value 09 abcdefghijklmno"`, "attr14": `"value 14 abcdefghijklmno"`, "attr19": `"value 19 abcdefghijklmno"`}},
			{claimstest.Nested(), map[string]string{"achievement/name": `"Name <&>"`, "achievement/a~1b/~0": "1", "result/1/value": "2.5",
				"result/1/none": "null", "result/1/big": "-9007199254740993", "result/1/list/0": "[]", "result/1/list/1/0": `"x"`,
				"result/1/list/1/1": `"y"`, "type/1": `"B"`}},
		} {
			t.Run(string(engine)+"/"+c.credential.Schema, func(t *testing.T) {
				_, _, presented := claimstest.Run(t, mdoc.NewFormat(engine, "EdDSA"), c.credential, compare.Scenario{})
				issuer, _, err := claims.Keys("EdDSA", compare.Scenario{})
				if err != nil {
					t.Fatal(err)
				}
				v := mdoc.Verifier{Engine: engine, Key: issuer.Public(), Now: now}
				docs, err := v.Verify(presented)
				if err != nil {
					t.Fatal(err)
				}
				docType := c.credential.Types[1]
				if len(docs) != 1 || docs[0].DocType != docType {
					t.Fatalf("documents %+v", docs)
				}
				got := map[string]string{}
				for _, e := range docs[0].Elements {
					if e.NameSpace != docType {
						t.Errorf("namespace %q", e.NameSpace)
					}
					if got[e.Identifier], err = cbor.Diagnose(e.Value); err != nil {
						t.Error(err)
					}
				}
				if fmt.Sprint(got) != fmt.Sprint(c.want) {
					t.Errorf("got  %v\nwant %v", got, c.want)
				}
			})
		}
	}
}

// TestHolderCannotAlter moves items between credentials and repeats them.
func TestHolderCannotAlter(t *testing.T) {
	const ns = "TestCredential"
	for _, engine := range engines {
		t.Run(string(engine), func(t *testing.T) {
			f := mdoc.NewFormat(engine, "ES256")
			x, _, one := claimstest.Run(t, f, claimstest.Simple(20), compare.Scenario{})
			_, _, two := claimstest.Run(t, f, claimstest.Simple(20), compare.Scenario{})
			var a, b issuerSigned
			decode(t, one, &a)
			decode(t, two, &b)
			with := func(name string, items ...cbor.RawMessage) []byte {
				return encode(t, issuerSigned{map[string][]cbor.RawMessage{name: items}, a.IssuerAuth})
			}
			for name, presented := range map[string][]byte{
				"item of another credential": with(ns, a.NameSpaces[ns][0], b.NameSpaces[ns][1]),
				"item twice":                 with(ns, a.NameSpaces[ns][0], a.NameSpaces[ns][0]),
				"other namespace":            with(ns+"x", a.NameSpaces[ns][0]),
			} {
				var invalid *compare.InvalidError
				if err := x.Verify(presented); !errors.As(err, &invalid) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if err := x.Verify(with(ns, a.NameSpaces[ns][4], a.NameSpaces[ns][1])); err != nil {
				t.Errorf("fewer items in another order: %v", err)
			}
		})
	}
}
