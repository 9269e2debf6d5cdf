package agree

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"canonscope/canon"
)

// Generate makes random input n of a seed: in turn a JSON-LD document, a dataset and JSON, or only those of
// a method unless it is "". The inputs hold little, of the kind that engines differ about.
func Generate(seed, n uint64, method canon.Method) *Input {
	g := &maker{rand.New(rand.NewPCG(seed, n))}
	in := &Input{Name: fmt.Sprintf("random-%d-%d", seed, n), Method: canon.RDFC, Syntax: canon.JSONLD}
	switch kind := n % 3; {
	case method == canon.JCS, method == "" && kind == 2:
		in.Method, in.Syntax = canon.JCS, canon.JSON
		in.Doc = []byte(g.json(3))
	case method == canon.RDFC && n%2 == 1, method == "" && kind == 1:
		in.Syntax = canon.NQuads
		in.Doc = []byte(g.dataset())
	default:
		in.Doc = []byte(g.document())
	}
	return in
}

type maker struct{ *rand.Rand }

func (g *maker) one(of ...string) string { return of[g.IntN(len(of))] }

// text is the inside of a JSON string or of a literal of N-Quads, which share these escapes.
func (g *maker) text() string {
	return g.one("x", "y", "", "a b", "é", `\u00e9`, "🌃", "ﬁ", `\b`, `\u0001`, `\u007f`, `\n`, `\"`, `\\`,
		"<", `\uFFFE`, "_:b", "\u2028", "2020-01-01T00:00:00Z", "en", "true", "5")
}

func (g *maker) number() string {
	return g.one("0", "1", "-0", "-0.0", "5.0", "1.5", "0.97", "1e-7", "1e18", "1e19", "-1e20", "1e21",
		"1.1e21", "9007199254740993", "0.12345678901234566", "1E2", "1e-400", "5e-324",
		"123456789012345680000", "4.35", "0.000001", "333333333.33333329", "1e23")
}

// scalar is a JSON value without parts.
func (g *maker) scalar() string {
	switch g.IntN(8) {
	case 0:
		return "null"
	case 1:
		return g.one("true", "false")
	case 2, 3:
		return g.number()
	}
	return `"` + g.text() + `"`
}

func (g *maker) several(n int, part func() string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = part()
	}
	return strings.Join(parts, ",")
}

// members joins members with different names.
func (g *maker) members(n int, member func() (name, value string)) string {
	var parts []string
	used := map[string]bool{}
	for range n {
		name, value := member()
		if !used[name] {
			used[name] = true
			parts = append(parts, `"`+name+`":`+value)
		}
	}
	return strings.Join(parts, ",")
}

func (g *maker) json(depth int) string {
	switch k := g.IntN(4); {
	case depth == 0 || k == 0:
		return g.scalar()
	case k == 1:
		return "[" + g.several(g.IntN(4), func() string { return g.json(depth - 1) }) + "]"
	}
	return "{" + g.members(g.IntN(5), func() (string, string) {
		return g.one("a", "b", "", "€", "🌃", "ﬁ", `\r`, "1", "A", "ö", "a b"), g.json(depth - 1)
	}) + "}"
}

func (g *maker) iri() string {
	return g.one("urn:a", "urn:b", "urn:c", "https://e.example/x", "https://-e.example/", "urn:🌃", "urn:ﬁ",
		"https://e.example/%zz", "https:///x", "rel", "", "a b:c", "_:b0", "_:b1", "_:b2", "_:c14n1", "t",
		"@alice", "x:y")
}

// dataset is N-Quads of a few blank nodes, so that they tie now and then.
func (g *maker) dataset() string {
	const xsd = "http://www.w3.org/2001/XMLSchema#"
	var lines strings.Builder
	label := g.one("_:b", "_:b", "_:n", "_:c14n")
	blank := func() string { return fmt.Sprint(label, g.IntN(4)) }
	node := func() string {
		if g.IntN(3) > 0 {
			return blank()
		}
		return g.one("<urn:a>", "<urn:b>", "<urn:🌃>", "<urn:ﬁ>")
	}
	for range 1 + g.IntN(7) {
		object := node()
		if g.IntN(3) == 0 {
			object = `"` + g.text() + `"` + g.one("", "", "@en", "@de-CH", "^^<"+xsd+"string>",
				"^^<"+xsd+"boolean>", "^^<urn:dt>")
		}
		graph := ""
		if g.IntN(4) == 0 {
			graph = g.one("<urn:g1> ", "<urn:g2> ", blank()+" ")
		}
		fmt.Fprintf(&lines, "%s <urn:%s> %s %s.\n", node(), g.one("p", "p", "q"), object, graph)
	}
	return lines.String()
}

