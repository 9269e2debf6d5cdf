//phase:caller
package sdjwt

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/internal/baseline"
)

// reader unpacks a received token in one pass (RFC 9901 section 7.1 step 3), and selects disclosures for a
// holder or writes the processed payload for a verifier.
//
// The decoded payload and disclosures are in one buffer as the elements of a JSON array, so that one scan
// reads all of them. Invariant, checked after the scan: each element is exactly one part, so that no part
// can change the meaning of another.
//
//phase:select
type reader struct {
	limits   canon.Limits
	counters *compare.Counters
	token    []byte
	tape     jsontape.Tape // [payload, disclosure, ...]
	buf      []byte
	ends     []uint32 // of each part in buf, without the comma after it
	given    []disclosure
	hashedTo int // number of them that hashAll has hashed
	hashName string
	made     compare.Counters
	sum      baseline.Sum
	b64      []byte // the current digest
	digests  table
	names    []nameNode // disclosed so far in the open objects
	path     []byte     // JSON pointer of the open container
	top      string     // open member of the root, if it is protected
	pointers []pointer  // of the open containers, innermost last
	holder   bool       // select for a holder, and check only selected disclosures
	wanted   []string   // JSON pointers that a holder presents
	tokens   []uint16   // hashes of their tokens
	met      []bool     // whether each wanted pointer leads to something
	write    bool
	out      []byte // the processed payload
	paths    []byte // JSON pointers of the disclosed claims, each with its endOfPath
	facts    facts
	texts    []byte // of the facts
	places   []factText
	spans    []span // members of the root that are objects or arrays
}

// factText is the place of a fact's text in the texts of all, which become one string.
type factText struct {
	fact     *scalar
	from, to int
}

// span is the place in out of a member.
type span struct {
	name       string
	start, end int
}

// disclosure is a disclosure of the token. It has offsets instead of pointers, to avoid the collector's
// write barriers.
type disclosure struct {
	from, to uint32 // place of the text in token
	node     uint32
	hashed   bool
	used     bool
	selected bool
}

// pointer is the rest of a wanted JSON pointer below the open container.
type pointer struct {
	rest  string // "" wants everything
	index int    // in the caller's list
}

type nameNode struct {
	node int
	hash uint16
}

var readers = sync.Pool{New: func() any { return new(reader) }}

func newReader(token []byte, limits canon.Limits, c *compare.Counters) *reader {
	r := readers.Get().(*reader)
	r.token, r.limits, r.counters, r.hashedTo = token, limits.WithDefaults(), c, 0
	r.buf, r.ends, r.given = r.buf[:0], r.ends[:0], r.given[:0]
	r.names, r.path, r.pointers = r.names[:0], r.path[:0], r.pointers[:0]
	r.holder, r.wanted, r.write, r.out = false, nil, false, r.out[:0]
	r.paths, r.top, r.facts, r.spans = r.paths[:0], "", facts{}, r.spans[:0]
	r.texts, r.places, r.made = r.texts[:0], r.places[:0], compare.Counters{}
	return r
}

func (r *reader) free() {
	r.counters.Add(r.made)
	r.token, r.wanted, r.counters = nil, nil, nil
	if keep(r.buf) && keep(r.paths) {
		readers.Put(r)
	}
}

// split divides the compact token: JWT ~ disclosure ~ ... ~ KB-JWT. The KB-JWT is empty without key binding.
//
//phase:parse
func (r *reader) split() (jwt, kb []byte, err error) {
	if err := checkForm(r.token, r.limits); err != nil {
		return nil, nil, err
	}
	most := int(r.limits.Memory / disclosureSize)
	end := bytes.IndexByte(r.token, '~')
	jwt = r.token[:end]
	for {
		from := end + 1
		n := bytes.IndexByte(r.token[from:], '~')
		if n < 0 {
			return jwt, r.token[from:], nil
		}
		if n == 0 {
			return nil, nil, invalid(where(len(r.given)+1), ruleForm, "is empty")
		}
		end = from + n
		r.given = append(r.given, disclosure{from: uint32(from), to: uint32(end)})
		if len(r.given) > most {
			return nil, nil, checkCount(len(r.given), &r.limits)
		}
	}
}

