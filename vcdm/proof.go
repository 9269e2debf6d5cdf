//phase:caller
package vcdm

import (
	"bytes"
	"time"

	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/text"
)

// proof is one proof, or the options of one to be made, on the tape of the document or of the options. It is
// as long valid as that tape. Members are node indexes of their values; -1 where absent.
type proof struct {
	tape *jsontape.Tape
	node int

	id, typ, suite, method, purpose, created, expires, domain, challenge, nonce, value, previous, context int
}

// readProof finds the members of the object at node.
//
//phase:parse
func readProof(t *jsontape.Tape, node int) proof {
	p := proof{t, node, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}
	for k, v := range t.Members(node) {
		switch string(t.Text(k)) {
		case "id":
			p.id = v
		case "type":
			p.typ = v
		case "cryptosuite":
			p.suite = v
		case "verificationMethod":
			p.method = v
		case "proofPurpose":
			p.purpose = v
		case "created":
			p.created = v
		case "expires":
			p.expires = v
		case "domain":
			p.domain = v
		case "challenge":
			p.challenge = v
		case "nonce":
			p.nonce = v
		case "proofValue":
			p.value = v
		case "previousProof":
			p.previous = v
		case "@context":
			p.context = v
		}
	}

	return p
}

// text returns the text of a string member, and false where it is absent or not a string.
func (p *proof) text(node int) (string, bool) {
	text := p.bytes(node)
	return string(text), text != nil
}

// is reports whether a member is the given string.
func (p *proof) is(node int, want string) bool {
	return node != jsontape.None && p.tape.Nodes[node].Kind == jsontape.String && p.tape.TextIs(node, want)
}

// texts returns a member that is a string or a list of strings as a list; false where it is something else.
func (p *proof) texts(node int) ([]string, bool) {
	if s, ok := p.text(node); ok {
		return []string{s}, true
	}
	if node == jsontape.None {
		return nil, true
	}
	if p.tape.Nodes[node].Kind != jsontape.Array {
		return nil, false
	}
	var all []string
	for e := range p.tape.Elements(node) {
		s, ok := p.text(e)
		if !ok {
			return nil, false
		}
		all = append(all, s)
	}
	return all, true
}

// bytes returns the text of a string member, nil where it is absent or not a string.
func (p *proof) bytes(node int) []byte {
	if node == jsontape.None || p.tape.Nodes[node].Kind != jsontape.String {
		return nil
	}
	return p.tape.Text(node)
}

// check applies the rules of VC Data Integrity 2.1 that hold for every proof. It returns "" or the member
// at fault and what is wrong. Times without an offset are allowed in a proof that came from elsewhere
// (lenient), never in a new one.
//
//phase:validate
func (p *proof) check(suite string, lenient bool) (member, msg string) {
	switch {
	case p.typ == jsontape.None:
		return "type", "is missing"
	case p.method == jsontape.None:
		return "verificationMethod", "is missing"
	case p.purpose == jsontape.None:
		return "proofPurpose", "is missing"
	case !p.is(p.typ, proofType):
		return "type", "must be " + proofType
	case !p.is(p.suite, suite):
		return "cryptosuite", "must be " + suite
	case p.purpose != jsontape.None && p.bytes(p.purpose) == nil:
		return "proofPurpose", "must be a string"
	case !text.IsURL(p.bytes(p.method)):
		return "verificationMethod", "must be a URL"
	case p.id != jsontape.None && !text.IsURL(p.bytes(p.id)):
		return "id", "must be a URL"
	case p.challenge != jsontape.None && p.bytes(p.challenge) == nil:
		return "challenge", "must be a string"
	case p.nonce != jsontape.None && p.bytes(p.nonce) == nil:
		return "nonce", "must be a string"
	case p.domain != jsontape.None && !p.isTexts(p.domain):
		return "domain", "must be a string or a list of strings, at most 1,000"
	case p.previous != jsontape.None && !p.isTexts(p.previous):
		return "previousProof", "must be a string or a list of strings, at most 1,000"
	case p.created != jsontape.None && !p.isTime(p.created, lenient):
		return "created", text.NotTime
	case p.expires != jsontape.None && !p.isTime(p.expires, lenient):
		return "expires", text.NotTime
	case !lenient && p.expires != jsontape.None && p.created != jsontape.None && p.ends():
		return "expires", "must not be before created"
	}

	return "", ""
}

// ends reports whether a proof expires before it is created.
func (p *proof) ends() bool {
	created, _ := text.ParseTime(p.bytes(p.created), false) // both are checked
	expires, _ := text.ParseTime(p.bytes(p.expires), false)
	return expires.Before(created)
}

// maxTexts bounds the domains and previous proofs of a proof, which are compared with one another, and the
// mandatory pointers of a base proof.
const maxTexts = 1000

// isTexts reports whether a member is a string or a list of at least one string, and of no more than
// maxTexts.
func (p *proof) isTexts(node int) bool {
	list, ok := p.texts(node)
	return ok && len(list) > 0 && len(list) <= maxTexts
}

func (p *proof) isTime(node int, lenient bool) bool {
	_, err := text.ParseTime(p.bytes(node), lenient)
	return err == nil
}

// time returns a member that check has accepted; the zero time where it is absent.
func (p *proof) time(node int) time.Time {
	t, err := text.ParseTime(p.bytes(node), true)
	if err != nil {
		return time.Time{}
	}
	return t
}

// appendConfig appends the proof without its proofValue and, if context is not nil, with its @context
// replaced by that JSON text (empty text removes it).
//
//phase:encode
func (p *proof) appendConfig(dst []byte, context []byte) []byte {
	dst = append(dst, '{')
	for k, v := range p.tape.Members(p.node) {
		if v != p.value && (v != p.context || context == nil) {
			dst = append(append(dst, p.tape.Src[p.tape.Nodes[k].Start:p.tape.Nodes[v].End]...), ',')
		}
	}
	if len(context) > 0 {
		dst = append(append(append(dst, `"@context":`...), context...), ',')
	}
	return append(bytes.TrimSuffix(dst, []byte{','}), '}')
}

// appendWith appends the proof with the members that a suite adds to its options.
func (p *proof) appendWith(dst, members []byte) []byte {
	var local []byte
	if bytes.HasPrefix(members, []byte(`,"@context":`)) {
		local = []byte{} // in place of one that the options have
	}
	dst = p.appendConfig(dst, local)
	return append(append(dst[:len(dst)-1], members...), '}')
}
