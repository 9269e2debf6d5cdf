package matrix_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/family"
	"canonscope/canon/conform/official"
	"canonscope/canon/conform/race"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
	"canonscope/vcdm/keys"
)

func document(tb testing.TB, schema string) []byte { return credentials(tb, schema, 1)[0].VCDM }

func credentials(tb testing.TB, schema string, n int) []*schemas.Credential {
	tb.Helper()
	g, err := catalogue.Get(schema)
	if err != nil {
		tb.Fatal(err)
	}
	all := make([]*schemas.Credential, n)
	for i := range all {
		if all[i], err = g.Document(1, i); err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

func native(tb testing.TB, loader jsonld.Loader, state jsonld.CacheState) canon.Canonicalizer {
	tb.Helper()
	e, err := engines.Unguarded(canon.Native, canon.RDFC, engines.Config{Loader: loader, Contexts: state})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// canonizes canonicalizes documents and hashes their forms, which it returns.
func canonizes(
	tb testing.TB, name string, e canon.Canonicalizer, opt canon.Options, documents [][]byte,
) (race.Contender, [][]byte) {
	opt.Limits, opt.Into = measure.Limits, new(canon.Form)
	do := func(i int) []byte {
		form, err := e.Canonicalize(context.Background(), documents[i%len(documents)], opt)
		if err != nil {
			tb.Fatal(err)
		}
		if *opt.Into = *form; sha256.Sum256(form.Text) == [sha256.Size]byte{} {
			tb.Fatal("no digest")
		}
		return form.Text
	}
	forms := make([][]byte, len(documents))
	for i := range forms {
		forms[i] = bytes.Clone(do(i))
	}
	return race.Contender{Name: name, Do: func(i int) { do(i) }}, forms
}

// least is the work that nothing can leave out: a scan of each text and the digest of each form.
func least(tb testing.TB, s *fixedScan, texts [][]byte, forms ...[]byte) {
	for _, text := range texts {
		if err := s.run(text); err != nil {
			tb.Fatal(err)
		}
	}
	for _, form := range forms {
		if sha256.Sum256(form) == [sha256.Size]byte{} {
			tb.Fatal("no digest")
		}
	}
}

// BenchmarkFloorCanonize canonicalizes documents, warm, in turns with their floor: a scan of the input and the
// SHA-256 of the canonical bytes; hashing is the floor and the first-degree hashes that RDFC-1.0 needs.
func BenchmarkFloorCanonize(b *testing.B) {
	for _, name := range []string{"simple-20", "ob3", "clr-large", "elm-large",
		"elm-Sample-CertOfPart-unsigned.json", "elm-Sample-MC-Annex1-unsigned-uploadable-json.json"} {
		b.Run(name, func(b *testing.B) {
			var documents [][]byte
			var loader jsonld.Loader = contexts.Embedded()
			if filepath.Ext(name) == ".json" {
				dir := official.Dir(b, "education")
				served, err := contexts.Dir(filepath.Join(dir, "contexts"))
				if err != nil {
					b.Fatal(err)
				}
				doc, err := os.ReadFile(filepath.Join(dir, "examples", name))
				if err != nil {
					b.Fatal(err)
				}
				loader, documents = served, [][]byte{doc}
			} else {
				n := 64
				if len(document(b, name)) > 1<<16 {
					n = 4
				}
				for _, c := range credentials(b, name, n) {
					documents = append(documents, c.VCDM)
				}
			}
			lossy := filepath.Ext(name) == ".json" // samples with data that is lost
			engine, forms := canonizes(b, "native", native(b, loader, jsonld.Warm), canon.Options{Lossy: lossy},
				documents)
			var s fixedScan
			floor := race.Contender{Name: "floor", Do: func(i int) {
				i %= len(documents)
				least(b, &s, documents[i:i+1], forms[i])
			}}
			firsts, text := make([][]int, len(documents)), []byte(nil)
			for i := range firsts {
				firsts[i] = firstDegrees(forms[i])
				text = append(text, make([]byte, max(0, slices.Max(append(firsts[i], 0))-len(text)))...)
			}
			hashing := race.Contender{Name: "hashing", Do: func(i int) {
				i %= len(documents)
				least(b, &s, documents[i:i+1], forms[i])
				for _, size := range firsts[i] { // of one text, which stays in the processor's cache
					least(b, &s, nil, text[:size])
				}
			}}
			allocs := testing.AllocsPerRun(10, func() { engine.Do(0) })
			us := race.Run(b, floor, hashing, engine)
			b.ReportMetric(us["native"]/us["hashing"], "native/hashing")
			b.ReportMetric(allocs, "allocs")
		})
	}
}

// firstDegrees returns the sizes of the texts whose hashes RDFC-1.0 needs of the blank nodes of a form, none if
// there is only one node: the lines of each, with labels of one letter.
func firstDegrees(form []byte) (all []int) {
	sizes := map[string]int{}
	for line := range bytes.Lines(form) {
		labels := map[string]bool{}
		for _, word := range bytes.Fields(line) {
			if bytes.HasPrefix(word, []byte("_:c14n")) {
				labels[string(word)] = true
			}
		}
		for label := range labels {
			sizes[label] += len(line) - bytes.Count(line, []byte("_:c14n"))*(len(label)-len("_:a"))
		}
	}
	if len(sizes) > 1 {
		all = slices.Collect(maps.Values(sizes))
	}
	return all
}

// BenchmarkFloorContexts canonicalizes with contexts kept, applied anew in each call, and loaded, scanned and
// compiled in each call.
func BenchmarkFloorContexts(b *testing.B) {
	for _, name := range []string{"simple-20", "ob3"} {
		b.Run(name, func(b *testing.B) {
			var documents [][]byte
			for _, c := range credentials(b, name, 64) {
				documents = append(documents, c.VCDM)
			}
			var all []race.Contender
			for _, state := range []jsonld.CacheState{jsonld.Warm, jsonld.Embedded, jsonld.Cold} {
				c, _ := canonizes(b, state.String(), native(b, contexts.Embedded(), state), canon.Options{},
					documents)
				all = append(all, c)
			}
			race.Run(b, all...)
		})
	}
}

// BenchmarkFloorQuads canonicalizes N-Quads and reports the process CPU of a quad.
func BenchmarkFloorQuads(b *testing.B) {
	for _, c := range []struct {
		family   string
		shuffled bool
	}{{"tree", false}, {"pairs", false}, {"ground", true}, {"unique", true}} {
		for _, n := range []int{100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", c.family, n), func(b *testing.B) {
				seed := uint64(0)
				if c.shuffled {
					seed = 1
				}
				doc := tree(n)
				if c.family != "tree" {
					doc = family.NQuads(family.Name(c.family), n, seed)
				}
				opt := canon.Options{Input: canon.NQuads, Into: new(canon.Form),
					Limits: canon.Limits{Bytes: 1 << 30, Memory: 4 << 30, Time: -1, Steps: -1, Work: 1 << 40}}
				e := native(b, nil, jsonld.Warm)
				us := race.Run(b, race.Contender{Name: "native", Do: func(int) {
					form, err := e.Canonicalize(context.Background(), doc, opt)
					if err != nil {
						b.Fatal(err)
					}
					*opt.Into = *form
				}})
				b.ReportMetric(us["native"]/float64(n), "us/quad")
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapAlloc)/float64(n), "B/quad") // with the document and its form
				runtime.KeepAlive(e)
			})
		}
	}
}

