// Package matrix defines which cells exist, and wires formats, suites, engines and schemas. [Select] lists
// exchanges by names, with the reason for each that an engine cannot do; [Open] prepares the measurement of
// a cell.
//
//phase:caller
package matrix

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/compare"
	"canonscope/compare/di"
	"canonscope/compare/document"
	"canonscope/compare/floor"
	"canonscope/compare/mdoc"
	"canonscope/compare/measure"
	"canonscope/compare/sdjwt"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/jsonschema"
	"canonscope/vcdm/keys"
)

// Policy is the part of a cell that sets how its process runs.
type Policy struct {
	GC        string             // GOGC: percent or "off"
	Procs     []int              // GOMAXPROCS, of each cell in turn
	Builds    []string           // labels, of each cell in turn; none is the binary that measures
	LiveHeap  int                // MB beside what the harness keeps
	Validator string             // of vcdm against its JSON Schema inside issue and verify; "" for none
	Present   compare.Presenting // of suites that do not derive
	Binding   compare.Binding
	Disclose  compare.Disclosure // "" is what the credential names

	// Granularities are those of formats of credentials; without any each schema has its usual one. Of two
	// that make the same elements of a schema the first is taken.
	Granularities []compare.Granularity
}

// DefaultPolicy is Go's own collector setting, on the two processors of a small server.
var DefaultPolicy = Policy{GC: "100", Procs: []int{2}}

// Formats are all formats, in the order of reports.
var Formats = []*compare.Definition{di.Definition, sdjwt.Definition, mdoc.Definition, document.Definition,
	floor.Definition}

// Entry is one exchange of the matrix.
type Entry struct {
	Cell        compare.Cell            `json:"cell"`                  // without an operation
	Unsupported *canon.UnsupportedError `json:"unsupported,omitempty"` // why it cannot be measured, or nil
	Operations  []compare.Operation     `json:"operations"`
	Present     string                  `json:"present,omitempty"` // "derives", "re-signs", "whole" or ""
	Default     bool                    `json:"default"`           // part of the default subset

	refused bool // whatever the engine: the documents of the schema are of another kind
}

var defaultSchemas = []string{"simple-20", "ob3"}

// family is a suite of a format with an engine and an algorithm: its cell has neither schema nor policy.
type family struct {
	format *compare.Definition
	suite  *compare.Suite
	cell   compare.Cell
}

var cacheStates = map[compare.ContextState]jsonld.CacheState{compare.NoContexts: jsonld.Warm,
	compare.Cold: jsonld.Cold, compare.Embedded: jsonld.Embedded, compare.Warm: jsonld.Warm}

var algorithms = slices.Concat([]compare.Algorithm{compare.NoAlgorithm}, keys.Algorithms,
	[]compare.Algorithm{keys.BBS})

// families lists every family in the order of reports, each with the state of contexts that is usual for
// its engine: of the engines of the house and of others.
func families(others ...compare.Engine) []family {
	var all []family
	for _, engine := range append(slices.Clone(canon.Engines), others...) {
		for _, algorithm := range algorithms {
			for _, format := range Formats {
				for i := range format.Suites {
					c := compare.Cell{Format: format.Name, Suite: format.Suites[i].Name, Engine: engine,
						Algorithm: algorithm}
					if f := (family{format, &format.Suites[i], c}); f.exists() {
						f.cell.Contexts = f.usual()
						all = append(all, f)
					}
				}
			}
		}
	}
	return all
}

// exists reports whether the suite is one of the engine and the algorithm: without a canonicalizer nothing
// is tuned, and the floor has no engine but this project's code.
func (f *family) exists() bool {
	switch {
	case !slices.Contains(f.suite.Algorithms, f.cell.Algorithm):
		return false
	case f.format.Name == compare.Floor:
		return f.cell.Engine == canon.Native
	case compare.Foreign(f.cell.Engine): // it answers itself what it cannot do
		return true
	}
	return slices.Contains(canon.Engines, f.cell.Engine) &&
		(f.suite.Method != "" || f.cell.Engine != canon.Tuned)
}

// usual is the state of contexts in which the engine is used, unless another is named.
func (f *family) usual() compare.ContextState {
	switch {
	case f.suite.Method != canon.RDFC || f.format.Name == compare.Floor: // its forms are made beforehand
		return compare.NoContexts
	case compare.Foreign(f.cell.Engine):
		return compare.Library
	case f.cell.Engine == canon.Stock:
		return compare.Embedded
	}
	return compare.Warm
}

