package vcdm_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"
	"strings"

	"canonscope/canon"
	"canonscope/canon/conform"
	"canonscope/canon/conform/official"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/vectors"
)

const (
	sd  = "ecdsa-sd-2023"
	bbs = "bbs-2023"
)

// vectors runs the official vectors.
func (l *lab) vectors() []conform.Result {
	l.Helper()
	e := vectors.Engines{RDFC: engine(l, canon.Native, canon.RDFC), JCS: l.jcs}
	results, err := vectors.Run(context.Background(), official.Dir(l, "di-vectors"), e)
	if err != nil {
		l.Fatal(err)
	}
	return results
}

// vectorFiles demands that the named files of ecdsa-sd-2023 are equal.
func (l *lab) vectorFiles(names ...string) {
	l.Helper()
	l.vectorsPass(sd, names...)
}

// vectorsPass demands that the named vectors of a set pass.
func (l *lab) vectorsPass(set string, names ...string) {
	l.Helper()
	results := l.vectors()
	for _, name := range names {
		found := false
		for _, r := range results {
			if strings.Contains(r.Test, set) && strings.HasSuffix(r.Test, " "+name) {
				found = true
				if r.Outcome != conform.Passed {
					l.Errorf("%s: %s", r.Test, r.Reason)
				}
			}
		}
		if !found {
			l.Errorf("no result for %s of %s", name, set)
		}
	}
}

// issue makes a base proof with mandatory pointers and returns what the steps made.
func (l *lab) issue(doc string, mandatory ...string) (string, *vcdm.SDTrace, error) {
	t := new(vcdm.SDTrace)
	suite := vcdm.ECDSASD2023(l.rdfc, vcdm.SDOptions{Mandatory: mandatory, Trace: t})
	out, err := (&vcdm.Signer{Suite: suite, Key: l.key(sd)}).Add(context.Background(), []byte(doc),
		l.options(sd).AppendJSON(nil, sd))
	return string(out), t, err
}

// mandatoryLines returns the lines of the mandatory group, blank nodes as "_:b".
func (l *lab) mandatoryLines(doc string, pointers ...string) []string {
	l.Helper()
	_, t, err := l.issue(doc, pointers...)
	if err != nil {
		l.Fatalf("%v: %v", pointers, err)
	}
	var all []string
	for i, line := range t.Lines {
		if t.Mandatory[i] {
			all = append(all, string(line))
		}
	}
	return all
}

// has says how many of the lines contain a text.
func has(lines []string, text string) int {
	n := 0
	for _, l := range lines {
		if strings.Contains(l, text) {
			n++
		}
	}
	return n
}

// twelve is a document with twelve objects that have no identifier.
func twelve() string {
	var results []string
	for i := range 12 {
		results = append(results, fmt.Sprintf(`{"type":"Result","grade":"g%d"}`, i))
	}
	return strings.Replace(credential,
		`[{"type":"Result","grade":"A"},{"type":"Result","grade":"B"},{"type":"Result","grade":"C"}]`,
		"["+strings.Join(results, ",")+"]", 1)
}

// G. ecdsa-sd-2023 base proof

