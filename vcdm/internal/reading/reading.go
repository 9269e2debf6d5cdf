// Package reading compares a document with the statements that are signed.
//
// Verification reads members of the JSON; the signature of an RDFC suite covers statements. JSON-LD can say
// one statement in many ways: by an IRI or an alias in place of a term, in @included, @graph or @nest, in
// another object of the same id. So the statements and the members that verification reads have to agree in
// number and in value.
//
//phase:caller
package reading

import (
	"bytes"
	"fmt"
	"slices"

	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
	"canonscope/vcdm/internal/lines"
	"canonscope/vcdm/internal/value"
	"canonscope/vcdm/problem"
	"canonscope/vcdm/rules"
)

// fact is a statement of the default graph that has a meaning to verification.
type fact struct {
	subject, object []byte // terms as N-Quads write them
	of              uint8  // place in rules.Meanings: of the predicate, or of the type that is the object
}

func (f *fact) is(k rules.Kind) bool { return rules.Meanings[f.of].Is == k }

// Reading is the memory of a comparison, which the next one reuses.
//
//phase:validate
type Reading struct {
	tape  *jsontape.Tape
	texts [][]byte // canonical N-Quads, of whole lines
	facts []fact   // sorted by subject
	node  []byte   // that is the document, nil if no fact is about it
	id    []byte   // room for the node of the document's id

	nodes      [][]byte // candidates
	led        []bool   // by candidate: a statement about another node leads to it
	have, said [][]byte // values of one member, and objects of its statements
	buf        []byte
}

// Check sees that canonical N-Quads, which the signature covers, say of the document what those members say
// that verification reads, and hold so many proofs. Such statements about other nodes are no matter, as
// long as it is certain which node is the document.
func (r *Reading) Check(tape *jsontape.Tape, text []byte, proofs int) error {
	return r.checkTexts(tape, proofs, text)
}

func (r *Reading) checkTexts(tape *jsontape.Tape, proofs int, texts ...[]byte) error {
	r.tape = tape
	r.collect(texts...)

	var err error
	if r.node, err = r.root(); err != nil {
		return err
	}
	return r.check(r.node, proofs)
}

// CheckPart is Check for a suite with selective disclosure, whose holders leave statements out: that one
// node leads to another, that it has a proof, or all about the document. The mandatory statements, which
// they cannot leave out, say which node is the document: that of the issuer.
func (r *Reading) CheckPart(tape *jsontape.Tape, all, mandatory [][]byte, proofs int) error {
	if err := r.checkTexts(tape, proofs, all...); err != nil {
		return err
	}

	root, issuer := r.node, r.issuer(r.node)
	others := slices.ContainsFunc(r.facts, func(f fact) bool {
		return f.is(rules.DocumentType) && !bytes.Equal(f.subject, root) && bytes.Equal(r.issuer(f.subject),
			issuer)
	})

	r.collect(mandatory...)
	issued := func(f fact) bool { return f.of == rules.IssuerMeaning }
	switch i := slices.IndexFunc(r.facts, issued); {
	case i < 0 && others:
		return disagree("/issuer",
			"has to be mandatory, since a credential inside this one has the same issuer and could be shown "+
				"in its place")
	case i >= 0 && !slices.ContainsFunc(r.about(root), issued):
		return disagree("", fmt.Sprintf("the issuer of %s has to be disclosed, and this is another document",
			r.facts[i].subject))
	}

	issuer = r.issuer(root)
	for i, f := range r.facts {
		// A node may have several issuers.
		again := i > 0 && issued(r.facts[i-1]) && bytes.Equal(r.facts[i-1].subject, f.subject)
		if issued(f) && !again && !bytes.Equal(f.subject, root) && r.replaces(f.subject, issuer) {
			return replacing(f.subject)
		}
	}

	return nil
}

