package jsonld_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"weak"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// A plain document has the canonical form of its dataset, the first time and again, and whatever else was read between.
func TestPlain(t *testing.T) {
	const (
		proof  = `{"@version":1.1,"type":"@type","Proof":{"@id":"u:Proof","@context":{"@protected":true,"purpose":{"@id":"u:purpose","@type":"@vocab","@context":{"assert":"u:assert"}},"made":{"@id":"u:made","@type":"u:time"},"by":{"@id":"u:by","@type":"@id"},"suite":"u:suite"}},"text":{"@id":"u:text","@type":"http://www.w3.org/2001/XMLSchema#string"}}`
		others = `{"id":"@id","type":"@type","p":"u:p","also":"u:p","q":{"@id":"u:q","@container":"@list"},"l":{"@id":"u:l","@language":"en"},"j":{"@id":"u:j","@type":"@json"},"r":{"@reverse":"u:r","@type":"@id"},"s":{"@id":"u:s","@container":"@set"},"did":"u:method:","i":{"@id":"u:i","@type":"@id"},"gone":null,"bad":{"@id":"_:bad"}}`
		nested = `{"@version":1.1,"id":"@id","type":"@type","p":"u:p","q":"u:q","n":"u:n","A":{"@id":"u:A","@context":{"p":"u:p-of-A"}},"B":{"@id":"u:B","@context":{"@propagate":true,"q":"u:q-of-B"}},"C":"u:C","c":{"@id":"u:c","@context":{"p":"u:p-in-c"}},"R":{"@id":"u:R","@context":{"type":"u:no-type","kind":"@type"}},"S":{"@id":"u:S","@context":{"type2":"@type"}}}`
	)
	of := func(context, members string) string { return `{"@context":` + context + `,` + members + `}` }
	documents := []struct {
		doc   string
		plain bool
	}{
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1","purpose":"assert"`), true},
		{of(proof, `"type":"Proof","suite":"c","made":"d","by":"did:x:2","purpose":"assert"`), true},
		{of(proof, `"purpose":"assert","by":"did:x:2","made":"d","suite":"c","type":"Proof"`), true},
		{of(proof, `"type":"Proof","suite":"\u0061\n\u007f\uFFFF \"","made":"b\\","by":"did:x:1","purpose":"assert"`), true},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1","purpose":"u:other"`), true},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"relative","purpose":"assert"`), false},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"_:b","purpose":"assert"`), false},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"u:with space","purpose":"assert"`), false},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1","purpose":"unknown"`), false},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1","purpose":"type"`), false},
		{of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1"`), true},
		{of(proof, `"type":"Proof","suite":["a"],"made":"b"`), false},
		{of(proof, `"type":"u:Other","text":"x"`), true},
		{of(proof, `"type":"u:Third","text":"x"`), true},
		{of(proof, `"type":"u:Third","\u0074ext":"x"`), true},
		{of(proof, `"text":"x"`), true},
		{of(proof, `"text":"x","suite":"y"`), false},
		{of(others, `"p":"x","s":"y"`), true},
		{of(others, `"p":"x","also":"y"`), false},
		{of(others, `"p":"x","q":"y"`), false},
		{of(others, `"p":"x","l":"y"`), false},
		{of(others, `"p":"x","j":"y"`), false},
		{of(others, `"p":"x","r":"u:y"`), false},
		{of(others, `"p":"x","id":"u:y"`), true},
		{of(others, `"p":"x","id":"_:y"`), false},
		{of(others, `"p":"x","id":"y"`), false},
		{of(others, `"p":"x","id":"did:y"`), true},
		{of(others, `"p":"x","@type":"u:T"`), true},
		{of(others, `"p":"x","@type":"u:T","type":"u:U"`), false},
		{of(others, `"p":"x","gone":"y"`), false},
		{of(others, `"p":"x","bad":"y"`), false},
		{of(others, `"p":"x","i":"did:y"`), true},
		{of(others, `"p":"x","u:p2":"y"`), false},
		{of(`{"@vocab":"u:"}`, `"p":"x"`), false},
		{of(`{"@language":"en","p":"u:p"}`, `"p":"x"`), false},
		{of(`{"@propagate":false,"@version":1.1,"p":"u:p"}`, `"p":"x"`), true},
		{`{"p":"x","@context":{"p":"u:p"}}`, true},
		{`[{"@context":{"p":"u:p"},"p":"x"}]`, false},
		{`{"@context":{"p":"u:p"}}`, false},
		{of(nested, `"id":"u:s","type":["A","B"],"p":"x","n":{"id":"u:n","p":"y"},"c":{"p":"z","q":"w"}`), true},
		{of(nested, `"id":"u:t","type":["A","B"],"p":"x2","n":{"id":"u:a","p":"y2"},"c":{"p":"z2","q":"w2"}`), true},
		{of(nested, `"id":"u:t","type":["A","B"],"p":"x2","n":{"id":"u:t","p":"y2"},"c":{"p":"z2","q":"w2"}`), false},
		{of(nested, `"id":"u:t","type":["A","C"],"p":"x2","n":{"id":"u:a","p":"y2"},"c":{"p":"z2","q":"w2"}`), true},
		{of(nested, `"id":"u:t","type":["A","A"],"p":"x"`), false},
		{of(nested, `"id":"u:t","type":[],"p":"x"`), true},
		{of(nested, `"id":"u:t","n":{"id":"u:t"},"p":"x"`), true},
		{of(nested, `"id":"u:t","n":{},"p":"x"`), true},
		{of(nested, `"n":{},"p":"x"`), false},
		{of(nested, `"id":"u:t","type":"A","p":{"id":"u:n","type":"B","q":"v","p":{"id":"u:m","q":"u"}}`), true},
		{of(nested, `"id":"u:t","type":"R","kind":"B","p":"y"`), false},
		{of(nested, `"id":"u:t","type":"S","type2":"B","p":"y"`), false},
		{of(nested, `"id":"u:t","p":"x","c":{"@context":{"p":"u:here"},"id":"u:o","p":"y"}`), false},
		{of(nested, `"id":"u:t","p":{"@value":"x"}`), false},
		{of(nested, `"id":"u:t","p":["x"]`), false},
		{of(nested, `"id":"u:t","p":1`), false},
	}
	warm := jsonld.New(jsonld.Config{})
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		for _, i := range r.Perm(len(documents)) {
			d := documents[i]
			opt := jsonld.Options{Lossy: true}
			want, err := form(t, warm, []byte(d.doc), opt)
			if err != nil {
				t.Fatalf("%s: %v", d.doc, err)
			}
			opt.Plain = new(jsonld.Plain)
			got, err := form(t, warm, []byte(d.doc), opt)
			if err != nil || got != want {
				t.Errorf("%s\n got %q %v\nwant %q", d.doc, got, err, want)
			}
			if plain := opt.Plain.Lines > 0; plain != d.plain || opt.Plain.Lines != strings.Count(string(opt.Plain.Text), "\n") {
				t.Errorf("%s: plain %v", d.doc, plain)
			}
		}
	}
	for _, state := range jsonld.CacheStates[1:] {
		var set rdf.Dataset
		plain := new(jsonld.Plain)
		if err := jsonld.New(jsonld.Config{State: state}).ToRDF(context.Background(), []byte(documents[0].doc), jsonld.Options{Plain: plain}, &set); err != nil || plain.Lines != 0 || len(set.Quads) != 5 {
			t.Errorf("%v: %d lines, %d quads, %v", state, plain.Lines, len(set.Quads), err)
		}
	}
}