func init() {
	checks["G01 a base proof is its header and five parts of fixed lengths, untagged"] = func(l *lab) {
		header, p := open(l, l.sign(sd, credential))
		if !bytes.Equal(header, []byte{0xd9, 0x5d, 0x00}) || len(p) != 5 || len(p[0].([]byte)) != 64 ||
			len(p[1].([]byte)) != 35 || len(p[2].([]byte)) != 32 {
			l.Errorf("header %x, %d parts", header, len(p))
		}
		for _, s := range p[3].([]any) {
			if len(s.([]byte)) != 64 {
				l.Errorf("signature of %d bytes", len(s.([]byte)))
			}
		}
		if got := fmt.Sprint(p[4]); got != "[/issuer]" {
			l.Errorf("mandatory pointers %s", got)
		}
		// definite lengths, no tags
		if b := value(l, l.sign(sd, credential)); b[3] != 0x85 || b[4] != 0x58 || b[5] != 64 {
			l.Errorf("CBOR starts %x", b[3:6])
		}
	}
	checks["G02 the key for one proof is 35 bytes"] = func(l *lab) {
		doc := l.sign(sd, credential)
		if _, p := open(l, doc); !bytes.HasPrefix(p[1].([]byte), []byte{0x80, 0x24}) {
			l.Errorf("public key %x", p[1])
		}
		for name, f := range map[string]func(k []byte) []byte{"34": func(k []byte) []byte { return k[:34] },
			"36": func(k []byte) []byte { return append(slices.Clone(k), 0) }} {
			bad := func(p parts) any { p[1] = f(p[1].([]byte)); return p }
			_, err := l.tryDerive(change(l, doc, bad), "/name")
			l.failed("derive with "+name, err, verErr)
			l.refuse("verify with "+name, change(l, l.derive(doc, "/name"), bad), verErr)
		}
	}
	checks["G03 the keys and signatures of a base proof are fresh"] = func(l *lab) {
		_, a := open(l, l.sign(sd, credential))
		_, b := open(l, l.sign(sd, credential))
		for i := range 4 {
			if fmt.Sprint(a[i]) == fmt.Sprint(b[i]) {
				l.Errorf("part %d is the same twice", i)
			}
		}
	}
	checks["G04 the steps of a base proof equal the vectors"] = func(l *lab) {
		l.vectorFiles("addBaseDocCanon", "addBaseDocHMACCanon", "addBaseTransform", "addHashData", "addRawBaseSignatureInfo", "addSignedSDBase", "addProofConfigCanon")
	}
	checks["G05 the label of a blank node is the HMAC of its canonical name"] = func(l *lab) {
		l.vectorFiles("addBaseDocHMACCanon")
		doc, t, err := l.issue(credential)
		if err != nil {
			l.Fatal(err)
		}
		_, p := open(l, doc)
		for i := range 4 { // the degree and three results
			mac := hmac.New(sha256.New, p[2].([]byte))
			fmt.Fprintf(mac, "c14n%d", i)
			if label := "_:u" + b64(mac.Sum(nil)); !bytes.Contains(bytes.Join(t.Lines, nil),
				[]byte(label+" ")) {
				l.Errorf("label of c14n%d is not %s", i, label)
			}
		}
	}
	checks["G06 the lines of a base proof are sorted as text and end in a newline"] = func(l *lab) {
		_, t, err := l.issue(twelve())
		if err != nil {
			l.Fatal(err)
		}
		var lines []string
		for _, line := range t.Lines {
			if !bytes.HasSuffix(line, []byte(" .\n")) {
				l.Errorf("line %q", line)
			}
			lines = append(lines, string(line))
		}
		if !sort.StringsAreSorted(lines) {
			l.Error("lines are not sorted")
		}
	}
	checks["G07 without mandatory pointers the mandatory hash is the hash of nothing"] = func(l *lab) {
		for _, m := range [][]string{nil, {}} {
			doc, t, err := l.issue(credential, m...)
			if err != nil {
				l.Fatal(err)
			}
			if sum := sha256.Sum256(nil); !bytes.Equal(t.MandatoryHash, sum[:]) {
				l.Errorf("mandatory hash %x", t.MandatoryHash)
			}
			l.accept("derived", l.derive(doc, "/name"))
		}
	}
	checks["G08 a pointer that selects nothing is an error"] = func(l *lab) {
		l.badPointers("/credentialSubject/invalidPointer", "/type/9", "/issuer/id", "/proof", "/credentialSubject/alumniOf/0")
	}
	checks["G09 a malformed pointer is an error"] = func(l *lab) {
		l.badPointers("issuer", "/a~2b", "#/issuer", "/issuer~")
	}
	checks["G10 the empty pointer selects the whole document"] = func(l *lab) { // everything but the proofs
		doc, t, err := l.issue(credential, "")
		if err != nil {
			l.Fatal(err)
		}
		if slices.Contains(t.Mandatory, false) {
			l.Error("not everything is mandatory")
		}
		l.accept("derived", l.derive(doc))
		l.accept("selective", l.derive(l.sign(sd, credential), ""))
	}
	checks["G11 a pointer selects a subtree, an array, or one element of it"] = func(l *lab) {
		all := l.mandatoryLines(credential, "/credentialSubject/result")
		if has(all, "urn:example:grade") != 3 || has(all, "urn:example:result") != 3 {
			l.Errorf("whole array: %q", all)
		}
		one := l.mandatoryLines(credential, "/credentialSubject/result/1")
		if has(one, "urn:example:grade") != 1 || has(one, `"B"`) != 1 || has(one, "urn:example:result") != 1 {
			l.Errorf("one element: %q", one)
		}
		sub := l.mandatoryLines(credential, "/credentialSubject/degree")
		if has(sub, "urn:example:level") != 1 || has(sub, "urn:example:degree") != 1 ||
			has(sub, "alumniOf") != 0 {
			l.Errorf("subtree: %q", sub)
		}
	}
	checks["G12 the id and the types of all objects on the way are selected"] = func(l *lab) {
		lines := l.mandatoryLines(credential, "/credentialSubject/degree/level")
		// Two types of the root, one of the degree, the statements that lead there, the level itself.
		if has(lines, "rdf-syntax-ns#type") != 3 || has(lines, "credentialSubject") != 1 ||
			has(lines, "urn:example:degree>") != 1 || len(lines) != 6 {
			l.Errorf("%q", lines)
		}
	}
	checks["G13 escapes, and keys that look like numbers, select the right member"] = func(l *lab) {
		doc := edit(l, credential, func(m map[string]any) {
			c := m["@context"].([]any)[1].(map[string]any)
			subjectOf(m)["urn:a/b"] = "urn:k:1 value"
			for k, v := range map[string]string{"~1": "urn:k:2", "0": "urn:k:3", "01": "urn:k:4"} {
				c[k] = v
				subjectOf(m)[k] = v + " value"
			}
		})
		for pointer, want := range map[string]string{"/credentialSubject/urn:a~1b": "urn:k:1",
			"/credentialSubject/~01": "urn:k:2", "/credentialSubject/0": "urn:k:3",
			"/credentialSubject/01": "urn:k:4"} {
			lines := l.mandatoryLines(doc, pointer)
			if has(lines, want+" value") != 1 || has(lines, " value") != 1 {
				l.Errorf("%s: %q", pointer, lines)
			}
		}
	}
	checks["G14 overlapping pointers select their union"] = func(l *lab) {
		union := l.mandatoryLines(credential, "/credentialSubject/degree", "/name")
		more := l.mandatoryLines(credential, "/name", "/credentialSubject/degree",
			"/credentialSubject/degree/level", "/name", "/credentialSubject/degree")
		if len(union) != len(more) {
			l.Errorf("%d and %d lines", len(union), len(more))
		}
		doc := l.sign(sd, credential)
		a, b := l.derive(doc, "/name", "/credentialSubject/degree"), l.derive(doc,
			"/credentialSubject/degree/level", "/credentialSubject/degree", "/name", "/name")
		if a != b {
			l.Error("derived documents differ")
		}
	}
	// list objects are left alone; a part of a list is an error, never a wrong signature
	checks["G15 an ordered list is selected whole or not at all"] = func(l *lab) {
		doc := l.sign(sd, credential)
		l.accept("whole list", l.derive(doc, "/credentialSubject/steps"))
		l.accept("without the list", l.derive(doc, "/name"))
		_, err := l.tryDerive(doc, "/credentialSubject/steps/1")
		l.failed("derive a part", err, genErr)
		_, _, err = l.issue(credential, "/credentialSubject/steps/0")
		l.failed("a part is mandatory", err, genErr)
		made, t, err := l.issue(credential, "/credentialSubject/steps")
		if err != nil {
			l.Fatal(err)
		}
		var lines []string
		for i, line := range t.Lines {
			if t.Mandatory[i] {
				lines = append(lines, string(line))
			}
		}
		if has(lines, "ns#first") != 3 || has(lines, "ns#rest") != 3 {
			l.Errorf("mandatory list: %q", lines)
		}
		l.accept("mandatory list", l.derive(made))
	}
	checks["G16 JSON literals, languages, reverse and included nodes are selected whole"] = func(l *lab) {
		doc := edit(l, credential, func(m map[string]any) {
			subjectOf(m)["blob"] = map[string]any{"b": 1, "a": []any{"x"}}
			subjectOf(m)["titles"] = map[string]any{"en": "Title", "de": "Titel"}
			subjectOf(m)["alumniOf"] = map[string]any{"@value": "The School", "@language": "en"}
			subjectOf(m)["awardOf"] = map[string]any{"id": "urn:x:award", "level": "gold"}
			m["@included"] = []any{map[string]any{"id": "urn:x:included", "level": "one"}}
		})
		signed := l.sign(sd, doc)
		for _, pointer := range []string{"", "/credentialSubject/blob", "/credentialSubject/titles",
			"/credentialSubject/titles/de", "/credentialSubject/alumniOf",
			"/credentialSubject/awardOf", "/credentialSubject/awardOf/level", "/@included",
			"/@included/0/level"} {
			l.accept(pointer, l.derive(signed, pointer))
		}
		for _, pointer := range []string{"/credentialSubject/blob/a", "/credentialSubject/alumniOf/@value"} {
			_, err := l.tryDerive(signed, pointer)
			l.failed(pointer, err, genErr, lossErr, transErr)
		}
	}
	checks["G17 a blank node identifier of the document is not selected"] = func(l *lab) {
		doc := edit(l, credential, func(m map[string]any) { subjectOf(m)["id"] = "_:b0" })
		signed := l.sign(sd, doc)
		part := l.derive(signed, "/credentialSubject/alumniOf")
		l.accept("blank subject", part)
		if _, ok := subjectOf(decode(l, part))["id"]; ok {
			l.Error("a blank identifier was selected")
		}
		l.accept("whole", l.derive(signed, ""))
	}
	checks["G18 text that looks like a blank node is not relabelled"] = func(l *lab) {
		for _, text := range []string{"_:c14n0", "urn:bnid:b0", "_:b0 <urn:bnid:x> _:c14n1", "<urn:bnid:b0>", `"_:c14n0`} {
			doc := edit(l, credential, func(m map[string]any) { subjectOf(m)["alumniOf"] = text })
			lines := l.mandatoryLines(doc, "/credentialSubject/alumniOf")
			if has(lines, strings.ReplaceAll(text, `"`, `\"`)) != 1 {
				l.Errorf("%q: %q", text, lines)
			}
			l.accept(text, l.derive(l.sign(sd, doc), "/credentialSubject/alumniOf",
				"/credentialSubject/degree"))
		}
	}
	checks["G19 more than ten blank nodes verify"] = func(l *lab) {
		doc := l.sign(sd, twelve())
		l.accept("all", l.derive(doc, ""))
		l.accept("some", l.derive(doc, "/credentialSubject/result/11", "/credentialSubject/result/2",
			"/credentialSubject/result/5"))
	}
	checks["G20 ecdsa-sd-2023 signs with P-256 only"] = func(l *lab) {
		for _, alg := range []keys.Algorithm{keys.ES384, keys.EdDSA} {
			s := &vcdm.Signer{Suite: l.suite(sd), Key: l.secrets[alg]}
			_, err := s.Add(context.Background(), []byte(credential), l.options(sd).AppendJSON(nil, sd))
			l.failed(string(alg), err, genErr)
		}
	}
	checks["G21 a base proof is refused by a verifier"] = func(l *lab) {
		l.refuse("base proof", l.sign(sd, credential), verErr)
	}
}

