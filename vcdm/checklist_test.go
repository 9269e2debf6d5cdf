package vcdm_test

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/canon/conform/official"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"

	"github.com/mr-tron/base58"
)

// checks are the tests of Data Integrity by requirement: an id and its words, as in testdata/requirements.tsv.
var checks = map[string]func(l *lab){}

// check runs the test of the requirement with an id.
func (l *lab) check(id string) {
	l.Helper()
	for name, f := range checks {
		if strings.HasPrefix(name, id+" ") {
			f(l)
			return
		}
	}
	l.Errorf("%s has no check", id)
}

// TestChecklist runs every check as a test of its own, named by its requirement.
func TestChecklist(t *testing.T) {
	l := newLab(t)
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		t.Run(name, func(t *testing.T) { checks[name](l.with(t)) })
	}
}

// Every requirement has a check, every check a requirement, and none of the acceptance checklist is missing.
func TestChecklistIsComplete(t *testing.T) {
	names := slices.Sorted(maps.Keys(checks))
	official.Requirements(t, names)

	b, err := os.ReadFile(official.Dir(t, "di-checklist.md"))
	if err != nil {
		t.Fatal(err)
	}
	var ids, want []string
	for _, name := range names {
		id, _, _ := strings.Cut(name, " ")
		ids = append(ids, id)
	}
	for _, m := range regexp.MustCompile(`(?m)^([A-L][0-9][0-9]) \|`).FindAllStringSubmatch(string(b), -1) {
		want = append(want, m[1])
	}
	if !slices.Equal(ids, want) {
		t.Errorf("checks %q\nchecklist %q", ids, want)
	}
}

// generation etc. are short names for the types that checks expect.
const (
	genErr    = problem.ProofGenerationError
	verErr    = problem.ProofVerificationError
	transErr  = problem.ProofTransformation
	parseErr  = problem.ParsingError
	lossErr   = problem.DataLossDetection
	domainErr = problem.InvalidDomain
	challErr  = problem.InvalidChallenge
)

// A. Add proof

