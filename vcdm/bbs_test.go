package vcdm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/schemas/contexts"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
)

// bbsSuite returns the suite with options.
func (l *lab) bbsSuite(o vcdm.BBSOptions) *vcdm.SD {
	return vcdm.BBS2023(l.rdfc, vcdm.SDOptions{Mandatory: []string{"/issuer"}, BBS: o})
}

// bbsSign issues with options.
func (l *lab) bbsSign(doc string, o vcdm.BBSOptions) (string, error) {
	out, err := (&vcdm.Signer{Suite: l.bbsSuite(o), Key: l.key(bbs)}).Add(context.Background(), []byte(doc),
		l.options(bbs).AppendJSON(nil, bbs))
	return string(out), err
}

// bbsDerive derives with options.
func (l *lab) bbsDerive(doc string, o vcdm.BBSOptions, pointers ...string) (string, error) {
	out, err := (&vcdm.Holder{Suite: l.bbsSuite(o)}).Derive(context.Background(), []byte(doc), pointers)
	return string(out), err
}

// A base proof and a derived one are their headers and parts of fixed lengths.
func TestBBSValues(t *testing.T) {
	l := newLab(t)
	signed := l.sign(bbs, credential)
	header, base := open(t, signed)
	if !bytes.Equal(header, []byte{0xd9, 0x5d, 2}) || len(base) != 5 {
		t.Fatalf("the base proof has the header %x and %d parts", header, len(base))
	}
	for i, want := range []int{80, 64, 96, 32} {
		if got := len(base[i].([]byte)); got != want {
			t.Errorf("part %d of the base proof is %d bytes, want %d", i, got, want)
		}
	}
	if !bytes.Equal(base[2].([]byte), l.key(bbs).Public().Bytes()[2:]) {
		t.Error("the public key in the base proof is not the issuer's")
	}
	l.refuse("a base proof", signed, verErr)

	header, shown := open(t, l.derive(signed, "/credentialSubject/degree"))
	if !bytes.Equal(header, []byte{0xd9, 0x5d, 3}) || len(shown) != 5 {
		t.Fatalf("the derived proof has the header %x and %d parts", header, len(shown))
	}
	labels := shown[1].(map[any]any)
	var ranks []uint64
	for _, rank := range labels {
		ranks = append(ranks, rank.(uint64))
	}
	slices.Sort(ranks)
	if len(slices.Compact(ranks)) != len(labels) {
		t.Errorf("the label map has one label twice: %v", labels)
	}
}

// Nothing of the base signature is in a presentation, and two presentations of one selection share nothing
// but what follows from what they disclose.
func TestBBSUnlinkable(t *testing.T) {
	l := newLab(t)
	signed := l.sign(bbs, credential)
	_, base := open(t, signed)
	first, second := l.derive(signed, "/credentialSubject/degree"), l.derive(signed, "/credentialSubject/degree")
	l.accept("first", first)
	l.accept("second", second)
	if a, b := setProof(t, first, "proofValue", nil), setProof(t, second, "proofValue", nil); a != b {
		t.Errorf("the documents differ:\n%s\n%s", a, b)
	}

	_, a := open(t, first)
	_, b := open(t, second)
	if fmt.Sprint(a[1:]) != fmt.Sprint(b[1:]) {
		t.Errorf("labels and indexes differ: %v, %v", a[1:], b[1:])
	}
	proof, other := a[0].([]byte), b[0].([]byte)
	for _, secret := range [][]byte{other, base[0].([]byte), base[1].([]byte), base[2].([]byte), base[3].([]byte)} {
		for i := range len(secret) - 8 {
			if bytes.Contains(proof, secret[i:i+8]) {
				t.Fatalf("eight bytes of %x are in the proof", secret)
			}
		}
	}

	again := l.sign(bbs, credential)
	_, c := open(t, l.derive(again, "/credentialSubject/degree"))
	_, renewed := open(t, again)
	if bytes.Equal(base[3].([]byte), renewed[3].([]byte)) {
		t.Error("two base proofs have one HMAC key")
	}
	if len(c[0].([]byte)) != len(proof) {
		t.Error("the length of the proof depends on more than the document and the selection")
	}
}