// badPointers are refused as mandatory and as selective pointers.
func (l *lab) badPointers(pointers ...string) {
	l.Helper()
	doc := l.sign(sd, credential)
	for _, p := range pointers {
		_, _, err := l.issue(credential, p)
		l.failed("mandatory "+p, err, genErr)
		_, err = l.tryDerive(doc, p)
		l.failed("selective "+p, err, genErr)
	}
}

// H. Derive

func init() {
	checks["H01 only a base proof can be derived from"] = func(l *lab) {
		doc := l.sign(sd, credential)
		derived := l.derive(doc, "/name")
		for name, bad := range map[string]string{"derived": derived, "z": setProof(l, doc, "proofValue",
			"z2"), "header": sealBytes(l, doc, append([]byte{0xd9, 0x5d, 2}, value(l, doc)[3:]...)),
			"other suite": l.sign("eddsa-jcs-2022", credential), "no proof": credential} {
			_, err := l.tryDerive(bad, "/name")
			l.failed(name, err, verErr)
		}
	}
	checks["H02 a base proof with malformed parts is refused by a holder"] = func(l *lab) {
		doc := l.sign(sd, credential)
		for name, f := range map[string]func(p parts) any{
			"four parts":         func(p parts) any { return p[:4] },
			"six parts":          func(p parts) any { return append(p, "x") },
			"no list":            func(p parts) any { return "x" },
			"HMAC key":           func(p parts) any { p[2] = p[2].([]byte)[:31]; return p },
			"base signature":     func(p parts) any { p[0] = p[0].([]byte)[:63]; return p },
			"signature":          func(p parts) any { s := p[3].([]any); s[0] = s[0].([]byte)[:63]; return p },
			"pointers":           func(p parts) any { p[4] = []any{7}; return p },
			"one signature less": func(p parts) any { p[3] = p[3].([]any)[1:]; return p },
			"one signature more": func(p parts) any { p[3] = append(p[3].([]any), p[0]); return p },
		} {
			_, err := l.tryDerive(change(l, doc, f), "/name")
			l.failed(name, err, verErr)
		}
		_, err := l.tryDerive(sealBytes(l, doc, append(value(l, doc), 0)), "/name")
		l.failed("trailing byte", err, verErr)
	}
	checks["H03 a selective pointer that selects nothing is an error"] = func(l *lab) {
		_, err := l.tryDerive(l.sign(sd, credential), "/credentialSubject/nope")
		l.failed("nothing there", err, genErr)
	}
	checks["H04 nothing mandatory and nothing selected is an error"] = func(l *lab) {
		doc, _, err := l.issue(credential)
		if err != nil {
			l.Fatal(err)
		}
		_, err = l.tryDerive(doc)
		l.failed("no pointers at all", err, genErr)
	}
	checks["H05 what is mandatory alone can be derived"] = func(l *lab) {
		doc := l.derive(l.sign(sd, credential))
		_, p := open(l, doc)
		if n := len(p[2].([]any)); n != 0 {
			l.Errorf("%d signatures", n)
		}
		if n := len(p[4].([]any)); n != 3 { // two types and the issuer
			l.Errorf("%d mandatory indexes", n)
		}
		l.accept("mandatory alone", doc)
	}
	checks["H06 a mandatory pointer that is selected too changes nothing"] = func(l *lab) {
		doc := l.sign(sd, credential)
		a, b := l.derive(doc), l.derive(doc, "/issuer")
		if a != b {
			l.Error("the mandatory pointer given again changes the derived document")
		}
	}
	checks["H07 a revealed document has its contexts, ids and types, and arrays in order"] = func(l *lab) {
		l.vectorFiles("derivedUnsignedReveal")
		m := decode(l, l.derive(l.sign(sd, credential), "/credentialSubject/result/2",
			"/credentialSubject/result/0"))
		if encode(l, m["@context"]) != encode(l, decode(l, credential)["@context"]) {
			l.Error("the context has changed")
		}
		if got := encode(l, subjectOf(m)["result"]); got != `[{"grade":"A","type":"Result"},{"grade":"C","type":"Result"}]` {
			l.Errorf("elements %s", got)
		}
		if m["id"] == nil || m["type"] == nil || subjectOf(m)["id"] == nil {
			l.Error("id or type on the way is missing")
		}
	}
	checks["H08 mandatory indexes count the revealed statements"] = func(l *lab) {
		l.vectorFiles("derivedAdjMandatoryIndexes", "derivedGroupIndexes", "derivedAllGroupData")
	}
	checks["H09 the signatures of what is not revealed are left out"] = func(l *lab) {
		l.vectorFiles("derivedAdjSignatures")
	}
	checks["H10 the label map has the names of the revealed document"] = func(l *lab) {
		doc := l.sign(sd, twelve())
		for i := range 12 { // whatever number the one that stays had, it is c14n0 afterwards
			derived := l.derive(doc, fmt.Sprintf("/credentialSubject/result/%d", i))
			_, p := open(l, derived)
			m := p[3].(map[any]any)
			if len(m) != 1 || m[uint64(0)] == nil {
				l.Errorf("label map %v", m)
			}
			l.accept("derived", derived)
		}
	}
	checks["H11 a derived proof is its header and five parts"] = func(l *lab) {
		l.vectorFiles("derivedDisclosureData", "derivedRevealDocument")
		header, p := open(l, l.derive(l.sign(sd, credential), "/credentialSubject/degree"))
		if !bytes.Equal(header, []byte{0xd9, 0x5d, 0x01}) || len(p) != 5 || len(p[0].([]byte)) != 64 ||
			len(p[1].([]byte)) != 35 {
			l.Errorf("header %x, %d parts", header, len(p))
		}
		for k, v := range p[3].(map[any]any) {
			if _, ok := k.(uint64); !ok || len(v.([]byte)) != 32 {
				l.Errorf("label map entry %v %v", k, v)
			}
		}
	}
	checks["H12 the keys of the label map are numbers"] = func(l *lab) {
		_, p := open(l, l.derive(l.sign(sd, twelve()), ""))
		m := p[3].(map[any]any)
		for n := range 16 { // twelve results, one degree, three cells of the list
			if m[uint64(n)] == nil {
				l.Errorf("no entry for c14n%d in %d", n, len(m))
			}
		}
	}
	checks["H13 a derived document has no hidden value, pointer or HMAC key"] = func(l *lab) {
		signed := l.sign(sd, credential)
		_, base := open(l, signed)
		derived := l.derive(signed, "/name")
		raw := value(l, derived)
		for _, secret := range []string{"The School", "Master", `"first"`, `"/issuer"`, `"A"`} {
			if strings.Contains(edit(l, derived, func(m map[string]any) { delete(m, "@context") }), secret) ||
				bytes.Contains(raw, []byte(secret)) {
				l.Errorf("%s is in the derived document", secret)
			}
		}
		if bytes.Contains(raw, []byte("/issuer")) {
			l.Error("the mandatory pointers are in the derived document")
		}
		if bytes.Contains(raw, base[2].([]byte)) {
			l.Error("the HMAC key is in the derived document")
		}
	}
	checks["H14 deriving draws nothing at random"] = func(l *lab) {
		doc := l.sign(sd, twelve())
		first := l.derive(doc, "/name", "/credentialSubject/result/3")
		for range 20 {
			if l.derive(doc, "/name", "/credentialSubject/result/3") != first {
				l.Fatal("another derived document")
			}
		}
	}
	checks["H15 deriving keeps the options of the proof"] = func(l *lab) {
		signed := l.sign(sd, credential, func(o *vcdm.Options) { o.ID, o.Domain, o.Challenge, o.Nonce = "urn:x:1", []string{"d", "e"}, "c", "n" })
		derived := l.derive(signed, "/name")
		a, b := proofOf(decode(l, signed)), proofOf(decode(l, derived))
		delete(a, "proofValue")
		delete(b, "proofValue")
		if encode(l, a) != encode(l, b) {
			l.Errorf("options %s, want %s", encode(l, b), encode(l, a))
		}
		l.accept("derived", derived)
	}
	checks["H16 what a holder changed before deriving is refused"] = func(l *lab) {
		signed := l.sign(sd, credential)
		for name, f := range forgeries {
			derived, err := l.tryDerive(edit(l, signed, f), "")
			if err == nil {
				l.refuse(name, derived, verErr)
			}
		}
	}
	checks["H17 a term that no context defines is a loss for holder and verifier"] = func(l *lab) {
		signed := edit(l, l.sign(sd, credential), func(m map[string]any) { subjectOf(m)["memberLevel"] = "gold" })
		_, err := l.tryDerive(signed, "/credentialSubject/memberLevel")
		l.failed("derive", err, lossErr)
		good := l.derive(l.sign(sd, credential), "/name")
		l.refuse("verify", edit(l, good, func(m map[string]any) { m["memberLevel"] = "gold" }), lossErr)
	}
	checks["H18 any number of attributes can be revealed, and more is longer"] = func(l *lab) {
		l.vectorFiles("derivedRevealDocument") // and the artifacts with 5 of 20: TestInterop
		doc := l.sign(sd, twelve())
		size := 0
		for n := 0; n <= 12; n += 3 {
			pointers := []string{"/name"}
			for i := range n {
				pointers = append(pointers, fmt.Sprintf("/credentialSubject/result/%d/grade", i))
			}
			derived := l.derive(doc, pointers...)
			l.accept(fmt.Sprint(n), derived)
			if len(derived) <= size {
				l.Errorf("%d of 12: %d bytes, not more than before", n, len(derived))
			}
			size = len(derived)
		}
	}
}

