package jsonld_test

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/jsonld"
)

// finderContexts hold every kind of term.
var finderContexts = jsonld.Map{
	"https://c.example/all": []byte(`{"@context":{"@version":1.1,"id":"@id","type":"@type","graph":"@graph","nest":"@nest","val":"@value","none":"@none",
		"p":"u:p","q":"u:q","r":{"@id":"u:r","@type":"@id"},"v":{"@id":"u:v","@type":"@vocab"},"w":"u:w","gone":null,"d":{"@id":"u:d","@type":"u:dt"},"j":{"@id":"u:j","@type":"@json"},
		"list":{"@id":"u:list","@container":"@list"},"rlist":{"@id":"u:rlist","@type":"@id","@container":"@list"},"set":{"@id":"u:set","@container":"@set"},
		"lang":{"@id":"u:lang","@container":["@language","@set"]},"ix":{"@id":"u:ix","@container":"@index"},"pix":{"@id":"u:pix","@container":"@index","@index":"q"},
		"rpix":{"@id":"u:rpix","@container":"@index","@index":"r"},"ids":{"@id":"u:ids","@container":["@id","@set"]},"rids":{"@id":"u:rids","@type":"@id","@container":"@id"},
		"types":{"@id":"u:types","@container":"@type"},"vtypes":{"@id":"u:vtypes","@type":"@vocab","@container":"@type"},"g":{"@id":"u:g","@container":"@graph"},
		"rg":{"@id":"u:rg","@type":"@id","@container":["@graph","@set"]},"gids":{"@id":"u:gids","@container":["@graph","@id"]},"gix":{"@id":"u:gix","@container":["@graph","@index"]},
		"gpix":{"@id":"u:gpix","@container":["@graph","@index","@set"],"@index":"q"},"back":{"@reverse":"u:back"},"rback":{"@reverse":"u:rback","@type":"@id","@container":"@set"},
		"bpix":{"@reverse":"u:bpix","@container":"@index","@index":"q"},"T":{"@id":"u:T","@context":{"p":"u:p-of-T","t":"u:t"}},
		"scope":{"@id":"u:scope","@context":{"s":"u:s","r":null,"q":null}},"still":{"@id":"u:still","@context":{"@propagate":false,"m":"u:m"}},
		"nst":{"@id":"@nest","@context":{"z":"u:z"}},"en":{"@id":"u:en","@language":"en"},"rtl":{"@id":"u:rtl","@direction":"rtl"},"bad":{"@id":"_:bad"},"bdt":{"@id":"u:bdt","@type":"u:a b"}}}`),
}

