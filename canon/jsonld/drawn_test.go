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

// A kept context reads documents as one that is compiled anew, whatever else was read in it between.
func TestKeptContextReadsAlike(t *testing.T) {
	const (
		proof  = `{"@version":1.1,"type":"@type","Proof":{"@id":"u:Proof","@context":{"@protected":true,"purpose":{"@id":"u:purpose","@type":"@vocab","@context":{"assert":"u:assert"}},"made":{"@id":"u:made","@type":"u:time"},"by":{"@id":"u:by","@type":"@id"},"suite":"u:suite"}},"text":{"@id":"u:text","@type":"http://www.w3.org/2001/XMLSchema#string"}}`
		others = `{"id":"@id","type":"@type","p":"u:p","also":"u:p","q":{"@id":"u:q","@container":"@list"},"l":{"@id":"u:l","@language":"en"},"j":{"@id":"u:j","@type":"@json"},"r":{"@reverse":"u:r","@type":"@id"},"s":{"@id":"u:s","@container":"@set"},"did":"u:method:","i":{"@id":"u:i","@type":"@id"},"gone":null,"bad":{"@id":"_:bad"}}`
		nested = `{"@version":1.1,"id":"@id","type":"@type","p":"u:p","q":"u:q","n":"u:n","A":{"@id":"u:A","@context":{"p":"u:p-of-A"}},"B":{"@id":"u:B","@context":{"@propagate":true,"q":"u:q-of-B"}},"C":"u:C","c":{"@id":"u:c","@context":{"p":"u:p-in-c"}},"R":{"@id":"u:R","@context":{"type":"u:no-type","kind":"@type"}},"S":{"@id":"u:S","@context":{"type2":"@type"}}}`
	)
	of := func(context, members string) string { return `{"@context":` + context + `,` + members + `}` }
	documents := []string{
		of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1","purpose":"assert"`),
		of(proof, `"type":"Proof","suite":"c","made":"d","by":"did:x:2","purpose":"assert"`),
		of(proof, `"purpose":"assert","by":"did:x:2","made":"d","suite":"c","type":"Proof"`),
		of(proof, `"type":"Proof","suite":"\u0061\n\u007f\uFFFF \"","made":"b\\","by":"did:x:1","purpose":"assert"`),
		of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1","purpose":"u:other"`),
		of(proof, `"type":"Proof","suite":"a","made":"b","by":"relative","purpose":"assert"`),
		of(proof, `"type":"Proof","suite":"a","made":"b","by":"_:b","purpose":"assert"`),
		of(proof, `"type":"Proof","suite":"a","made":"b","by":"u:with space","purpose":"assert"`),
		of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1","purpose":"unknown"`),
		of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1","purpose":"type"`),
		of(proof, `"type":"Proof","suite":"a","made":"b","by":"did:x:1"`),
		of(proof, `"type":"Proof","suite":["a"],"made":"b"`),
		of(proof, `"type":"u:Other","text":"x"`),
		of(proof, `"type":"u:Third","text":"x"`),
		of(proof, `"type":"u:Third","\u0074ext":"x"`),
		of(proof, `"text":"x"`),
		of(proof, `"text":"x","suite":"y"`),
		of(others, `"p":"x","s":"y"`),
		of(others, `"p":"x","also":"y"`),
		of(others, `"p":"x","q":"y"`),
		of(others, `"p":"x","l":"y"`),
		of(others, `"p":"x","j":"y"`),
		of(others, `"p":"x","r":"u:y"`),
		of(others, `"p":"x","id":"u:y"`),
		of(others, `"p":"x","id":"_:y"`),
		of(others, `"p":"x","id":"y"`),
		of(others, `"p":"x","id":"did:y"`),
		of(others, `"p":"x","@type":"u:T"`),
		of(others, `"p":"x","@type":"u:T","type":"u:U"`),
		of(others, `"p":"x","gone":"y"`),
		of(others, `"p":"x","bad":"y"`),
		of(others, `"p":"x","i":"did:y"`),
		of(others, `"p":"x","u:p2":"y"`),
		of(`{"@vocab":"u:"}`, `"p":"x"`),
		of(`{"@language":"en","p":"u:p"}`, `"p":"x"`),
		of(`{"@propagate":false,"@version":1.1,"p":"u:p"}`, `"p":"x"`),
		`{"p":"x","@context":{"p":"u:p"}}`,
		`[{"@context":{"p":"u:p"},"p":"x"}]`,
		`{"@context":{"p":"u:p"}}`,
		of(nested, `"id":"u:s","type":["A","B"],"p":"x","n":{"id":"u:n","p":"y"},"c":{"p":"z","q":"w"}`),
		of(nested, `"id":"u:t","type":["A","B"],"p":"x2","n":{"id":"u:a","p":"y2"},"c":{"p":"z2","q":"w2"}`),
		of(nested, `"id":"u:t","type":["A","B"],"p":"x2","n":{"id":"u:t","p":"y2"},"c":{"p":"z2","q":"w2"}`),
		of(nested, `"id":"u:t","type":["A","C"],"p":"x2","n":{"id":"u:a","p":"y2"},"c":{"p":"z2","q":"w2"}`),
		of(nested, `"id":"u:t","type":["A","A"],"p":"x"`),
		of(nested, `"id":"u:t","type":[],"p":"x"`),
		of(nested, `"id":"u:t","n":{"id":"u:t"},"p":"x"`),
		of(nested, `"id":"u:t","n":{},"p":"x"`),
		of(nested, `"n":{},"p":"x"`),
		of(nested, `"id":"u:t","type":"A","p":{"id":"u:n","type":"B","q":"v","p":{"id":"u:m","q":"u"}}`),
		of(nested, `"id":"u:t","type":"R","kind":"B","p":"y"`),
		of(nested, `"id":"u:t","type":"S","type2":"B","p":"y"`),
		of(nested, `"id":"u:t","p":"x","c":{"@context":{"p":"u:here"},"id":"u:o","p":"y"}`),
		of(nested, `"id":"u:t","p":{"@value":"x"}`),
		of(nested, `"id":"u:t","p":["x"]`),
		of(nested, `"id":"u:t","p":1`),
	}
	warm, cold := jsonld.New(jsonld.Config{}), jsonld.New(jsonld.Config{State: jsonld.Cold})
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		for _, i := range r.Perm(len(documents)) {
			doc := []byte(documents[i])
			for _, lossy := range []bool{false, true} {
				opt := jsonld.Options{Lossy: lossy}
				want, err := form(t, cold, doc, opt)
				if got, err2 := form(t, warm, doc, opt); got != want || fmt.Sprint(err) != fmt.Sprint(err2) || lossy && err != nil {
					t.Errorf("%s\n got %q %v\nwant %q %v", doc, got, err2, want, err)
				}
			}
		}
	}
}