// load decodes and scans payload and disclosures.
func (r *reader) load(payload []byte) error {
	if err := r.decode(payload); err != nil {
		return err
	}
	if err := r.scan(); err != nil {
		return err
	}
	if r.tape.Nodes[1].Kind != jsontape.Object {
		return invalid("payload", "RFC 7519 section 7.2", "is not a JSON object")
	}
	for i := range r.given {
		if err := r.shape(i); err != nil {
			return err
		}
	}
	if err := r.readHash(); err != nil {
		return err
	}
	if r.holder {
		return r.hashWanted()
	}
	return r.hashAll()
}

//phase:parse
func (r *reader) decode(payload []byte) error {
	r.buf = append(r.buf, '[')
	var err error
	if r.buf, err = baseline.AppendFromBase64(r.buf, payload); err != nil {
		return invalid("payload", "RFC 7515 section 2", "is not base64url: %v", err)
	}
	r.ends = append(r.ends, uint32(len(r.buf)))
	for i, d := range r.given {
		r.buf, err = baseline.AppendFromBase64(append(r.buf, ','), r.token[d.from:d.to])
		if err != nil {
			return invalid(where(i+1), "RFC 9901 section 4.2", "is not base64url: %v", err)
		}
		r.ends = append(r.ends, uint32(len(r.buf)))
	}
	r.buf = append(r.buf, ']')
	return nil
}

//phase:parse
func (r *reader) scan() error {
	err := r.tape.Scan(r.buf, jsontape.Options{Bytes: len(r.buf), Depth: r.limits.Depth + 1,
		Memory: r.limits.Memory})
	if err != nil {
		var syntax *canon.SyntaxError
		if errors.As(err, &syntax) {
			return invalid(r.partAt(syntax.Offset), "RFC 8259", "%s", syntax.Msg)
		}
		return err
	}
	start, part := uint32(1), 0
	for e := range r.tape.Elements(0) {
		n := r.tape.Nodes[e]
		if part == len(r.ends) || n.Start < start || n.End > r.ends[part] {
			return invalid(r.partAt(int(n.Start)), "RFC 8259", "is not one JSON value")
		}
		if part > 0 {
			r.given[part-1].node = uint32(e)
		}
		start = r.ends[part] + 1
		part++
	}
	if part < len(r.ends) {
		return invalid("payload", "RFC 8259", "is not one JSON value")
	}
	return nil
}

// partAt names the part of the token that holds a byte of buf.
func (r *reader) partAt(offset int) string {
	i := 0
	for i < len(r.ends)-1 && uint32(offset) > r.ends[i] {
		i++
	}
	if i == 0 {
		return "payload"
	}
	return where(i)
}

// shape checks the structure that all disclosures share (RFC 9901 section 4.2).
//
//phase:parse
func (r *reader) shape(i int) error {
	n := int(r.given[i].node)
	if count := r.tape.Len(n); r.tape.Nodes[n].Kind != jsontape.Array || count != 2 && count != 3 {
		return invalid(where(i+1), "RFC 9901 section 4.2", "must be an array of 2 or 3 elements")
	}
	if r.tape.Nodes[n+1].Kind != jsontape.String {
		return invalid(where(i+1), "RFC 9901 section 4.2", "the salt is not a string")
	}
	return nil
}

func (r *reader) readHash() error {
	r.hashName = defaultHash
	if n := r.tape.Get(1, "_sd_alg"); n >= 0 {
		if r.tape.Nodes[n].Kind != jsontape.String {
			return invalid("/_sd_alg", "RFC 9901 section 4.1.1", "is not a string")
		}
		r.hashName = baseline.Known(r.tape.Text(n), hashes[:]...)
	}
	_, err := hashOf(r.hashName)
	r.digests.reset(len(r.given))
	return err
}