// Documents of keys, types and values that are drawn from few have the same canonical form or the same errors, plain or not,
// under each option. Some keys have the same hash.
func TestPlainDrawn(t *testing.T) {
	contexts := []string{
		`{"@version":1.1,"id":"@id","type":"@type","p":"u:p","q":{"@id":"u:q","@type":"@id"},"v":{"@id":"u:v","@type":"@vocab"},"d":{"@id":"u:d","@type":"u:dt"},"s":{"@id":"u:s","@container":"@set"},"A":{"@id":"u:A","@context":{"p":"u:p-of-A","r":{"@id":"u:r","@context":{"v":{"@id":"u:v","@type":"@vocab"},"x":"u:x"}}}},"B":{"@id":"u:B","@context":{"@propagate":true,"q":"u:q-of-B","id":"u:no-id"}},"c":{"@id":"u:c","@context":{"p":"u:p-in-c","A":"u:A-in-c"}},"x":"u:other-x"}`,
		`{"id":"@id","type":"@type","p":"u:p","q":"u:p","c":"u:c","A":"u:A","B":"u:A","u":"u:compact:","x":"http://www.w3.org/1999/02/22-rdf-syntax-ns#type","v":{"@id":"u:v","@type":"@id"},"longkey":"u:long","lonfkey":{"@id":"u:lonf","@type":"@id"},"big":"u:` + strings.Repeat("big", 200) + `/"}`,
		`{"@vocab":"u:vocab#","id":"@id","type":"@type","q":{"@type":"@id"},"v":null,"l":{"@id":"u:l","@language":"en"}}`,
	}
	keys := []string{"id", "type", "@type", "p", "q", "v", "d", "s", "c", "r", "x", "l", "u:z", "unknown", "longkey", "lonfkey", "@conkext"}
	texts := []string{"u:1", "u:2", "u:3", "A", "B", "x", "text", "_:b", "p", "did:x:1#k", "\\u00e9\\u007f", "u:\\u0061", "type", "a b", "u:a b", "big:1", "big:2", "relative"}
	r := rand.New(rand.NewPCG(1, 2))
	one := func(from []string) string { return from[r.IntN(len(from))] }
	var object func(depth int) string
	object = func(depth int) string {
		var members []string
		for _, i := range r.Perm(len(keys))[:r.IntN(5)] {
			value := `"` + one(texts) + `"`
			switch n := r.IntN(12); {
			case keys[i] == "id" && n > 0:
				value = `"u:` + strconv.Itoa(r.IntN(4)) + `"`
			case strings.HasSuffix(keys[i], "type") && n > 0:
				value = `"` + one([]string{"A", "B", "u:T"}) + `"`
				if n > 8 {
					value = `[` + value + `,"u:U"]`
				}
			case n < 5 && depth < 3:
				value = object(depth + 1)
			}
			members = append(members, `"`+keys[i]+`":`+value)
		}
		if depth == 0 {
			members = slices.Insert(members, r.IntN(len(members)+1), `"@context":`+one(contexts))
		}
		return `{` + strings.Join(members, ",") + `}`
	}
	warm, cold := jsonld.New(jsonld.Config{}), jsonld.New(jsonld.Config{State: jsonld.Documents})
	plain := 0
	var tape jsontape.Tape
	for i := range 30_000 {
		if i%300 == 0 { // room for new shapes; every second time there is room for few contexts
			warm = jsonld.New(jsonld.Config{CacheBytes: int64(i / 300 % 2 * 10_000)})
		}
		doc := []byte(object(0))
		options := []jsonld.Options{{}, {}, {Base: "https://e.example/dir/doc"}, {ExpandContext: `{"p":"u:expand","unknown":"u:known"}`}, {Limits: canon.Limits{Bytes: len(doc)}}}
		opt := options[r.IntN(len(options))]
		for _, lossy := range []bool{false, true} {
			opt.Lossy, opt.Plain, opt.Tape = lossy, nil, nil
			want, err := form(t, cold, doc, opt)
			opt.Plain = new(jsonld.Plain)
			if i%3 == 0 {
				if err := tape.Scan(doc, jsontape.Options{Repeats: "@context"}); err != nil {
					t.Fatal(err)
				}
				opt.Tape = &tape
			}
			got, err2 := form(t, warm, doc, opt)
			if got != want || fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Fatalf("%s\n got %q %v\nwant %q %v", doc, got, err2, want, err)
			}
			if opt.Plain.Lines > 0 {
				plain++
			}
		}
	}
	if plain < 1000 {
		t.Errorf("only %d documents were plain", plain)
	}
}

