//phase:caller
package rdfc

// What the two halves of sorting buy, by measurement: comparing whole terms with a plain sort instead makes
// a credential of Open Badges (356 quads) take 330 µs in place of 200. The radix half, sortKeys by
// counting, makes datasets of 10^5 quads and more 1.2 to 2.5 times as fast as insertion and slices.SortFunc
// alone; it matters to no credential.

import (
	"bytes"
	"cmp"
	"slices"

	"canonscope/canon/rdf"
)

// order sorts the quads into the order of their canonical lines (section 5) and writes them.
//
// Lines are in code point order, which for UTF-8 is byte order. Comparing two quads term by term (subject,
// predicate, object, graph name; a missing graph name is the empty text) gives the same order as comparing
// their lines. The lines agree up to the first component whose texts differ. If neither text is a prefix of
// the other, the first byte that differs decides both comparisons. If x is a proper prefix of y, the term
// comparison puts x first, and in the lines the space after x is compared with a byte of y. `<iri>` is
// never such an x, because '>' only ends an IRI; a blank node label continues with a character of PN_CHARS
// or '.', and a literal with '@', '^', '-' or a letter or digit of its tag: all are greater than the space.
// A missing graph name compares as the '.' that ends the line, which is less than the '<' or '_' of a graph
// name.
//
//phase:serialize
type order struct {
	terms  []rdf.Term
	quads  []rdf.Quad
	labels []byte   // of the blank nodes, by canonical number
	ends   []int    // where each label begins, and where the last one ends
	codes  []uint32 // by term: code of a predicate, canonical number plus one of a blank node, else 0

	byPredicate []uint32 // with codes: the quads in the order of their predicates
	hasCodes    bool     // predicates have codes

	spare   []entry  // memory of sortKeys
	groups  []entry  // a quad of each subject, or of each predicate
	heads   []uint32 // by term: how many quads have that subject, then the place in sorted of the next one
	firsts  []uint32 // by canonical number: number plus one of a quad of that subject, 0 for none
	places  []uint32 // by code: the place in byPredicate of the next quad
	until   int      // component that sort ends before
	sorted  []entry  // quads in the order of their lines, duplicates after their first occurrence
	lines   int
	touched byte     // see touch
	sources []uint32 // filled on request: the quads of sorted
	starts  []uint32 // filled on request if there are duplicates: the place in sources where a line starts
}

// entry is one quad, or one blank node, while it is sorted.
type entry struct {
	key       uint64 // code of the predicate, next bytes of the component, or first bytes of the hash
	at        uint32 // number of the quad, or of the blank node
	duplicate bool   // the entry before it has the same line
}

func (o *order) reset() {
	o.lines, o.sorted, o.sources, o.starts = 0, o.sorted[:0], o.sources[:0], o.starts[:0]
}

// Lines returns the number of canonical lines.
func (o *order) Lines() int { return o.lines }

// Sources returns the indexes in Dataset.Quads of the quads that are the given line, more than one if the
// quad repeats.
func (o *order) Sources(line int) []uint32 {
	if len(o.sources) == 0 {
		for i, e := range o.sorted {
			o.sources = append(o.sources, e.at)
			if o.lines < len(o.sorted) && !e.duplicate {
				o.starts = append(o.starts, uint32(i))
			}
		}
	}
	if o.lines == len(o.sorted) {
		return o.sources[line : line+1]
	}
	end := len(o.sources)
	if line+1 < len(o.starts) {
		end = int(o.starts[line+1])
	}
	return o.sources[o.starts[line]:end]
}

// rank puts the quads into the order of their predicates and gives the predicates codes: those with one text
// have one code. Where there are few quads, or few for a predicate, it leaves that: comparing the predicates
// of each subject costs less.
func (o *order) rank(d *rdf.Dataset) {
	o.terms, o.quads = d.Terms, d.Quads
	quads := o.quads
	o.codes = slices.Grow(o.codes[:0], len(o.terms))[:len(o.terms)]
	clear(o.codes)
	o.groups, o.places = o.groups[:0], append(o.places[:0], 0)
	o.hasCodes = len(quads) >= minCodes
	for i := 0; i < len(quads) && o.hasCodes; i++ {
		code := &o.codes[quads[i].P]
		if *code == 0 {
			o.groups = append(o.groups, entry{at: uint32(i)})
			o.places = append(o.places, 0)
			*code = uint32(len(o.groups))
			o.hasCodes = 4*len(o.groups) <= len(quads)
		}
		o.places[*code]++
	}

	if !o.hasCodes {
		for _, e := range o.groups {
			o.codes[quads[e.at].P] = 0
		}
		return
	}

	o.until = 2
	o.sort(o.groups, 1, 0)
	o.until = components
	place, before := uint32(0), []byte(nil)
	last := uint32(0) // code of before
	for _, e := range o.groups {
		p := quads[e.at].P
		code, text := o.codes[p], o.terms[p].Text
		n := o.places[code]
		if last > 0 && same(text, before) {
			o.codes[p] = last
		} else {
			o.places[code] = place
			last, before = code, text
		}
		place += n
	}

	o.byPredicate = slices.Grow(o.byPredicate[:0], len(quads))[:len(quads)]
	codes, places, sorted := o.codes, o.places, o.byPredicate
	for i := range quads {
		at := &places[codes[quads[i].P]]
		sorted[*at] = uint32(i)
		*at++
	}
}