// hashAll computes the missing digests of all disclosures.
//
//phase:digest
func (r *reader) hashAll() error {
	for ; r.hashedTo < len(r.given); r.hashedTo++ {
		if err := r.hash(r.hashedTo); err != nil {
			return err
		}
	}
	return nil
}

// hashWanted computes the digests of only those disclosures that a pointer may lead to: of array elements,
// and of members whose name is in a pointer. A holder checks the disclosures that it sends (RFC 9901
// section 7.2), not all of them.
//
//phase:digest
func (r *reader) hashWanted() error {
	r.tokens = r.tokens[:0]
	few := len(r.wanted) <= fewPointers // few are compared one by one, more are sorted
	for _, p := range r.wanted {
		for token := range strings.SplitSeq(p, "/") {
			if h := jsontape.KeyHash(jsontape.UnescapeToken(token)); !few || !slices.Contains(r.tokens, h) {
				r.tokens = append(r.tokens, h)
			}
		}
		if p == "" {
			return r.hashAll()
		}
	}

	if !few {
		slices.Sort(r.tokens)
	}

	stands := func(h uint16) bool {
		if few {
			return slices.Contains(r.tokens, h)
		}
		_, ok := slices.BinarySearch(r.tokens, h)
		return ok
	}

	for i, d := range r.given {
		name := int(r.tape.Nodes[d.node+1].Next)
		if int(r.tape.Nodes[name].Next) < int(r.tape.Nodes[d.node].Next) &&
			r.tape.Nodes[name].Kind == jsontape.String && !stands(jsontape.KeyHash(r.tape.Text(name))) {
			continue
		}
		if err := r.hash(i); err != nil {
			return err
		}
	}

	return nil
}

//phase:digest
func (r *reader) hash(i int) error {
	d := &r.given[i]
	if d.hashed {
		return nil
	}
	d.hashed = true
	n := hashes.Into(&r.sum, r.hashName, r.token[d.from:d.to])
	r.b64 = baseline.AppendBase64(r.b64[:0], r.sum[:n])
	s := r.digests.add(r.b64)
	if s.given > 0 {
		return invalid(where(i+1), ruleForm, "is sent twice")
	}
	s.given = int32(i + 1)
	r.made.Digests++
	return nil
}

// process unpacks a payload and writes the processed one.
func (r *reader) process(payload []byte) error {
	if err := r.load(payload); err != nil {
		return err
	}
	r.write = true
	if err := r.walk(); err != nil {
		return err
	}
	r.setTexts()
	return r.structured()
}

// walk processes the whole payload.
func (r *reader) walk() error {
	r.met = slices.Grow(r.met[:0], len(r.wanted))[:len(r.wanted)]
	clear(r.met)
	all := false
	for i, p := range r.wanted {
		r.pointers = append(r.pointers, pointer{p, i})
		if p == "" {
			all, r.met[i] = true, true
		}
	}
	if len(r.pointers) > fewPointers {
		slices.SortFunc(r.pointers, func(a, b pointer) int { return comparePointers(a.rest, b.rest) })
	}
	if err := r.object(1, 1, r.pointers, all); err != nil || r.holder {
		return err
	}
	for i := range r.given {
		if !r.given[i].used {
			return invalid(where(i+1), "RFC 9901 section 7.1 step 5", "no digest refers to it")
		}
	}
	return nil
}

func (r *reader) append(b ...byte) {
	if r.write {
		r.out = append(r.out, b...)
	}
}

func (r *reader) deeper(depth int) error {
	if depth > r.limits.Depth {
		return &canon.LimitError{Limit: "depth", Max: int64(r.limits.Depth), Done: int64(depth),
			Where: string(r.path)}
	}
	return nil
}

