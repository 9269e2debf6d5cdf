package rdfc_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"canonscope/canon/rdf"
)

// reference follows the text of RDFC-1.0 word for word, with maps, strings and copies, and takes every choice that the text
// leaves open at random: the order of quads, of permutations, and of nodes whose hashes are equal.
type reference struct {
	quads     [][4]string // components as N-Quads
	mentions  map[string][][4]string
	first     map[string]string
	canonical *issuer
	random    *rand.Rand
}

type issuer struct {
	prefix string
	order  []string
	ids    map[string]string
}

func newIssuer(prefix string) *issuer { return &issuer{prefix, nil, map[string]string{}} }

func (i *issuer) issue(n string) string {
	if id, ok := i.ids[n]; ok {
		return id
	}
	i.ids[n] = fmt.Sprint(i.prefix, len(i.order))
	i.order = append(i.order, n)
	return i.ids[n]
}

func (i *issuer) copy() *issuer {
	c := newIssuer(i.prefix)
	for _, n := range i.order {
		c.issue(n)
	}
	return c
}

func isBlank(term string) bool { return strings.HasPrefix(term, "_:") }

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

func line(q [4]string, label func(string) string) string {
	for i, t := range q {
		if isBlank(t) {
			q[i] = "_:" + label(t)
		}
	}
	return string(rdf.AppendQuad(nil, []byte(q[0]), []byte(q[1]), []byte(q[2]), []byte(q[3])))
}

// referenceForm returns the canonical N-Quads of d.
func referenceForm(d *rdf.Dataset, random *rand.Rand) string {
	r := &reference{mentions: map[string][][4]string{}, first: map[string]string{}, canonical: newIssuer("c14n"), random: random}
	for _, q := range d.Quads {
		var c [4]string
		for i, id := range []rdf.TermID{q.S, q.P, q.O, q.G} {
			c[i] = string(d.Terms[id].Text)
		}
		if !slices.Contains(r.quads, c) {
			r.quads = append(r.quads, c)
		}
	}
	random.Shuffle(len(r.quads), func(i, j int) { r.quads[i], r.quads[j] = r.quads[j], r.quads[i] })
	for _, q := range r.quads { // 2
		seen := map[string]bool{}
		for _, t := range q {
			if isBlank(t) && !seen[t] {
				seen[t] = true
				r.mentions[t] = append(r.mentions[t], q)
			}
		}
	}
	byHash := map[string][]string{}
	for n := range r.mentions { // 3; a map has no order
		var lines []string
		for _, q := range r.mentions[n] {
			lines = append(lines, line(q, func(t string) string {
				if t == n {
					return "a"
				}
				return "z"
			}))
		}
		slices.Sort(lines)
		r.first[n] = sum(strings.Join(lines, ""))
		byHash[r.first[n]] = append(byHash[r.first[n]], n)
	}
	var hashes []string
	for h := range byHash {
		hashes = append(hashes, h)
	}
	slices.Sort(hashes)
	for _, h := range hashes { // 4
		if len(byHash[h]) == 1 {
			r.canonical.issue(byHash[h][0])
		}
	}
	for _, h := range hashes { // 5
		type result struct {
			hash   string
			issuer *issuer
		}
		var list []result
		for _, n := range byHash[h] {
			if _, ok := r.canonical.ids[n]; ok {
				continue
			}
			temporary := newIssuer("b")
			temporary.issue(n)
			hash, issued := r.nDegree(n, temporary)
			list = append(list, result{hash, issued})
		}
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		slices.SortStableFunc(list, func(a, b result) int { return strings.Compare(a.hash, b.hash) })
		for _, res := range list {
			for _, n := range res.issuer.order {
				r.canonical.issue(n)
			}
		}
	}
	var lines []string
	for _, q := range r.quads {
		lines = append(lines, line(q, func(t string) string { return r.canonical.ids[t] }))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// nDegree is section 4.8.3.
func (r *reference) nDegree(n string, issued *issuer) (string, *issuer) {
	hn := map[string][]string{} // 1
	for _, q := range r.mentions[n] {
		for i, position := range map[int]string{0: "s", 2: "o", 3: "g"} { // 3.1
			related := q[i]
			if !isBlank(related) || related == n {
				continue
			}
			in := position // section 4.7.3
			if position != "g" {
				in += q[1]
			}
			if id, ok := r.canonical.ids[related]; ok {
				in += "_:" + id
			} else if id, ok := issued.ids[related]; ok {
				in += "_:" + id
			} else {
				in += r.first[related]
			}
			hn[sum(in)] = append(hn[sum(in)], related)
		}
	}
	var hashes []string
	for h := range hn {
		hashes = append(hashes, h)
	}
	slices.Sort(hashes)
	var data bytes.Buffer
	for _, h := range hashes { // 5
		data.WriteString(h)
		chosenPath, chosen := "", (*issuer)(nil)
		all := permutations(hn[h])
		r.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	permutation:
		for _, p := range all { // 5.4
			c, path := issued.copy(), ""
			var recursion []string
			for _, related := range p { // 5.4.4
				if id, ok := r.canonical.ids[related]; ok {
					path += "_:" + id
				} else {
					if _, ok := c.ids[related]; !ok {
						recursion = append(recursion, related)
					}
					path += "_:" + c.issue(related)
				}
				if chosenPath != "" && len(path) >= len(chosenPath) && path > chosenPath {
					continue permutation
				}
			}
			for _, related := range recursion { // 5.4.5
				hash, result := r.nDegree(related, c)
				path += "_:" + c.issue(related) + "<" + hash + ">"
				c = result
				if chosenPath != "" && len(path) >= len(chosenPath) && path > chosenPath {
					continue permutation
				}
			}
			if chosenPath == "" || path < chosenPath {
				chosenPath, chosen = path, c
			}
		}
		data.WriteString(chosenPath)
		issued = chosen
	}
	return sum(data.String()), issued
}

func permutations(list []string) [][]string {
	if len(list) <= 1 {
		return [][]string{list}
	}
	var all [][]string
	for i := range list {
		rest := append(slices.Clone(list[:i]), list[i+1:]...)
		for _, p := range permutations(rest) {
			all = append(all, append([]string{list[i]}, p...))
		}
	}
	return all
}