// finderDocuments lose nothing. No value occurs twice in one of them.
var finderDocuments = []string{
	`{"@context":"https://c.example/all","id":"u:1","type":"u:Type","p":"a","r":"u:2","d":"b","q":{"id":"u:3","p":"c"}}`,
	`{"@context":"https://c.example/all","id":"u:1","type":["T","u:U"],"t":"a","v":"w","scope":{"s":"b"},"set":{"id":"u:2","d":"c"}}`,
	`{"@context":"https://c.example/all","id":"u:1","type":["T","u:U"],"p":"a","t":"b","v":"w","q":{"type":"u:V","p":"c","r":"u:2"},"set":["d","e"],"scope":{"s":"f"},"still":{"m":"g","p":"h"}}`,
	`{"@context":"https://c.example/all","id":"u:1","list":["a",["b","c"],{"id":"u:2","p":"d"}],"rlist":["u:3","u:4"],"q":{"@list":["e",{"p":"f"}]},"j":{"k":["g",null,1.5,[]]},"p":[1,true,2.5]}`,
	`{"@context":"https://c.example/all","id":"u:1","lang":{"en":"a","de":["b","c"],"none":"d"},"pix":{"e":{"id":"u:2"},"f":[{"p":"g"},{"p":"h"}]},"rpix":{"u:3":{"p":"i"}},"p":{"@value":"j","@language":"fr"},"q":{"@value":"k","@type":"u:dt"},"en":"l"}`,
	`{"@context":"https://c.example/all","id":"u:1","ids":{"u:2":{"p":"a"},"none":{"p":"b"},"u:3":{"id":"u:3","p":"c"}},"types":{"u:T1":{"p":"d"},"u:T2":"u:4"},"vtypes":{"T":{"t":"e"},"u:T3":"w"}}`,
	`{"@context":"https://c.example/all","id":"u:1","g":{"id":"u:2","p":"a"},"rg":[{"id":"u:3","p":"b"},{"p":"c"}],"gids":{"u:g1":{"p":"d"},"none":[{"p":"e"},{"p":"f"}]},"gpix":{"g":{"p":"h"}},"gix":{"none":{"p":"i"}},"graph":[{"id":"u:4","p":"j"},{"p":"k"}]}`,
	`{"@context":"https://c.example/all","id":"u:1","p":"a","back":[{"id":"u:2","p":"b"},{"p":"c"}],"rback":["u:3"],"bpix":{"d":{"p":"e"}},"@reverse":{"p":{"id":"u:4","q":"f"}},"@included":[{"id":"u:5","p":"g"},{"p":"h"}],"nest":{"q":"i","nest":[{"r":"u:6"},{"nst":{"z":"j"}}]}}`,
	`{"@context":["https://c.example/all",{"@vocab":"u:voc#","@base":"u:base/"}],"id":"1","type":"Type","p":"a","other":{"v":["w","unknown"],"r":"rel","more":["b",{"id":"2","third":"c"}]},"ids":{"3":{"word":"d"}}}`,
	`{"@context":["https://c.example/all",{"@language":"en","@direction":"ltr"}],"@graph":[{"id":"u:1","p":"a","rtl":"b","lang":{"de":"c"}},{"id":"u:2","p":{"@value":"d","@direction":"rtl"},"q":5}]}`,
	`{"@context":[{"@propagate":false,"p":"u:p"},"https://c.example/all"],"p":"a","q":{"@context":{"c":"u:c"},"c":"b","r":{"id":"_:b","p":"c"}},"r":"_:b","set":{"@set":["d"]}}`,
	`{"@context":["https://c.example/all",{"@vocab":"rel/","rp":{"@type":"@id"}}],"id":"u:1","p":"a","q":{"scope":{"s":"b"}},"ids":{"u:2":{"p":"c"}}}`,
	`[{"@id":"u:1","@type":"u:T","u:p":[{"@value":"a"},{"@id":"u:2","u:q":"b"}],"u:l":{"@list":["c",{"@value":"d","@language":"en"}]}},{"@id":"u:3","@graph":[{"u:p":"e"}],"u:q":"f"}]`,
}

// Words of insertions.
var (
	finderTerms = []string{"id", "type", "graph", "nest", "val", "none", "p", "q", "r", "v", "w", "gone", "d", "j", "list", "rlist", "set", "lang", "ix", "pix", "rpix", "ids",
		"rids", "types", "vtypes", "g", "rg", "gids", "gix", "gpix", "back", "rback", "bpix", "T", "scope", "still", "nst", "en", "rtl", "bad", "bdt", "s", "t", "m", "z", "c", "rp",
		"@id", "@type", "@graph", "@nest", "@value", "@none", "@list", "@set", "@language", "@direction", "@index", "@included", "@reverse", "@context", "@json", "@vocab", "@base", "@version"}
	finderOthers = []string{"@alice", "@Mathematics", "@alice1", "unknown", "u:x", "_:x", "1:x", "u:<x", "rel/x", ""}
	finderTexts  = []string{"@alice", "@Mathematics", "@type", "@id", "@none", "@json", "@alice1", "gone", "w", "T", "", "rel", "u:a b", "u:x", "u:1", "u:2", "_:y", "ltr", "rtl", "en", "en_US",
		"http://www.w3.org/2001/XMLSchema#string"}
	finderOdd = []string{`{"@value":null}`, `{"@set":[],"@index":"i"}`, `{"@list":[null]}`, `{"@id":"@alice"}`, `{"@type":[]}`, `{"@language":"de"}`, `{"@direction":"rtl"}`, `{"@index":"i"}`,
		`{"@nest":{"@context":{}}}`, `{"@reverse":{"@context":{}}}`, `{"@graph":[]}`, `{"@included":[]}`, `{"@value":"v","@index":"i"}`, `{"@value":5,"@direction":"rtl"}`, `{"@id":"u:x"}`,
		`{"@value":"v","@language":"en_US"}`, `{"@value":"v","@type":"_:t"}`, `{"@graph":["x"]}`, `{"@id":"u:x","p":[]}`, `{"pix":{"k":{"p":"x"}}}`, `{"@value":"v","@direction":"ltr"}`, `{"@set":["x"],"@index":"i"}`}
	finderOften = []string{"@alice", "@language", "@direction", "@index", "@context", "@set", "@nest", "@reverse"}
	finderLocal = []string{`{}`, `[]`, `null`, `{"unused":"u:unused"}`, `{"p":"u:other"}`, `{"@language":"de"}`, `{"@vocab":"u:v2#"}`, `{"gone":"u:gone"}`, `"https://c.example/all"`, `{"@propagate":false}`, `7`}
)