// object processes an object at a depth. wanted are the pointers that lead into it; all means that it is
// wanted as a whole.
func (r *reader) object(n, depth int, wanted []pointer, all bool) error {
	if err := r.deeper(depth); err != nil {
		return err
	}

	sd, comma, root := -1, byte('{'), n == 1
	for k, v := range r.tape.Members(n) {
		if node := r.tape.Nodes[k]; node.End-node.Start <= uint32(len(`"_sd_alg"`)) || node.Escaped() {
			switch name := r.tape.Text(k); string(name) {
			case "_sd":
				sd = v
				continue
			case "_sd_alg":
				if root {
					continue
				}
				return r.badName(name)
			case "...":
				return r.badName(name)
			}
		}

		r.append(comma)
		comma = ','
		if err := r.member(k, v, depth, wanted, all, root, -1); err != nil {
			return err
		}
	}

	if sd >= 0 {
		if err := r.disclosed(n, sd, depth, wanted, all, root, comma); err != nil {
			return err
		}
	} else if comma == '{' {
		r.append('{')
	}

	r.append('}')
	return nil
}

func (r *reader) badName(name []byte) error {
	return invalid(string(r.path), "RFC 9901 section 4.1", "a claim is named %q", name)
}

// disclosed processes the digests of an object and inserts the disclosed claims.
func (r *reader) disclosed(n, sd, depth int, wanted []pointer, all, root bool, comma byte) error {
	if r.tape.Nodes[sd].Kind != jsontape.Array {
		return invalid(string(r.path)+"/_sd", "RFC 9901 section 4.2.4.1", "is not an array")
	}

	mark := len(r.names)
	var set map[string]bool // names of a large object; names of a small one are compared one by one
	if r.tape.Len(sd) > 64 && len(r.given) > 64 {
		set = make(map[string]bool)
		for k := range r.tape.Members(n) {
			set[string(r.tape.Text(k))] = true
		}
	}

	for e := range r.tape.Elements(sd) {
		if r.tape.Nodes[e].Kind != jsontape.String {
			return invalid(string(r.path)+"/_sd", "RFC 9901 section 4.2.4.1",
				"holds a value that is not a string")
		}
		i, err := r.refer(e)
		if err != nil {
			return err
		}
		if i < 0 {
			continue
		}
		k, err := r.claimName(i, n, mark, set)
		if err != nil {
			return err
		}
		r.append(comma)
		comma = ','
		if err := r.member(k, int(r.tape.Nodes[k].Next), depth, wanted, all, root, i); err != nil {
			return err
		}
	}

	if comma == '{' {
		r.append('{')
	}

	r.names = r.names[:mark]
	return nil
}

// refer records a digest and returns the index of its disclosure, or -1.
func (r *reader) refer(e int) (int, error) {
	if r.holder {
		return r.digests.find(r.tape.Text(e)), nil
	}
	s := r.digests.add(r.tape.Text(e))
	if s.seen {
		return 0, invalid(string(r.path), "RFC 9901 section 7.1 step 4", "digest %s is in the token twice",
			r.tape.Raw(e))
	}
	s.seen = true
	return int(s.given) - 1, nil
}

// claimName returns the node of the name of disclosure i, which must be new in object n.
func (r *reader) claimName(i, n, mark int, set map[string]bool) (int, error) {
	d := r.given[i]
	if r.tape.Len(int(d.node)) != 3 {
		return 0, invalid(where(i+1), "RFC 9901 section 7.1 step 3.3.2.1",
			"belongs to an object and needs 3 elements")
	}
	k := int(r.tape.Nodes[d.node+1].Next)
	if r.tape.Nodes[k].Kind != jsontape.String {
		return 0, invalid(where(i+1), "RFC 9901 section 7.1 step 3.3.2.2",
			"its claim name is reserved or not a string")
	}
	name := r.tape.Text(k)
	if reserved(string(name)) {
		return 0, invalid(where(i+1), "RFC 9901 section 7.1 step 3.3.2.2",
			"its claim name is reserved or not a string")
	}
	if set != nil && set[string(name)] || set == nil && r.exists(name, n, mark) {
		return 0, invalid(where(i+1), "RFC 9901 section 7.1 step 3.3.2.3", "claim %q already exists", name)
	}
	if set != nil {
		set[string(name)] = true
	} else {
		r.names = append(r.names, nameNode{k, jsontape.KeyHash(name)})
	}
	return k, nil
}