// A document at the limit of its text is not charged twice where a shape fits it and its values do not.
func TestPlainLimit(t *testing.T) {
	ids := `"a":{"@id":"u:a","@type":"@id"},"b":{"@id":"u:b","@type":"@id"},"c":{"@id":"u:c","@type":"@id"}`
	head := `{"@context":{"id":"@id","p":"u:p","n":"u:n",` + ids + `,"x":"u:` + strings.Repeat("x", 3000) + `/"},"id":"u:s","p":"v",`
	for _, doc := range []string{
		head + `"a":"x:1","b":"x:2","c":"x:3"}`,                          // more than half of what is allowed
		head + `"a":"x:1","b":"x:2","c":"x:3","n":{"id":"u:s","p":"w"}}`, // two nodes of one id
	} {
		p := jsonld.New(jsonld.Config{})
		for range 2 {
			opt := jsonld.Options{Limits: canon.Limits{Bytes: len(doc)}}
			want, err := form(t, p, []byte(doc), opt)
			opt.Plain = new(jsonld.Plain)
			if got, err2 := form(t, p, []byte(doc), opt); err != nil || err2 != nil || got != want {
				t.Errorf("%v, plain %v", err, err2)
			}
		}
	}
}

// A long id stands in many lines; what becomes too long is never written.
func TestPlainAmplification(t *testing.T) {
	terms, members := `"id":"@id"`, ""
	for i := range 60 {
		terms += fmt.Sprintf(`,"p%d":"u:p%d"`, i, i)
		members += fmt.Sprintf(`,"p%d":"x"`, i)
	}
	p := jsonld.New(jsonld.Config{Loader: jsonld.Map{"https://c.example/c": []byte(`{"@context":{` + terms + `}}`)}})
	doc := func(id string) []byte {
		return []byte(`{"@context":"https://c.example/c","id":"u:` + id + `"` + members + `}`)
	}
	opt := jsonld.Options{Plain: new(jsonld.Plain)}
	for range 2 {
		if text, err := form(t, p, doc("short"), opt); err != nil || strings.Count(text, "\n") != 60 {
			t.Fatal(text, err)
		}
	}
	if opt.Plain.Lines != 60 {
		t.Fatal("the shape was not learned")
	}
	long := doc(strings.Repeat("x", 1<<20))
	opt.Limits.Memory = 4 * int64(len(long))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := form(t, p, long, opt)
	runtime.ReadMemStats(&after)
	var limit *canon.LimitError
	if !errors.As(err, &limit) || after.TotalAlloc-before.TotalAlloc > 20<<20 {
		t.Errorf("%v, with %d bytes", err, after.TotalAlloc-before.TotalAlloc)
	}
}