// tree returns a tree of blank nodes with four children each and a name for each node: n quads.
func tree(n int) []byte {
	var doc []byte
	for i := range n / 2 {
		doc = fmt.Appendf(doc, "_:n%d <https://example.org/vocab#name> \"node %d\" .\n", i, i)
		doc = fmt.Appendf(doc, "_:n%d <https://example.org/vocab#child> _:n%d .\n", i/4, i+1)
	}
	return doc
}

// whole is an exchange of a whole credential: issue and verify, the floor of both, and their signatures.
type whole struct {
	cell     compare.Cell
	exchange []*compare.Exchange
	given    []*schemas.Credential
	issued   [][]byte
	whole    [][]byte
	key      *keys.Secret
}

func newWhole(b testing.TB, cell compare.Cell) *whole {
	b.Helper()
	cell.Engine, cell.Algorithm = canon.Native, keys.EdDSA
	bench, err := matrix.Open(cell)
	if err != nil {
		b.Fatal(err)
	}
	w := &whole{cell: cell, given: credentials(b, cell.Schema, 64)}
	s := compare.Scenario{Granularity: cell.Granularity, Now: measure.Now, Limits: measure.Limits}
	if w.key, _, err = claims.Keys(keys.EdDSA, s); err != nil {
		b.Fatal(err)
	}
	for _, c := range w.given {
		x, err := bench.Format.Prepare(c, s)
		if err != nil {
			b.Fatal(err)
		}
		issued, err := x.Issue()
		if err != nil {
			b.Fatal(err)
		}
		whole, err := x.Whole(issued)
		if err != nil {
			b.Fatal(err)
		}
		w.exchange, w.issued, w.whole = append(w.exchange, x), append(w.issued, issued), append(w.whole, whole)
	}
	return w
}

