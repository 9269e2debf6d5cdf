//phase:caller
package vcdm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// MediaType is that of a verified document.
const MediaType = "application/vc"

// Verifier checks proofs. With Suites set and nothing else it is safe: it demands a proof by the issuer of a credential or
// the holder of a presentation, made for the purpose that such a document has, dates and a validity period that enclose the
// clock, and the form of the data model; the fields that begin with Any opt out. It checks every credential in a
// presentation as well. It is safe for concurrent use unless it has Counts.
//
//phase:validate fallback
type Verifier struct {
	Suites    []Suite
	Resolver  Resolver         // nil knows did:key alone
	Purpose   string           // expected proofPurpose; "" expects assertionMethod, of a presentation authentication
	Domain    []string         // expected domain, a set; nil expects none
	Challenge string           // expected challenge; "" expects none
	Now       func() time.Time // clock; nil is time.Now
	Skew      time.Duration    // how far created may lie ahead of the clock
	OwnOnly   bool             // demand the signer of a presentation to be the subject of every credential in it
	Contexts  []string         // values of @context that the reader knows, as JSON: see CheckContexts; nil knows all
	Resources Hashes           // digests to compare relatedResource with; nil compares none

	AllReasons bool // check further proofs and credentials after one that fails

	AnyPurpose bool // take any purpose that the controller allows its key
	AnyTime    bool // compare neither created nor expires of a proof with the clock
	AnyPeriod  bool // do not compare the validity period with the clock
	AnyIssuer  bool // take a proof by another than the issuer, or holder
	AnyForm    bool // do not apply the rules of the data model

	Limits canon.Limits // zero fields take their defaults
	Counts *Counts      // nil counts nothing
}

// Result says what a verification found (VC Data Integrity 4.4).
type Result struct {
	Verified  bool
	MediaType string  // "" unless Verified
	Errors    []error // why it is not verified; most are *Error

	Credentials []*Result // of a presentation: one for each credential in it
	uncompared  []string  // pointers to what was compared with nothing
	known       []string  // Verifier.Contexts

	first    [1]ProofResult // of a single proof, so that a result is one piece of memory
	several  []ProofResult
	proofs   int
	secured  []byte // the document as it came
	from, to int    // where its proofs stand in it
	replaced []byte // the document, where verification changes it
	context  []byte // that stands for its own then
	fewer    bool   // it has fewer contexts than the one that came
}

// Proofs returns the outcome of each proof, in order; none where they could not be read.
func (r *Result) Proofs() []ProofResult {
	if r.proofs == 1 {
		return r.first[:]
	}
	return r.several
}

// Document returns the verified document without its proofs; nil unless Verified.
func (r *Result) Document() []byte {
	switch {
	case !r.Verified:
		return nil
	case r.replaced != nil:
		return r.replaced
	}
	return append(append(make([]byte, 0, len(r.secured)), r.secured[:r.from]...), r.secured[r.to:]...)
}

// Replaced reports whether the verified document has fewer contexts than the one that came, as a proof of a JCS suite allows
// (VC-DI-EdDSA 3.3.2 step 4).
func (r *Result) Replaced() bool { return r.Verified && r.fewer }

// ProofResult is the outcome of one proof.
type ProofResult struct {
	ID       string // "" where the proof has none
	Suite    string
	Method   *Method // nil where it was not found
	Verified bool
	Bound    bool  // the method's controller is the issuer of the credential or the holder of the presentation
	Err      error // nil if Verified
}

// Err returns nil if the document is verified, and otherwise every reason why not.
func (r *Result) Err() error { return errors.Join(r.Errors...) }

// Add adds a reason, or several joined ones, why the document is not accepted; nil adds none.
func (r *Result) Add(err error) {
	if err == nil {
		return
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		r.Errors = append(r.Errors, all.Unwrap()...)
	} else {
		r.Errors = append(r.Errors, err)
	}
	r.Verified, r.MediaType = false, ""
}

// Verify checks a document with exactly one proof, an object (VC Data Integrity 4.4). It is so short that the compiler puts
// it into its caller, on whose stack the result stays where the caller keeps it to itself.
func (v *Verifier) Verify(ctx context.Context, doc []byte) *Result {
	r := new(Result)
	v.run(ctx, doc, true, 0, nil, r)
	return r
}