// minCodes is the number of quads from which predicates have codes.
const minCodes = 64

// write sorts the quads, counts the lines and appends them to dst. Blank nodes have canonical labels if
// blanks, their number, is not 0.
func (o *order) write(dst []byte, quads []rdf.Quad, blanks int) []byte {
	o.reset()
	o.quads = quads
	o.sorted = slices.Grow(o.sorted, len(quads))
	o.sortQuads(blanks)
	if cap(dst) == 0 {
		dst = o.grow(dst, o.sorted)
	}
	lines, sorted, terms := 0, o.sorted, o.terms
	subject, text := rdf.TermID(0), []byte(nil)
	for i := range sorted {
		if i%ahead == 0 && len(quads) > many {
			o.touch(sorted[i:min(i+ahead, len(sorted))])
		}
		if sorted[i].duplicate {
			continue
		}
		q := &quads[sorted[i].at]
		if q.S != subject {
			subject, text = q.S, o.termText(q.S)
		}
		dst = append(append(dst, text...), ' ')
		dst = append(append(dst, terms[q.P].Text...), ' ')
		dst = append(dst, o.termText(q.O)...)
		if q.G != 0 {
			dst = append(append(dst, ' '), o.termText(q.G)...)
		}
		dst = append(dst, " .\n"...)
		lines++
	}
	o.quads, o.lines = nil, lines
	return dst
}

// grow makes room in dst for the lines of entries.
func (o *order) grow(dst []byte, rest []entry) []byte {
	size := 0
	for i := range rest {
		q := &o.quads[rest[i].at]
		size += len(o.termText(q.S)) + len(o.terms[q.P].Text) + len(o.termText(q.O)) +
			len(o.termText(q.G)) + 6
	}
	return slices.Grow(dst, size)
}

// Large datasets do not fit into the processor's caches, and neighbours in line order lie far apart in
// memory. touch reads a byte of each term of the next quads before they are used, so that the cache misses
// overlap.
const (
	many  = 1 << 14
	ahead = 16
)

func (o *order) touch(e []entry) {
	for i := range e {
		q := &o.quads[e[i].at]
		s, p := o.termText(q.S), o.termText(q.O)
		if len(s) > 0 && len(p) > 0 {
			o.touched += s[0] + p[len(p)-1]
		}
	}
}

// text returns the component of the entry's at: 0 subject, 1 predicate, 2 object, 3 graph name.
func (o *order) text(e entry, component int) []byte {
	q := &o.quads[e.at]
	switch component {
	case 0:
		return o.termText(q.S)
	case 1:
		return o.terms[q.P].Text
	case 2:
		return o.termText(q.O)
	}
	return o.termText(q.G)
}

// termText returns the text of a term, of a blank node the label to write.
func (o *order) termText(t rdf.TermID) []byte {
	term := &o.terms[t]
	if term.Kind != rdf.Blank {
		return term.Text
	}
	return o.labelOf(t)
}

func (o *order) labelOf(t rdf.TermID) []byte {
	n := o.codes[t]
	return o.labels[o.ends[n-1]:o.ends[n]]
}

// sortQuads fills sorted. It first sorts the subjects, which are fewer. With codes, the quads of each are
// then in the order of their predicates, because all quads are.
func (o *order) sortQuads(blanks int) {
	quads := o.quads
	o.heads = slices.Grow(o.heads[:0], len(o.terms))[:len(o.terms)]
	clear(o.heads)
	o.groups = o.groups[:0]
	for i, n := 0, 0; i < len(quads); i += n {
		s := quads[i].S
		for n = 1; i+n < len(quads) && quads[i+n].S == s; {
			n++
		}
		if o.heads[s] == 0 {
			o.groups = append(o.groups, entry{at: uint32(i)})
		}
		o.heads[s] += uint32(n)
	}

	o.sortSubjects(blanks)
	place := uint32(0)
	for _, e := range o.groups {
		head := &o.heads[quads[e.at].S]
		*head, place = place, place+*head
	}

	o.sorted = o.sorted[:len(quads)]
	if o.hasCodes {
		o.spread()
	} else {
		o.spreadRuns()
	}

	from, merged := uint32(0), false
	for g, e := range o.groups {
		if g+1 < len(o.groups) && o.sameSubject(e, o.groups[g+1]) {
			merged = true
			continue
		}
		end := o.heads[quads[e.at].S]
		o.sortSubject(o.sorted[from:end], merged)
		from, merged = end, false
	}
}