// in returns the family in each of the named states: as it is if none is named, or if it has no contexts.
func (f family) in(names []string) []family {
	if len(names) == 0 || f.cell.Contexts == compare.NoContexts {
		return []family{f}
	}
	var out []family
	for _, state := range compare.ContextStates {
		if slices.Contains(names, string(state)) {
			f.cell.Contexts = state
			out = append(out, f)
		}
	}
	return out
}

// unsupported returns why the engine cannot do a cell, nil if it can.
func (f *family) unsupported() *canon.UnsupportedError {
	state := f.cell.Contexts
	switch c := &f.cell; {
	case compare.Foreign(c.Engine):
		return f.unsupportedElsewhere()
	case c.Engine == canon.Native || f.suite.Method == "":
	case f.suite.Method != canon.RDFC:
		var unsupported *canon.UnsupportedError
		_, err := f.canonicalizer(nil, compare.Given{})
		errors.As(err, &unsupported)
		return unsupported
	case c.Algorithm == keys.ES384:
		return &canon.UnsupportedError{Engine: "json-gold", What: "SHA-384 inside RDFC-1.0"}
	case c.Engine == canon.Stock && state == compare.Warm:
		return &canon.UnsupportedError{Engine: "json-gold as shipped",
			What: "contexts kept processed; the engine tuned does so"}
	case c.Engine == canon.Tuned && state != compare.Warm && state != compare.NoContexts:
		return &canon.UnsupportedError{Engine: string(c.Engine), What: string(state) +
			" contexts; the engine stock has them"}
	case c.Binding != compare.NoBinding:
		return &canon.UnsupportedError{Engine: "json-gold",
			What: "the graph of a presented credential: it puts its statements into the default graph"}
	}
	return nil
}

// refuses returns why the suite cannot do documents of a kind, nil if it can.
func (f *family) refuses(kind schemas.Kind, schema string) *canon.UnsupportedError {
	switch {
	case f.format.Name != compare.Document:
		return kind.Exchangeable(schema)
	case f.suite.Method == canon.JCS && kind == schemas.NQuads:
		return &canon.UnsupportedError{Engine: string(canon.JCS),
			What: "a dataset in N-Quads; choose the suite rdfc"}
	case f.suite.Method == canon.RDFC && kind == schemas.JSON:
		return &canon.UnsupportedError{Engine: string(canon.RDFC),
			What: "JSON without a context; choose the suite jcs"}
	}
	return nil
}

// canonicalizer makes that of the family, which finds contexts in the state of the cell; nil where nothing is
// canonicalized. Its guard is the gate's.
func (f *family) canonicalizer(loader jsonld.Loader, given compare.Given) (canon.Canonicalizer, error) {
	if f.suite.Method == "" {
		return nil, nil
	}
	return Canonicalizer(f.cell.Engine, f.suite.Method,
		engines.Config{Loader: loader, Contexts: cacheStates[f.cell.Contexts]}, given)
}

// inDefault reports whether the default subset has the family: what signs with EdDSA or with nothing, and
// with ES256 what derives.
func (f *family) inDefault() bool {
	c := &f.cell
	switch {
	case c.Engine == canon.Tuned || compare.Foreign(c.Engine) || f.format.Name == compare.Floor ||
		f.unsupported() != nil:
		return false
	case c.Algorithm == keys.ES256:
		return !f.suite.Reissues
	}
	return c.Algorithm == keys.EdDSA || c.Algorithm == compare.NoAlgorithm
}

// Usual is the algorithm of a suite that its users deploy: ES256, unless the suite does not take it.
const Usual = "usual"

func (f *family) usualAlgorithm() bool {
	usual := keys.ES256
	if !slices.Contains(f.suite.Algorithms, usual) {
		usual = f.suite.Algorithms[0]
	}
	return f.cell.Algorithm == usual
}

// states are those of the contexts in which the default subset has the family: what stock engines have comes
// first, so that tiers are compared in one state.
func (f *family) states() []string {
	if f.cell.Engine == canon.Native && f.format.Name != compare.Document {
		return []string{string(compare.Embedded), string(compare.Warm)}
	}
	return nil
}