// run races the floor, the operations and the signatures of messages, and reports what the operations take
// beside the signatures, over the floor.
func (w *whole) run(b *testing.B, floor func(i int), messages [][]byte) {
	us := race.Run(b, race.Contender{Name: "floor", Do: func(i int) { floor(i % 64) }},
		race.Contender{Name: "native", Do: func(i int) {
			x := w.exchange[i%64]
			if _, err := x.Issue(); err != nil {
				b.Fatal(err)
			}
			verify(b, x, w.whole[i%64])
		}},
		race.Contender{Name: "signatures", Do: func(i int) {
			m := messages[i%64]
			if sig, err := w.key.Sign(m); err != nil || !w.key.Public().Verify(m, sig) {
				b.Fatal("signature")
			}
		}})
	b.ReportMetric((us["native"]-us["signatures"])/us["floor"], "unsigned/floor")
	x := w.exchange[0]
	b.ReportMetric(testing.AllocsPerRun(20, func() { x.Issue() }), "issue-allocs")
	b.ReportMetric(testing.AllocsPerRun(20, func() { x.Verify(w.whole[0]) }), "verify-allocs")
}

// BenchmarkFloorSDJWT issues and verifies whole SD-JWT VCs in turns with their floor: the scan of the claims,
// salts, base64 and SHA-256 of the disclosures, base64 of the payload; and to verify, the same read again.
func BenchmarkFloorSDJWT(b *testing.B) {
	b64 := base64.RawURLEncoding
	for _, schema := range []string{"simple-20", "ob3"} {
		for _, g := range []compare.Granularity{compare.Leaf, compare.Branch} {
			b.Run(schema+"/"+g.String(), func(b *testing.B) {
				w := newWhole(b, compare.Cell{Format: compare.SDJWT, Suite: "jws", Schema: schema, Granularity: g,
					Contexts: compare.NoContexts})
				var messages [][]byte
				type parts struct {
					payload, encoded, salts []byte
					disclosures, decoded    [][]byte
				}
				all := make([]parts, 64)
				for i, token := range w.whole {
					pieces := bytes.Split(token, []byte{'~'})
					messages = append(messages, pieces[0][:bytes.LastIndexByte(pieces[0], '.')])
					p := &all[i]
					p.encoded = bytes.Split(pieces[0], []byte{'.'})[1]
					p.payload, _ = b64.AppendDecode(nil, p.encoded)
					for _, d := range pieces[1 : len(pieces)-1] {
						plain, err := b64.AppendDecode(nil, d)
						if err != nil {
							b.Fatal(err)
						}
						p.disclosures, p.decoded = append(p.disclosures, d), append(p.decoded, plain)
					}
					p.salts = make([]byte, 16*len(p.disclosures))
				}
				var s fixedScan
				var buf []byte
				w.run(b, func(i int) {
					p := &all[i]
					least(b, &s, [][]byte{w.given[i].Subject}) // issue
					rand.Read(p.salts)
					buf = b64.AppendEncode(buf[:0], p.payload)
					for k, d := range p.decoded {
						buf = b64.AppendEncode(buf[:0], p.salts[16*k:16*k+16])
						buf = b64.AppendEncode(buf[:0], d)
						sum := sha256.Sum256(buf)
						buf = b64.AppendEncode(buf[:0], sum[:])
					}
					buf, _ = b64.AppendDecode(buf[:0], p.encoded) // verify
					least(b, &s, [][]byte{buf})
					for _, d := range p.disclosures {
						sum := sha256.Sum256(d)
						buf = b64.AppendEncode(buf[:0], sum[:])
						buf, _ = b64.AppendDecode(buf[:0], d)
						least(b, &s, [][]byte{buf})
					}
				}, messages)
			})
		}
	}
}

// BenchmarkFloorMdoc issues and verifies whole mdocs in turns with their floor: the scan of the claims, salts,
// CBOR and SHA-256 of the items; and to verify, CBOR and SHA-256.
func BenchmarkFloorMdoc(b *testing.B) {
	for _, schema := range []string{"simple-20", "ob3"} {
		for _, g := range []compare.Granularity{compare.Leaf, compare.Branch} {
			b.Run(schema+"/"+g.String(), func(b *testing.B) {
				w := newWhole(b, compare.Cell{Format: compare.Mdoc, Suite: "cose-sign1", Schema: schema, Granularity: g,
					Contexts: compare.NoContexts})
				all, messages := make([][][]byte, 64), make([][]byte, 64)
				for i, issued := range w.issued {
					all[i], messages[i] = items(b, issued)
				}
				var s fixedScan
				var c fixedCBOR
				var salts []byte
				w.run(b, func(i int) {
					least(b, &s, [][]byte{w.given[i].Subject}) // issue
					salts = append(salts[:0], make([]byte, 16*len(all[i]))...)
					rand.Read(salts)
					c.out, c.writes = c.out[:0], true
					for _, item := range all[i] {
						c.item(item[bytes.IndexByte(item, 0xa4):], 0)
						least(b, &s, nil, item)
					}
					c.item(messages[i], 0)
					c.writes = false
					if c.item(w.whole[i], 0) != len(w.whole[i]) { // verify
						b.Fatal("not CBOR")
					}
					c.item(messages[i], 0)
					for _, item := range all[i] {
						c.item(item[bytes.IndexByte(item, 0xa4):], 0)
						least(b, &s, nil, item)
					}
				}, messages)
			})
		}
	}
}