// root returns the node that is the document, nil if no fact is about it. Statements do not say where a
// document begins: a holder can write a node from inside it at the top, and the rest below that. So
// no other credential or presentation may be the beginning as well: one to which no statement leads; or,
// where a statement leads to the document itself, one of the same issuer without its own proof, which
// would be verified in its place.
func (r *Reading) root() ([]byte, error) {
	root := appendNode(r.id[:0], r.tape, 0, "id")
	if root == nil {
		root = appendNode(r.id[:0], r.tape, 0, "@id")
		if root != nil && len(r.about(root)) > 0 {
			return nil, disagree("/@id", "the id of a credential or presentation is its member id")
		}
	}
	if root != nil {
		r.id = root
	}

	candidates := r.candidates(root == nil)
	if len(candidates) == 0 {
		return root, nil
	}
	if root != nil && len(candidates) == 1 && bytes.Equal(candidates[0], root) {
		return root, nil
	}

	rootLed := r.follow(candidates, root)
	for i, c := range candidates {
		if r.led[i] {
			continue
		}
		if root == nil && c[0] == '_' {
			root = c
		} else if !bytes.Equal(c, root) {
			return nil, beside(c)
		}
	}

	switch {
	case root == nil: // statements that lead to one another hide where the document begins
		return nil, beside(candidates[0])
	case len(r.about(root)) == 0 && !r.mentions(root):
		return nil, disagree("/id", "nothing is signed about the document's id")
	case root[0] == '_' || rootLed:
		issuer := r.issuer(root)
		for _, c := range candidates {
			if !bytes.Equal(c, root) && (root[0] != '_' || c[0] == '_') && r.replaces(c, issuer) {
				return nil, replacing(c)
			}
		}
	}

	return root, nil
}

// mentions reports whether a statement has a node.
func (r *Reading) mentions(node []byte) bool {
	term := append(slices.Clone(node), ' ')
	return slices.ContainsFunc(r.texts, func(text []byte) bool { return bytes.Contains(text, term) })
}

func replacing(node []byte) error {
	return disagree("", fmt.Sprintf("%s is signed as a credential of the same issuer, and could be read in "+
		"place of this document; "+
		"give the document an id to which nothing in it refers, or %s its own proof", node, node))
}

func beside(node []byte) error {
	return disagree("", fmt.Sprintf("%s is signed as a credential or presentation to which nothing "+
		"leads, and is not this document; write the document as one object with an id, without reverse "+
		"properties, and its credentials in verifiableCredential", node))
}

// replaces reports whether a node could be read in place of a document of an issuer: it has the same issuer
// and no proof.
func (r *Reading) replaces(node, issuer []byte) bool {
	return bytes.Equal(r.issuer(node), issuer) && !slices.ContainsFunc(r.about(node),
		func(f fact) bool { return f.is(rules.Proofs) })
}

// issuer returns the first issuer of a node, nil where it has none.
func (r *Reading) issuer(node []byte) []byte {
	facts := r.about(node)
	if i := slices.IndexFunc(facts, func(f fact) bool { return f.of == rules.IssuerMeaning }); i >= 0 {
		return facts[i].object
	}
	return nil
}

const (
	startVocabulary = "<" + rules.Vocabulary
	startSecurity   = "<" + rules.Security
)

var (
	newline = []byte{'\n'}
	rdfType = []byte("<" + rules.RDFType + ">")
)

// collect finds the facts of canonical N-Quads. A fact has an IRI of one of two vocabularies; both end with
// a character that few other lines have, and which is found much faster than lines are taken apart.
func (r *Reading) collect(texts ...[]byte) {
	r.texts, r.facts = append(r.texts[:0], texts...), r.facts[:0]
	for _, text := range texts {
		line := 0 // at or before the line of at
		for at := 0; ; {
			i := bytes.IndexByte(text[at:], '#')
			if i < 0 {
				break
			}
			at += i + 1
			if !hasSuffix(text[:at], startVocabulary) && !hasSuffix(text[:at], startSecurity) {
				continue
			}

			line += bytes.LastIndexByte(text[line:at], '\n') + 1
			end := len(text)
			if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
				end = at + n
			}
			r.addFact(text[line:end])
			line, at = end, end
		}
	}

	bySubject := func(a, b fact) int { return bytes.Compare(a.subject, b.subject) }
	if !slices.IsSortedFunc(r.facts, bySubject) { // canonical lines are
		slices.SortStableFunc(r.facts, bySubject)
	}
}

// statement takes a line apart, without its newline, and reports whether it is a statement of the default
// graph. A term has two bytes at least.
func statement(line []byte) (subject, predicate, object []byte, ok bool) {
	subject, line = lines.Cut(line)
	predicate, line = lines.Cut(line)
	object, line = lines.Cut(line)
	ok = len(subject) > 1 && len(object) > 1 && string(line) == "."
	return subject, predicate, object, ok
}

// addFact adds the fact that a line is, if it is one.
func (r *Reading) addFact(line []byte) {
	subject, predicate, object, ok := statement(line)
	if !ok {
		return
	}
	term, isType := predicate, bytes.Equal(predicate, rdfType)
	if isType {
		term = object
	}
	if !hasPrefix(term, startVocabulary) && !hasPrefix(term, startSecurity) {
		return
	}
	of := rules.MeaningOf(term[1 : len(term)-1])
	if of < 0 || isType != (rules.Meanings[of].Is == rules.DocumentType) {
		return
	}
	r.facts = append(r.facts, fact{subject, object, uint8(of)})
}