func init() {
	checks["A01 adding a proof changes no byte outside the proof and not its input"] = func(l *lab) {
		for _, s := range everySuite {
			doc := []byte(credential)
			out, err := l.add(s, string(doc), string(l.options(s).AppendJSON(nil, s)))
			if err != nil {
				l.Fatal(err)
			}
			if string(doc) != credential {
				l.Errorf("%s: the input has changed", s)
			}
			head := credential[:strings.LastIndex(credential, "}")]
			if rest, ok := strings.CutPrefix(string(out), head); !ok ||
				!strings.HasPrefix(rest, `,"proof":{`) || !strings.HasSuffix(rest, "}}") {
				l.Errorf("%s: bytes outside the proof have changed: %s", s, out)
			}
		}
	}
	checks["A02 a new proof has the type DataIntegrityProof"] = func(l *lab) {
		for _, s := range everySuite {
			if got := proofOf(decode(l, l.sign(s, credential)))["type"]; got != "DataIntegrityProof" {
				l.Errorf("%s: type %v", s, got)
			}
		}
	}
	checks["A03 a new proof has the name of its own cryptosuite"] = func(l *lab) {
		for _, s := range everySuite {
			if got := proofOf(decode(l, l.sign(s, credential)))["cryptosuite"]; got != s {
				l.Errorf("%s: cryptosuite %v", s, got)
			}
		}
	}
	checks["A04 options without type, verificationMethod or proofPurpose make no proof"] = func(l *lab) {
		for _, s := range everySuite {
			for _, member := range []string{"type", "verificationMethod", "proofPurpose"} {
				o := edit(l, string(l.options(s).AppendJSON(nil, s)),
					func(m map[string]any) { delete(m, member) })
				_, err := l.add(s, credential, o)
				l.failed(s+" without "+member, err, genErr)
			}
		}
	}
	checks["A05 options of another type or another cryptosuite make no proof"] = func(l *lab) {
		for i, s := range everySuite {
			o := string(l.options(s).AppendJSON(nil, s))
			_, err := l.add(s, credential, strings.Replace(o, "DataIntegrityProof", "Other", 1))
			l.failed(s+" with another type", err, genErr, transErr)
			_, err = l.add(s, credential, strings.Replace(o, s, everySuite[(i+1)%len(everySuite)], 1))
			l.failed(s+" with another suite's name", err, genErr, transErr)
		}
	}
	times := func(l *lab, set func(o *vcdm.Options, text string)) {
		for _, s := range everySuite {
			for text, ok := range map[string]bool{
				"invalidDate": false, "2025-02-30T00:00:00Z": false, "2025-01-01": false, "2025-01-01T00:00:00": false,
				"2025-01-01t00:00:00Z": false, "2025-13-01T00:00:00Z": false, "2025-01-01T24:00:01Z": false,
				"2025-01-01T00:00:00.Z": false, "2025-01-01T00:00:00+15:00": false, "2025-01-01T24:00:00.001Z": false,
				"2025-01-01T23:60:00Z": false, "2025-01-01T23:59:60Z": false, "2025-01-01T25:00:00Z": false,
				"2025-01-01T00:00:00+14:01": false, "2025-01-01T00:00:00+13:60": false, "2025-01-00T00:00:00Z": false,
				"2025-02-29T00:00:00Z": false,
				"":                     true, "2027-01-01T00:00:00Z": true, "2024-02-29T23:59:59.123456789Z": true,
				"2025-01-01T24:00:00-05:00": true, "2027-01-01T24:00:00.000Z": true, "2027-01-01T23:59:59+14:00": true,
				"2027-01-01T00:00:00-14:00": true, "2027-12-31T00:00:00+13:59": true,
			} {
				o := l.options(s)
				set(o, text)
				if _, err := l.add(s, credential, string(o.AppendJSON(nil, s))); ok != (err == nil) {
					l.Errorf("%s: %q: %v", s, text, err)
				} else if !ok {
					l.failed(text, err, genErr)
				}
			}
		}
	}
	checks["A06 created is a time with an offset, or absent"] = func(l *lab) {
		times(l, func(o *vcdm.Options, text string) { o.Created = text })
	}
	checks["A07 expires is a time with an offset, or absent"] = func(l *lab) {
		times(l, func(o *vcdm.Options, text string) { o.Created, o.Expires = "2020-01-01T00:00:00Z", text })
	}
	checks["A08 domain, challenge and nonce are text, and domain may be a list of texts"] = func(l *lab) {
		for _, s := range everySuite {
			o := string(l.options(s).AppendJSON(nil, s))
			for member, bad := range map[string][]string{"domain": {"7", "[]", "[7]", "{}", "null"},
				"challenge": {"[]", "7"}, "nonce": {"7", "{}"}} {
				for _, v := range bad {
					_, err := l.add(s, credential, fmt.Sprintf(`%s,"%s":%s}`, o[:len(o)-1], member, v))
					l.failed(s+" "+member+" "+v, err, genErr)
				}
			}
			l.sign(s, credential, func(o *vcdm.Options) {
				o.Domain, o.Challenge, o.Nonce = []string{"a", "b"},
					"c", "n"
			})
		}
	}
	// the proof is made from the options, so it carries what they say and nothing else
	checks["A09 a proof carries the domain and the challenge of the options"] = func(l *lab) {
		for _, s := range everySuite {
			p := proofOf(decode(l,
				l.sign(s, credential, func(o *vcdm.Options) { o.Domain, o.Challenge = []string{"a"}, "c" })))
			if p["domain"] != "a" || p["challenge"] != "c" {
				l.Errorf("%s: domain %v challenge %v", s, p["domain"], p["challenge"])
			}
		}
	}
	checks["A10 the id of a proof is a URL"] = func(l *lab) {
		for _, s := range everySuite {
			l.accept(s, l.present(s, credential,
				func(o *vcdm.Options) { o.ID = "urn:uuid:26329423-bec9-4b2e-88cb-a7c7d9dc4544" }))
			for _, id := range []string{"not a url", "relative", "urn:has space", ":x", "1a:b"} {
				o := l.options(s)
				o.ID = id
				_, err := l.add(s, credential, string(o.AppendJSON(nil, s)))
				l.failed(s+" "+id, err, genErr)
			}
		}
	}
	checks["A11 previousProof is text or a list of texts"] = func(l *lab) {
		for _, s := range everySuite {
			o := string(l.options(s).AppendJSON(nil, s))
			for _, v := range []string{"{}", "7", "[7]", "[]"} {
				_, err := l.add(s, credential, o[:len(o)-1]+`,"previousProof":`+v+"}")
				l.failed(s+" "+v, err, genErr)
			}
		}
	}
	checks["A12 text is signed in the Unicode form in which it is written"] = func(l *lab) {
		for _, s := range everySuite {
			nfc := l.present(s, strings.Replace(credential, "The School", "\u00c9cole \U0001F393", 1))
			nfd := l.present(s, strings.Replace(credential, "The School", "E\u0301cole \U0001F393", 1))
			l.accept(s+" NFC", nfc)
			l.accept(s+" NFD", nfd)
			l.refuse(s+" NFC with the proof of NFD", encode(l, edited(l, nfc, nfd)))
		}
	}
	checks["A13 a document without context is signed by JCS suites only"] = func(l *lab) {
		doc := edit(l, credential, func(m map[string]any) { delete(m, "@context") })
		for _, s := range everySuite {
			for name, doc := range map[string]string{"no @context": doc, "nothing at all": "{}"} {
				_, err := l.add(s, doc, string(l.options(s).AppendJSON(nil, s)))
				switch {
				case strings.Contains(s, "jcs"):
					if err != nil {
						l.Errorf("%s: %s: %v", s, name, err)
					}
				case s == "ecdsa-sd-2023" && name == "nothing at all":
					l.failed(s+" "+name, err, lossErr, genErr) // /issuer is mandatory there
				default:
					l.failed(s+" "+name, err, lossErr)
				}
			}
		}
	}
	checks["A14 a context that does not define proof terms is a loss"] = func(l *lab) {
		doc := edit(l, credential, func(m map[string]any) {
			m["@context"] = map[string]any{"@vocab": "urn:v:", "id": "@id", "type": "@type"}
		})
		for _, s := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", "ecdsa-sd-2023"} {
			_, err := l.add(s, doc, string(l.options(s).AppendJSON(nil, s)))
			l.failed(s, err, lossErr)
		}
	}
	checks["A15 what RDF suites cannot cover is a loss, and JCS suites sign it"] = func(l *lab) {
		for _, s := range everySuite {
			for name, doc := range map[string]string{
				"undefined term": edit(l, credential,
					func(m map[string]any) { subjectOf(m)["unknown"] = "x" }),
				"undefined type": edit(l, credential,
					func(m map[string]any) { m["type"] = []any{"VerifiableCredential", "Unknown"} }),
			} {
				_, err := l.add(s, doc, string(l.options(s).AppendJSON(nil, s)))
				if strings.Contains(s, "jcs") {
					if err != nil {
						l.Errorf("%s: %s: %v", s, name, err)
					}
				} else {
					l.failed(s+" "+name, err, lossErr)
				}
			}
		}
	}
	checks["A16 ECDSA signatures equal those of every vector"] = func(l *lab) {
		n := 0
		for _, r := range l.vectors() {
			if strings.HasPrefix(r.Test, "vc-di-ecdsa") && (strings.HasSuffix(r.Test, " signature") || strings.HasSuffix(r.Test, " addRawBaseSignatureInfo")) {
				n++
				if r.Outcome != conform.Passed {
					l.Errorf("%s: %s", r.Test, r.Reason)
				}
			}
		}
		if n != 6+2 {
			l.Errorf("%d sets of signatures compared", n)
		}
	}
}