// J. Verify derived

func init() {
	degree := func(l *lab) string {
		return l.derive(l.sign(sd, credential), "/credentialSubject/degree", "/name",
			"/credentialSubject/result/1")
	}
	checks["J01 a derived proof value with another header is refused"] = func(l *lab) {
		doc := degree(l)
		b := value(l, doc)
		v := proofOf(decode(l, doc))["proofValue"].(string)
		l.refuse("no prefix", setProof(l, doc, "proofValue", v[1:]), verErr)
		for _, h := range [][]byte{{}, {0xd9}, {0xd9, 0x5d}, {0x5d, 0x00}, {0xd9, 0x5d, 0x00},
			{0xd9, 0x5d, 0x02}, {0xd9, 0x5d, 0x03}, {0xd8, 0x5d, 0x01}} {
			l.refuse(fmt.Sprintf("header %x", h), sealBytes(l, doc, append(slices.Clone(h), b[3:]...)),
				verErr)
			l.refuse(fmt.Sprintf("header %x alone", h), sealBytes(l, doc, h), verErr)
		}
	}
	checks["J02 a derived proof with malformed parts is refused"] = func(l *lab) {
		doc := degree(l)
		for name, f := range map[string]func(p parts) any{
			"four parts":     func(p parts) any { return p[:4] },
			"six parts":      func(p parts) any { return append(p, 1) },
			"no list":        func(p parts) any { return 7 },
			"null":           func(p parts) any { return nil },
			"text index":     func(p parts) any { p[4] = []any{"0"}; return p },
			"negative index": func(p parts) any { p[4] = []any{-1}; return p },
			"huge index":     func(p parts) any { p[4] = []any{uint64(1) << 40}; return p },
			"index out of range": func(p parts) any {
				p[4] = append(p[4].([]any),
					uint64(1)<<31)
				return p
			},
			"text in label map": func(p parts) any {
				p[3] = map[any]any{"c14n0": make([]byte,
					32)}
				return p
			},
			"label of 31 bytes": func(p parts) any {
				p[3].(map[any]any)[uint64(0)] = make([]byte,
					31)
				return p
			},
			"label as text":        func(p parts) any { p[3].(map[any]any)[uint64(0)] = "u"; return p },
			"negative label":       func(p parts) any { p[3].(map[any]any)[-1] = make([]byte, 32); return p },
			"list for label map":   func(p parts) any { p[3] = []any{}; return p },
			"signatures as text":   func(p parts) any { p[2] = "x"; return p },
			"signature of 63":      func(p parts) any { p[2].([]any)[0] = make([]byte, 63); return p },
			"base signature empty": func(p parts) any { p[0] = []byte{}; return p },
			"key of P-384": func(p parts) any {
				p[1] = append([]byte{0x81, 0x24, 2},
					make([]byte, 32)...)
				return p
			},
			"key off the curve": func(p parts) any {
				p[1] = append(append([]byte{0x80, 0x24, 2},
					make([]byte, 31)...), 1)
				return p
			},
		} {
			l.refuse(name, change(l, doc, f), verErr)
		}
		header, _ := open(l, doc)
		b := value(l, doc)[3:]
		// An array that claims four thousand million elements, and a map with the same key twice.
		l.refuse("huge array", sealBytes(l, doc, append(slices.Clone(header), 0x9a, 0xff, 0xff, 0xff, 0xff)),
			verErr)
		i := bytes.Index(b, []byte{0xa2, 0x00, 0x58, 32})
		if i < 0 {
			l.Fatal("no label map of two entries")
		}
		twice := slices.Clone(b)
		twice[i+4+32] = 0x00 // the second key
		l.refuse("duplicate keys", sealBytes(l, doc, append(slices.Clone(header), twice...)), verErr)
	}
	// indefinite lengths, trailing bytes and tags are all refused
	checks["J03 CBOR with indefinite lengths, trailing bytes or tags is refused"] = func(l *lab) {
		doc := degree(l)
		b := value(l, doc)
		l.refuse("trailing byte", sealBytes(l, doc, append(slices.Clone(b), 0)), verErr)
		indefinite := append(slices.Clone(b[:3]), 0x9f)
		l.refuse("indefinite length", sealBytes(l, doc, append(append(indefinite, b[4:]...), 0xff)), verErr)
		tagged := append(slices.Clone(b[:4]), 0xd8, 64)
		l.refuse("tag 64", sealBytes(l, doc, append(tagged, b[4:]...)), verErr)
	}
	checks["J04 there is a signature for each statement that is not mandatory, and no other"] = func(l *lab) {
		doc := degree(l)
		l.refuse("one signature less",
			change(l, doc, func(p parts) any { p[2] = p[2].([]any)[1:]; return p }), verErr)
		l.refuse("one signature more",
			change(l, doc, func(p parts) any { p[2] = append(p[2].([]any), p[0]); return p }), verErr)
		l.refuse("hidden claim put back",
			edit(l, doc, func(m map[string]any) { subjectOf(m)["alumniOf"] = "The School" }), verErr)
	}
	// the issuer's key signs the base, not the key that comes with the proof
	checks["J05 the base signature is the issuer's, not that of the key in the proof"] = func(l *lab) {
		mallory, err := keys.Generate(keys.ES256)
		if err != nil {
			l.Fatal(err)
		}
		suite := vcdm.ECDSASD2023(l.rdfc, vcdm.SDOptions{Mandatory: []string{"/issuer"}, ProofKey: mallory})
		forged, err := (&vcdm.Signer{Suite: suite, Key: mallory}).Add(context.Background(),
			[]byte(credential), l.options(sd).AppendJSON(nil, sd))
		if err != nil {
			l.Fatal(err)
		}
		l.refuse("all by one's own key", l.derive(string(forged), "/name"), verErr)
	}
	checks["J06 a statement is signed with its newline"] = func(l *lab) {
		l.vectorFiles("verifyCreateVerifyData", "verifyNQuads", "verifyDerivedProofValue", "verify")
		doc, t, err := l.issue(credential)
		if err != nil {
			l.Fatal(err)
		}
		_, p := open(l, doc)
		key, err := keys.PublicFromBytes(p[1].([]byte))
		if err != nil {
			l.Fatal(err)
		}
		sig := p[3].([]any)[0].([]byte)
		if !key.Verify(t.Lines[0], sig) || key.Verify(bytes.TrimRight(t.Lines[0], "\n"), sig) {
			l.Error("a statement is not signed with its newline")
		}
	}
	checks["J07 parts of other proofs are refused"] = func(l *lab) {
		doc := degree(l)
		_, other := open(l, degree(l))
		for name, f := range map[string]func(p parts) any{
			"signatures swapped": func(p parts) any {
				s := p[2].([]any)
				s[0], s[1] = s[1],
					s[0]
				return p
			},
			"signature of another":      func(p parts) any { p[2].([]any)[0] = other[2].([]any)[0]; return p },
			"public key of another":     func(p parts) any { p[1] = other[1]; return p },
			"base signature of another": func(p parts) any { p[0] = other[0]; return p },
			"key and base of another":   func(p parts) any { p[0], p[1] = other[0], other[1]; return p },
			"everything but the labels": func(p parts) any {
				p[0], p[1], p[2] = other[0], other[1],
					other[2]
				return p
			},
			"labels of another": func(p parts) any { p[3] = other[3]; return p },
		} {
			l.refuse(name, change(l, doc, f), verErr)
		}
	}
	checks["J08 a mandatory statement cannot be removed"] = func(l *lab) {
		doc := edit(l, degree(l), func(m map[string]any) { delete(m, "issuer") })
		l.refuse("index kept", doc)
		l.refuse("index dropped",
			change(l, doc, func(p parts) any { m := p[4].([]any); p[4] = m[:len(m)-1]; return p }))
	}
	checks["J09 a mandatory index cannot be added or removed"] = func(l *lab) {
		doc := degree(l)
		l.refuse("index removed", change(l, doc, func(p parts) any { p[4] = p[4].([]any)[1:]; return p }),
			verErr)
		l.refuse("index out of range",
			change(l, doc, func(p parts) any { p[4] = append(p[4].([]any), 999); return p }), verErr)
		l.refuse("index added", change(l, doc, func(p parts) any {
			for i := uint64(0); ; i++ {
				if !slices.Contains(p[4].([]any), any(i)) {
					all := append(p[4].([]any), i)
					slices.SortFunc(all, func(a, b any) int { return int(a.(uint64)) - int(b.(uint64)) })
					p[4], p[2] = all, p[2].([]any)[1:]
					return p
				}
			}
		}), verErr)
	}
	// an entry for no blank node is refused too
	checks["J10 the label map has one entry for each blank node"] = func(l *lab) {
		doc := degree(l)
		for name, f := range map[string]func(m map[any]any){
			"missing": func(m map[any]any) { delete(m, uint64(0)) },
			"extra":   func(m map[any]any) { m[uint64(7)] = make([]byte, 32) },
			"swapped": func(m map[any]any) { m[uint64(0)], m[uint64(1)] = m[uint64(1)], m[uint64(0)] },
			"same":    func(m map[any]any) { m[uint64(0)] = m[uint64(1)] },
		} {
			l.refuse(name, change(l, doc, func(p parts) any { f(p[3].(map[any]any)); return p }), verErr)
		}
	}
	checks["J11 mandatory indexes ascend"] = func(l *lab) { // indexes have to ascend
		doc := degree(l)
		l.refuse("unsorted", change(l, doc, func(p parts) any { slices.Reverse(p[4].([]any)); return p }),
			verErr)
		l.refuse("repeated", change(l, doc,
			func(p parts) any { m := p[4].([]any); p[4] = append(m, m[len(m)-1]); return p }), verErr)
	}
	checks["J12 statements are sorted after they are relabelled"] = func(l *lab) {
		l.vectorFiles("verifyNQuads")
		signed := l.sign(sd, twelve()) // labels of random keys put the twelve in any order
		for range 5 {
			l.accept("reordered", l.derive(signed, "/credentialSubject/result/1",
				"/credentialSubject/result/7", "/credentialSubject/degree"))
			signed = l.sign(sd, twelve())
		}
	}
	// the documentation of SD says so
	checks["J13 two presentations of one credential share signature, key and labels"] = func(l *lab) {
		signed := l.sign(sd, credential)
		_, a := open(l, l.derive(signed, "/credentialSubject/degree"))
		_, b := open(l, l.derive(signed, "/credentialSubject/degree", "/name"))
		if !bytes.Equal(a[0].([]byte), b[0].([]byte)) || !bytes.Equal(a[1].([]byte), b[1].([]byte)) ||
			fmt.Sprint(a[3]) != fmt.Sprint(b[3]) {
			l.Error("two presentations of one credential differ in what they should share")
		}
	}
}