// exists reports whether an object already has a claim with a name, plain or disclosed.
func (r *reader) exists(name []byte, n, mark int) bool {
	h := jsontape.KeyHash(name)
	for k, end := n+1, int(r.tape.Nodes[n].Next); k < end; k = int(r.tape.Nodes[k+1].Next) {
		if r.tape.Nodes[k].Hash == h && bytes.Equal(r.tape.Text(k), name) {
			return true
		}
	}
	for _, o := range r.names[mark:] {
		if o.hash == h && bytes.Equal(r.tape.Text(o.node), name) {
			return true
		}
	}
	return false
}

// member processes a member of an object. given is the disclosure that holds it, or -1.
func (r *reader) member(k, v, depth int, wanted []pointer, all, root bool, given int) error {
	if r.write {
		r.out = append(append(r.out, r.tape.Raw(k)...), ':')
	}

	text := r.tape.Text(k)
	container := r.tape.Nodes[v].Kind >= jsontape.Array
	start := len(r.out)
	below := len(r.pointers)
	if len(wanted) > 0 {
		all = r.follow(wanted, text) || all
	}

	inner := r.pointers[below:]
	back := len(r.path)

	if container || given >= 0 || root {
		r.path = appendToken(r.path, text)
		if root {
			r.top = protectedName(text)
		}
		if err := r.mark(given, all || len(inner) > 0); err != nil {
			return err
		}
	}

	if container && all && r.holder {
		if err := r.hashAll(); err != nil {
			return err
		}
	}

	if err := r.value(v, depth+1, inner, all); err != nil {
		return err
	}

	r.path = r.path[:back]
	r.pointers = r.pointers[:below]
	if root && r.write {
		r.fact(text, v, start)
	}

	return nil
}

// mark records that a disclosure is used, and selects it if it is wanted.
func (r *reader) mark(given int, wanted bool) error {
	if given < 0 {
		return nil
	}
	d := &r.given[given]
	d.used, d.selected = true, wanted
	if r.write {
		if err := checkPaths(len(r.paths)+len(r.path)+len(endOfPath), &r.limits); err != nil {
			return err
		}
		r.paths = append(append(r.paths, r.path...), endOfPath...)
		if r.top != "" && r.facts.disclosedTop == "" {
			r.facts.disclosedTop = r.top
		}
	}
	return nil
}

// unmet returns the error of the first pointer without a match.
func (r *reader) unmet() error {
	for i, p := range r.wanted {
		if !r.met[i] {
			return mismatch(r.token, p, r.limits)
		}
	}
	return nil
}

// mismatch returns the error of a pointer that names nothing in a readable token.
func mismatch(token []byte, pointer string, limits canon.Limits) error {
	r := newReader(token, limits, nil)
	defer r.free()
	jwt, _, err := r.split()
	if err != nil {
		return err
	}
	parts, err := splitJWS("JWT", jwt)
	if err != nil {
		return err
	}
	if err := r.process(parts[1]); err != nil {
		return err
	}
	var t jsontape.Tape
	if err := t.Scan(r.out, jsontape.Options{Bytes: len(r.out), Depth: r.limits.Depth,
		Memory: r.limits.Memory}); err != nil {
		return err
	}
	return t.Mismatch(pointer)
}

// chosen returns the token with the selected disclosures.
//
//phase:encode
func (r *reader) chosen(jwt []byte) []byte {
	size := len(jwt) + 1
	for i := range r.given {
		if r.given[i].selected {
			size += int(r.given[i].to-r.given[i].from) + 1
		}
	}
	out := append(append(make([]byte, 0, size), jwt...), '~')
	for i := range r.given {
		if r.given[i].selected {
			out = append(append(out, r.token[r.given[i].from:r.given[i].to]...), '~')
		}
	}
	return out
}