// spread puts the quads of each subject into sorted, in the order of their predicates.
func (o *order) spread() {
	quads, sorted, heads, codes := o.quads, o.sorted, o.heads, o.codes
	for _, i := range o.byPredicate {
		q := &quads[i]
		head := &heads[q.S]
		e := &sorted[*head]
		e.key, e.at, e.duplicate = uint64(codes[q.P]), i, false
		*head++
	}
}

// spreadRuns is spread without codes, in the order of the quads. It leaves the keys to sort.
func (o *order) spreadRuns() {
	quads := o.quads
	for i := 0; i < len(quads); {
		s := quads[i].S
		to := o.sorted[o.heads[s]:]
		n := 0
		for ; i < len(quads) && quads[i].S == s; i++ {
			to[n].at, to[n].duplicate = uint32(i), false
			n++
		}
		o.heads[s] += uint32(n)
	}
}

// sameSubject reports whether the subjects of two entries, which have several numbers, have one text.
func (o *order) sameSubject(a, b entry) bool {
	s, t := &o.terms[o.quads[a.at].S], &o.terms[o.quads[b.at].S]
	return s.Kind != rdf.Blank && t.Kind != rdf.Blank && same(s.Text, t.Text)
}

// sortSubjects sorts groups. Canonical labels of blank nodes need no comparison: their order is that of the
// texts of their numbers, and all follow the IRIs.
func (o *order) sortSubjects(blanks int) {
	o.firsts = slices.Grow(o.firsts[:0], blanks)[:blanks]
	clear(o.firsts)
	kept := o.groups[:0]
	for _, e := range o.groups {
		s := o.quads[e.at].S
		if blanks > 0 && o.terms[s].Kind == rdf.Blank {
			o.firsts[o.codes[s]-1] = e.at + 1
			continue
		}
		kept = append(kept, e)
	}

	o.until = 1
	o.sort(kept, 0, 0)
	o.until = components
	o.groups = kept

	for n, more := 0, blanks > 0; more; n, more = nextText(n, blanks) {
		if first := o.firsts[n]; first != 0 {
			o.groups = append(o.groups, entry{at: first - 1})
		}
	}
}

// nextText returns the number whose decimal text follows that of n, among the numbers below max, and whether
// there is one: 0, 1, 10, 100, 11, 2.
func nextText(n, max int) (int, bool) {
	switch {
	case n == 0:
		return 1, max > 1
	case 10*n < max:
		return 10 * n, true
	}
	for n%10 == 9 || n+1 >= max {
		n /= 10
	}
	return n + 1, n > 0
}

// sortSubject sorts the quads of one subject. With codes they are in the order of their predicates, unless
// they are merged. Without, they are often in order already: many writers of JSON sort keys, and the IRIs of
// most keys are in the order of the keys.
func (o *order) sortSubject(e []entry, merged bool) {
	if o.hasCodes && !merged {
		alike(e, func(same []entry) { o.sort(same, 2, 0) })
	} else if !o.inOrder(e) {
		o.sort(e, 1, 0)
	}
}

// alike calls sort with each run of entries that share a key.
func alike(e []entry, sort func(same []entry)) {
	for i, j := 0, 0; i < len(e); i = j {
		for j = i + 1; j < len(e) && e[j].key == e[i].key; {
			j++
		}
		if j > i+1 {
			sort(e[i:j])
		}
	}
}

// inOrder reports whether the quads of one subject, more than a few, are in order, none of them twice.
func (o *order) inOrder(e []entry) bool {
	if len(e) <= few {
		return false
	}
	before := o.terms[o.quads[e[0].at].P].Text
	for i := 1; i < len(e); i++ {
		predicate := o.terms[o.quads[e[i].at].P].Text
		c := bytes.Compare(before, predicate)
		if c > 0 || c == 0 && o.compare(e[i-1].at, e[i].at, 2, 0) >= 0 {
			return false
		}
		before = predicate
	}
	return true
}