// of returns the family with a schema and a policy, whose first number of processors it has.
func (f family) of(t target, p Policy) family {
	f.cell.Schema, f.cell.Binding = t.schema, p.Binding
	f.cell.Disclose, f.cell.Granularity = t.Disclose, t.Granularity
	f.cell.GC, f.cell.Procs, f.cell.LiveHeap = p.GC, p.Procs[0], p.LiveHeap
	if f.format.Documents {
		f.cell.Validator = p.Validator
	}
	if f.suite.Reissues {
		f.cell.Present = p.Present
		if compare.Foreign(f.cell.Engine) { // the libraries sign no selection anew
			f.cell.Present = compare.HandedOver
		}
	}
	if f.format.Name == compare.Document {
		f.cell.Binding, f.cell.Disclose, f.cell.Granularity = compare.NoBinding, "", compare.Leaf
	}
	return f
}

func (f *family) entry(inDefault bool) Entry {
	e := Entry{Cell: f.cell, Operations: f.format.Operations, Unsupported: f.unsupported(),
		Default: inDefault}
	switch {
	case e.Unsupported != nil || f.format.Name == compare.Document || f.format.Name == compare.Floor:
	case f.cell.Present == compare.HandedOver:
		e.Present = "whole"
	case f.suite.Reissues:
		e.Present = "re-signs"
	default:
		e.Present = "derives"
	}
	return e
}

// find returns the family of a cell that the matrix has.
func find(c compare.Cell) (*family, error) {
	for _, format := range Formats {
		i := slices.IndexFunc(format.Suites, func(s compare.Suite) bool { return s.Name == c.Suite })
		if format.Name != c.Format || i < 0 {
			continue
		}
		f := &family{format, &format.Suites[i], c.Exchange()}
		contexts := c.Contexts == compare.NoContexts
		if f.usual() != compare.NoContexts && (!contexts || format.Name != compare.Document) {
			contexts = slices.Contains(compare.ContextStates, c.Contexts) || c.Contexts == f.usual()
		}
		bound := c.Binding == compare.NoBinding || c.Binding == compare.HolderBinding
		granularity, err := compare.ParseGranularity(c.Granularity.String())
		parted := err == nil && granularity == c.Granularity
		if format.Name == compare.Document {
			parted = c.Disclose == "" && c.Granularity == compare.Leaf
		}
		presents := c.Present == compare.Resigned || c.Present == compare.HandedOver && f.suite.Reissues
		if f.exists() && contexts && bound && parted && presents && (c.Validator == "" || format.Documents) {
			return f, nil
		}
	}
	return nil, fmt.Errorf("the matrix has no cell %s", c.ID())
}

// Filter names what to select; an empty list selects everything, except that without any of Formats,
// Suites, Engines and Algorithms only the default subset is selected if Default is set, and that without
// Contexts each engine has its usual state.
type Filter struct {
	Formats, Suites, Engines, Algorithms, Schemas, Operations, Contexts []string
	Default                                                             bool
	Given                                                               compare.Given // by the user
}

// Selection is what a filter selects.
type Selection struct {
	Entries    []Entry             `json:"exchanges"`
	Operations []compare.Operation `json:"operations"`
	Disclosed  []compare.Disclosed `json:"disclosed,omitempty"`
	LeftOut    []string            `json:"left_out,omitempty"` // by the default subset

	given compare.Given
}

// Cells returns the cells of the supported entries.
func (s *Selection) Cells() []compare.Cell {
	var cells []compare.Cell
	for _, e := range s.Entries {
		if e.Unsupported == nil {
			for _, op := range e.Operations {
				cells = append(cells, e.Cell.With(op))
			}
		}
	}
	return cells
}

// Chosen says, for each credential of the user and each format that signs claims of it, what the format
// writes that the credential does not say, and what it leaves out, when it is issued at a time.
func (s *Selection) Chosen(now time.Time) []string {
	var notes []string
	var seen []compare.Cell
	for _, e := range s.Entries {
		key := compare.Cell{Schema: e.Cell.Schema, Format: e.Cell.Format}
		if e.Unsupported != nil || !catalogue.IsFile(e.Cell.Schema) || slices.Contains(seen, key) {
			continue
		}
		seen = append(seen, key)
		i := slices.IndexFunc(Formats, func(f *compare.Definition) bool { return f.Name == key.Format })
		if Formats[i].Chosen == nil {
			continue
		}
		g, err := Generator(e.Cell.Schema, s.given)
		if err != nil {
			continue // its gate says so, as of the next two errors
		}
		c, err := g.Document(0, 0)
		if err != nil {
			continue
		}
		chosen, err := Formats[i].Chosen(c, &compare.Task{Now: now, Limits: measure.Limits})
		if err != nil {
			continue
		}
		for _, text := range chosen {
			notes = append(notes, fmt.Sprintf("%s of %s: %s", key.Format, g.Describe(), text))
		}
	}

	return notes
}

