//phase:caller
package rules

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/schemas/contexts"
	"canonscope/vcdm/internal/text"
	"canonscope/vcdm/internal/value"
	"canonscope/vcdm/problem"
)

// CheckCredential applies the rules of the data model to a credential (Verifiable Credentials Data Model
// 2.0 section 4, or 1.1 where the document has the context of that version), secured or not, and returns
// everything that is wrong as [*problem.Error] values with the JSON pointer of the place. It does no
// JSON-LD: whether terms are defined is for the canonicalizer to say.
func CheckCredential(doc []byte, limits canon.Limits) error {
	return checkDocument(doc, limits, func(c *checker) { c.credential(0, "") })
}

// CheckPresentation is [CheckCredential] for a presentation and the credentials in it (section 4.13).
func CheckPresentation(doc []byte, limits canon.Limits) error {
	return checkDocument(doc, limits, (*checker).presentation)
}

func checkDocument(doc []byte, limits canon.Limits, check func(*checker)) error {
	d, err := read(doc, limits)
	if err != nil {
		return err
	}
	c := &checker{tape: d.Tape}
	check(c)
	return errors.Join(c.errs...)
}

// Check applies the rules to a document that was made elsewhere: a date without offset is UTC then (section
// 5.8).
func (d *Document) Check() []error {
	c := &checker{tape: d.Tape, received: true}
	if d.IsPresentation() {
		c.presentation()
	} else {
		c.credential(0, "")
	}
	return c.errs
}

// checker collects what is wrong with a document.
//
//phase:validate
type checker struct {
	tape     *jsontape.Tape
	received bool // made elsewhere
	errs     []error
}

// MaxErrors bounds what is said of one document: an element of a list can have several faults, and its
// pointer be long.
const MaxErrors = 100

func (r *checker) fail(where, msg string) {
	if len(r.errs) < MaxErrors {
		r.errs = append(r.errs, problem.New(problem.MalformedValue, where, msg))
	}
}

func (r *checker) kind(node int) jsontape.Kind { return r.tape.Nodes[node].Kind }

func (r *checker) credential(node int, at string) {
	r.context(node, at)
	r.keys(node, at)
	r.types(node, at, "VerifiableCredential", "VerifiablePresentation")
	r.id(node, at)
	r.party(node, at, "issuer", true)
	r.subjects(node, at)
	r.period(node, at, "validFrom", "validUntil")
	old := isVersion1(r.tape, node)
	if old {
		r.period(node, at, "issuanceDate", "expirationDate")
		if r.tape.Get(node, "issuanceDate") < 0 {
			r.fail(at+"/issuanceDate", "is missing")
		}
	}

	r.texts(node, at)
	for _, name := range []string{"credentialStatus", "credentialSchema", "refreshService", "termsOfUse",
		"evidence"} {
		r.typed(node, at, name, name == "credentialSchema" || old &&
			(name == "credentialStatus" || name == "refreshService"))
	}

	r.related(node, at)
	r.proof(node, at)
}

// keys refuses what says a member of the data model in another way, which a reader of the JSON passes over.
func (r *checker) keys(node int, at string) {
	for k := range r.tape.Members(node) {
		key := r.tape.Text(k)
		switch text := string(key); {
		case text == "@type" || text == "@id" || MeaningOf(key) >= 0:
			r.fail(at+"/"+jsontape.EscapeToken(text),
				"must be written as the member that means it, such as type, id or issuer")
		case text == "@graph" || text == "@nest":
			r.fail(at+"/"+text,
				"hides members of the document from readers of its JSON; write them at its top")
		}
	}
}

// isVersion1 reports whether a document begins with the context of version 1.1, whose rules differ where
// this is asked.
func isVersion1(t *jsontape.Tape, node int) bool {
	v := t.Get(node, "@context")
	if v < 0 || t.Nodes[v].Kind != jsontape.Array || t.Len(v) == 0 {
		return false
	}
	return t.Nodes[v+1].Kind == jsontape.String && t.TextIs(v+1, baseContext1)
}