// dice are the choices of one search: first those that bytes make, then random ones.
type dice struct {
	*rand.Rand
	bytes []byte
	more  rand.PCG
	words int
}

func (d *dice) Uint64() uint64 {
	n := d.more.Uint64()
	if len(d.bytes) > 0 {
		n = n>>8 | uint64(d.bytes[0])<<56
		d.bytes = d.bytes[1:]
	}
	return n
}

func newDice(seed []byte) *dice {
	d := &dice{bytes: seed}
	d.more.Seed(uint64(len(seed)), binary.LittleEndian.Uint64(append(slices.Clip(seed), make([]byte, 8)...)))
	d.Rand = rand.New(d)
	return d
}

func pick[T any](d *dice, from []T) T { return from[d.IntN(len(from))] }

// text returns a text that stands nowhere else, or one that means something.
func (d *dice) text() string {
	d.words++
	switch d.IntN(4) {
	case 0:
		return fmt.Sprint("x", d.words)
	case 1:
		return fmt.Sprint("u:n", d.words)
	}
	return pick(d, finderTexts)
}

func (d *dice) key() string {
	d.words++
	switch d.IntN(8) {
	case 0:
		return fmt.Sprint("u:k", d.words)
	case 1, 2:
		return pick(d, finderOften)
	case 3:
		return pick(d, finderOthers)
	}
	return pick(d, finderTerms)
}

// value returns anything.
func (d *dice) value(depth int) any {
	d.words++
	switch n := d.IntN(14); {
	case n > 11:
		return parsed(pick(d, finderOdd))
	case n < 4:
		return d.text()
	case n == 4:
		return pick(d, []any{nil, true, false, json.Number(fmt.Sprint(d.words)), json.Number("1.0"), json.Number("9007199254740993")})
	case n < 7:
		return pick(d, []any{[]any{}, map[string]any{}, map[string]any{"@set": []any{}}, map[string]any{"@list": []any{}}, []any{[]any{}}})
	case n < 9 && depth < 3:
		a := make([]any, d.IntN(3))
		for i := range a {
			a[i] = d.value(depth + 1)
		}
		return a
	case depth < 3:
		o := map[string]any{}
		for range d.IntN(3) {
			k := d.key()
			o[k] = d.member(k, depth+1)
		}
		return o
	}
	return d.text()
}

// member returns a value for a key; half of them are such as it may have.
func (d *dice) member(key string, depth int) any {
	switch key {
	case "@context":
		return parsed(pick(d, finderLocal))
	case "id", "@id", "type", "@type", "@language", "@direction", "@index", "@value", "val":
		if d.IntN(2) == 0 {
			return d.text()
		}
	}
	if finderMaps[key] != "" && d.IntN(2) == 0 {
		return map[string]any{d.text(): d.value(depth + 1)}
	}
	return d.value(depth)
}

func parsed(text string) (v any) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// kind of an edit.
type kind uint8

const (
	insertion kind = iota
	change         // also to nothing, and of a key
	retelling      // of a leaf, by another text
)