// edited returns a document with the proof of another.
func edited(t testing.TB, doc, proofFrom string) map[string]any {
	m := decode(t, doc)
	m["proof"] = decode(t, proofFrom)["proof"]
	return m
}

// B. proofValue encodings

func init() {
	checks["B01 an EdDSA proof value is z and base58 of 64 bytes"] = func(l *lab) {
		for _, s := range []string{"eddsa-rdfc-2022", "eddsa-jcs-2022"} {
			l.valueShape(s, "z", 64)
		}
	}
	checks["B02 an ECDSA proof value is z and base58 of two numbers of full length, not DER"] = func(l *lab) {
		for _, s := range []string{"ecdsa-rdfc-2019", "ecdsa-jcs-2019"} {
			l.valueShape(s, "z", 64)
			doc := l.sign(s, credential)
			sig := value(l, doc)
			der := append([]byte{0x30, 0x44, 0x02, 0x20}, sig[:32]...)
			der = append(append(der, 0x02, 0x20), sig[32:]...)
			l.refuse(s+" DER", setProof(l, doc, "proofValue", "z"+base58.Encode(der)), verErr)
		}
		signer := &vcdm.Signer{Suite: l.suite("ecdsa-jcs-2019"), Key: l.secrets[keys.ES384]}
		o := &vcdm.Options{Method: signer.Key.Public().Method(), Purpose: vcdm.AssertionMethod}
		zeros := 0
		for i := range 400 { // until r or s starts with zeros
			o.Nonce = fmt.Sprint(i)
			doc, err := signer.Add(context.Background(), []byte(credential),
				o.AppendJSON(nil, "ecdsa-jcs-2019"))
			if err != nil {
				l.Fatal(err)
			}
			sig := value(l, string(doc))
			if len(sig) != 96 {
				l.Fatalf("P-384 signature of %d bytes", len(sig))
			}
			if sig[0] == 0 || sig[48] == 0 {
				zeros++
				l.accept("leading zero", string(doc))
			}
		}
		if zeros == 0 {
			l.Error("no signature had a leading zero")
		}
	}
	checks["B03 a proof value of ecdsa-sd-2023 is u and base64url without padding"] = func(l *lab) {
		doc := l.present("ecdsa-sd-2023", credential)
		v := proofOf(decode(l, doc))["proofValue"].(string)
		if v[0] != 'u' || strings.ContainsAny(v, "=+/") {
			l.Errorf("proofValue %.10s", v)
		}
		for name, bad := range map[string]string{"padding": v + "=", "z": "z" + v[1:], "no prefix": v[1:],
			"base64": strings.NewReplacer("-", "+", "_", "/").Replace(v)} {
			l.refuse(name, setProof(l, doc, "proofValue", bad), verErr)
		}
	}
	checks["B04 the bytes of a signature in another multibase are refused"] = func(l *lab) {
		for _, s := range plain {
			doc := l.sign(s, credential)
			sig := value(l, doc)
			for _, bad := range []string{"u" + b64(sig), "m" + b64(sig), fmt.Sprintf("f%x", sig),
				fmt.Sprintf("F%X", sig), "Z" + base58.Encode(sig)} {
				l.refuse(s+" "+bad[:1], setProof(l, doc, "proofValue", bad), verErr)
			}
		}
	}
	checks["B05 a proof value that is absent, of another length or alphabet is refused"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential)
			v := proofOf(decode(l, doc))["proofValue"].(string)
			l.refuse(s+" missing", setProof(l, doc, "proofValue", nil), verErr)
			for _, bad := range []any{"", 7, []any{v}, map[string]any{}, "z", "u", v[:1], v[:len(v)-1],
				v + "2", v[:1] + "0" + v[2:], v[:1] + "O" + v[2:], v[:1] + "I" + v[2:],
				v[:1] + "l" + v[2:], "z" + base58.Encode(make([]byte, 63)), "z" +
					base58.Encode(make([]byte, 65)), "z" + strings.Repeat("2", 100000), "\u00e9" + v} {
				if bad == v[:1]+"l"+v[2:] && s == "ecdsa-sd-2023" || bad == v {
					continue
				}
				l.refuse(fmt.Sprintf("%s %.20v", s, bad), setProof(l, doc, "proofValue", bad), verErr)
			}
		}
	}
	checks["B06 an Ed25519 key is z, its prefix and 32 bytes"] = func(l *lab) {
		ed := l.secrets[keys.EdDSA].Public().Bytes()
		l.badMethods("eddsa-jcs-2022", map[string]string{
			"31 bytes": "z" + base58.Encode(ed[:33]), "33 bytes": "z" +
				base58.Encode(append(slices.Clone(ed), 0)),
			"prefix": "z" + base58.Encode(append([]byte{0xec, 1}, ed[2:]...)), "base64url": "u" + b64(ed),
		})
	}
	checks["B07 a P-256 or P-384 key is its prefix and a compressed point of the curve"] = func(l *lab) {
		p := l.secrets[keys.ES256].Public().Bytes()
		off := append([]byte{0x80, 0x24, 2}, make([]byte, 31)...)
		l.badMethods("ecdsa-jcs-2019", map[string]string{
			"not on the curve": "z" + base58.Encode(append(off, 1)), "prefix": "z" +
				base58.Encode(append([]byte{0x81, 0x24}, p[2:]...)),
			"uncompressed": "z" + base58.Encode(append([]byte{0x80, 0x24, 4}, make([]byte, 64)...)),
			"secret":       l.secrets[keys.ES256].Multikey(),
		})
		for alg, want := range map[keys.Algorithm][2]byte{keys.ES256: {0x80, 0x24},
			keys.ES384: {0x81, 0x24}} {
			b := l.secrets[alg].Public().Bytes()
			if [2]byte(b) != want || b[2] != 2 && b[2] != 3 || len(b) != 3+alg.SignatureSize()/2 {
				l.Errorf("%s: key bytes %x", alg, b[:3])
			}
		}
	}
	// accepted: ECDSA as FIPS 186-5 has it knows no low-s rule
	checks["B08 an ECDSA signature with s negated is accepted"] = func(l *lab) {
		for _, s := range []string{"ecdsa-rdfc-2019", "ecdsa-jcs-2019"} {
			doc := l.sign(s, credential)
			sig := value(l, doc)
			order, _ := new(big.Int).SetString("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16)
			other := order.Sub(order, new(big.Int).SetBytes(sig[32:])).FillBytes(make([]byte, 32))
			l.accept(s, setProof(l, doc, "proofValue", "z"+base58.Encode(append(sig[:32:32], other...))))
		}
	}
	checks["B09 an ECDSA signature with a number out of range is refused"] = func(l *lab) {
		doc := l.sign("ecdsa-jcs-2019", credential)
		for _, fill := range []byte{0, 0xff} {
			sig := slices.Repeat([]byte{fill}, 64)
			l.refuse(fmt.Sprint(fill), setProof(l, doc, "proofValue", "z"+base58.Encode(sig)), verErr)
		}
	}
	checks["B10 an Ed25519 signature whose s is not reduced is refused"] = func(l *lab) {
		doc := l.sign("eddsa-jcs-2022", credential)
		sig := value(l, doc)
		order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
		little := slices.Clone(sig[32:])
		slices.Reverse(little)
		sum := new(big.Int).Add(order, new(big.Int).SetBytes(little)).FillBytes(make([]byte, 32))
		slices.Reverse(sum)
		l.refuse("s + L", setProof(l, doc, "proofValue", "z"+base58.Encode(append(sig[:32:32], sum...))),
			verErr)
	}
}