func (r *checker) presentation() {
	r.context(0, "")
	r.keys(0, "")
	r.types(0, "", "VerifiablePresentation", "VerifiableCredential")
	r.id(0, "")
	r.party(0, "", "holder", false)
	r.typed(0, "", "termsOfUse", false)
	r.proof(0, "")
	list := r.tape.Get(0, "verifiableCredential")
	if list < 0 {
		return
	}
	r.each(list, "/verifiableCredential", func(c int, at string) {
		switch {
		case r.kind(c) != jsontape.Object:
			r.fail(at, "must be an object: a secured credential, or an EnvelopedVerifiableCredential for "+
				"one in another format")
		case value.Has(r.tape, r.tape.Get(c, "type"), "EnvelopedVerifiableCredential"):
			r.enveloped(c, at)
		default:
			r.credential(c, at)
		}
	})
}

// enveloped checks an EnvelopedVerifiableCredential (section 4.13.1).
func (r *checker) enveloped(node int, at string) {
	if v := r.tape.Get(node, "@context"); v < 0 || r.kind(v) != jsontape.String ||
		!r.tape.TextIs(v, BaseContext) {
		r.context(node, at)
	}
	id := r.tape.Get(node, "id")
	if id < 0 || r.kind(id) != jsontape.String || !strings.HasPrefix(string(r.tape.Text(id)), "data:") {
		r.fail(at+"/id", "must be a data: URL that holds the secured credential")
	}
}

// each calls f for the value or every element of the list, with its place.
func (r *checker) each(v int, at string, f func(node int, at string)) {
	if r.kind(v) != jsontape.Array {
		f(v, at)
		return
	}
	n := 0
	for e := range r.tape.Elements(v) {
		if len(r.errs) >= MaxErrors {
			return
		}
		f(e, at+"/"+strconv.Itoa(n))
		n++
	}
}

// context checks section 4.3: an ordered list that starts with the base context; further items are URLs or
// objects.
func (r *checker) context(node int, at string) {
	v := r.tape.Get(node, "@context")
	at += "/@context"
	if v < 0 || r.kind(v) != jsontape.Array {
		r.fail(at, "must be a list that starts with "+BaseContext)
		return
	}
	old := isVersion1(r.tape, node)
	if !old && (r.tape.Len(v) == 0 || r.kind(v+1) != jsontape.String || !r.tape.TextIs(v+1, BaseContext)) {
		r.fail(at+"/0", "must be "+BaseContext)
	}
	r.each(v, at, func(e int, place string) {
		switch {
		case r.kind(e) == jsontape.String && !text.IsURL(r.tape.Text(e)):
			r.fail(place, "must be a URL")
		case r.kind(e) == jsontape.Object && !old:
			r.terms(e, place)
		case r.kind(e) != jsontape.String && r.kind(e) != jsontape.Object:
			r.fail(place, "must be a URL or an object")
		}
	})
}

// terms refuses another definition of a term of the base context (section 5.2). An equal one defines
// nothing anew. A context may be in another at @context.
func (r *checker) terms(context int, at string) {
	for key, v := range r.tape.Members(context) {
		term := string(r.tape.Text(key))
		if term == "@context" && r.kind(v) == jsontape.Object {
			r.terms(v, at+"/@context")
		} else if definitions, ok := baseTerms()[term]; ok && !slices.ContainsFunc(definitions,
			func(d definition) bool {
				return r.tape.Equal(v, d.tape, d.node)
			}) {
			r.fail(at+"/"+jsontape.EscapeToken(term), "the base context defines this term, and no other may")
		} else if iri := r.iriOf(v); !ok && MeaningOf(iri) >= 0 {
			r.fail(at+"/"+jsontape.EscapeToken(term),
				fmt.Sprintf("is another name of <%s>, which the base context defines", iri))
		}
	}
}