// VerifyAll checks a document with any number of proofs, at least one, and demands that every proof is verified together
// with those it builds on, and all over the same document (VC Data Integrity 4.5).
func (v *Verifier) VerifyAll(ctx context.Context, doc []byte) *Result {
	r := new(Result)
	v.run(ctx, doc, false, 0, nil, r)
	return r
}

// run fills r; depth counts the presentations around the document, whose budget it shares.
func (v *Verifier) run(ctx context.Context, doc []byte, single bool, depth int, budget *canon.Budget, r *Result) {
	if v == nil {
		v = new(Verifier) // which has no suites and says so
	}
	w := works.Get().(*work)
	defer works.Put(w)
	w.begin(ctx, budget, v.Limits)
	defer w.end()

	if err := v.open(w, doc, single); err != nil {
		if r.Errors = []error{err}; w.doc.tape != nil && w.doc.isPresentation() { // its credentials have answers of their own
			v.checkCredentials(ctx, w, depth, r)
		}
		return
	}
	d, all := &w.doc, w.proofs
	r.secured, r.known = doc, v.Contexts
	r.from, r.to = d.tape.Cut(0, d.proofKey)
	if r.proofs = len(all); r.proofs > 1 {
		r.several = make([]ProofResult, len(all))
	}
	presentation := d.isPresentation()
	if presentation && d.isCredential() { // its issuer would vouch for what its holder signed
		r.Errors = []error{verification("/type", "is that of a credential and of a presentation; a document is one of them")}
	}
	if !v.AnyPeriod {
		r.Errors = v.checkPeriod(d, r.Errors)
	}

	results := r.Proofs()
	failed := false
	for i := range all {
		p := &results[i]
		p.ID, _ = all[i].text(all[i].id)
		if failed && !v.AllReasons {
			p.Err = ErrNotChecked
			continue
		}
		p.Err = v.verifyProof(ctx, i, w, p, r)
		p.Verified = p.Err == nil
		if node := all[i].challenge; node >= 0 && v.Challenge == "" {
			r.uncompared = append(r.uncompared, d.tape.Pointer(node))
		}
		if node := all[i].domain; node >= 0 && v.Domain == nil {
			r.uncompared = append(r.uncompared, d.tape.Pointer(node))
		}
		p.Bound = p.Method != nil && d.signedFor(p.Method.Controller)
		failed = !p.Verified
	}
	if len(all) > 1 || all[0].previous >= 0 {
		checkChain(all, results)
	}
	for i := range results {
		if err := results[i].Err; err != nil && err != ErrNotChecked {
			r.Errors = append(r.Errors, below(err, d.tape.Pointer(all[i].node)))
		}
	}
	if len(all) > 1 {
		r.Add(checkSet(d, all))
	}
	r.Add(v.checkParty(d, results))
	v.checkRest(d, depth, r)
	if presentation {
		v.checkCredentials(ctx, w, depth, r)
	}
	if r.Verified = len(r.Errors) == 0; r.Verified {
		r.MediaType = MediaType
		if presentation {
			r.MediaType = "application/vp"
		}
	}
}

// checkSet refuses a set of proofs that holds one twice, or whose proofs are about different documents: a proof of a JCS
// suite may be about the document with fewer contexts (VC-DI-EdDSA 3.3.2 step 4), but only one document is returned.
//
//phase:validate
func checkSet(d *document, all []proof) error {
	values := make(map[string]bool, len(all))
	context := -1
	for i := range all {
		p := &all[i]
		at := d.tape.Pointer(p.node)
		if text, ok := p.text(p.value); ok {
			if values[text] {
				return verification(at+"/proofValue", "another proof has the same value")
			}
			values[text] = true
		}
		of := d.context
		if name, _ := p.text(p.suite); p.context >= 0 && MethodOf(name) == canon.JCS {
			of = p.context
		}
		if i == 0 {
			context = of
		} else if of != context && (of < 0 || context < 0 || !equalValues(d.tape, of, context)) {
			return verification(at+"/@context", "the proofs are about documents with different contexts; verify each alone")
		}
	}
	return nil
}