func (l *lab) valueShape(suite, prefix string, size int) {
	l.Helper()
	doc := l.sign(suite, credential)
	if v := proofOf(decode(l, doc))["proofValue"].(string); v[:1] != prefix {
		l.Errorf("%s: proofValue starts with %s", suite, v[:1])
	}
	if n := len(value(l, doc)); n != size {
		l.Errorf("%s: proofValue of %d bytes", suite, n)
	}
}

// badMethods refuses a proof under did:key methods that are no keys.
func (l *lab) badMethods(suite string, multikeys map[string]string) {
	l.Helper()
	doc := l.sign(suite, credential)
	for name, m := range multikeys {
		l.refuse(name, setProof(l, doc, "verificationMethod", "did:key:"+m+"#"+m), problem.InvalidMethod)
	}
}

// C. Verify proof

func init() {
	checks["C01 what was signed verifies"] = func(l *lab) {
		for _, s := range everySuite {
			l.accept(s, l.present(s, credential))
		}
		// The vectors and artifacts are verified by TestVectors and TestInterop.
	}
	checks["C02 what is not one JSON object with unique keys is not parsed"] = func(l *lab) {
		for _, doc := range []string{"[]", `"x"`, "{", "", "null", `{"a":1,"a":2,"proof":{}}`, `{"a":1,"\u0061":2,"proof":{}}`, "\xff", `{"proof":{}} x`} {
			l.refuse(doc, doc, parseErr)
			_, err := l.add("eddsa-jcs-2022", doc,
				string(l.options("eddsa-jcs-2022").AppendJSON(nil, "eddsa-jcs-2022")))
			l.failed("sign "+doc, err, parseErr)
		}
	}
	checks["C03 the single-proof algorithm wants one proof, which is an object"] = func(l *lab) {
		for _, p := range []string{`"proof":null`, `"proof":1`, `"proof":"x"`, `"a":1`, `"proof":[]`, `"proof":[{}]`} {
			l.failed(p, l.verifier().Verify(context.Background(), []byte("{"+p+"}")).Err(), parseErr)
		}
	}
	checks["C04 a proof without type, verificationMethod or proofPurpose is refused"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential)
			for _, member := range []string{"type", "verificationMethod", "proofPurpose"} {
				l.refuse(s+" without "+member, setProof(l, doc, member, nil), verErr)
			}
		}
	}
	checks["C05 a proof of another type is refused"] = func(l *lab) {
		for _, s := range everySuite {
			l.refuse(s, setProof(l, l.present(s, credential), "type", "UnknownProofType"), verErr)
		}
	}
	checks["C06 a proof under no cryptosuite or under another one is refused"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential)
			l.refuse(s+" missing", setProof(l, doc, "cryptosuite", nil), verErr)
			for _, other := range append([]string{"", "unknown"}, everySuite...) {
				if other != s {
					l.refuse(s+" as "+other, setProof(l, doc, "cryptosuite", other), verErr, transErr)
				}
			}
		}
	}
	checks["C07 a proof for another purpose than the expected one is refused"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential)
			v := l.verifier()
			v.Purpose = vcdm.Authentication
			l.failed(s, v.Verify(context.Background(), []byte(doc)).Err(), verErr)
			l.failed(s+" changed",
				v.Verify(context.Background(),
					[]byte(setProof(l, doc, "proofPurpose", vcdm.Authentication))).Err(), verErr)
		}
	}
	checks["C08 the domains of a proof are the expected ones, as a set"] = func(l *lab) {
		for _, s := range everySuite {
			for _, c := range []struct {
				signed, expected []string
				ok               bool
			}{{[]string{"a"}, []string{"a"}, true}, {[]string{"a"}, []string{"b"}, false},
				{[]string{"a", "b"}, []string{"b", "a"}, true},
				{nil, []string{"a"}, false}, {[]string{"a", "b"}, []string{"a"}, false},
				{[]string{"a"}, []string{"a", "b"}, false}} {
				v := l.verifier()
				v.Domain = c.expected
				err := v.Verify(context.Background(),
					[]byte(l.present(s, credential, func(o *vcdm.Options) { o.Domain = c.signed }))).Err()
				if c.ok {
					if err != nil {
						l.Errorf("%s %v: %v", s, c, err)
					}
				} else {
					l.failed(fmt.Sprint(s, c), err, domainErr)
				}
			}
		}
	}
	checks["C09 the challenge of a proof is the expected one"] = func(l *lab) {
		for _, s := range everySuite {
			v := l.verifier()
			v.Challenge = "c1"
			for signed, ok := range map[string]bool{"c1": true, "c2": false, "": false} {
				err := v.Verify(context.Background(),
					[]byte(l.present(s, credential, func(o *vcdm.Options) { o.Challenge = signed }))).Err()
				if ok && err != nil {
					l.Errorf("%s: %v", s, err)
				} else if !ok {
					l.failed(s+" "+signed, err, challErr)
				}
			}
		}
	}
	checks["C10 a domain and a challenge that nobody asks for are signed like the rest"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential, func(o *vcdm.Options) {
				o.Domain, o.Challenge = []string{"a"},
					"c"
			})
			l.accept(s, doc)
			l.refuse(s+" other domain", setProof(l, doc, "domain", "b"), verErr)
			l.refuse(s+" no challenge", setProof(l, doc, "challenge", nil), verErr)
		}
	}
	checks["C11 a proof whose times are not times is refused, one without offset is read"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential)
			l.refuse(s, setProof(l, doc, "created", "invalidDate"), verErr)
			l.refuse(s, setProof(l, doc, "expires", "2025-02-30T00:00:00Z"), verErr)
		}
		// A text without offset is read as UTC: its form is no reason to refuse. This one fails by its hash
		// alone.
		err := l.verify(setProof(l, l.sign("eddsa-jcs-2022", credential), "created", "2025-01-01T00:00:00"))
		if err == nil || !strings.Contains(err.Error(), "proofValue") {
			l.Errorf("without offset: %v", err)
		}
	}
	checks["C12 created is signed as it is written"] = func(l *lab) {
		for _, s := range everySuite {
			for _, text := range []string{"2025-07-01T10:00:00+00:00", "2025-07-01T10:00:00.000Z",
				"2025-07-01T10:00:00.123456Z"} {
				doc := l.present(s, credential, func(o *vcdm.Options) { o.Created = text })
				l.accept(s+" "+text, doc)
				l.refuse(s+" rewritten", setProof(l, doc, "created", created), verErr)
			}
			l.refuse(s+" Z for +00:00", setProof(l, l.present(s, credential), "created",
				"2025-07-01T10:00:00+00:00"), verErr)
		}
	}
	// refused unless the policy says otherwise
	checks["C13 an expired proof is refused unless any time will do"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential, func(o *vcdm.Options) { o.Expires = "2025-12-31T00:00:00Z" })
			l.refuse(s, doc, verErr)
			v := l.verifier()
			v.AnyTime = true
			if err := v.Verify(context.Background(), []byte(doc)).Err(); err != nil {
				l.Errorf("%s at any time: %v", s, err)
			}
			v.AnyTime, v.Now = false, func() time.Time { return now.AddDate(0, 0, -2) }
			if err := v.Verify(context.Background(), []byte(doc)).Err(); err != nil {
				l.Errorf("%s before: %v", s, err)
			}
		}
	}
	// refused beyond the verifier's skew
	checks["C14 a proof from the future is refused beyond the skew"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential, func(o *vcdm.Options) { o.Created = "2026-01-02T00:00:00Z" })
			l.refuse(s, doc, verErr)
			v := l.verifier()
			for skew, ok := range map[time.Duration]bool{24 * time.Hour: true, 23 * time.Hour: false} {
				v.Skew = skew
				if err := v.Verify(context.Background(), []byte(doc)).Err(); ok != (err == nil) {
					l.Errorf("%s with skew %v: %v", s, skew, err)
				}
			}
		}
	}
	checks["C15 no claim, id, issuer, type, date or element can be changed"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential)
			for name, f := range forgeries {
				l.refuse(s+" "+name, edit(l, doc, f))
			}
		}
	}
	checks["C16 the order of keys, white space and escapes can be changed"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential)
			l.accept(s+" keys sorted", edit(l, doc, func(map[string]any) {}))
			l.accept(s+" escapes", strings.Replace(doc, `"The School"`, `"\u0054he School"`, 1))
			l.accept(s+" escaped key", strings.Replace(doc, `"alumniOf":"The`, `"\u0061lumniOf":"The`, 1))
			l.accept(s+" space", strings.ReplaceAll(strings.ReplaceAll(doc, `":`, "\" :\n\t"), `,"`, " , \""))
		}
	}
	checks["C17 the order of a set can be changed except under JCS, that of a list never"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential)
			jcs := strings.Contains(s, "jcs")
			for name, f := range map[string]func(m map[string]any){
				"types": func(m map[string]any) { slices.Reverse(m["type"].([]any)) },
				"set":   func(m map[string]any) { slices.Reverse(subjectOf(m)["notes"].([]any)) },
			} {
				if err := l.verify(edit(l, doc, f)); jcs != (err != nil) {
					l.Errorf("%s: %s reversed: %v", s, name, err)
				}
			}
			l.refuse(s+" list reversed",
				edit(l, doc, func(m map[string]any) { slices.Reverse(subjectOf(m)["steps"].([]any)) }))
		}
	}
	checks["C18 no option of a proof can be changed, added or removed"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential, func(o *vcdm.Options) { o.Nonce = "n" })
			m := l.key(s).Public()
			for member, v := range map[string]any{"created": "2025-07-01T10:00:01Z", "nonce": "m",
				"foo": "bar", "id": "urn:x:1", "expires": "2030-01-01T00:00:00Z",
				"domain": "d", "challenge": "c", "previousProof": "urn:x:1"} {
				l.refuse(s+" "+member, setProof(l, doc, member, v))
			}
			l.refuse(s+" no nonce", setProof(l, doc, "nonce", nil))
			v := l.verifier()
			v.Resolver = vcdm.Parsed{"did:example:other#key": {Controller: "did:example:other", Key: m}}
			l.failed(s+" same key, other method",
				v.Verify(context.Background(),
					[]byte(setProof(l, doc, "verificationMethod", "did:example:other#key"))).Err(), verErr)
		}
	}
	// TestVectors compares the combined hashes; here the other order is refused
	checks["C19 the hash of the proof options comes before that of the document"] = func(l *lab) {
		doc := l.sign("eddsa-jcs-2022", credential)
		t := &swapped{l.jcs, nil}
		v := l.verifier()
		v.Suites = []vcdm.Suite{l.named("eddsa-jcs-2022", t)}
		l.failed("swapped", v.Verify(context.Background(), []byte(doc)).Err(), verErr)
		l.vectorsPass("eddsa-rdfc-2022", "combinedHash", "signature")
		l.vectorsPass("ecdsa-jcs-2019-p256", "combinedHash", "signature")
	}
	checks["C20 the proof options of RDF suites have the context of the document"] = func(l *lab) {
		for _, s := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", "ecdsa-sd-2023"} {
			doc := l.present(s, credential)
			if _, ok := proofOf(decode(l, doc))["@context"]; ok {
				l.Errorf("%s: the proof has a @context", s)
			}
			l.accept(s, doc)
			l.accept(s+" with the document's context",
				setProof(l, doc, "@context", decode(l, doc)["@context"]))
			l.refuse(s+" with another context, which no signature covers",
				setProof(l, doc, "@context", "https://www.w3.org/ns/credentials/v2"), lossErr)
		}
	}
	checks["C21 the id of a proof is signed"] = func(l *lab) {
		for _, s := range everySuite {
			doc := l.present(s, credential, func(o *vcdm.Options) { o.ID = "urn:x:1" })
			l.accept(s, doc)
			l.refuse(s+" other id", setProof(l, doc, "id", "urn:x:2"), verErr)
			l.refuse(s+" no id", setProof(l, doc, "id", nil), verErr)
		}
	}
	checks["C22 a relative reference is a loss, in signing and in verifying"] = func(l *lab) {
		for _, s := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", "ecdsa-sd-2023"} {
			good := l.present(s, credential)
			for name, f := range map[string]func(m map[string]any){
				"empty id":    func(m map[string]any) { subjectOf(m)["id"] = "" },
				"fragment":    func(m map[string]any) { subjectOf(m)["id"] = "#x" },
				"relative id": func(m map[string]any) { subjectOf(m)["id"] = "relative/path" },
				"root id":     func(m map[string]any) { m["id"] = "relative" },
				"base": func(m map[string]any) {
					m["@context"] = append(m["@context"].([]any),
						map[string]any{"@base": "https://base.example/"})
					subjectOf(m)["id"] = "relative"
				},
			} {
				_, err := l.add(s, edit(l, credential, f), string(l.options(s).AppendJSON(nil, s)))
				if name == "base" { // @base makes the reference absolute, so that it is covered
					if err != nil {
						l.failed(s+" "+name, err, lossErr)
					}
				} else {
					l.failed(s+" "+name, err, lossErr)
				}
				l.refuse(s+" verify "+name, edit(l, good, f))
			}
		}
	}
	checks["C23 undefined terms, undefined types and nulls are a loss, signing or verifying"] = func(l *lab) {
		lossy := map[string]func(m map[string]any){
			"undefined term": func(m map[string]any) { subjectOf(m)["unknown"] = "x" },
			"undefined type": func(m map[string]any) { subjectOf(m)["type"] = "Unknown" },
			"null value":     func(m map[string]any) { subjectOf(m)["alumniOf"] = map[string]any{"@value": nil} },
			"list of null":   func(m map[string]any) { subjectOf(m)["steps"] = []any{nil, "x"} },
			"language tag": func(m map[string]any) {
				m["name"] = map[string]any{"@value": "x",
					"@language": "not a tag"}
			},
			"undefined below": func(m map[string]any) { subjectOf(m)["degree"].(map[string]any)["unknown"] = map[string]any{"a": "b"} },
			"term to null": func(m map[string]any) {
				m["@context"] = append(m["@context"].([]any), map[string]any{"gone": nil})
				subjectOf(m)["gone"] = "x"
			},
		}
		for _, s := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", "ecdsa-sd-2023"} {
			good := l.present(s, credential)
			for name, f := range lossy {
				_, err := l.add(s, edit(l, credential, f), string(l.options(s).AppendJSON(nil, s)))
				l.failed(s+" sign "+name, err, lossErr, transErr)
				l.refuse(s+" verify "+name, edit(l, good, f))
			}
		}
	}
	checks["C24 a term that a vocabulary defines is signed"] = func(l *lab) {
		doc := edit(l, credential, func(m map[string]any) {
			m["@context"] = append(m["@context"].([]any),
				"https://www.w3.org/ns/credentials/undefined-terms/v2")
			subjectOf(m)["foo"] = "bar"
		})
		for _, s := range everySuite {
			signed := l.present(s, doc)
			l.accept(s, signed)
			l.refuse(s+" foo changed", strings.Replace(signed, `"bar"`, `"baz"`, 1), verErr)
		}
	}
	checks["C25 no context can be remapped, redefined or moved"] = func(l *lab) {
		for _, s := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", "ecdsa-sd-2023"} {
			good := l.present(s, credential)
			inline := func(m map[string]any) map[string]any { return m["@context"].([]any)[1].(map[string]any) }
			for name, f := range map[string]func(m map[string]any){
				"term re-mapped": func(m map[string]any) { inline(m)["alumniOf"] = "urn:example:other" },
				"protected redefined": func(m map[string]any) {
					m["@context"] = append(m["@context"].([]any),
						map[string]any{"alumniOf": "urn:example:other"})
				},
				"base term redefined": func(m map[string]any) {
					m["@context"] = append(m["@context"].([]any),
						map[string]any{"VerifiableCredential": "urn:example:other"})
				},
			} {
				l.refuse(s+" "+name, edit(l, good, f))
			}
			two := strings.Replace(credential, `"https://www.w3.org/ns/credentials/v2",{`,
				`"https://www.w3.org/ns/credentials/v2",{"name2":{"@id":"urn:example:a"}},{"name2":{"@id":"urn:example:b"}},{`, 1)
			two = l.present(s, strings.Replace(two, `"alumniOf":"The School"`,
				`"alumniOf":"The School","name2":"x"`, 1))
			l.accept(s+" in order", two)
			l.refuse(s+" order swapped", edit(l, two, func(m map[string]any) {
				c := m["@context"].([]any)
				c[1], c[2] = c[2], c[1]
			}))
		}
	}
	swappedTerms := func(l *lab, s string) string {
		doc := edit(l, credential, func(m map[string]any) {
			c := m["@context"].([]any)[1].(map[string]any)
			c["givenName"], c["familyName"] = "urn:example:givenName", "urn:example:familyName"
			subjectOf(m)["givenName"], subjectOf(m)["familyName"] = "Ada", "Byron"
		})
		return edit(l, l.present(s, doc), func(m map[string]any) {
			c := m["@context"].([]any)[1].(map[string]any)
			c["givenName"], c["familyName"] = c["familyName"], c["givenName"]
			subjectOf(m)["givenName"], subjectOf(m)["familyName"] = "Byron", "Ada"
		})
	}
	// the signature holds, since the statements are the same; the contexts are refused
	checks["C26 terms swapped with their values verify, and unknown contexts are refused"] = func(l *lab) {
		for _, s := range []string{"eddsa-rdfc-2022", "ecdsa-rdfc-2019", "ecdsa-sd-2023"} {
			doc := swappedTerms(l, s)
			l.accept(s, doc)
			l.failed(s+" context", rules.CheckContexts([]byte(doc), canon.Limits{},
				`["https://www.w3.org/ns/credentials/v2"]`), problem.MalformedValue)
		}
	}
	checks["C27 the contexts of a document are exactly known ones, and none is nested"] = func(l *lab) {
		known := encode(l, decode(l, credential)["@context"])
		check := func(doc string) error {
			return rules.CheckContexts([]byte(doc), canon.Limits{},
				`["https://www.w3.org/ns/credentials/v2"]`, known)
		}
		if err := check(credential); err != nil {
			l.Errorf("known: %v", err)
		}
		for name, f := range map[string]func(m map[string]any){
			"appended": func(m map[string]any) {
				m["@context"] = append(m["@context"].([]any),
					"https://x.example/")
			},
			"nested":   func(m map[string]any) { subjectOf(m)["@context"] = map[string]any{"a": "urn:a"} },
			"deep":     func(m map[string]any) { subjectOf(m)["degree"].(map[string]any)["@context"] = "https://x.example/" },
			"missing":  func(m map[string]any) { delete(m, "@context") },
			"one term": func(m map[string]any) { m["@context"].([]any)[1].(map[string]any)["level"] = "urn:x" },
		} {
			l.failed(name, check(edit(l, credential, f)), problem.MalformedValue)
		}
	}
	checks["C28 a context that is not in memory is an error"] = func(l *lab) {
		doc := strings.Replace(credential, `["https://www.w3.org/ns/credentials/v2"`, `["https://www.w3.org/ns/credentials/v2","https://unknown.example/v1"`, 1)
		_, err := l.add("eddsa-rdfc-2022", doc, string(l.options("eddsa-rdfc-2022").AppendJSON(nil, "eddsa-rdfc-2022")))
		l.failed("unknown URL", err, transErr)
		// That the contexts in memory have the recorded hashes is tested in package contexts.
	}
	checks["C29 an error has the type, title, detail and pointer of a problem"] = func(l *lab) {
		r := l.verifier().VerifyAll(context.Background(), []byte(setProof(l, l.sign("eddsa-jcs-2022", credential), "created", "x")))
		e, ok := r.Errors[0].(*problem.Error)
		if !ok {
			l.Fatalf("%T", r.Errors[0])
		}
		if p := e.Problem(); p["type"] != "https://w3id.org/security#PROOF_VERIFICATION_ERROR" ||
			p["title"] == "" || p["detail"] == "" || p["pointer"] != "/proof/created" {
			l.Errorf("problem details %v", p)
		}
	}
}