// items returns the items of an issued mdoc and its MSO, by their marks in the bytes.
func items(b *testing.B, issued []byte) (all [][]byte, mso []byte) {
	auth := bytes.LastIndex(issued, []byte("\x6aissuerAuth"))
	var c fixedCBOR
	for at := bytes.Index(issued, []byte("\xd8\x18")); at >= 0 && at < auth; {
		end := c.item(issued, at)
		all = append(all, issued[at:end])
		if at = end; issued[at] != 0xd8 {
			break
		}
	}
	from := auth + bytes.Index(issued[auth:], []byte("\xa6\x67version"))
	mso = issued[from:c.item(issued, from)]
	if len(all) == 0 || len(mso) < 100 {
		b.Fatal("no items")
	}
	return all, mso
}

// BenchmarkFloorVCDM issues and verifies whole credentials with eddsa-rdfc-2022 in turns with the floor of
// canonicalizing the document and the proof options, once to issue and once to verify.
func BenchmarkFloorVCDM(b *testing.B) {
	for _, schema := range []string{"simple-20", "ob3"} {
		b.Run(schema, func(b *testing.B) {
			w := newWhole(b, compare.Cell{Format: compare.VCDM, Suite: "eddsa-rdfc-2022", Schema: schema,
				Contexts: compare.Warm})
			var options [][]byte
			for _, issued := range w.whole {
				options = append(options, optionsOf(b, issued))
			}
			e := native(b, contexts.Embedded(), jsonld.Warm)
			var plain [][]byte
			for _, c := range w.given {
				plain = append(plain, c.VCDM)
			}
			_, forms := canonizes(b, "document", e, canon.Options{}, plain)
			_, configs := canonizes(b, "options", e, canon.Options{}, options)
			messages := make([][]byte, 64)
			for i := range messages {
				config, form := sha256.Sum256(configs[i]), sha256.Sum256(forms[i])
				messages[i] = append(config[:], form[:]...)
			}
			var s fixedScan
			w.run(b, func(i int) {
				least(b, &s, [][]byte{plain[i], options[i]}, forms[i], configs[i])
				least(b, &s, [][]byte{w.whole[i]}, forms[i], configs[i])
			}, messages)
		})
	}
}

// optionsOf returns the proof options of a signed document, with its contexts.
func optionsOf(b *testing.B, signed []byte) []byte {
	var d struct {
		Context json.RawMessage `json:"@context"`
		Proof   map[string]json.RawMessage
	}
	if err := json.Unmarshal(signed, &d); err != nil {
		b.Fatal(err)
	}
	delete(d.Proof, "proofValue")
	d.Proof["@context"] = d.Context
	out, err := json.Marshal(d.Proof)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// BenchmarkFloorFormats issues and verifies a whole ob3 in each format in turns.
func BenchmarkFloorFormats(b *testing.B) {
	var all []race.Contender
	for _, c := range []struct {
		name string
		cell compare.Cell
	}{
		{"sd-jwt-leaf", compare.Cell{Format: compare.SDJWT, Suite: "jws"}},
		{"sd-jwt-branch", compare.Cell{Format: compare.SDJWT, Suite: "jws", Granularity: compare.Branch}},
		{"mdoc-leaf", compare.Cell{Format: compare.Mdoc, Suite: "cose-sign1"}},
		{"mdoc-branch", compare.Cell{Format: compare.Mdoc, Suite: "cose-sign1", Granularity: compare.Branch}},
		{"rdfc", compare.Cell{Format: compare.VCDM, Suite: "eddsa-rdfc-2022", Contexts: compare.Warm}},
	} {
		if c.cell.Schema = "ob3"; c.cell.Contexts == "" {
			c.cell.Contexts = compare.NoContexts
		}
		w := newWhole(b, c.cell)
		all = append(all, race.Contender{Name: c.name, Do: func(i int) {
			x := w.exchange[i%64]
			if _, err := x.Issue(); err != nil {
				b.Fatal(err)
			}
			verify(b, x, w.whole[i%64])
		}})
	}
	race.Run(b, all...)
}
