//phase:caller
package claims

import (
	"fmt"
	"strconv"
	"strings"

	"canonscope/canon/choice"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/schemas"
)

// levels is how far below the subject an element is at most.
var levels = map[compare.Granularity]int{compare.Leaf: -1, compare.Branch: 2, compare.Claim: 1}

// Elements returns the JSON pointers of the elements of a subject, or of those in a list of subjects, in
// document order.
func Elements(subject []byte, g compare.Granularity) ([]string, error) {
	var t jsontape.Tape
	if err := t.Scan(subject, jsontape.Options{}); err != nil {
		return nil, err
	}

	depth, ok := levels[g]
	if !ok {
		return nil, choice.Unknown("granularity", string(g), compare.Granularities...)
	}
	if depth > 0 && t.Nodes[0].Kind == jsontape.Array {
		depth++
	}

	var pointers []string
	at := []byte(Subject)
	var walk func(n, depth int)
	walk = func(n, depth int) {
		if depth == 0 || t.IsLeaf(n) {
			pointers = append(pointers, string(at))
			return
		}
		back := len(at)
		if t.Nodes[n].Kind == jsontape.Array {
			i := int64(0)
			for e := range t.Elements(n) {
				at = strconv.AppendInt(append(at, '/'), i, 10)
				walk(e, depth-1)
				at = at[:back]
				i++
			}
			return
		}
		for k, v := range t.Members(n) {
			at = jsontape.AppendToken(append(at, '/'), t.Text(k))
			walk(v, depth-1)
			at = at[:back]
		}
	}

	walk(0, depth)
	return pointers, nil
}

// Disclosed returns the pointers of what is presented of a credential, and how much that is. A number of
// elements is spread evenly over the subject. Pointers into an element become that of the element, so that
// every format presents the same.
func Disclosed(
	c *schemas.Credential, d compare.Disclosure, g compare.Granularity,
) ([]string, compare.Disclosed, error) {
	fail := func(err error) ([]string, compare.Disclosed, error) {
		name, _ := schemas.FileTitle(c.Schema)
		return nil, compare.Disclosed{}, fmt.Errorf("schema %s: %w", name, err)
	}

	all, err := Elements(c.Subject, g)
	if err != nil {
		return fail(err)
	}

	found := compare.Disclosed{Schema: c.Schema, Disclose: d, Granularity: g, Of: len(all)}
	n := d.Count()
	wanted, err := d.Pointers()
	switch {
	case err != nil:
		return fail(err)
	case n > len(all):
		return fail(fmt.Errorf("%d elements cannot be disclosed; at granularity %s there are %d", n, g,
			len(all)))
	case d == compare.Everything:
		found.Elements = len(all)
		return all, found, nil
	case n > 0:
		spread := make([]string, n)
		for i := range spread {
			spread[i] = all[i*len(all)/n]
		}
		found.Elements = n
		return spread, found, nil
	case d == "":
		wanted = c.Disclose
	}

	var subject jsontape.Tape
	if err := subject.Scan(c.Subject, jsontape.Options{}); err != nil {
		return fail(err)
	}

	index := subject.Index(len(wanted))
	elements := make(map[string]bool, len(all))
	for _, p := range all {
		elements[p] = true
	}

	var pointers []string
	chosen := make(map[string]bool, len(wanted))
	for _, p := range wanted {
		below, inside := strings.CutPrefix(p, Subject)
		inside = inside && (below == "" || below[0] == '/')
		if d != "" && !inside || inside && index.At(below) < 0 {
			return fail(fmt.Errorf("nothing to disclose is at %s; %s has %d elements at granularity %s",
				p, Subject, len(all), g))
		}
		if inside {
			p = among(elements, p)
		}
		if !chosen[p] {
			pointers, chosen[p] = append(pointers, p), true
		}
	}

	for _, p := range all {
		if chosen[among(chosen, p)] {
			found.Elements++
		}
	}

	return pointers, found, nil
}

// among returns the pointer in the set that is p or above it; p where none is.
func among(set map[string]bool, p string) string {
	for above := p; above != ""; above = above[:strings.LastIndexByte(above, '/')] {
		if set[above] {
			return above
		}
	}
	return p
}