// Unsupported returns a result for every cell that cannot be measured.
func (s *Selection) Unsupported() []compare.Result {
	var out []compare.Result
	for _, e := range s.Entries {
		if e.Unsupported != nil {
			for _, op := range e.Operations {
				c := e.Cell.With(op)
				out = append(out, compare.Result{Cell: c, ID: c.ID(), State: compare.Unsupported,
					Reason: e.Unsupported.Error()})
			}
		}
	}
	return out
}

// Select returns the exchanges that a filter names. An unknown name and names that exclude each other are
// errors, as is a disclosure of what a schema does not have.
func Select(f Filter, p Policy) (*Selection, error) {
	names := f.Schemas
	if len(names) == 0 {
		names = catalogue.Names()
		if f.Default {
			names = defaultSchemas
		}
	}
	points := make([]compare.Point, len(names))
	for i, name := range names {
		points[i].Schema = name
	}
	return selectPoints(f, p, points)
}

func selectPoints(f Filter, p Policy, points []compare.Point) (*Selection, error) {
	all := families(foreignOf(f.Engines)...)
	type dimension struct {
		flag  string
		names []string
		of    func(c compare.Cell) string
	}

	usual := slices.Contains(f.Algorithms, Usual)

	dimensions := []dimension{
		{"format", f.Formats, func(c compare.Cell) string { return string(c.Format) }},
		{"suite", f.Suites, func(c compare.Cell) string { return c.Suite }},
		{"engine", f.Engines, func(c compare.Cell) string { return string(c.Engine) }},
		{"algorithm", f.Algorithms, func(c compare.Cell) string { return string(c.Algorithm) }},
	}

	var named []string
	for _, d := range dimensions {
		var valid []string
		for i := range all {
			if v := d.of(all[i].cell); !slices.Contains(valid, v) {
				valid = append(valid, v)
			}
		}
		if d.flag == "algorithm" {
			valid = append(valid, Usual)
		}
		if err := known(d.flag, d.names, valid); err != nil {
			return nil, err
		}
		if len(d.names) > 0 {
			named = append(named, fmt.Sprintf("--%s %s", d.flag, strings.Join(d.names, ",")))
		}
	}

	s := &Selection{given: f.Given}
	for _, op := range compare.Operations {
		if len(f.Operations) == 0 || slices.Contains(f.Operations, string(op)) {
			s.Operations = append(s.Operations, op)
		}
	}

	if err := known("operation", f.Operations, compare.Operations); err != nil {
		return nil, err
	}
	if err := known("state of contexts", f.Contexts, compare.ContextStates); err != nil {
		return nil, err
	}

	targets, err := targetsOf(points, p, f.Given)
	if err != nil {
		return nil, err
	}

	subset := f.Default && len(named) == 0
	left := make(map[string][]string)
	formats := len(f.Formats)+len(f.Suites)+len(f.Algorithms) > 0
	for i := range all {
		m := &all[i]
		operations := within(m.format.Operations, s.Operations)
		if len(operations) == 0 || slices.ContainsFunc(dimensions, func(d dimension) bool {
			return len(d.names) > 0 && !slices.Contains(d.names, d.of(m.cell)) &&
				!(d.flag == "algorithm" && usual && m.usualAlgorithm())
		}) {
			continue
		}
		inDefault := m.inDefault()
		if subset && !inDefault {
			if m.unsupported() == nil && m.format.Name != compare.Floor &&
				(m.format.Name != compare.Document || len(f.Operations) > 0) {
				k := string(m.cell.Engine) + " " + string(m.cell.Algorithm)
				left[k] = append(left[k], m.cell.Suite)
			}
			continue
		}

		contexts := f.Contexts
		if subset && len(contexts) == 0 {
			contexts = m.states()
		}
		for _, state := range m.in(contexts) {
			for _, t := range targets {
				// Without a word on formats and operations a credential is exchanged and another document
				// canonicalized.
				if f.Default && !formats && len(f.Operations) == 0 &&
					(m.format.Name == compare.Document) == t.exchanged() {
					continue
				}

				cell := state.of(t, p)
				if t.kind == schemas.NQuads && m.format.Name == compare.Document {
					cell.cell.Contexts = compare.NoContexts
				}
				byDefault := inDefault && (f.Default || m.format.Name != compare.Document)
				e := cell.entry(byDefault && (state.cell.Contexts == m.cell.Contexts ||
					slices.Contains(m.states(), string(state.cell.Contexts))) ||
					m.format.Name == compare.Floor && m.cell.Algorithm != keys.ES384)
				e.Operations = operations
				if unsupported := m.refuses(t.kind, t.schema); unsupported != nil {
					e.Unsupported, e.Present, e.refused = unsupported, "", true
				}
				if !slices.ContainsFunc(s.Entries, func(known Entry) bool { return known.Cell == e.Cell }) {
					s.Entries = append(s.Entries, e)
				}
				if m.format.Name != compare.Document && t.exchanged() &&
					!slices.Contains(s.Disclosed, t.Disclosed) {
					s.Disclosed = append(s.Disclosed, t.Disclosed)
				}
			}
		}
	}

	if len(s.Entries) == 0 {
		return nil, fmt.Errorf("no cell has %s", strings.Join(named, " and "))
	}
	if f.Default {
		s.addFloors(all, targets, p, subset)
	}

	for _, e := range slices.Clone(s.Entries) {
		for _, procs := range p.Procs[1:] {
			e.Cell.Procs = procs
			s.Entries = append(s.Entries, e)
		}
	}

	// Most important first, and the tiers of a schema beside each other. In the default subset what signs
	// with ES256 for comparison comes last.
	last := func(c compare.Cell) int {
		if subset && c.Algorithm == keys.ES256 && c.Format != compare.VCDM {
			return 1
		}
		return 0
	}

	slices.SortStableFunc(s.Entries, func(a, b Entry) int {
		return cmp.Or(last(a.Cell)-last(b.Cell),
			schemaOf(targets, a.Cell)-schemaOf(targets, b.Cell),
			slices.Index(algorithms, a.Cell.Algorithm)-slices.Index(algorithms, b.Cell.Algorithm),
			indexOf(targets, a.Cell)-indexOf(targets, b.Cell),
			slices.Index(p.Procs, a.Cell.Procs)-slices.Index(p.Procs, b.Cell.Procs),
			engineOrder(a.Cell.Engine)-engineOrder(b.Cell.Engine),
			cmp.Compare(a.Cell.Engine, b.Cell.Engine))
	})
	s.Entries = ofBuilds(s.Entries, p.Builds)

	for _, engine := range canon.Engines {
		for _, algorithm := range algorithms {
			if suites := left[string(engine)+" "+string(algorithm)]; suites != nil {
				s.LeftOut = append(s.LeftOut, fmt.Sprintf("%s with %s: %s", engine, algorithm,
					strings.Join(suites, ", ")))
			}
		}
	}

	return s, nil
}