// checkRest applies the rules of the data model and what the reader knows to the document. Those of a presentation cover
// the credentials in it.
//
//phase:validate
func (v *Verifier) checkRest(d *document, depth int, r *Result) {
	if depth == 0 && !v.AnyForm {
		r.Errors = append(r.Errors, d.checkReceived()...)
	}
	if depth == 0 && v.Contexts != nil {
		r.Add(d.checkContexts(v.Contexts))
	}
	switch related := d.tape.Get(0, "relatedResource"); {
	case related < 0:
	case v.AnyForm && v.Resources == nil:
		r.uncompared = append(r.uncompared, "/relatedResource")
	default:
		for _, err := range checkRelated(d.tape, related, v.Resources) {
			if len(r.Errors) >= maxErrors {
				break
			}
			if e := new(Error); errors.Is(err, ErrUnrecorded) && errors.As(err, &e) {
				r.uncompared = append(r.uncompared, e.Where)
			} else {
				r.Errors = append(r.Errors, err)
			}
		}
	}
}

// open reads the document and its proofs into w.
func (v *Verifier) open(w *work, doc []byte, single bool) (err error) {
	d := &w.doc
	if *d, err = w.parse(doc); err != nil {
		return err
	}
	if d.proofKey < 0 {
		return &Error{Type: ParsingError, Where: "/proof", Err: ErrNoProof}
	}
	if w.proofs, err = d.proofs(w.proofs[:0], w.limits); err != nil {
		return err
	}
	list := d.tape.Nodes[d.proofKey+1].Kind == jsontape.Array
	if len(w.proofs) > 1 {
		w.proofs = distinct(w.proofs)
	}
	switch {
	case len(w.proofs) == 0:
		return &Error{Type: ParsingError, Where: "/proof", Msg: "is an empty list"}
	case single && list:
		return &Error{Type: ParsingError, Where: "/proof", Msg: "is a list, not one object"}
	}
	return nil
}

// distinct leaves out a proof that stands twice: proofs are a set (VC Data Integrity 2.1.1), and who counts them counts it once.
func distinct(all []proof) []proof {
	first := make(map[string]int, len(all)) // by proofValue
	kept := all[:0]
	for _, p := range all {
		value, _ := p.text(p.value)
		i, twice := first[value]
		if twice && equalValues(p.tape, kept[i].node, p.node) {
			continue
		}
		if !twice {
			first[value] = len(kept)
		}
		kept = append(kept, p)
	}
	return kept
}

// verifyProof checks one proof by steps 4 to 8 of VC Data Integrity 4.4. Places in its errors are relative to the proof.
// It fills result but for the verdict, and puts a document that it has to change into all.
func (v *Verifier) verifyProof(ctx context.Context, i int, w *work, result *ProofResult, all *Result) error {
	if i > 0 {
		if err := w.budget.Alive(ctx); err != nil {
			return err
		}
	}
	p := &w.proofs[i]
	purpose := v.purpose(&w.doc, p)
	suite, err := v.checkProof(p, purpose)
	if err != nil {
		result.Suite, _ = p.text(p.suite)
		return err
	}
	result.Suite = suite.Name()
	in := newInput(&w.doc, p, w, v.Counts)
	if ids, _ := p.texts(p.previous); len(ids) > 0 {
		var id, msg string
		if in.matching, id, msg = previous(w.proofs, ids); msg != "" {
			return verification("/previousProof", id+": "+msg)
		}
	}
	method := w.methodText(p)
	resolver := v.Resolver
	if resolver == nil {
		resolver = DIDKey{}
	}
	m, err := resolver.Resolve(ctx, method, purpose)
	if err != nil {
		return err
	}
	if m == nil || m.Key.Algorithm() == "" {
		return &Error{Type: InvalidMethod, Where: "/verificationMethod", Msg: "the resolver found neither a key nor an error for " + method}
	}
	result.Method = m
	if err := suite.verify(ctx, in, m.Key); err != nil || in.context < 0 {
		return err
	}
	in.matching, all.fewer = nil, in.fewer
	if all.replaced != nil && bytes.Equal(all.context, in.contextText()) { // as of the proof before
		return nil
	}
	all.context = in.contextText()
	all.replaced, err = in.unsecured()
	return err
}

