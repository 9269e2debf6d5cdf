package vcdm

import (
	"bytes"
	"fmt"
	"slices"

	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
)

// Verification reads members of the JSON; the signature of an RDFC suite covers statements. JSON-LD can say one statement
// in many ways: by an IRI or an alias in place of a term, in @included, @graph or @nest, in another object of the same id.
// So the statements and the members that verification reads have to agree in number and in value.

// vocabulary is that of the data model (Verifiable Credentials Data Model 2.0 appendix B).
const vocabulary = "https://www.w3.org/2018/credentials#"

// readMembers are the members of a document that have a meaning to verification.
var readMembers = [...]struct {
	name, iri string
	values    valueKind
}{
	{"issuer", vocabulary + "issuer", nodes},
	{"holder", vocabulary + "holder", nodes},
	{"validFrom", vocabulary + "validFrom", literals},
	{"validUntil", vocabulary + "validUntil", literals},
	{"issuanceDate", vocabulary + "issuanceDate", literals},
	{"expirationDate", vocabulary + "expirationDate", literals},
	{"credentialSubject", vocabulary + "credentialSubject", nodes},
	{"credentialStatus", vocabulary + "credentialStatus", nodes},
	{"credentialSchema", vocabulary + "credentialSchema", nodes},
	{"relatedResource", vocabulary + "relatedResource", nodes},
	{"termsOfUse", vocabulary + "termsOfUse", nodes},
	{"verifiableCredential", vocabulary + "verifiableCredential", graphs},
}

// resourceMembers are those of an element of relatedResource.
var resourceMembers = [...]struct{ name, iri string }{
	{"digestSRI", vocabulary + "digestSRI"},
	{"digestMultibase", security + "digestMultibase"},
}

// documentTypes are the types that decide how a document is read.
var documentTypes = [...]string{"VerifiableCredential", "VerifiablePresentation", "EnvelopedVerifiableCredential", "EnvelopedVerifiablePresentation"}

// valueKind is what the values of a member stand for.
type valueKind uint8

const (
	nodes valueKind = iota
	literals
	graphs // one for each value, whatever it is called
)

// fact is a statement of the default graph that has a meaning to verification.
type fact struct {
	subject, object []byte // terms as N-Quads write them
	of              string // the IRI of the predicate, or one of documentTypes
}

// reading compares a document with the statements that are signed.
type reading struct {
	tape  *jsontape.Tape
	text  []byte // canonical N-Quads
	facts []fact // sorted by subject

	have, said [][]byte // values of one member, and objects of its statements
	buf        []byte
}

// checkReading sees that canonical N-Quads, which the signature covers, say of the document what those members say that
// verification reads. Such statements about other nodes are no matter, as long as it is certain which node is the document.
func (in *input) checkReading(text []byte) error {
	r := &in.work.reading
	r.tape, r.text, r.facts = in.doc.tape, text, r.facts[:0]
	r.collect()

	root, err := r.root()
	if err != nil {
		return err
	}
	return r.check(root, len(in.matching))
}

// root returns the node that is the document, nil if no fact is about it. Statements do not say where a document begins:
// a holder can write a node that stands inside it at the top, and the rest below that. So no other credential or
// presentation may be the beginning as well: one to which no statement leads; or, where a statement leads to the document
// itself, one of the same issuer without a proof of its own, which would be verified in its place.
func (r *reading) root() ([]byte, error) {
	root := namedNode(r.tape, 0, "id")
	if keyword := namedNode(r.tape, 0, "@id"); keyword != nil && root == nil {
		if root = keyword; len(r.about(root)) > 0 {
			return nil, disagree("/@id", "the id of a credential or presentation is its member id")
		}
	}
	candidates := r.candidates(root == nil)
	if len(candidates) == 0 {
		return root, nil
	}
	if root != nil && len(candidates) == 1 && bytes.Equal(candidates[0], root) {
		return root, nil
	}
	led := r.ledTo()
	for _, c := range candidates {
		if led[string(c)] {
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
	case len(r.about(root)) == 0 && !bytes.Contains(r.text, append(slices.Clone(root), ' ')):
		return nil, disagree("/id", "nothing is signed about the document's id")
	case root[0] == '_' || led[string(root)]:
		for _, c := range candidates {
			if !bytes.Equal(c, root) && (root[0] != '_' || c[0] == '_') && r.replaces(c, root) {
				return nil, disagree("", fmt.Sprintf("%s is signed as a credential of the same issuer, and could be this document as well; "+
					"give the document an id to which nothing in it refers, or %s a proof of its own", c, c))
			}
		}
	}
	return root, nil
}

func beside(node []byte) error {
	return disagree("", fmt.Sprintf("%s is signed as a credential or presentation to which nothing leads, and is not this document; write the "+
		"document as one object with an id, without reverse properties, and its credentials in verifiableCredential", node))
}

// replaces reports whether a node has the issuer of another and no proof.
func (r *reading) replaces(node, root []byte) bool {
	issuer := func(facts []fact) []byte {
		for i := range facts {
			if facts[i].of == readMembers[0].iri {
				return facts[i].object
			}
		}
		return nil
	}
	facts := r.about(node)
	return bytes.Equal(issuer(facts), issuer(r.about(root))) && !slices.ContainsFunc(facts, func(f fact) bool { return f.of == secHasProof })
}

const (
	startVocabulary = "<" + vocabulary
	startSecurity   = "<" + security
	startType       = "<" + rdfType + "> "
)

// collect finds the facts.
func (r *reading) collect() {
	for rest := r.text; len(rest) > 0; {
		line := rest
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			line, rest = rest[:n], rest[n+1:]
		} else {
			rest = nil
		}
		subject, line := cutTerm(line)
		var f fact
		switch {
		case hasPrefix(line, startVocabulary), hasPrefix(line, startSecurity):
			var predicate []byte
			predicate, line = cutTerm(line)
			f.of = readIRI(predicate[1 : len(predicate)-1])
		case hasPrefix(line, startType+startVocabulary):
			line = line[len(startType):]
			class, _ := cutTerm(line)
			f.of = documentType(class[len(startVocabulary) : len(class)-1])
		}
		if f.of == "" {
			continue
		}
		var graph []byte
		if f.object, graph = cutTerm(line); string(graph) == "." { // the default graph
			f.subject = subject
			r.facts = append(r.facts, f)
		}
	}
	bySubject := func(a, b fact) int { return bytes.Compare(a.subject, b.subject) }
	if !slices.IsSortedFunc(r.facts, bySubject) { // canonical lines are
		slices.SortStableFunc(r.facts, bySubject)
	}
}