// ofBuilds has each exchange once for every build, beside each other.
func ofBuilds(entries []Entry, builds []string) (all []Entry) {
	if len(builds) == 0 {
		return entries
	}
	for _, e := range entries {
		for _, build := range builds {
			e.Cell.Build = build
			all = append(all, e)
		}
	}
	return all
}

// addFloors adds what is below the native exchanges of credentials: the floors of their methods and the
// primitives, of each schema and algorithm. The default subset has the floor of RDFC-1.0 alone, for its time.
func (s *Selection) addFloors(all []family, targets []target, p Policy, subset bool) {
	for _, m := range all {
		operations := within(m.format.Operations, s.Operations)
		if m.format.Name != compare.Floor || len(operations) == 0 ||
			subset && m.suite.Name == compare.FloorJCS {
			continue
		}
		for _, e := range slices.Clone(s.Entries) {
			of := &e.Cell
			if of.Engine != canon.Native || e.Unsupported != nil || of.Format == compare.Document ||
				of.Format == compare.Floor || of.Algorithm != m.cell.Algorithm ||
				m.suite.Method != "" && m.suite.Method != methodOf(*of) {
				continue
			}
			f := m.of(targets[indexOf(targets, *of)], p)
			if !slices.ContainsFunc(s.Entries, func(known Entry) bool { return known.Cell == f.cell }) {
				added := f.entry(e.Default)
				added.Operations = operations
				s.Entries = append(s.Entries, added)
			}
		}
	}
}

// methodOf is that of the suite of a cell; "" where nothing is canonicalized.
func methodOf(c compare.Cell) canon.Method {
	f, err := find(c)
	if err != nil {
		return ""
	}
	return f.suite.Method
}