// purpose returns the purpose that a proof has to have.
func (v *Verifier) purpose(d *document, p *proof) string {
	switch {
	case v.Purpose != "":
		return v.Purpose
	case v.AnyPurpose:
		own, _ := p.text(p.purpose)
		return own
	case d.isPresentation():
		return Authentication
	}
	return AssertionMethod
}

// checkProof finds the suite and applies the verifier's expectations.
//
//phase:validate
func (v *Verifier) checkProof(p *proof, purpose string) (Suite, error) {
	if !p.is(p.typ, proofType) {
		return nil, verification("/type", "must be "+proofType+"; proofs of other types are not supported")
	}
	if p.bytes(p.suite) == nil {
		return nil, verification("/cryptosuite", "must be a string")
	}
	i := slices.IndexFunc(v.Suites, func(s Suite) bool { return s != nil && p.is(p.suite, s.Name()) })
	if len(v.Suites) == 0 {
		return nil, verification("/cryptosuite", "the verifier has no suites: set Verifier.Suites")
	}
	if i < 0 {
		return nil, verification("/cryptosuite", fmt.Sprintf("%q is not among the suites this verifier uses: %s", p.bytes(p.suite), v.names()))
	}
	if msg := lacks(v.Suites[i]); msg != "" {
		return nil, verification("/cryptosuite", "the verifier's suite cannot be used: "+msg)
	}
	if member, msg := p.check(v.Suites[i].Name(), true); msg != "" {
		return nil, verification("/"+member, msg)
	}
	if !p.is(p.purpose, purpose) {
		return nil, verification("/proofPurpose", "expected "+purpose)
	}
	if v.Domain != nil {
		if domain, _ := p.texts(p.domain); !sameSet(domain, v.Domain) {
			return nil, &Error{Type: InvalidDomain, Where: "/domain", Msg: fmt.Sprintf("is %q, expected %q", domain, v.Domain)}
		}
	}
	if v.Challenge != "" && !p.is(p.challenge, v.Challenge) {
		return nil, &Error{Type: InvalidChallenge, Where: "/challenge", Msg: "is not the expected one"}
	}
	if !v.AnyTime && (p.created >= 0 || p.expires >= 0) {
		now := v.now()
		if p.created >= 0 && p.time(p.created).After(now.Add(v.Skew)) {
			return nil, untimely("/created", "lies in the future", now)
		}
		if p.expires >= 0 && now.After(p.time(p.expires)) {
			return nil, untimely("/expires", "the proof has expired", now)
		}
	}
	return v.Suites[i], nil
}

// names lists the suites.
func (v *Verifier) names() string {
	all := make([]string, len(v.Suites))
	for i, s := range v.Suites {
		if all[i] = "nil"; s != nil {
			all[i] = s.Name()
		}
	}
	return strings.Join(all, ", ")
}

// untimely makes an error about a date.
func untimely(where, msg string, now time.Time) *Error {
	return &Error{Type: ProofVerificationError, Where: where, Msg: msg, Err: &ClockError{now}}
}

func (v *Verifier) now() time.Time {
	if v.Now != nil {
		return v.Now()
	}
	return time.Now()
}

// periodMembers are the members that bound when a document is valid.
var periodMembers = [...]struct {
	name string
	from bool // it begins then, else it ends
}{{"validFrom", true}, {"validUntil", false}, {"issuanceDate", true}, {"expirationDate", false}}

// checkPeriod compares the validity period of a credential with the clock (Verifiable Credentials Data Model 2.0 section
// 4.9; 1.1 sections 4.5 and 4.6). A date without offset is UTC (2.0 section 5.8). It appends what speaks against it to errs.
//
//phase:validate
func (v *Verifier) checkPeriod(d *document, errs []error) []error {
	var now time.Time
	for _, m := range periodMembers {
		node := d.tape.Get(0, m.name)
		if node < 0 {
			continue
		}
		if now.IsZero() {
			now = v.now()
		}
		at := "/" + m.name
		var t time.Time
		err := errTime
		if d.tape.Nodes[node].Kind == jsontape.String {
			t, err = parseTime(d.tape.Text(node), true)
		}
		switch {
		case err != nil && v.AnyForm: // else the rules of the data model say so
			errs = append(errs, verification(at, notTime))
		case err != nil:
		case m.from && now.Before(t):
			errs = append(errs, untimely(at, fmt.Sprintf("the credential is not valid before %s", d.tape.Text(node)), now))
		case !m.from && now.After(t):
			errs = append(errs, untimely(at, fmt.Sprintf("the credential is not valid after %s", d.tape.Text(node)), now))
		}
	}
	return errs
}