// iriOf returns what a definition maps its term to, nil if that is not written as text.
func (r *checker) iriOf(definition int) []byte {
	if r.kind(definition) == jsontape.Object {
		definition = r.tape.Get(definition, "@id")
	}
	if definition < 0 || r.kind(definition) != jsontape.String {
		return nil
	}
	return r.tape.Text(definition)
}

// definition is that of a term in the base context.
type definition struct {
	tape *jsontape.Tape
	node int
}

// baseTerms returns the terms of the base context that describe credentials and presentations, with their
// definitions in it. It protects them where they are used; an inline context that defines one otherwise is
// refused wherever it is.
var baseTerms = sync.OnceValue(func() map[string][]definition {
	info, err := contexts.Find(BaseContext)
	t := new(jsontape.Tape)
	if err == nil {
		err = t.Scan(info.JSON, jsontape.Options{})
	}
	if err != nil {
		panic(err) // it is embedded
	}
	terms := map[string][]definition{}
	add := func(context int) {
		for k, v := range t.Members(context) {
			if name := string(t.Text(k)); name[0] != '@' {
				terms[name] = append(terms[name], definition{t, v})
			}
		}
	}
	top := t.Get(0, "@context")
	add(top)
	for _, name := range []string{"VerifiableCredential", "VerifiablePresentation"} {
		add(t.Get(t.Get(top, name), "@context"))
	}
	return terms
})

// types checks section 4.5.
func (r *checker) types(node int, at, want, other string) {
	v := r.tape.Get(node, "type")
	if v < 0 {
		r.fail(at+"/type", "is missing")
		return
	}
	r.each(v, at+"/type", func(e int, place string) {
		if r.kind(e) != jsontape.String || len(r.tape.Text(e)) == 0 {
			r.fail(place, "must be a term or a URL")
		}
	})
	if !value.Has(r.tape, v, want) {
		r.fail(at+"/type", "must include "+want)
	}
	if value.Has(r.tape, v, other) {
		r.fail(at+"/type", "must not include "+other+", too")
	}
}

// id checks section 4.4.
func (r *checker) id(node int, at string) {
	if v := r.tape.Get(node, "id"); v >= 0 {
		r.url(v, at+"/id")
	}
}

func (r *checker) url(v int, at string) {
	if r.kind(v) != jsontape.String || !text.IsURL(string(r.tape.Text(v))) {
		r.fail(at, "must be one absolute URL")
	}
}

// party checks an issuer (section 4.7) or a holder (4.13): a URL or an object with an id.
func (r *checker) party(node int, at, name string, required bool) {
	v := r.tape.Get(node, name)
	at += "/" + name
	switch {
	case v < 0:
		if required {
			r.fail(at, "is missing")
		}
	case r.kind(v) == jsontape.Object:
		if id := r.tape.Get(v, "id"); id >= 0 {
			r.url(id, at+"/id")
		} else {
			r.fail(at+"/id", "is missing")
		}
		r.texts(v, at)
	default:
		r.url(v, at)
	}
}

// subjects checks section 4.8.
func (r *checker) subjects(node int, at string) {
	v := r.tape.Get(node, "credentialSubject")
	at += "/credentialSubject"
	if v < 0 || r.kind(v) == jsontape.Array && r.tape.Len(v) == 0 {
		r.fail(at, "is missing")
		return
	}
	r.each(v, at, func(s int, place string) {
		if r.kind(s) != jsontape.Object || r.tape.Len(s) == 0 {
			r.fail(place, "must be an object with at least one claim")
			return
		}
		r.id(s, place)
	})
}

// period checks section 4.9 (1.1: 4.5 and 4.6).
func (r *checker) period(node int, at, begin, end string) {
	from, ok1 := r.time(node, at, begin)
	until, ok2 := r.time(node, at, end)
	if ok1 && ok2 && until.Before(from) {
		r.errs = append(r.errs, problem.New(problem.RangeError, at+"/"+end, "lies before "+begin))
	}
}