// What a forger can change is refused.
func TestBBSForgery(t *testing.T) {
	l := newLab(t)
	signed := l.sign(bbs, credential)
	doc := l.derive(signed, "/credentialSubject/degree", "/credentialSubject/result/1")
	l.accept("honest", doc)
	_, base := open(t, signed)
	_, other := open(t, l.derive(l.sign(bbs, credential), "/credentialSubject/degree", "/credentialSubject/result/1"))
	list := func(v any) []any { return v.([]any) }

	for name, f := range map[string]func(p parts) any{
		"base signature in place of a proof": func(p parts) any { p[0] = base[0]; return p },
		"proof of another credential":        func(p parts) any { p[0] = other[0]; return p },
		"proof shorter":                      func(p parts) any { b := p[0].([]byte); p[0] = b[:len(b)-32]; return p },
		"proof cut":                          func(p parts) any { b := p[0].([]byte); p[0] = b[:len(b)-1]; return p },
		"proof empty":                        func(p parts) any { p[0] = []byte{}; return p },
		"label map empty":                    func(p parts) any { p[1] = map[uint64]uint64{}; return p },
		"label twice": func(p parts) any {
			m := p[1].(map[any]any)
			m[uint64(0)] = m[uint64(1)]
			return p
		},
		"labels swapped": func(p parts) any {
			m := p[1].(map[any]any)
			m[uint64(0)], m[uint64(1)] = m[uint64(1)], m[uint64(0)]
			return p
		},
		"label of a blank node that is not there": func(p parts) any { p[1].(map[any]any)[uint64(99)] = uint64(99); return p },
		"mandatory index removed":                 func(p parts) any { p[2] = list(p[2])[1:]; return p },
		"mandatory index twice":                   func(p parts) any { m := list(p[2]); p[2] = append(m, m[len(m)-1]); return p },
		"mandatory index out of range":            func(p parts) any { p[2] = append(list(p[2]), uint64(1<<31)); return p },
		"selective index removed":                 func(p parts) any { p[3] = list(p[3])[1:]; return p },
		"selective index twice":                   func(p parts) any { list(p[3])[1] = list(p[3])[0]; return p },
		"selective index out of range":            func(p parts) any { list(p[3])[len(list(p[3]))-1] = uint64(1 << 31); return p },
		"selective indexes descend":               func(p parts) any { slices.Reverse(list(p[3])); return p },
		"presentation header":                     func(p parts) any { p[4] = []byte("x"); return p },
		"part missing":                            func(p parts) any { return p[:4] },
		"part more":                               func(p parts) any { return append(p, []byte{}) },
		"list for bytes":                          func(p parts) any { p[4] = []any{}; return p },
	} {
		l.refuse(name, change(t, doc, f), verErr)
	}

	for name, change := range map[string]func(m map[string]any){
		"value":           func(m map[string]any) { subjectOf(m)["degree"].(map[string]any)["level"] = "Doctor" },
		"mandatory value": func(m map[string]any) { m["issuer"] = "https://mallory.example" },
		"value added":     func(m map[string]any) { subjectOf(m)["alumniOf"] = "The School" },
		"value removed":   func(m map[string]any) { delete(subjectOf(m), "degree") },
		"created":         func(m map[string]any) { proofOf(m)["created"] = "2025-07-01T10:00:01Z" },
	} {
		l.refuse(name, edit(t, doc, change), verErr)
	}

	// A feature that the issuer did not use: its header alone, and with its parts.
	header, p := open(t, doc)
	for tag := range byte(8) {
		if tag+2 != header[2] {
			l.refuse(fmt.Sprintf("header %d", tag+2), reseal(t, doc, []byte{0xd9, 0x5d, tag + 2}, p), verErr)
		}
	}
	total := uint64(len(p[0].([]byte)))/32 + uint64(len(list(p[3])))
	for n := range total {
		l.refuse("as one of a holder", reseal(t, doc, []byte{0xd9, 0x5d, 5}, append(slices.Clone(p), n)), verErr)
	}
	for _, tail := range [][]byte{{0}, {0xf6}} {
		l.refuse("trailing bytes", sealBytes(t, doc, append(value(t, doc), tail...)), verErr)
	}
}