// Documents of keys, types and values that are drawn from few have the same canonical form or the same errors, with contexts
// that are kept or compiled anew, under each option. Some keys have the same hash.
func TestDrawn(t *testing.T) {
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
	accepted := 0
	var tape jsontape.Tape
	for i := range 30_000 {
		if i%300 == 0 { // every second time there is room for few contexts
			warm = jsonld.New(jsonld.Config{CacheBytes: int64(i / 300 % 2 * 10_000)})
		}
		doc := []byte(object(0))
		options := []jsonld.Options{{}, {}, {Base: "https://e.example/dir/doc"}, {ExpandContext: `{"p":"u:expand","unknown":"u:known"}`}, {Limits: canon.Limits{Bytes: len(doc)}}}
		opt := options[r.IntN(len(options))]
		for _, lossy := range []bool{false, true} {
			opt.Lossy, opt.Tape = lossy, nil
			want, err := form(t, cold, doc, opt)
			if i%3 == 0 {
				if err := tape.Scan(doc, jsontape.Options{}); err != nil {
					t.Fatal(err)
				}
				opt.Tape = &tape
			}
			got, err2 := form(t, warm, doc, opt)
			if got != want || fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Fatalf("%s\n got %q %v\nwant %q %v", doc, got, err2, want, err)
			}
			if err == nil && !lossy {
				accepted++
			}
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d documents were accepted", accepted)
	}
}

// A long id stands in many lines; what becomes too long is never written.
func TestLongIDInManyLines(t *testing.T) {
	terms, members := `"id":"@id"`, ""
	for i := range 60 {
		terms += fmt.Sprintf(`,"p%d":"u:p%d"`, i, i)
		members += fmt.Sprintf(`,"p%d":"x"`, i)
	}
	p := jsonld.New(jsonld.Config{Loader: jsonld.Map{"https://c.example/c": []byte(`{"@context":{` + terms + `}}`)}})
	doc := func(id string) []byte {
		return []byte(`{"@context":"https://c.example/c","id":"u:` + id + `"` + members + `}`)
	}
	opt := jsonld.Options{}
	for range 2 {
		if text, err := form(t, p, doc("short"), opt); err != nil || strings.Count(text, "\n") != 60 {
			t.Fatal(text, err)
		}
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

// Neither contexts nor a session keep a document alive.
func TestSessionLetsGo(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	session := p.Session()
	var set rdf.Dataset
	read := func() weak.Pointer[byte] {
		doc := []byte(`{"@context":{"id":"@id","type":"@type","p":"u:p","q":{"@id":"u:q","@type":"@id"}},"id":"u:s","type":"u:T","p":"a literal","q":"u:o"}`)
		if err := session.ToRDF(context.Background(), doc, new(jsonld.Options), &set); err != nil || len(set.Quads) != 3 {
			t.Fatal(err)
		}
		return weak.Make(&doc[0])
	}
	for i := range 3 { // the first makes the context
		doc := read()
		set = rdf.Dataset{}
		runtime.GC()
		if doc.Value() != nil {
			t.Errorf("%d: the document is in memory", i)
		}
	}
	runtime.KeepAlive(session)
}
