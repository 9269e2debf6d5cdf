package family

import (
	"fmt"
	"strings"
)

// Contexts is a family of JSON-LD contexts that refer to one another, and documents that use them. They are
// easy to confuse: they share relative references from two hosts, names of terms, and the text of
// definitions.
type Contexts struct {
	Remote    map[string][]byte
	Documents []string
}

// NewContexts generates a family. The numbers of pick, from 0 to n-1, may be random or come from a fuzzer.
func NewContexts(pick func(n int) int) *Contexts {
	g := generator{pick}
	f := &Contexts{Remote: map[string][]byte{}}
	for _, host := range []string{"a", "b"} {
		for _, path := range []string{"r", "s", "d/r", "d/s"} {
			f.Remote["https://"+host+".example/"+path] = []byte(`{` + g.key("@context") + g.context(3) + `}`)
		}
	}
	for range 2 + pick(4) {
		f.Documents = append(f.Documents, g.document())
	}
	if pick(2) == 0 { // the first document with another context around it
		first := f.Documents[0][len(`{"@context":[`):]
		f.Documents = append(f.Documents, `{"@context":[{"@vocab":"u:v#"},`+first)
	}
	return f
}

type generator struct{ pick func(n int) int }

func (g generator) one(of ...string) string { return of[g.pick(len(of))] }

// key writes a keyword or a term as the name of a member, sometimes with an escape.
func (g generator) key(name string) string {
	if g.pick(12) == 0 {
		return fmt.Sprintf(`"\u%04x%s":`, name[0], name[1:])
	}
	return `"` + name + `":`
}

func (g generator) several(n int, sep string, f func() string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f()
	}
	return strings.Join(parts, sep)
}

func (g generator) reference() string {
	return g.one(`"https://a.example/r"`, `"https://b.example/s"`,
		`"r"`, `"s"`, `"/r"`, `"/s"`, `"/d/r"`, `"/d/s"`, `"../s"`)
}

func (g generator) context(depth int) string {
	switch g.pick(16) {
	case 0:
		return `null`
	case 1, 2:
		return g.reference()
	case 3: // a reference two scoped contexts deep
		return `{` + g.key("p") + `{"@id":"u:p",` + g.key("@context") + `{` + g.key("q") +
			`{"@id":"u:q#","@context":` + g.reference() + `}}}}`
	case 4: // a definition that depends on the enclosing contexts
		return `{` + g.key("p") + `{"@id":"u:p",` + g.key("@context") + `{` + g.key("q") +
			g.one(`{"@type":"@id"}`, `"t:q"`, `{"@id":"u:q","@type":"y"}`) + `}}}`
	case 5:
		if depth > 0 {
			return `[` + g.several(1+g.pick(3), ",", func() string { return g.context(depth - 1) }) + `]`
		}
	}
	return g.definition(depth)
}

func (g generator) definition(depth int) string {
	members := map[string]string{}
	set := func(odds int, name string, values ...string) {
		if g.pick(odds) == 0 {
			members[name] = g.one(values...)
		}
	}

	set(2, "@version", `1.1`)
	set(4, "@vocab", `"u:v#"`, `"u:w#"`, `""`, `"rel/"`, `"t:"`, `"t"`, `null`)
	set(10, "@base", `"https://base.example/x"`, `"rel/"`, `""`, `null`)
	set(10, "@protected", `true`, `false`)
	set(8, "@propagate", `true`, `false`)
	set(12, "@language", `"en"`, `null`)
	if g.pick(8) == 0 {
		members["@import"] = g.reference()
	}

	var parts []string
	names := []string{"@version", "@vocab", "@base", "@protected", "@propagate", "@language", "@import"}
	for _, name := range names { // a map has no order
		if v := members[name]; v != "" {
			parts = append(parts, g.key(name)+v)
		}
	}

	for range g.pick(4) {
		name := g.name()
		if members[name] == "" {
			members[name] = g.term(depth)
			parts = append(parts, g.key(name)+members[name])
		}
	}

	return `{` + strings.Join(parts, ",") + `}`
}

// rarely returns one of the others, and now and then one of the values, which are mostly invalid.
func (g generator) rarely(values []string, others ...string) string {
	if g.pick(20) == 0 {
		return g.one(values...)
	}
	return g.one(others...)
}

func (g generator) name() string {
	return g.rarely([]string{"t:x", "@type", "@foo"}, "t", "p", "q", "T", "U")
}

func (g generator) iri() string {
	return g.rarely([]string{`"T"`, `"x"`, `"@type"`, `"@id"`, `"@foo"`},
		`"u:p"`, `"u:q#"`, `"u:t/"`, `"t:x"`, `"q:x"`)
}

func (g generator) term(depth int) string {
	switch g.pick(8) {
	case 0:
		return `null`
	case 1, 2:
		return g.iri()
	}
	var parts []string
	member := func(odds int, name string, value func() string) {
		if g.pick(odds) == 0 {
			parts = append(parts, g.key(name)+value())
		}
	}
	constant := func(of ...string) func() string { return func() string { return g.one(of...) } }
	if g.pick(8) > 0 {
		member(1, "@id", g.iri)
	}
	member(4, "@type", func() string {
		return g.rarely([]string{`"y"`, `"@set"`}, `"@id"`, `"@vocab"`, `"t:y"`, `"u:dt"`)
	})
	member(10, "@container", constant(`"@set"`, `"@type"`, `"@index"`, `"@graph"`, `"@id"`))
	member(10, "@protected", constant(`true`, `false`))
	member(10, "@prefix", constant(`true`, `false`))
	if depth > 0 {
		member(2, "@context", func() string { return g.context(depth - 1) })
	}
	return `{` + strings.Join(parts, ",") + `}`
}

func (g generator) document() string {
	list := g.several(1+g.pick(3), ",", func() string {
		if g.pick(2) == 0 {
			return `"https://` + g.one("a", "b") + `.example/` + g.one("r", "s", "d/r", "d/s") + `"`
		}
		return g.context(3)
	})
	return `{"@context":[` + list + `],` + g.members(3) + `}`
}

func (g generator) members(depth int) string {
	var parts []string
	used := map[string]bool{}
	for range 1 + g.pick(3) {
		name := g.one("t", "p", "p", "q", "q", "T", "x", "t:z", "u:n")
		if !used[name] {
			used[name] = true
			parts = append(parts, g.key(name)+g.value(depth))
		}
	}
	if g.pick(2) == 0 {
		parts = append(parts, `"@type":`+g.one(`"T"`, `"U"`, `["T","U"]`, `"t:T"`, `"x"`))
	}
	if g.pick(3) == 0 {
		parts = append(parts, `"@id":`+g.one(`"u:s"`, `"rel"`, `"t:s"`, `"_:b"`))
	}
	return strings.Join(parts, ",")
}

func (g generator) value(depth int) string {
	if depth == 0 || g.pick(3) == 0 {
		return g.one(`"x"`, `"t:v"`, `"T"`, `"rel"`, `true`, `["x","t:v"]`)
	}
	inline := ""
	if g.pick(6) == 0 {
		inline = `"@context":` + g.context(2) + `,`
	}
	return `{` + inline + g.members(depth-1) + `}`
}