// forgeries are changes that no proof may survive.
var forgeries = map[string]func(m map[string]any){
	"claim changed": func(m map[string]any) { subjectOf(m)["alumniOf"] = "The Other School" },
	"claim removed": func(m map[string]any) { delete(subjectOf(m), "alumniOf") },
	"claim added":   func(m map[string]any) { subjectOf(m)["level"] = "Doctor" },
	"claim as list": func(m map[string]any) {
		subjectOf(m)["alumniOf"] = []any{"The School",
			"Another"}
	},
	"claim as number":  func(m map[string]any) { subjectOf(m)["alumniOf"] = 7 },
	"subject id":       func(m map[string]any) { subjectOf(m)["id"] = "did:example:mallory" },
	"no subject id":    func(m map[string]any) { delete(subjectOf(m), "id") },
	"issuer":           func(m map[string]any) { m["issuer"] = "https://mallory.example/" },
	"id":               func(m map[string]any) { m["id"] = "urn:uuid:1f8f31ab-4a7e-4c5e-8a0d-3a1f0e1c2b3d" },
	"no id":            func(m map[string]any) { delete(m, "id") },
	"type":             func(m map[string]any) { m["type"] = []any{"VerifiableCredential", "Result"} },
	"type added":       func(m map[string]any) { m["type"] = append(m["type"].([]any), "Result") },
	"validFrom":        func(m map[string]any) { m["validFrom"] = "2024-01-01T00:00:00Z" },
	"validUntil added": func(m map[string]any) { m["validUntil"] = "2034-01-01T00:00:00Z" },
	"name":             func(m map[string]any) { m["name"] = "Another degree" },
	"name with language": func(m map[string]any) {
		m["name"] = map[string]any{"@value": "A degree",
			"@language": "en"}
	},
	"nested claim":        func(m map[string]any) { subjectOf(m)["degree"].(map[string]any)["level"] = "Doctor" },
	"nested type":         func(m map[string]any) { subjectOf(m)["degree"].(map[string]any)["type"] = "Result" },
	"nested id added":     func(m map[string]any) { subjectOf(m)["degree"].(map[string]any)["id"] = "urn:x:1" },
	"set element removed": func(m map[string]any) { subjectOf(m)["notes"] = subjectOf(m)["notes"].([]any)[1:] },
	"list element moved": func(m map[string]any) {
		s := subjectOf(m)["steps"].([]any)
		s[0], s[1] = s[1],
			s[0]
	},
	"list element gone": func(m map[string]any) { subjectOf(m)["steps"] = subjectOf(m)["steps"].([]any)[:2] },
	"grades exchanged": func(m map[string]any) {
		r := subjectOf(m)["result"].([]any)
		r[0].(map[string]any)["grade"] = "B"
	},
	"results merged": func(m map[string]any) { subjectOf(m)["result"] = subjectOf(m)["result"].([]any)[0] },
	"second subject": func(m map[string]any) {
		m["credentialSubject"] = []any{m["credentialSubject"], map[string]any{"id": "did:example:mallory",
			"alumniOf": "The School"}}
	},
}

// swapped gives the canonical document for the proof options and the other way round.
type swapped struct {
	canon.Canonicalizer
	docs [][]byte
}

func (s *swapped) Canonicalize(ctx context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	opt.Into = nil
	s.docs = append(s.docs, slices.Clone(doc))
	if len(s.docs) == 1 { // the proof options: give something else, as if the order were the other
		return s.Canonicalizer.Canonicalize(ctx, []byte(credential), opt)
	}
	return s.Canonicalizer.Canonicalize(ctx, s.docs[0], opt)
}
