//phase:caller
package mdoc

import (
	"math"
	"strconv"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare/claims"
)

// identifier returns the element identifier, or the beginning of several, that a JSON pointer stands for.
func identifier(pointer string) (string, error) {
	rest, ok := strings.CutPrefix(pointer, claims.Subject)
	if !ok || rest != "" && rest[0] != '/' {
		return "", invalid(pointer, "RFC 6901", "is not below %s", claims.Subject)
	}
	return strings.TrimPrefix(rest, "/"), nil
}

// checkClaims refuses a claim of which an mdoc would say nothing, but for the issuer, whom the signer's certificate names, and
// dates that are no numbers.
func checkClaims(t *jsontape.Tape) error {
	const rule = "RFC 7519 section 4"
	if t.Nodes[0].Kind != jsontape.Object {
		return invalid("claims", rule, "is no JSON object")
	}
	for _, name := range []string{"nbf", "exp"} {
		if n := t.Get(0, name); n < 0 || t.Nodes[n].Kind != jsontape.Number {
			return invalid("/"+name, rule, "is missing or no number")
		}
	}
	for k := range t.Members(0) {
		switch name := string(t.Text(k)); name {
		case "iss", "nbf", "exp", "vct", "credentialSubject":
		default:
			return invalid("/"+jsontape.EscapeToken(name), "ISO/IEC 18013-5 section 9.1.2.4", "has no place in an mdoc; leave it out of the claims")
		}
	}
	return nil
}

// checkItems bounds the items of an mdoc, which can be far longer than the claims: each repeats the names above its own. They
// grow by leaving others behind, and are copied to where they go out.
func checkItems(size int, memory int64) error {
	const copies = 4
	if used := copies * int64(size); used > memory {
		return &canon.LimitError{Limit: "memory", Max: memory, Done: used, Where: "items"}
	}
	return nil
}

// choice is of elements that are wanted.
type choice struct {
	wanted  []string
	hit     []bool
	by      map[string]int // place of each in wanted where they are many, each once then; nil where they are few
	longest int            // of many: bytes
}

// fewWanted are looked through for each element.
const fewWanted = 16

func newChoice(wanted []string) *choice {
	c := &choice{wanted: wanted}
	if len(wanted) > fewWanted {
		c.by, c.wanted = make(map[string]int, len(wanted)), nil
		for _, w := range wanted {
			if _, again := c.by[w]; !again {
				c.by[w] = len(c.wanted)
				c.wanted = append(c.wanted, w)
				c.longest = max(c.longest, len(w))
			}
		}
	}
	c.hit = make([]bool, len(c.wanted))
	return c
}

// takes reports whether an element is one of those wanted or below one, and marks which.
func takes[T string | []byte](c *choice, id T) bool {
	found := false
	if c.by == nil {
		for i, w := range c.wanted {
			if len(id) >= len(w) && string(id[:len(w)]) == w && (len(id) == len(w) || w == "" || id[len(w)] == '/') {
				c.hit[i], found = true, true
			}
		}
		return found
	}
	for n := 0; n <= min(len(id), c.longest); n++ {
		if n == 0 || n == len(id) || id[n] == '/' {
			if i, ok := c.by[string(id[:n])]; ok {
				c.hit[i], found = true, true
			}
		}
	}
	return found
}

// missing complains about the first that was wanted and is not there.
func (c *choice) missing() error {
	for i := range c.hit {
		if !c.hit[i] {
			return invalid(c.wanted[i], ruleShape, "the mdoc has no such element")
		}
	}
	return nil
}

func join(parent, token string) string {
	if parent == "" {
		return token
	}
	return parent + "/" + token
}

// number turns a JSON number into int64, uint64 or float64.
func number(text, id string) (any, error) {
	if strings.ContainsAny(text, ".eE") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(f, 0) {
			return nil, &canon.UnsupportedError{Engine: "mdoc", What: "the number " + text, Where: id}
		}
		return f, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, &canon.UnsupportedError{Engine: "mdoc", What: "the integer " + text + " beyond 64 bits", Where: id}
	}
	return n, nil
}
