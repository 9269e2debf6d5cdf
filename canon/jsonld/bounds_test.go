package jsonld_test

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
)

// least returns the least n for which f meets no limit.
func least(f func(n int) error) int {
	return 1 + sort.Search(1<<22, func(n int) bool {
		var limit *canon.LimitError
		return !errors.As(f(n+1), &limit)
	})
}

// terms returns the members of a context with n terms.
func terms(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"t%d":"u:t"`, i)
	}
	return strings.Join(list, ",")
}

// A value or key counts 160 bytes of memory until it is a quad, and a text four times, in quads and as JSON.
func TestMemoryAtTheBound(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	ofRDF := func(doc string) int {
		return least(func(n int) error {
			return p.ToRDF(context.Background(), []byte(doc), jsonld.Options{Lossy: true, Limits: canon.Limits{Memory: int64(n)}}, new(rdf.Dataset))
		})
	}
	ofJSON := func(doc string) int {
		return least(func(n int) error {
			_, err := p.Expand(context.Background(), []byte(doc), jsonld.Options{Limits: canon.Limits{Memory: int64(n)}})
			return err
		})
	}
	if got, want := ofRDF(`[[]`+strings.Repeat(",[]", 99)+`]`), 160*101; got != want {
		t.Errorf("101 arrays take %d bytes, want %d", got, want)
	}

	id := strings.Repeat("i", 3000)
	const nodes = 160 * 8
	two := `{"@id":"u:` + id + `","u:p":["x","y","z"]}`
	line := len("<u:"+id+">") + len("<u:p>") + len(`"x"`) + len("") + 4
	if got, want := ofRDF(two), nodes+4*3*line; got != want {
		t.Errorf("three long quads take %d bytes, want %d", got, want)
	}
	iri := "u:" + id
	if got, want := ofRDF(`{"@id":"`+iri+`","@graph":[{"@id":"`+iri+`","`+iri+`":{"@id":"`+iri+`"}}]}`), 160*12+4*4*len("<"+iri+"> "); got != want {
		t.Errorf("a quad of one name takes %d bytes, want %d", got, want)
	}
	// Each name of a node is in the text of the terms, before a line has it.
	if got, want := ofRDF(`{"@id":"u:`+id+`"}`), 160*3+4*len("<u:"+id+">"); got != want {
		t.Errorf("a name takes %d bytes, want %d", got, want)
	}
	if got, want := ofRDF(`{"@context":{"@vocab":"u:`+id+`"},"@type":["a","b"]}`)-ofRDF(`{"@context":{"@vocab":"u:`+id[1:]+`"},"@type":["a","b"]}`), 4*2; got < want {
		t.Errorf("a byte of a vocabulary takes %d bytes, want %d", got, want)
	}
	short := `{"@id":"u:` + id[2000:] + `","u:p":["x","y","z"]}`
	if got, want := ofJSON(two)-ofJSON(short), 4*2*2000; got != want {
		t.Errorf("2000 bytes of a name take %d bytes as JSON, want %d", got, want)
	}
}

// Work on contexts: 32 a definition, 32 and the slots of its table an active context, 64 a reference, and one for
// each dependency that is compared.
func TestWorkAtTheBound(t *testing.T) {
	remote := jsonld.Map{"https://c.example/": []byte(`{"@context":{"t0":"u:t"}}`)}
	work := func(context0 string) int {
		return least(func(n int) error {
			p := jsonld.New(jsonld.Config{Limits: jsonld.Limits{Work: int64(n)}, Loader: remote})
			return toRDF(p, `{"@context":`+context0+`,"@id":"u:s","u:p":"x"}`)
		})
	}
	const definition, active, slots, reference = 32, 32, 64, 64
	empty := work(`{}`)
	if empty != active {
		t.Errorf("an empty context takes %d", empty)
	}
	for _, c := range []struct {
		context string
		want    int
	}{
		{`{` + terms(1) + `}`, definition + active + slots},
		{`{` + terms(2) + `}`, 2*definition + active + slots},
		{`{` + terms(41) + `}`, 41*definition + active + 128},
		{`[{},{}]`, 2 * active},
		{`[{` + terms(1) + `},{` + terms(1) + `}]`, 2 * (definition + active + slots)},
		{`"https://c.example/"`, reference + definition + active + slots},
		{`["https://c.example/","https://c.example/"]`, 2*(reference+active+slots) + definition + 2}, // u:t and u are compared
	} {
		if got := work(c.context); got != c.want {
			t.Errorf("%s takes %d, want %d", c.context, got, c.want)
		}
	}
}

// A context of as many bytes as the limit says is read, in a document and from a loader; one more byte is refused, also
// where a call with another limit has read it before.
func TestContextBytesAtTheBound(t *testing.T) {
	inline := `{` + terms(10) + `}`
	remote := jsonld.Map{"https://c.example/": []byte(`{"@context":` + inline + `}`)}
	for context0, fits := range map[string]int{inline: len(inline), `"https://c.example/"`: len(remote["https://c.example/"])} {
		p := jsonld.New(jsonld.Config{Loader: remote})
		for _, n := range []int{fits + 1, fits, fits - 1, fits} {
			opt := jsonld.Options{Limits: canon.Limits{Context: n}}
			err := p.ToRDF(context.Background(), []byte(`{"@context":`+context0+`,"@id":"u:s","t0":"x"}`), opt, new(rdf.Dataset))
			if (err == nil) != (n >= fits) {
				t.Errorf("%.30s: a limit of %d bytes: %v", context0, n, err)
			}
		}
	}
}

// The first hundred losses are listed, while their pointers take no more than a megabyte; the first eight have a hint.
func TestLossesAtTheBound(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	losses := func(doc string) []canon.Loss {
		t.Helper()
		var lost *canon.LossError
		if err := toRDF(p, doc); !errors.As(err, &lost) {
			t.Fatalf("%v", err)
		}
		return lost.Losses
	}
	many := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`"nam%c":1`, 'À'+i))
		}
		return strings.Join(list, ",")
	}
	for n, want := range map[int]int{1: 1, 8: 8, 9: 9, 99: 99, 100: 100, 101: 100} {
		got := losses(`{"@context":{"name":"u:n"},"@id":"u:s","name":"x",` + many(n) + `}`)
		hints := 0
		for _, l := range got {
			if strings.Contains(l.Reason, `did you mean "name"`) {
				hints++
			}
		}
		if len(got) != want || hints != min(want, 8) {
			t.Errorf("%d losses: %d are listed, %d with a hint", n, len(got), hints)
		}
	}
	for n, want := range map[int]int{4: 80, 5: 100, 6: 100} { // a JSON literal names twenty numbers
		literal := `{"@type":"@json","@value":[` + strings.Repeat("9007199254740993,", 30) + `1]}`
		if got := losses(`{"@id":"u:s","u:p":[` + strings.Repeat(literal+",", n-1) + literal + `]}`); len(got) != want {
			t.Errorf("%d JSON literals: %d losses", n, len(got))
		}
	}
	// Four pointers of a quarter of a megabyte are not too long yet; the fifth is the last.
	name := strings.Repeat("n", 1<<18-len("/u:")-len("/namÀ"))
	if got := losses(`{"@id":"u:s","u:` + name + `":{"@id":"u:t",` + many(9) + `}}`); len(got) != 5 || len(got[0].Pointer) != 1<<18 {
		t.Errorf("%d losses with pointers of %d bytes", len(got), len(got[0].Pointer))
	}
}

// patience is a context that counts how often it is asked whether the call goes on, and ends after some times.
type patience struct {
	context.Context
	asked, most int
}

func (p *patience) Err() error {
	if p.asked++; p.asked > p.most {
		return context.Canceled
	}
	return nil
}

// A call asks once in 4096 objects whether it shall go on, and ends or goes on as it is told.
func TestCancelIsAsked(t *testing.T) {
	p := jsonld.New(jsonld.Config{})
	asked := func(n, most int) (int, error) {
		ctx := &patience{Context: context.Background(), most: most}
		doc := `{"@graph":[{"@id":"u:s","u:p":1}` + strings.Repeat(`,{"@id":"u:s","u:p":1}`, n-2) + `]}`
		var set rdf.Dataset
		err := p.ToRDF(ctx, []byte(doc), jsonld.Options{}, &set)
		if err == nil && len(set.Quads) != n-1 {
			t.Errorf("%d objects: %d quads", n, len(set.Quads))
		}
		return ctx.asked, err
	}
	few, err := asked(10, 1000)
	for n, more := range map[int]int{4095: 0, 4096: 1, 8192: 2} {
		got, again := asked(n, 1000)
		if err = errors.Join(err, again); err != nil || got < few+more || got > few+3*more {
			t.Errorf("%d objects: %v, asked %d times, want at least %d", n, err, got, few+more)
		}
	}
	if _, err := asked(8192, few); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that shall end: %v", err)
	}
}

// An active context remembers 128 contexts inside documents, and the IRIs of 256 keys by a vocabulary mapping of at
// most a kilobyte.
func TestKeptAtTheBound(t *testing.T) {
	inline := func(n int) string {
		var nodes []string
		for i := range n {
			nodes = append(nodes, fmt.Sprintf(`{"@context":{"p%d":"u:p"},"@id":"u:s","p%d":"x"}`, i, i))
		}
		return `{"@context":{"t":"u:t"},"u:l":[` + strings.Join(nodes, ",") + `]}`
	}
	for n, again := range map[int]bool{128: false, 129: true} {
		p := jsonld.New(jsonld.Config{})
		text(t, p, inline(n))
		before := p.Stats()
		text(t, p, inline(n))
		if after := p.Stats(); after.Applied > before.Applied != again {
			t.Errorf("%d contexts: %d, then %d applied", n, before.Applied, after.Applied)
		}
	}

	doc := func(vocab string, from, to int) string {
		var list []string
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprintf(`"k%d":"x"`, i))
		}
		return `{"@context":{"@vocab":"` + vocab + `"},"@id":"u:s",` + strings.Join(list, ",") + `}`
	}
	long := "u:" + strings.Repeat("v", 1022)
	for _, c := range []struct {
		vocab       string
		known, more int
		grows       bool
	}{{"u:v#", 255, 1, true}, {"u:v#", 256, 1, false}, {long, 1, 1, true}, {long + "v", 1, 1, false}, {"v#", 1, 1, false}} {
		p := jsonld.New(jsonld.Config{})
		convert := func(doc string) {
			if err := p.ToRDF(context.Background(), []byte(doc), jsonld.Options{Lossy: true}, new(rdf.Dataset)); err != nil {
				t.Fatal(err)
			}
		}
		convert(doc(c.vocab, 0, 1)) // the context is kept from now on
		convert(doc(c.vocab, 0, c.known))
		before := p.Stats().Bytes
		convert(doc(c.vocab, c.known, c.known+c.more))
		if after := p.Stats().Bytes; after > before != c.grows {
			t.Errorf("%.10s… of %d bytes, %d keys: %d bytes, then %d", c.vocab, len(c.vocab), c.known, before, after)
		}
	}
}

// A definition that is compiled again, for other surroundings, is counted once.
func TestCompiledAgain(t *testing.T) {
	p := jsonld.New(jsonld.Config{State: jsonld.Embedded, Loader: jsonld.Map{"https://c.example/": []byte(`{"@context":{"p":{"@type":"u:dt"}}}`)}})
	var sizes []int64
	for i := range 6 {
		text(t, p, fmt.Sprintf(`{"@context":[{"@vocab":"u:%d#"},"https://c.example/"],"@id":"u:s","p":"x"}`, i%2))
		sizes = append(sizes, p.Stats().Bytes)
	}
	if s := p.Stats(); s.Compiled < 12 || sizes[5] != sizes[0] || sizes[0] == 0 {
		t.Errorf("%+v, %v", s, sizes)
	}
}

// A slot of a table counts 16 bytes of what is kept; the cache is emptied to three quarters, no further.
func TestCacheSizes(t *testing.T) {
	kept := func(n int) int64 {
		p := jsonld.New(jsonld.Config{})
		text(t, p, `{"@context":{`+terms(n)+`},"@id":"u:s","t0":"x"}`)
		return p.Stats().Bytes
	}
	// With the 23 keywords, 40 terms fill five eighths of 64 slots.
	if each := kept(17) - kept(16); kept(18)-kept(17) != each+64*16 || each < 200 {
		t.Errorf("a term takes %d bytes, one that needs a larger table %d", each, kept(18)-kept(17))
	}
	const bound = 400_000
	p := jsonld.New(jsonld.Config{CacheBytes: bound})
	for i := 0; p.Stats().Evicted == 0; i++ {
		text(t, p, fmt.Sprintf(`{"@context":{"p":"u:p%d"},"@id":"u:s","p":"x"}`, i))
	}
	if got := p.Stats().Bytes; got > bound/4*3 || got < bound/4*3-5_000 {
		t.Errorf("%d bytes are left of %d", got, bound)
	}
}