// edit changes one place of a document that is no part of a @context. It returns the new value.
func (d *dice) edit(v any, as kind) any {
	var places []func()
	var walk func(v any, set func(any))
	walk = func(v any, set func(any)) {
		switch v := v.(type) {
		case []any:
			if as == insertion {
				places = append(places, func() { i := d.IntN(len(v) + 1); set(slices.Insert(slices.Clone(v), i, d.value(0))) })
			}
			for i := range v {
				if as == change {
					places = append(places, func() { set(slices.Delete(slices.Clone(v), i, i+1)) })
				}
				walk(v[i], func(n any) { v[i] = n })
			}
		case map[string]any:
			if as == insertion {
				places = append(places, func() {
					if k := d.key(); v[k] == nil {
						v[k] = d.member(k, 0)
					}
				})
			}
			for _, k := range slices.Sorted(maps.Keys(v)) {
				if k == "@context" {
					continue
				}
				switch as {
				case insertion: // beside what is there
					places = append(places, func() { v[k] = []any{v[k], d.value(0)} })
				case change:
					places = append(places, func() { delete(v, k) }, func() { o := v[k]; delete(v, k); v[d.key()] = o }, func() { o := v[k]; delete(v, k); v[d.text()] = o })
				}
				walk(v[k], func(n any) { v[k] = n })
			}
		default:
			switch as {
			case change:
				places = append(places, func() { set(d.value(2)) })
			case retelling:
				places = append(places, func() { set(d.text()) })
			}
		}
	}
	root := []any{v}
	walk(v, func(n any) { root[0] = n })
	if len(places) > 0 {
		pick(d, places)()
	}
	return root[0]
}

// finder looks for documents that differ and have one form, though the table of the package documentation does not say so.
type finder struct {
	t                          *testing.T
	warm, cold                 *jsonld.Processor
	changed, refused, harmless int // edits
}

func newFinder(t *testing.T) *finder {
	return &finder{t: t, cold: jsonld.New(jsonld.Config{Loader: finderContexts, State: jsonld.Embedded})}
}

// form returns the canonical form of a document, read with contexts that are compiled anew and with kept ones.
func (f *finder) form(doc []byte, direction string) (string, error) {
	opt := jsonld.Options{RDFDirection: direction}
	want, err := form(f.t, f.cold, doc, opt)
	for range 2 {
		if got, err2 := form(f.t, f.warm, doc, opt); got != want || fmt.Sprint(err) != fmt.Sprint(err2) {
			f.t.Fatalf("%s\n kept %q %v\nwant %q %v", doc, got, err2, want, err)
		}
	}
	return want, err
}

// search edits a document some times; edits that change the form stay in.
func (f *finder) search(seed []byte, edits int) {
	d := newDice(seed)
	f.warm = jsonld.New(jsonld.Config{Loader: finderContexts})
	direction := pick(d, []string{"", canon.I18nDatatype, canon.CompoundLiteral})
	doc := pick(d, finderDocuments)
	if strings.Contains(doc, "@direction") && direction == "" {
		direction = canon.I18nDatatype
	}
	before, err := f.form([]byte(doc), direction)
	if err != nil {
		f.t.Fatalf("%s: %v", doc, err)
	}
	kinds := pick(d, [][]kind{{retelling}, {insertion, insertion, change, retelling}})
	for range edits {
		text, err := json.Marshal(d.edit(parsed(doc), pick(d, kinds)))
		if err != nil {
			f.t.Fatal(err)
		}
		after, err := f.form(text, direction)
		var limit *canon.LimitError
		switch {
		case errors.As(err, &limit):
		case err != nil:
			f.refused++
		case after != before:
			f.changed++
			if len(text) < 1500 && d.IntN(4) == 0 {
				doc, before = string(text), after
			}
		default:
			f.harmless++
			if was, is := plainly(doc), plainly(string(text)); was != is {
				f.t.Fatalf("the same form and no error:\n%s\n%s\nwhich is\n%s\n%s\nform\n%s", doc, text, was, is, before)
			}
			if d.IntN(4) == 0 {
				doc = string(text)
			}
		}
	}
}