// sort sorts entries that agree before byte from of the component, comparing up to the component until. It
// is a radix sort from the first byte: it skips the common prefix, sorts by the next bytes, and sorts each
// run of ties by the bytes after them.
func (o *order) sort(e []entry, component, from int) {
	if len(e) <= few {
		o.insert(e, component, from)
		return
	}

	for ; len(e) > 1 && component < o.until; component, from = component+1, 0 {
		first := o.text(e[0], component)
		shared := len(first)
		for i := 1; i < len(e) && shared > from; i++ {
			if t := o.text(e[i], component); len(t) < shared || !same(t[:shared], first[:shared]) {
				shared = from + common(t[from:], first[from:shared])
			}
		}
		ended := true
		for i := range e {
			t := o.text(e[i], component)
			e[i].key = key(t, shared)
			ended = ended && len(t) == shared
		}
		if ended { // the texts are equal
			continue
		}
		o.sortKeys(e)
		for len(e) > 0 {
			k := e[0].key
			n := 1
			for n < len(e) && e[n].key == k {
				n++
			}
			switch rest := int(k & 0xFF); {
			case n == 1:
			case rest <= keyBytes: // the texts are equal
				o.sort(e[:n], component+1, 0)
			default:
				o.sort(e[:n], component, shared+keyBytes)
			}
			e = e[n:]
		}
	}

	if o.until < components {
		return
	}

	for i := 1; i < len(e); i++ {
		e[i].duplicate = true
	}
}

const components = 4 // of a quad

// few is the number of entries up to which comparing texts is faster than finding their common prefix.
const few = 12

// insert is sort for a few entries.
func (o *order) insert(e []entry, component, from int) {
	for i := 1; i < len(e); i++ {
		x := e[i].at
		order, j := 1, i
		for ; j > 0; j-- {
			if order = o.compare(e[j-1].at, x, component, from); order <= 0 {
				break
			}
			e[j].at, e[j].duplicate = e[j-1].at, e[j-1].duplicate
		}
		e[j].at, e[j].duplicate = x, order == 0 && o.until == components
	}
}

// compare compares two quads from byte from of the component, up to the component until.
func (o *order) compare(a, b uint32, component, from int) int {
	x, y := &o.quads[a], &o.quads[b]
	for ; component < o.until; component, from = component+1, 0 {
		var s, t rdf.TermID
		switch component {
		case 0:
			s, t = x.S, y.S
		case 1:
			s, t = x.P, y.P
		case 2:
			s, t = x.O, y.O
		default:
			s, t = x.G, y.G
		}
		if s == t {
			continue
		}
		if order := bytes.Compare(o.termText(s)[from:], o.termText(t)[from:]); order != 0 {
			return order
		}
	}
	return 0
}

const keyBytes = 7

// key returns the 7 bytes of t from a place on, padded with zeros; its lowest byte is the number of bytes
// that t has from there, 8 for more than 7. Keys sort as the texts do, also for texts with zero bytes.
func key(t []byte, from int) uint64 {
	rest := len(t) - from
	switch {
	case rest > keyBytes:
		return be64(t[from:])&^0xFF | (keyBytes + 1)
	case len(t) >= 8:
		return be64(t[len(t)-8:])<<(8*(8-rest)) | uint64(rest)
	}
	k := uint64(rest)
	for i := range rest {
		k |= uint64(t[from+i]) << (56 - 8*i)
	}
	return k
}

// sortKeys sorts by key: short lists by insertion, long ones by counting each byte from the lowest on. It
// skips bytes that all keys share.
func (o *order) sortKeys(e []entry) {
	if len(e) <= 48 {
		for i := 1; i < len(e); i++ {
			x := e[i]
			j := i
			for ; j > 0 && e[j-1].key > x.key; j-- {
				e[j] = e[j-1]
			}
			e[j] = x
		}
		return
	}

	if len(e) < 256 {
		slices.SortFunc(e, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
		return
	}

	differ := uint64(0)
	for i := range e {
		differ |= e[i].key ^ e[0].key
	}

	o.spare = slices.Grow(o.spare[:0], len(e))[:len(e)]
	from, to := e, o.spare
	for shift := 0; shift < 64; shift += 8 {
		if differ>>shift&0xFF == 0 {
			continue
		}
		var place [256]uint32
		for i := range from {
			place[from[i].key>>shift&0xFF]++
		}
		sum := uint32(0)
		for i, n := range place {
			place[i] = sum
			sum += n
		}
		for i := range from {
			at := &place[from[i].key>>shift&0xFF]
			to[*at] = from[i]
			*at++
		}
		from, to = to, from
	}

	if &from[0] != &e[0] {
		copy(e, from)
	}
}

// same reports whether two texts are equal, without reading them if they are the same memory.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || bytes.Equal(a, b))
}

// common returns the length of the common prefix.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n && be64(a[i:]) == be64(b[i:]); i += 8 {
	}
	for ; i < n && a[i] == b[i]; i++ {
	}
	return i
}