func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

func hasSuffix(b []byte, suffix string) bool {
	return len(b) >= len(suffix) && string(b[len(b)-len(suffix):]) == suffix
}

// about returns the facts about a node.
func (r *Reading) about(subject []byte) []fact {
	if subject == nil {
		return nil
	}
	from, _ := slices.BinarySearchFunc(r.facts, subject,
		func(f fact, s []byte) int { return bytes.Compare(f.subject, s) })
	to := from
	for to < len(r.facts) && bytes.Equal(r.facts[to].subject, subject) {
		to++
	}
	return r.facts[from:to]
}

// candidates returns the nodes that may be a document: credentials and presentations and, where blank nodes
// count, those with a member that is read.
func (r *Reading) candidates(blanks bool) [][]byte {
	nodes := r.nodes[:0]
	for i := range r.facts { // sorted by subject
		f := &r.facts[i]
		if (f.is(rules.DocumentType) || blanks && f.subject[0] == '_') &&
			(len(nodes) == 0 || !bytes.Equal(nodes[len(nodes)-1], f.subject)) {
			nodes = append(nodes, f.subject)
		}
	}
	r.nodes = nodes
	return nodes
}

// follow sets led of the nodes, which are sorted, to which a statement about another node leads, and reports
// whether one leads to root.
func (r *Reading) follow(nodes [][]byte, root []byte) (toRoot bool) {
	r.led = slices.Grow(r.led[:0], len(nodes))[:len(nodes)]
	clear(r.led)

	// The last but one byte of an object rules out most lines.
	var ends [256]bool
	for _, node := range nodes {
		ends[node[len(node)-2]] = true
	}
	if root != nil {
		ends[root[len(root)-2]] = true
	}

	for _, text := range r.texts {
		for len(text) > 0 {
			var line []byte
			line, text, _ = bytes.Cut(text, newline)
			n := len(line) - len(" .")
			if n < 2 || !ends[line[n-2]] {
				continue
			}
			from, _, to, ok := statement(line)
			if !ok || bytes.Equal(to, from) {
				continue
			}
			if i, found := slices.BinarySearchFunc(nodes, to, bytes.Compare); found {
				r.led[i] = true
			}
			toRoot = toRoot || bytes.Equal(to, root)
		}
	}
	return toRoot
}

// check compares the members of the document with the facts about its node, nil if there are none. The
// facts have this many proofs.
func (r *Reading) check(root []byte, proofCount int) error {
	t, facts := r.tape, r.about(root)
	var said [len(rules.Meanings)]int // facts
	for i := range facts {
		said[facts[i].of]++
	}

	members := r.members()
	types := t.Get(0, "type")
	for i := range rules.Meanings {
		m := &rules.Meanings[i]
		same := true
		switch m.Is {
		case rules.DocumentType:
			if same = said[i] > 0 == value.Has(t, types, m.Name); !same {
				return disagreeOn("/type", m.IRI, "type")
			}
		case rules.Proofs:
			same = said[i] == proofCount
		case rules.Nodes, rules.Literals, rules.Graphs:
			if v := members[i]; v >= 0 || said[i] > 0 {
				same = r.agree(facts, v, i)
			}
		}
		if !same {
			return disagreeOn("/"+m.Name, m.IRI, m.Name)
		}
	}

	if v := members[rules.ResourcesMeaning]; v >= 0 {
		return r.checkResources(v)
	}

	return nil
}

// members returns the nodes of the document's members that have a meaning, -1 for those that it does not
// have.
func (r *Reading) members() (at [len(rules.Meanings)]int) {
	for i := range at {
		at[i] = -1
	}
	for key, v := range r.tape.Members(0) {
		text := r.tape.Text(key)
		for i := range rules.Meanings {
			if rules.Meanings[i].Name == string(text) {
				at[i] = v
			}
		}
	}
	return at
}

// checkResources sees that each digest of a related resource is signed, and that a resource with a digest
// shows one. The same resource may have others where it is mentioned elsewhere, as a schema for example.
func (r *Reading) checkResources(list int) error {
	seen := map[string]bool{}
	for e := range value.Each(r.tape, list) {
		if r.tape.Nodes[e].Kind != jsontape.Object {
			continue
		}
		node := appendNode(nil, r.tape, e, "id")
		if node != nil && seen[string(node)] {
			return disagree(r.tape.Pointer(e)+"/id", "is repeated among the related resources")
		}
		seen[string(node)] = true
		facts, shown, hidden := r.about(node), false, ""
		for i := range rules.Meanings {
			m := &rules.Meanings[i]
			if m.Is != rules.Digests {
				continue
			}
			v := r.tape.Get(e, m.Name)
			if !r.gather(facts, v, i) {
				return disagreeOn(r.tape.Pointer(e)+"/"+m.Name, m.IRI, m.Name)
			}
			slices.SortFunc(r.said, bytes.Compare)
			for _, value := range r.have {
				if _, signed := slices.BinarySearchFunc(r.said, value, bytes.Compare); !signed {
					return disagreeOn(r.tape.Pointer(e)+"/"+m.Name, m.IRI, m.Name)
				}
			}
			shown = shown || v >= 0
			if len(r.said) > 0 {
				hidden = m.IRI
			}
		}

		if hidden != "" && !shown {
			return disagreeOn(r.tape.Pointer(e), hidden, "digestSRI or digestMultibase")
		}
	}

	return nil
}