func (d *document) isCredential() bool {
	return hasText(d.tape, d.tape.Get(0, "type"), "VerifiableCredential")
}

// isPresentation reports whether the document is a presentation, whatever else it is.
func (d *document) isPresentation() bool {
	return hasText(d.tape, d.tape.Get(0, "type"), "VerifiablePresentation")
}

// party returns the name of the member that says whose document it is.
func (d *document) party() string {
	if d.isPresentation() {
		return "holder"
	}
	return "issuer"
}

// partyNode returns the node of the URL of issuer or holder, or -1.
func (d *document) partyNode() int {
	of := d.tape.Get(0, d.party())
	if of >= 0 && d.tape.Nodes[of].Kind == jsontape.Object {
		of = d.tape.Get(of, "id")
	}
	if of >= 0 && d.tape.Nodes[of].Kind != jsontape.String {
		return -1
	}
	return of
}

// signedFor reports whether a controller is the issuer of a credential or the holder of a presentation.
func (d *document) signedFor(controller string) bool {
	of := d.partyNode()
	return of >= 0 && d.tape.TextIs(of, controller)
}

// checkParty demands a proof by who the document says it is of. Proofs that are not verified have errors of their own, and a
// presentation need not name its holder (Verifiable Credentials Data Model 2.0 section 4.13).
//
//phase:validate
func (v *Verifier) checkParty(d *document, results []ProofResult) error {
	if v.AnyIssuer || d.isPresentation() && d.tape.Get(0, "holder") < 0 {
		return nil
	}
	verified := false
	for i := range results {
		if results[i].Bound {
			return nil
		}
		verified = verified || results[i].Verified
	}
	if !verified {
		return nil
	}
	if of := d.partyNode(); of >= 0 {
		return &Error{Type: ProofVerificationError, Where: "/proof", Msg: "none is by the " + d.party() + ", " + string(d.tape.Text(of)), Err: ErrOtherIssuer}
	}
	return verification("/"+d.party(), "is not named, so that a proof is nobody's")
}

func sameSet(a, b []string) bool {
	for _, s := range a {
		if !slices.Contains(b, s) {
			return false
		}
	}
	for _, s := range b {
		if !slices.Contains(a, s) {
			return false
		}
	}
	return true
}

// chain is the check that every proof which a proof builds on, also through others, is verified, and that none of them is
// the proof itself. The specification has no rule for cycles; a proof that leads into one never verifies here.
//
//phase:validate
type chain struct {
	all     []proof
	results []ProofResult
	byID    map[string]int
	done    []bool // the proof is decided
	open    []bool // the proof builds on the one that is being decided
}

//phase:validate
func checkChain(all []proof, results []ProofResult) {
	c := chain{all, results, make(map[string]int, len(all)), make([]bool, len(all)), make([]bool, len(all))}
	for i := range all {
		if id, ok := all[i].text(all[i].id); ok {
			c.byID[id] = i
		}
	}
	for i := range all {
		c.decide(i)
	}
}

// decide takes back that a proof is verified if one that it builds on is not.
func (c *chain) decide(i int) {
	if c.done[i] {
		return
	}
	c.open[i] = true
	ids, _ := c.all[i].texts(c.all[i].previous)
	for _, id := range ids {
		j, ok := c.byID[id]
		if !ok {
			continue // previous has said so
		}
		if c.open[j] {
			c.refuse(i, "the proof builds on itself")
			break
		}
		if c.decide(j); !c.results[j].Verified {
			c.refuse(i, id+" is not verified")
			break
		}
	}
	c.open[i], c.done[i] = false, true
}

func (c *chain) refuse(i int, msg string) {
	if r := &c.results[i]; r.Verified {
		r.Verified, r.Err = false, verification("/previousProof", msg)
	}
}

// below puts the place of a proof before the place inside it.
func below(err error, at string) error {
	if e, ok := err.(*Error); ok && e.Type != DataLossDetection && e.Type != ParsingError && e.Where != "/@context" {
		c := *e
		c.Where = at + e.Where
		return &c
	}
	return err
}