func hasPrefix(line []byte, prefix string) bool {
	return len(line) >= len(prefix) && string(line[:len(prefix)]) == prefix
}

// readIRI returns the IRI of a member that is read, or "".
func readIRI(iri []byte) string {
	for i := range readMembers {
		if readMembers[i].iri == string(iri) {
			return readMembers[i].iri
		}
	}
	for i := range resourceMembers {
		if resourceMembers[i].iri == string(iri) {
			return resourceMembers[i].iri
		}
	}
	if string(iri) == secHasProof {
		return secHasProof
	}
	return ""
}

func documentType(name []byte) string {
	for _, t := range documentTypes {
		if t == string(name) {
			return t
		}
	}
	return ""
}

// cutTerm returns the term that a part of a canonical N-Quads line begins with, and what follows behind the space.
func cutTerm(line []byte) (term, rest []byte) {
	n := 0
	switch {
	case len(line) == 0:
	case line[0] == '<':
		n = bytes.IndexByte(line, '>') + 1
	case line[0] == '"':
		n = literalEnd(line)
	}
	if i := bytes.IndexByte(line[n:], ' '); i >= 0 { // behind a literal's text stands its datatype or language
		return line[:n+i], line[n+i+1:]
	}
	return line, nil
}

// literalEnd returns where the text of a literal ends, behind its second quotation mark.
func literalEnd(line []byte) int {
	for n := 1; n < len(line); n++ {
		switch line[n] {
		case '\\':
			n++
		case '"':
			return n + 1
		}
	}
	return len(line)
}

// about returns the facts about a node.
func (r *reading) about(subject []byte) []fact {
	if subject == nil {
		return nil
	}
	from, _ := slices.BinarySearchFunc(r.facts, subject, func(f fact, s []byte) int { return bytes.Compare(f.subject, s) })
	to := from
	for to < len(r.facts) && bytes.Equal(r.facts[to].subject, subject) {
		to++
	}
	return r.facts[from:to]
}

// candidates returns the nodes that may be a document: credentials and presentations and, where blank nodes count, those
// with a member that is read.
func (r *reading) candidates(blanks bool) (nodes [][]byte) {
	for i := range r.facts { // sorted by subject
		f := &r.facts[i]
		if (documentType([]byte(f.of)) != "" || blanks && f.subject[0] == '_') && (len(nodes) == 0 || !bytes.Equal(nodes[len(nodes)-1], f.subject)) {
			nodes = append(nodes, f.subject)
		}
	}
	return nodes
}

// ledTo returns the nodes to which a statement of the default graph about another node leads.
func (r *reading) ledTo() map[string]bool {
	nodes := map[string]bool{}
	for rest := r.text; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		subject, line := cutTerm(line)
		_, line = cutTerm(line)
		if len(line) == 0 || line[0] == '"' {
			continue
		}
		if object, graph := cutTerm(line); string(graph) == "." && !bytes.Equal(object, subject) {
			nodes[string(object)] = true
		}
	}
	return nodes
}

// check compares the members of the document with the facts about its node, nil if there are none.
func (r *reading) check(root []byte, proofs int) error {
	t, facts := r.tape, r.about(root)
	types := t.Get(0, "type")
	for _, name := range documentTypes {
		if said := slices.ContainsFunc(facts, func(f fact) bool { return f.of == name }); said != hasText(t, types, name) {
			return disagreeOn("/type", vocabulary+name, "type")
		}
	}
	for i := range readMembers {
		m := &readMembers[i]
		if !r.agree(facts, t.Get(0, m.name), m.iri, m.values) {
			return disagreeOn("/"+m.name, m.iri, m.name)
		}
	}
	said := 0
	for i := range facts {
		if facts[i].of == secHasProof {
			said++
		}
	}
	if said != proofs {
		return disagreeOn("/proof", secHasProof, "proof")
	}
	if v := t.Get(0, "relatedResource"); v >= 0 {
		return r.checkResources(v)
	}
	return nil
}