func (r *checker) time(node int, at, name string) (t time.Time, ok bool) {
	v := r.tape.Get(node, name)
	if v < 0 {
		return t, false
	}
	if r.kind(v) == jsontape.String {
		var err error
		if t, err = text.ParseTime(r.tape.Text(v), r.received); err == nil {
			return t, true
		}
	}
	r.fail(at+"/"+name, text.NotTime)
	return t, false
}

// texts checks name and description (sections 4.6 and 11.1): a text, a language value object, or a list of
// these.
func (r *checker) texts(node int, at string) {
	for _, name := range []string{"name", "description"} {
		if v := r.tape.Get(node, name); v >= 0 {
			r.each(v, at+"/"+name, r.text)
		}
	}
}

func (r *checker) text(e int, place string) {
	switch r.kind(e) {
	case jsontape.String:
		return
	case jsontape.Object:
		value := r.tape.Get(e, "@value")
		if value < 0 || r.kind(value) != jsontape.String {
			r.fail(place+"/@value", "must be a string")
		}
		for k, m := range r.tape.Members(e) {
			switch key := string(r.tape.Text(k)); key {
			case "@value":
			case "@language", "@direction":
				if r.kind(m) != jsontape.String {
					r.fail(place+"/"+key, "must be a string")
				}
			default:
				r.fail(place+"/"+key, "has no place in a language value object")
			}
		}
	default:
		r.fail(place, "must be a string, or an object with @value and @language")
	}
}

// typed checks an extension point, an object or a list of objects with a type each (sections 4.10 to 5.4).
// An id is a URL.
func (r *checker) typed(node int, at, name string, needsID bool) {
	v := r.tape.Get(node, name)
	if v < 0 {
		return
	}
	r.each(v, at+"/"+name, func(e int, place string) {
		if r.kind(e) != jsontape.Object {
			r.fail(place, "must be an object")
			return
		}
		typ := r.tape.Get(e, "type")
		if typ < 0 || !r.allStrings(typ) {
			r.fail(place+"/type", "is missing or not a string")
		}
		id := r.tape.Get(e, "id")
		switch {
		case id >= 0:
			r.url(id, place+"/id")
		case needsID:
			r.fail(place+"/id", "is missing")
		}
	})
}

// allStrings reports whether a value is a string or a list of at least one string and nothing else.
func (r *checker) allStrings(v int) bool {
	for e := range value.Each(r.tape, v) {
		if r.kind(e) != jsontape.String {
			return false
		}
	}
	return r.kind(v) == jsontape.String || r.tape.Len(v) > 0
}

// related checks the form of relatedResource (section 5.3); [CheckRelated] compares the digests.
func (r *checker) related(node int, at string) {
	v := r.tape.Get(node, "relatedResource")
	if v < 0 {
		return
	}
	seen := map[string]bool{}
	r.each(v, at+"/relatedResource", func(e int, place string) {
		if r.kind(e) != jsontape.Object {
			r.fail(place, "must be an object")
			return
		}
		id := r.tape.Get(e, "id")
		if id < 0 {
			r.fail(place+"/id", "is missing")
		} else if r.url(id, place+"/id"); r.kind(id) == jsontape.String {
			text := string(r.tape.Text(id))
			if seen[text] {
				r.fail(place+"/id", "is repeated")
			}
			seen[text] = true
		}
		if r.tape.Get(e, "digestSRI") < 0 && r.tape.Get(e, "digestMultibase") < 0 {
			r.fail(place, "has neither digestSRI nor digestMultibase")
		}
	})
}

func (r *checker) proof(node int, at string) {
	if v := r.tape.Get(node, "proof"); v >= 0 {
		r.each(v, at+"/proof", func(e int, place string) {
			if r.kind(e) != jsontape.Object {
				r.fail(place, "must be an object")
			}
		})
	}
}