// A holder that changes its base proof or the document makes nothing that verifies, and bad parts are errors.
func TestBBSHolder(t *testing.T) {
	l := newLab(t)
	signed := l.sign(bbs, credential)
	for name, f := range map[string]func(p parts) any{
		"signature cut":    func(p parts) any { p[0] = p[0].([]byte)[1:]; return p },
		"header cut":       func(p parts) any { p[1] = p[1].([]byte)[1:]; return p },
		"public key cut":   func(p parts) any { p[2] = p[2].([]byte)[1:]; return p },
		"public key zeros": func(p parts) any { p[2] = make([]byte, 96); return p },
		"HMAC key cut":     func(p parts) any { p[3] = p[3].([]byte)[1:]; return p },
		"pointers":         func(p parts) any { p[4] = []any{1}; return p },
		"too few":          func(p parts) any { return p[:4] },
		"bad point": func(p parts) any {
			p[0] = append([]byte{0xc0}, make([]byte, 79)...)
			return p
		},
	} {
		_, err := l.tryDerive(change(t, signed, f), "/name")
		var e *problem.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, changed := range map[string]string{
		"document":      strings.Replace(signed, "The School", "A School", 1),
		"signed header": change(t, signed, func(p parts) any { p[1].([]byte)[0] ^= 1; return p }),
		"HMAC key":      change(t, signed, func(p parts) any { p[3].([]byte)[0] ^= 1; return p }),
		"pointers":      change(t, signed, func(p parts) any { p[4] = []any{"/name"}; return p }),
	} {
		l.refuse(name, l.derive(changed, "/credentialSubject/alumniOf", "/credentialSubject/result"), verErr)
	}
}

// Pointers at random select the same with both paths to the statements, and what is derived verifies.
func TestBBSPointers(t *testing.T) {
	l := newLab(t)
	stock := engineWith(t, canon.Stock, canon.RDFC, contexts.Embedded())
	all := []string{"/name", "/type", "/credentialSubject/id", "/credentialSubject/alumniOf",
		"/credentialSubject/degree", "/credentialSubject/degree/level", "/credentialSubject/notes/1",
		"/credentialSubject/steps", "/credentialSubject/result/0", "/credentialSubject/result/2/grade",
		"/validFrom"}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 12 {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		c := l.rdfc
		if i%4 == 0 {
			c = stock
		}
		suite := vcdm.BBS2023(c, vcdm.SDOptions{Mandatory: all[:r.IntN(3)]})
		signed, err := (&vcdm.Signer{Suite: suite, Key: l.key(bbs)}).Add(context.Background(),
			[]byte(credential), l.options(bbs).AppendJSON(nil, bbs))
		if err != nil {
			t.Fatal(err)
		}
		l.accept(fmt.Sprint(all), l.derive(string(signed), all[3:4+r.IntN(6)]...))
	}
	signed := l.sign(bbs, credential)
	l.accept("what is mandatory alone", l.derive(signed))
	l.accept("everything", l.derive(signed, ""))
}

// The optional features: only who has the secrets derives, and a pseudonym belongs to one domain.
func TestBBSFeatures(t *testing.T) {
	l := newLab(t)
	wantHidden := hidden(t, l.derive(l.sign(bbs, credential), "/credentialSubject/degree"))
	for f := vcdm.HolderBinding; f <= vcdm.BindingPseudonym; f++ {
		holder, err := vcdm.CommitBBS(f)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := l.bbsSign(credential, vcdm.BBSOptions{Feature: f, Commitment: holder.Commitment})
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if b := value(t, signed); b[2] != 2+2*byte(f) {
			t.Errorf("%s: the base proof begins with %x", f, b[:3])
		}

		o := vcdm.BBSOptions{Holder: holder, Domain: "shop.example", Header: []byte("now")}
		shown, err := l.bbsDerive(signed, o, "/credentialSubject/degree")
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		l.accept(f.String(), shown)
		if hides := hidden(t, shown); hides != wantHidden {
			t.Errorf("%s: %q, without an optional feature %q", f, hides, wantHidden)
		}

		other, err := vcdm.CommitBBS(f)
		if err != nil {
			t.Fatal(err)
		}
		o.Holder = other
		if _, err := l.bbsDerive(signed, o, "/name"); err == nil {
			t.Errorf("%s: another holder derives", f)
		}
		o.Holder = nil
		if _, err := l.bbsDerive(signed, o, "/name"); err == nil {
			t.Errorf("%s: who has no secrets derives", f)
		}
		if _, err := l.bbsSign(credential, vcdm.BBSOptions{Feature: f, Commitment: holder.Commitment[1:]}); err == nil {
			t.Errorf("%s: a cut commitment is signed", f)
		}
		holder.Commitment[60] ^= 1
		if _, err := l.bbsSign(credential, vcdm.BBSOptions{Feature: f, Commitment: holder.Commitment}); err == nil {
			t.Errorf("%s: a commitment that was changed is signed", f)
		}

		last := func(p parts) uint64 { return p[len(p)-1].(uint64) }
		l.refuse("number of messages", change(t, shown, func(p parts) any { p[len(p)-1] = last(p) - 1; return p }),
			verErr)
		if f == vcdm.HolderBinding {
			continue
		}
		pseudonym := func(domain string) []byte {
			doc, err := l.bbsDerive(signed, vcdm.BBSOptions{Holder: holder, Domain: domain}, "/name")
			if err != nil {
				t.Fatal(err)
			}
			l.accept(domain, doc)
			_, p := open(t, doc)
			return p[6].([]byte)
		}
		if !bytes.Equal(pseudonym("a.example"), pseudonym("a.example")) ||
			bytes.Equal(pseudonym("a.example"), pseudonym("b.example")) {
			t.Errorf("%s: a pseudonym is not that of its domain", f)
		}
		l.refuse("domain", change(t, shown, func(p parts) any { p[5] = "other.example"; return p }), verErr)
		l.refuse("pseudonym", change(t, shown, func(p parts) any { p[6] = pseudonym("c.example"); return p }),
			verErr)
	}
}

// A holder cannot show what it has committed to as a statement of the issuer.
func TestBBSCommittedStatement(t *testing.T) {
	l := newLab(t)
	holder, err := vcdm.CommitBBS(vcdm.HolderBinding)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := l.bbsSign(credential, vcdm.BBSOptions{Feature: vcdm.HolderBinding, Commitment: holder.Commitment})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := l.bbsDerive(signed, vcdm.BBSOptions{Holder: holder}, "/name")
	if err != nil {
		t.Fatal(err)
	}
	_, p := open(t, shown)
	total := p[5].(uint64)
	for _, index := range []uint64{total, total + 1} {
		l.refuse("index of the holder's", change(t, shown, func(p parts) any {
			indexes := p[3].([]any)
			indexes[len(indexes)-1] = index
			return p
		}), verErr)
	}
}

// What links presentations is named, and only of derived proofs of bbs-2023.
func TestLinks(t *testing.T) {
	l := newLab(t)
	signed := l.sign(bbs, credential)
	for doc, want := range map[string]string{
		l.derive(signed, "/credentialSubject/degree", "/validFrom"): "/id /credentialSubject/id /validFrom /proof/created /proof/verificationMethod " +
			"/proof/proofValue /proof/proofValue every",
		signed:                      "",
		l.present(sd, credential):   "",
		`{"@context":[],"type":[]}`: "",
	} {
		links, err := vcdm.Links([]byte(doc), canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var at []string
		for _, link := range links {
			first, _, _ := strings.Cut(strings.ReplaceAll(link, ":", ""), " ")
			at = append(at, first)
		}
		if got := strings.Join(at, " "); got != want {
			t.Errorf("the links are %q, want %q", got, want)
		}
	}
}

// hidden is what the links of a derived proof say of the statements that it hides.
func hidden(t *testing.T, doc string) string {
	t.Helper()
	links, err := vcdm.Links([]byte(doc), canon.Limits{})
	i := slices.IndexFunc(links, func(s string) bool { return strings.HasSuffix(s, " are hidden") })
	if err != nil || i < 0 {
		t.Fatalf("%v: %v", links, err)
	}
	return links[i]
}

// Statements count as signatures, and time is asked for.
func TestBBSLimits(t *testing.T) {
	l := newLab(t)
	l.limits.Signatures = 5
	_, err := l.add(bbs, credential, string(l.options(bbs).AppendJSON(nil, bbs)))
	var limit *canon.LimitError
	if !errors.As(err, &limit) || limit.Limit != "signatures" {
		t.Errorf("issue: %v", err)
	}
	l.limits.Signatures = 0
	signed := l.sign(bbs, credential)
	l.limits.Signatures = 5
	if _, err := l.tryDerive(signed, "/name"); !errors.As(err, &limit) || limit.Limit != "signatures" {
		t.Errorf("derive: %v", err)
	}
	l.limits.Signatures = 0
	shown := l.derive(signed, "/name")
	l.limits.Signatures = 5
	if err := l.verify(shown); !errors.As(err, &limit) || limit.Limit != "signatures" {
		t.Errorf("verify: %v", err)
	}
}

// Keys of BBS come back from their encodings, and what others have of the form is refused.
func TestBBSKeys(t *testing.T) {
	s, err := keys.Generate(keys.BBS)
	if err != nil {
		t.Fatal(err)
	}
	f, err := keys.ParseFile(s.MultikeyJSON())
	if err != nil || !f.Public.Equal(s.Public()) || f.Secret.Multikey() != s.Multikey() {
		t.Fatalf("a key file does not come back: %v", err)
	}
	if p, err := keys.ParseMethod(s.Public().Method()); err != nil || !p.Equal(s.Public()) {
		t.Errorf("did:key: %v", err)
	}
	if !strings.HasPrefix(s.Public().Multikey(), "zUC7") {
		t.Errorf("the Multikey is %s", s.Public().Multikey())
	}
	message := []byte("message")
	sig, err := s.Sign(message)
	if err != nil || !s.Public().Verify(message, sig) || s.Public().Verify([]byte("other"), sig) {
		t.Errorf("a signature does not verify: %v", err)
	}
	other, err := keys.Generate(keys.EdDSA)
	if err != nil {
		t.Fatal(err)
	}
	if s.Public().Equal(other.Public()) || other.Public().Equal(s.Public()) {
		t.Error("keys of two algorithms are equal")
	}
	if _, err := other.SignAll(nil, nil); err == nil {
		t.Error("an Ed25519 key signs a list")
	}
	if s.Public().COSE() != nil || s.Crypto() != nil || s.Public().Crypto() != nil {
		t.Error("a key for BBS has a form that no specification gives it")
	}
}