// Comparable lists what a ratio may be to: formats of credentials and their suites.
func Comparable() []string {
	var names []string
	for _, f := range Formats {
		if f.Name == compare.Document || f.Name == compare.Floor {
			continue
		}
		names = append(names, string(f.Name))
		for _, suite := range f.Suites {
			names = append(names, suite.Name)
		}
	}
	return names
}

// CheckAgainst complains about the first name that is not [Comparable].
func CheckAgainst(names []string) error { return known("suite or format", names, Comparable()) }

// CheckAgainst complains about the first name of which the selection measures nothing.
func (s *Selection) CheckAgainst(names []string) error {
	var measured []string
	for _, e := range s.Entries {
		for _, name := range []string{string(e.Cell.Format), e.Cell.Suite} {
			if e.Unsupported == nil && e.Cell.Format != compare.Document && e.Cell.Format != compare.Floor &&
				!slices.Contains(measured, name) {
				measured = append(measured, name)
			}
		}
	}
	for _, name := range names {
		switch {
		case slices.Contains(measured, name):
		case len(measured) == 0:
			return fmt.Errorf("%s is not measured; no exchange is", name)
		default:
			return fmt.Errorf("%s is not measured; choose %s, or name it among what is measured", name,
				choice.List(measured))
		}
	}
	return nil
}

// Refused is an error if the schemas have no documents for the operations and suites of the selection.
func (s *Selection) Refused() error {
	for _, e := range s.Entries {
		if !e.refused {
			return nil
		}
	}
	return s.Entries[0].Unsupported
}

// within returns the operations of a format that are named, in order.
func within(of, named []compare.Operation) []compare.Operation {
	var out []compare.Operation
	for _, op := range of {
		if slices.Contains(named, op) {
			out = append(out, op)
		}
	}
	return out
}

// known complains about the first name that is not valid.
func known[T ~string](flag string, names []string, valid []T) error {
	for _, n := range names {
		if err := choice.Check(flag, T(n), valid); err != nil {
			return err
		}
	}
	return nil
}

// Open is [OpenGiven] for schemas of the catalogue and the contexts that are built in.
func Open(cell compare.Cell) (*measure.Bench, error) { return OpenGiven(cell, compare.Given{}) }

// OpenGiven makes what a cell or exchange is measured with. A cell that the matrix does not have is an error,
// one that its engine cannot do a [*canon.UnsupportedError].
func OpenGiven(cell compare.Cell, given compare.Given) (*measure.Bench, error) {
	f, err := find(cell)
	if err != nil {
		return nil, err
	}
	if unsupported := f.unsupported(); unsupported != nil {
		return nil, unsupported
	}

	generator, err := Generator(cell.Schema, given)
	if err != nil {
		return nil, err
	}
	loader := Loader(given)
	if unsupported := f.refuses(generator.Kind(), cell.Schema); unsupported != nil {
		return nil, unsupported
	}

	canonicalizer, err := f.canonicalizer(loader, given)
	if err != nil {
		return nil, err
	}

	other, err := f.elsewhere(canonicalizer, loader, given)
	if err != nil {
		return nil, err
	}
	format, err := f.preparer(canonicalizer, other)
	if err != nil {
		return nil, err
	}
	if cell.Validator != "" {
		format = validating{format, jsonschema.Engine(cell.Validator)}
	}

	check, err := f.check(loader, canonicalizer)
	if err != nil {
		return nil, err
	}
	second, by, err := f.second(loader)
	if err != nil {
		return nil, err
	}
	if f.format.Name != compare.Document {
		generator = disclosing{generator, cell.Disclose, cell.Granularity}
	}

	scenario := compare.Scenario{Granularity: cell.Granularity, Binding: cell.Binding,
		HandOn: cell.Present == compare.HandedOver}
	bench := &measure.Bench{Format: format, Generator: generator, Scenario: scenario, Guard: f.guard(loader),
		Check: check, Second: second, SecondBy: string(by),
		Tamper: func(c *schemas.Credential, presented []byte) ([]compare.Tampered, error) {
			return f.format.Tamper(c, presented, cell.Binding != compare.NoBinding)
		}}
	if other != nil {
		bench.Elsewhere = other
	}
	return bench, nil
}

// preparer makes the exchanges of the family: by a foreign engine unless it is nil.
func (f *family) preparer(c canon.Canonicalizer, other *elsewhere) (compare.Preparer, error) {
	if other != nil && f.format.Name != compare.Document {
		return preparer{other}, nil
	}
	return f.format.Prepares(f.cell, c)
}