// fewPointers is the number of pointers up to which all are compared with each token. More are sorted.
const fewPointers = 16

// comparePointers orders JSON pointers so that those that begin with the same tokens are adjacent.
func comparePointers(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n < len(a) && n < len(b) && (a[n] == '/') != (b[n] == '/') { // a token ends
		if a[n] == '/' {
			return -1
		}
		return 1
	}
	return cmp.Compare(a[n:], b[n:])
}

// follow pushes the pointers that continue below a member or element, and reports whether one of them ends
// there.
func (r *reader) follow(wanted []pointer, token []byte) (all bool) {
	if !plain(token) {
		token = appendToken(nil, token)[1:]
	}
	many := len(wanted) > fewPointers
	if many {
		at := "/" + string(token)
		first, _ := slices.BinarySearchFunc(wanted, at,
			func(p pointer, at string) int { return comparePointers(p.rest, at) })
		wanted = wanted[first:]
	}
	for _, p := range wanted {
		rest, ok := cutToken(p.rest, token)
		if ok {
			r.pointers = append(r.pointers, pointer{rest, p.index})
			if rest == "" {
				all, r.met[p.index] = true, true
			}
		} else if many {
			break
		}
	}
	return all
}

// cutToken removes an escaped token from the beginning of a JSON pointer.
func cutToken(pointer string, token []byte) (rest string, ok bool) {
	n := len(token) + 1
	if len(pointer) < n || pointer[0] != '/' || pointer[1:n] != string(token) {
		return "", false
	}
	rest = pointer[n:]
	return rest, rest == "" || rest[0] == '/'
}

// plain reports whether a token needs no escape in a JSON pointer.
func plain(token []byte) bool {
	for _, c := range token {
		if c == '~' || c == '/' {
			return false
		}
	}
	return true
}

// appendToken appends a slash and a token to a JSON pointer.
func appendToken(dst, token []byte) []byte {
	dst = append(dst, '/')
	if plain(token) {
		return append(dst, token...)
	}
	return jsontape.AppendToken(dst, token)
}

func (r *reader) value(n, depth int, wanted []pointer, all bool) error {
	switch r.tape.Nodes[n].Kind {
	case jsontape.Object:
		return r.object(n, depth, wanted, all)
	case jsontape.Array:
		return r.array(n, depth, wanted, all)
	}
	if r.write {
		r.out = append(r.out, r.tape.Raw(n)...)
	}
	return nil
}

func (r *reader) array(n, depth int, wanted []pointer, all bool) error {
	if err := r.deeper(depth); err != nil {
		return err
	}

	r.append('[')
	index, back, below := 0, len(r.path), len(r.pointers)
	for e := range r.tape.Elements(n) {
		v, given := e, -1
		r.path = strconv.AppendInt(append(r.path, '/'), int64(index), 10)
		if r.tape.Nodes[e].Kind == jsontape.Object {
			if dots := r.tape.Get(e, "..."); dots >= 0 {
				var err error
				if given, err = r.element(e, dots); err != nil {
					return err
				}
				if given < 0 {
					r.path = r.path[:back]
					continue
				}
				v = int(r.tape.Nodes[r.given[given].node+1].Next)
			}
		}

		if index > 0 {
			r.append(',')
		}
		index++
		whole := all
		if len(wanted) > 0 {
			whole = r.follow(wanted, r.path[back+1:]) || whole
		}
		inner := r.pointers[below:]
		if err := r.mark(given, whole || len(inner) > 0); err != nil {
			return err
		}
		if whole && r.holder && r.tape.Nodes[v].Kind >= jsontape.Array {
			if err := r.hashAll(); err != nil {
				return err
			}
		}
		if err := r.value(v, depth+1, inner, whole); err != nil {
			return err
		}
		r.path, r.pointers = r.path[:back], r.pointers[:below]
	}

	r.append(']')
	return nil
}