// Shapes count as what they take, also where types and the IRIs of terms are long.
func TestPlainMemory(t *testing.T) {
	const bound = 1 << 20
	p := jsonld.New(jsonld.Config{CacheBytes: bound})
	plain := 0
	for _, c := range []struct{ documents, size int }{{2000, 10 << 10}, {40, 1 << 20}} {
		long := strings.Repeat("x", c.size)
		for i := range c.documents {
			doc := fmt.Sprintf(`{"@context":{"type":"@type","p":"u:p%d"},"type":"u:%s%d","p":"x"}`, i/10, long, i)
			opt := jsonld.Options{Plain: new(jsonld.Plain)}
			if _, err := form(t, p, []byte(doc), opt); err != nil {
				t.Fatal(err)
			}
			plain += min(opt.Plain.Lines, 1)
		}
	}
	if plain == 0 {
		t.Error("no document was plain")
	}
	runtime.GC()
	runtime.GC() // pools have let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 16*bound || p.Stats().Evicted == 0 {
		t.Errorf("%d bytes in use: %+v", m.HeapAlloc, p.Stats())
	}
	runtime.KeepAlive(p)
}

// Origins are asked of a dataset.
func TestPlainOrigins(t *testing.T) {
	var set rdf.Dataset
	opt := jsonld.Options{Plain: new(jsonld.Plain), Origins: new(jsonld.Origins)}
	doc := []byte(`{"@context":{"p":"u:p"},"p":"x"}`)
	if err := jsonld.New(jsonld.Config{}).ToRDF(context.Background(), doc, opt, &set); err != nil || opt.Plain.Lines != 0 || len(opt.Origins.Quads) != 1 {
		t.Errorf("%d lines, %d origins, %v", opt.Plain.Lines, len(opt.Origins.Quads), err)
	}
}

// Neither shapes nor a session keep a document alive.
func TestPlainLetsGo(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	session := p.Session()
	var set rdf.Dataset
	plain := false
	read := func() weak.Pointer[byte] {
		doc := []byte(`{"@context":{"id":"@id","type":"@type","p":"u:p","q":{"@id":"u:q","@type":"@id"}},"id":"u:s","type":"u:T","p":"a literal","q":"u:o"}`)
		opt := jsonld.Options{Plain: new(jsonld.Plain)}
		if err := session.ToRDF(context.Background(), doc, &opt, &set); err != nil {
			t.Fatal(err)
		}
		plain = opt.Plain.Lines == 3
		return weak.Make(&doc[0])
	}
	for i := range 3 { // the first makes the context, the second the shape
		doc := read()
		set.Reset()
		runtime.GC()
		if plain != (i > 0) || plain && doc.Value() != nil {
			t.Errorf("%d: plain %v, document in memory %v", i, plain, doc.Value() != nil)
		}
	}
	runtime.KeepAlive(session)
}