// plainly writes a document without what the table of the package documentation calls harmless.
func plainly(doc string) string {
	all := elements(parsed(doc), "")
	blanks := map[string]int{}
	countBlanks(all, blanks)
	all = union(unlabel(all, blanks))
	for len(all) == 1 { // free nodes
		m, _ := all[0].(map[string][]any)
		nodes := append(m["@graph"], m["@included"]...)
		if len(m) != 1 || nodes == nil {
			break
		}
		all = nodes
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// countBlanks counts where blank node labels are used.
func countBlanks(all []any, n map[string]int) {
	for _, e := range all {
		switch e := e.(type) {
		case []any:
			countBlanks(e, n)
		case map[string][]any:
			for k, v := range e {
				for _, id := range v {
					if k == "@id" || k == "@type" {
						n[fmt.Sprint(id)]++
					}
				}
				countBlanks(v, n)
			}
		}
	}
}

// unlabel takes away the labels of blank nodes that are used once.
func unlabel(all []any, n map[string]int) []any {
	out := []any{}
	for _, e := range all {
		switch v := e.(type) {
		case []any:
			e = unlabel(v, n)
		case map[string][]any:
			m := map[string][]any{}
			for k := range v {
				switch k {
				case "j":
					m[k] = v[k]
				case "@id", "@type":
					for _, id := range v[k] {
						switch text := fmt.Sprint(id); {
						case !strings.HasPrefix(text, "_:") || n[text] > 1:
							m[k] = append(m[k], id)
						case k == "@type":
							m[k] = append(m[k], "_:")
						}
					}
				default:
					m[k] = union(unlabel(v[k], n))
				}
			}
			e = m
		}
		out = append(out, e)
	}
	return out
}

var (
	finderAliases = map[string]string{"id": "@id", "type": "@type", "graph": "@graph", "nest": "@nest", "nst": "@nest", "val": "@value", "none": "@none"}
	// Terms with a map, and what a key of it says of a node under it.
	finderMaps = map[string]string{"lang": "@language", "ix": "@index", "gix": "@index", "pix": "q", "gpix": "q", "bpix": "q", "rpix": "r", "ids": "@id", "rids": "@id", "gids": "@id", "types": "@type", "vtypes": "@type"}
)

// elements returns the elements of a value that is a set: what stands in arrays and sets in it.
func elements(v any, key string) []any { return union(flat(nil, v, key)) }

// union returns what stands in a set, each once and in order, and nodes of one id as one.
func union(all []any) []any {
	texts, nodes := map[string]any{}, map[string]map[string][]any{}
	for _, e := range all {
		if m, ok := e.(map[string][]any); ok && len(m["@id"]) == 1 {
			id := fmt.Sprint(m["@id"])
			if nodes[id] == nil {
				nodes[id] = map[string][]any{}
			}
			for k := range m {
				nodes[id][k] = union(append(nodes[id][k], m[k]...))
			}
			continue
		}
		text, _ := json.Marshal(e)
		texts[string(text)] = e
	}
	for _, m := range nodes {
		text, _ := json.Marshal(m)
		texts[string(text)] = m
	}
	var out []any
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		out = append(out, texts[text])
	}
	return out
}

func flat(out []any, v any, key string) []any {
	if _, ok := v.(map[string]any); !ok && finderMaps[key] != "" {
		key = "" // what stands in an array is no map
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			out = flat(out, e, key)
		}
		return out
	case map[string]any:
		if set, ok := setIn(v); ok {
			if i, ok := v["@index"]; ok {
				out = append(out, map[string][]any{"@index": {i}})
			}
			return flat(out, []any{set}, key)
		}
		if as := finderMaps[key]; as != "" {
			for k, e := range v {
				all := elements(e, "")
				if len(all) == 0 {
					all = []any{nil}
				}
				for _, e := range all {
					m, ok := e.(map[string][]any)
					if !ok {
						m = map[string][]any{"value": {e}}
						if _, ok := e.(string); ok && slices.Contains([]string{"rids", "types", "vtypes"}, key) {
							m = map[string][]any{"@id": {e}}
						}
					}
					if name := scalar(cmp.Or(finderAliases[k], k), as); name != "@none" {
						m[as] = union(append(m[as], name))
					}
					out = append(out, m)
				}
			}
			return out
		}
		m := map[string][]any{}
		members(m, v)
		if key == "@reverse" {
			if c, ok := v["@context"]; ok {
				m["@context"] = []any{c}
			}
			if len(m) == 0 {
				return out
			}
		}
		if value := m["@value"]; len(m) == 1 && len(value) == 1 {
			return append(out, value[0])
		}
		return append(out, m)
	}
	return append(out, scalar(v, key))
}