func (g *maker) document() string {
	context := "{" + g.members(1+g.IntN(6), func() (string, string) { return g.term() }) + "}"
	if g.IntN(4) == 0 {
		context = `{"@version":1.1,"@vocab":"` + g.one("urn:v#", "urn:w#") + `"}`
	}
	if g.IntN(8) == 0 {
		return "[" + g.several(1+g.IntN(3), func() string { return g.node(2) }) + "]"
	}
	node := g.node(3)
	if node == "{}" {
		return `{"@context":` + context + `}`
	}
	return `{"@context":` + context + "," + node[1:]
}

// term is a definition of a context.
func (g *maker) term() (name, definition string) {
	name = g.one("t", "p", "q", "r", "x", "T")
	iri := "urn:" + name
	if name == "x" {
		iri = g.one("urn:x:", "urn:x")
	}
	if g.IntN(4) == 0 {
		return name, `"` + iri + `"`
	}
	parts := []string{`"@id":"` + g.one(iri, iri, iri, "@nest", "urn:a") + `"`}
	add := func(odds int, member string, values ...string) {
		if g.IntN(odds) == 0 {
			parts = append(parts, `"`+member+`":`+g.one(values...))
		}
	}
	add(3, "@type", `"@id"`, `"@vocab"`, `"@json"`, `"urn:dt"`, `"@none"`)
	add(3, "@container", `"@set"`, `"@list"`, `"@index"`, `"@language"`, `"@id"`, `"@type"`, `"@graph"`,
		`["@graph","@id"]`, `["@graph","@index"]`, `[]`)
	add(8, "@context", `null`, `{"p":"urn:p2"}`, `{"@propagate":false,"q":"urn:q2"}`)
	add(10, "@protected", `true`, `false`)
	add(10, "@language", `"en"`, `null`)
	return name, "{" + strings.Join(parts, ",") + "}"
}

func (g *maker) node(depth int) string {
	var parts []string
	switch g.IntN(4) {
	case 0, 1:
		parts = append(parts, `"@id":"`+g.one("urn:a", "urn:b", "_:b0", "_:b1")+`"`)
	case 2:
		parts = append(parts, `"@id":"`+g.iri()+`"`)
	}
	if g.IntN(4) == 0 {
		parts = append(parts, `"@type":`+g.one(`"T"`, `"urn:T"`, `["urn:T","t"]`, `[]`, `"rel"`))
	}
	if m := g.members(1+g.IntN(3), func() (string, string) {
		return g.one("t", "p", "q", "r", "x", "urn:p", "urn:q", "urn:q", "x:y", "undefined", "@graph",
			"@included", "@reverse"), g.value(depth - 1)
	}); m != "" {
		parts = append(parts, m)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// value is one of a property.
func (g *maker) value(depth int) string {
	if depth <= 0 {
		return g.scalar()
	}
	switch g.IntN(9) {
	case 0:
		return "[" + g.several(g.IntN(4), func() string { return g.value(depth - 1) }) + "]"
	case 1:
		return `{"@value":` + g.scalar() + g.one("", `,"@language":"en-US"`, `,"@type":"@json"`,
			`,"@type":"urn:dt"`, `,"@language":"en_US"`, `,"@index":"i"`,
			`,"@type":"http://www.w3.org/2001/XMLSchema#boolean"`) + "}"
	case 2:
		return `{"@list":[` + g.several(g.IntN(3), func() string { return g.value(depth - 1) }) + "]}"
	case 3:
		return `{"@type":"@json","@value":` + g.json(2) + "}"
	case 4, 5:
		return g.node(depth)
	case 6:
		return "{" + g.members(1+g.IntN(2), func() (string, string) {
			return g.one("en", "i", "urn:a", "@none", "t"), g.value(depth - 1)
		}) + "}"
	case 7:
		return `"` + g.iri() + `"`
	}
	return g.scalar()
}