// element returns the index of the disclosure of an array element {"...": digest}, or -1.
func (r *reader) element(e, dots int) (int, error) {
	if r.tape.Len(e) != 1 || r.tape.Nodes[dots].Kind != jsontape.String {
		return 0, invalid(string(r.path), "RFC 9901 section 4.2.4.2",
			`an element with "..." has one member, a digest`)
	}
	i, err := r.refer(dots)
	if err == nil && i >= 0 && r.tape.Len(int(r.given[i].node)) != 2 {
		err = invalid(where(i+1), "RFC 9901 section 7.1 step 3.3.3.1",
			"belongs to an array and needs 2 elements")
	}
	return i, err
}

// fact records a member of the processed payload for the rules.
func (r *reader) fact(name []byte, v, start int) {
	f := &r.facts
	switch string(name) {
	case "iss":
		r.text(&f.iss, v)
	case "vct":
		r.text(&f.vct, v)
	case "sub":
		f.sub = r.named(v)
	case "aud":
		r.text(&f.aud, v)
		r.span("aud", start)
	case "nonce":
		r.text(&f.nonce, v)
	case "sd_hash":
		r.text(&f.sdHash, v)
	case "iat":
		f.iat = r.number(v)
	case "nbf":
		f.nbf = r.number(v)
	case "exp":
		f.exp = r.number(v)
	case "vct#integrity":
		r.text(&f.integrity, v)
	case "aka_vcts":
		r.span("aka_vcts", start)
	case "cnf":
		f.bound = true
		r.span("cnf", start)
	default:
		if i := slices.Index(unread, string(name)); i >= 0 {
			f.unread = append(f.unread, unread[i])
		}
	}
}

// text records a string claim. Its text is set by setTexts.
func (r *reader) text(to *scalar, n int) {
	*to = r.named(n)
	if to.typed {
		from := len(r.texts)
		r.texts = r.tape.AppendString(r.texts, n)
		r.places = append(r.places, factText{to, from, len(r.texts)})
	}
}

// setTexts sets the texts of the claims.
func (r *reader) setTexts() {
	all := string(r.texts)
	for _, p := range r.places {
		p.fact.text = all[p.from:p.to]
	}
}

// named returns a string claim without its text, for claims of which only the type matters.
func (r *reader) named(n int) scalar {
	return scalar{present: true, typed: r.tape.Nodes[n].Kind == jsontape.String}
}

func (r *reader) number(n int) scalar {
	if r.tape.Nodes[n].Kind != jsontape.Number {
		return scalar{present: true}
	}
	f, err := strconv.ParseFloat(string(r.tape.Raw(n)), 64)
	return scalar{present: true, typed: err == nil, number: f}
}

func (r *reader) span(name string, start int) {
	r.spans = append(r.spans, span{name, start, len(r.out)})
}

// structured reads the facts in arrays and objects from the processed payload.
func (r *reader) structured() error {
	for _, s := range r.spans {
		var t jsontape.Tape
		if err := t.Scan(r.out[s.start:s.end], jsontape.Options{Bytes: len(r.out), Depth: r.limits.Depth,
			Memory: r.limits.Memory}); err != nil {
			return err
		}
		switch s.name {
		case "aud":
			r.facts.auds = textsOf(&t)
		case "aka_vcts":
			r.facts.akaPresent, r.facts.aka = true, textsOf(&t)
		case "cnf":
			if n := t.Get(0, "jwk"); n >= 0 && t.Nodes[n].Kind != jsontape.Null {
				r.facts.cnf = t.Raw(n)
			}
		}
	}
	return nil
}

// textsOf returns the elements of an array of strings, or nil if it is something else.
func textsOf(t *jsontape.Tape) []string {
	if t.Nodes[0].Kind != jsontape.Array {
		return nil
	}
	return textsAt(t, 0)
}

func textsAt(t *jsontape.Tape, n int) []string {
	out := []string{}
	for e := range t.Elements(n) {
		if t.Nodes[e].Kind != jsontape.String {
			return nil
		}
		out = append(out, string(t.Text(e)))
	}
	return out
}