// setIn returns the value of @set of an object.
func setIn(v map[string]any) (any, bool) {
	if set, ok := v["@set"]; ok {
		return set, true
	}
	for k, e := range v {
		if finderAliases[k] == "@nest" || k == "@nest" {
			for _, n := range objects(nil, e) {
				if set, ok := setIn(n); ok {
					return set, true
				}
			}
		}
	}
	return nil, false
}

func scalar(v any, key string) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return f
	case string:
		switch {
		case slices.Contains([]string{"r", "v", "rback", "rlist", "rg"}, key):
			return map[string][]any{"@id": {v}}
		case key == "@language":
			return strings.ToLower(v)
		case key == "@type" && v == "T":
			return "u:T"
		}
	}
	return v
}

// list keeps order and repetitions; arrays, sets and lists in one another are lists where the term has lists.
func list(v any, key string) []any {
	out := []any{}
	all := within(v)
	if all == nil {
		all = []any{v}
	}
	for _, e := range all {
		if key != "@list" && within(e) != nil {
			out = append(out, list(e, key))
		} else {
			out = flat(out, e, key)
		}
	}
	return out
}

// within returns what stands in an array, a set or a list.
func within(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case map[string]any:
		if set, ok := setIn(v); ok {
			return within(set)
		}
		if in, ok := v["@list"]; ok {
			if all := within(in); all != nil {
				return all
			}
			return []any{in}
		}
	}
	return nil
}

func members(m map[string][]any, v map[string]any) {
	for _, k := range slices.Sorted(maps.Keys(v)) {
		e := v[k]
		name := cmp.Or(finderAliases[k], k)
		switch {
		case name == "@context":
			continue
		case name == "@nest":
			for _, n := range objects(nil, e) {
				if c, ok := n["@context"]; ok {
					m["@nest"] = append(m["@nest"], c)
				}
				members(m, n)
			}
			continue
		case k == "j":
			m[k] = append(m[k], e)
			continue
		case k == "list" || k == "rlist" || k == "@list":
			m[k] = append(m[k], list(e, k))
			continue
		}
		all := elements(e, name)
		if len(all) == 0 && slices.Contains(finderTerms, k) {
			continue
		}
		m[name] = union(append(m[name], all...))
	}
	if t := m["@type"]; m["@value"] != nil && len(t) == 1 && t[0] == "http://www.w3.org/2001/XMLSchema#string" {
		delete(m, "@type")
	}
}

// objects returns the objects of @nest.
func objects(out []map[string]any, v any) []map[string]any {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			out = objects(out, e)
		}
	case map[string]any:
		out = append(out, v)
	}
	return out
}

// What an edit changes is in the form, or refused, or in the table.
func TestFinder(t *testing.T) {
	f := newFinder(t)
	rounds := 400
	if raced {
		rounds /= 10 // nothing in it is shared
	}
	for i := range rounds {
		f.search(binary.BigEndian.AppendUint64(nil, uint64(i)*0x9e3779b97f4a7c15), 60)
	}
	t.Logf("edits: %d changed the form, %d were refused, %d are harmless", f.changed, f.refused, f.harmless)
	if !raced && (f.changed < 1000 || f.refused < 1000 || f.harmless < 500) {
		t.Error("some are too few")
	}
}

func FuzzInsertion(f *testing.F) {
	for i := range 20 {
		f.Add(binary.BigEndian.AppendUint64(nil, uint64(i)*0x9e3779b97f4a7c15))
	}
	search := newFinder(nil)
	f.Fuzz(func(t *testing.T, seed []byte) {
		search.t = t
		search.search(seed, 20)
	})
}