// blankNode represents any blank node.
var blankNode = []byte("_:")

// agree reports whether the facts of a meaning have the values of a member as their objects, and no other.
func (r *Reading) agree(facts []fact, v, meaning int) bool {
	if !r.gather(facts, v, meaning) {
		return false
	}
	if len(r.have) > 1 { // what is said twice is one statement; blank nodes are different ones
		slices.SortFunc(r.have, bytes.Compare)
		r.have = slices.CompactFunc(r.have, func(a, b []byte) bool {
			return bytes.Equal(a, b) &&
				!bytes.Equal(a, blankNode)
		})
	}
	if len(r.said) > 1 {
		slices.SortFunc(r.said, bytes.Compare)
	}
	return slices.EqualFunc(r.have, r.said, bytes.Equal)
}

// gather collects the values of a member and the objects of the facts of its meaning. It returns false
// where one of them is of another kind.
func (r *Reading) gather(facts []fact, v, meaning int) bool {
	is := rules.Meanings[meaning].Is
	r.have, r.said, r.buf = r.have[:0], r.said[:0], r.buf[:0]
	for i := range facts {
		if int(facts[i].of) != meaning {
			continue
		}
		o := facts[i].object
		switch {
		case is == rules.Graphs || o[0] == '_':
			o = blankNode
		case is == rules.Nodes && o[0] == '<':
			o = o[1 : len(o)-1]
		case (is == rules.Literals || is == rules.Digests) && o[0] == '"':
			n := lines.LiteralEnd(o)
			if n < len(o) && o[n] == '@' {
				return false
			}
			o = o[:n]
		default:
			return false
		}

		r.said = append(r.said, o)
	}

	if v >= 0 {
		for e := range value.Each(r.tape, v) {
			value := r.value(e, is)
			if value == nil {
				return false
			}
			r.have = append(r.have, value)
		}
	}

	return true
}

// value returns what a statement has for one value of a member, nil if the member cannot have it.
func (r *Reading) value(e int, is rules.Kind) []byte {
	t := r.tape
	isString := t.Nodes[e].Kind == jsontape.String
	switch {
	case is == rules.Graphs:
		return blankNode
	case (is == rules.Literals || is == rules.Digests) && isString:
		from := len(r.buf)
		r.buf = rdf.AppendString(r.buf, t.Text(e))
		return r.buf[from:len(r.buf):len(r.buf)]
	case is == rules.Nodes && isString:
		if text := t.Text(e); !bytes.HasPrefix(text, blankNode) {
			return text
		}
		return blankNode
	case is == rules.Nodes && t.Nodes[e].Kind == jsontape.Object:
		if id := idOf(t, e, "id"); id != nil {
			return id
		}
		return blankNode // what has an @id in its place is one to a reader of JSON, too
	}
	return nil
}

// appendNode appends the IRI of an object, which is at a key, as N-Quads write it, and returns nil for a
// blank node.
func appendNode(dst []byte, t *jsontape.Tape, object int, key string) []byte {
	text := idOf(t, object, key)
	if text == nil {
		return nil
	}
	return append(append(append(dst, '<'), text...), '>')
}

// idOf returns the IRI at a key of an object, nil for a blank node.
func idOf(t *jsontape.Tape, object int, key string) []byte {
	id := t.Get(object, key)
	if id < 0 || t.Nodes[id].Kind != jsontape.String {
		return nil
	}
	if text := t.Text(id); !bytes.HasPrefix(text, blankNode) {
		return text
	}
	return nil
}

// disagree makes the error of a document whose members are not what is signed.
func disagree(where, msg string) *problem.Error {
	return problem.New(problem.DataLossDetection, where, msg)
}

func disagreeOn(where, iri, member string) error {
	return disagree(where, fmt.Sprintf("what is signed of the document as <%s> is not what its member %s "+
		"says; "+
		"write all of it as that member, and identifiers as absolute URLs", iri, member))
}