// checkResources sees that each digest of a related resource is signed, and that a resource with a digest shows one. The
// same resource may have others where it is mentioned elsewhere, as a schema for example.
func (r *reading) checkResources(list int) error {
	for e := range valuesOf(r.tape, list) {
		if r.tape.Nodes[e].Kind != jsontape.Object {
			continue
		}
		facts, shown, hidden := r.about(namedNode(r.tape, e, "id")), false, ""
		for _, m := range resourceMembers {
			v := r.tape.Get(e, m.name)
			if !r.gather(facts, v, m.iri, literals) {
				return disagreeOn(r.tape.Pointer(e)+"/"+m.name, m.iri, m.name)
			}
			for _, value := range r.have {
				if !slices.ContainsFunc(r.said, func(s []byte) bool { return bytes.Equal(s, value) }) {
					return disagreeOn(r.tape.Pointer(e)+"/"+m.name, m.iri, m.name)
				}
			}
			shown = shown || v >= 0
			if len(r.said) > 0 {
				hidden = m.iri
			}
		}
		if hidden != "" && !shown {
			return disagreeOn(r.tape.Pointer(e), hidden, "digestSRI or digestMultibase")
		}
	}
	return nil
}

// blankNode stands for any blank node.
var blankNode = []byte("_:")

// agree reports whether the facts with a predicate have the values of a member as their objects, and no other.
func (r *reading) agree(facts []fact, v int, iri string, kind valueKind) bool {
	if !r.gather(facts, v, iri, kind) {
		return false
	}
	if len(r.have) > 1 { // what is said twice is one statement; blank nodes are different ones
		slices.SortFunc(r.have, bytes.Compare)
		r.have = slices.CompactFunc(r.have, func(a, b []byte) bool { return bytes.Equal(a, b) && !bytes.Equal(a, blankNode) })
	}
	if len(r.said) > 1 {
		slices.SortFunc(r.said, bytes.Compare)
	}
	return slices.EqualFunc(r.have, r.said, bytes.Equal)
}

// gather collects the values of a member and the objects of the facts with its predicate. It returns false where one of
// them is of another kind.
func (r *reading) gather(facts []fact, v int, iri string, kind valueKind) bool {
	r.have, r.said, r.buf = r.have[:0], r.said[:0], r.buf[:0]
	for i := range facts {
		if facts[i].of != iri {
			continue
		}
		o := facts[i].object
		switch {
		case kind == graphs || o[0] == '_':
			o = blankNode
		case kind == nodes && o[0] == '<':
			o = o[1 : len(o)-1]
		case kind == literals && o[0] == '"':
			n := literalEnd(o)
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
		for e := range valuesOf(r.tape, v) {
			value := r.value(e, kind)
			if value == nil {
				return false
			}
			r.have = append(r.have, value)
		}
	}
	return true
}

// value returns what stands in a statement for one value of a member, nil if the member cannot have it.
func (r *reading) value(e int, kind valueKind) []byte {
	t := r.tape
	isString := t.Nodes[e].Kind == jsontape.String
	switch {
	case kind == graphs:
		return blankNode
	case kind == literals && isString:
		from := len(r.buf)
		r.buf = rdf.AppendString(r.buf, t.Text(e))
		return r.buf[from:len(r.buf):len(r.buf)]
	case kind == nodes && isString:
		if text := t.Text(e); !bytes.HasPrefix(text, blankNode) {
			return text
		}
		return blankNode
	case kind == nodes && t.Nodes[e].Kind == jsontape.Object:
		if id := namedNode(t, e, "id"); id != nil {
			return id[1 : len(id)-1]
		}
		return blankNode // what has an @id in its place is one to a reader of JSON, too
	}
	return nil
}

// namedNode returns the IRI of an object, which stands at a key, as N-Quads write it; nil for a blank node.
func namedNode(t *jsontape.Tape, object int, key string) []byte {
	id := t.Get(object, key)
	if id < 0 || t.Nodes[id].Kind != jsontape.String {
		return nil
	}
	text := t.Text(id)
	if bytes.HasPrefix(text, blankNode) {
		return nil
	}
	return append(append(append(make([]byte, 0, len(text)+2), '<'), text...), '>')
}

// disagree makes the error of a document whose members are not what is signed.
func disagree(where, msg string) *Error {
	return &Error{Type: DataLossDetection, Where: where, Msg: msg}
}

func disagreeOn(where, iri, member string) error {
	return disagree(where, fmt.Sprintf("what is signed of the document as <%s> is not what its member %s says; "+
		"write all of it as that member, and identifiers as absolute URLs", iri, member))
}
