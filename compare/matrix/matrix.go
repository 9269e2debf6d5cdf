// Package matrix says which cells exist and wires them: formats, suites, engines and schemas. [Select] lists exchanges by
// names, those that an engine cannot do with the reason; [Open] makes what a cell is measured with.
//
//phase:caller
package matrix

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/jsonld"
	"canonscope/compare"
	"canonscope/compare/di"
	"canonscope/compare/mdoc"
	"canonscope/compare/measure"
	"canonscope/compare/sdjwt"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/jsonschema"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
)

// Policy is the part of a cell that says how its process runs.
type Policy struct {
	GC        string // GOGC: percent or "off"
	Procs     int    // GOMAXPROCS
	Validator string // of vcdm against its JSON Schema inside issue and verify; "" for none
	Binding   compare.Binding
}

// DefaultPolicy is Go's own collector setting, on the two processors of a small server.
var DefaultPolicy = Policy{GC: "100", Procs: 2}

// Entry is one exchange of the matrix.
type Entry struct {
	Cell        compare.Cell `json:"cell"`                  // without an operation
	Unsupported string       `json:"unsupported,omitempty"` // why it cannot be measured; "" if it can
	Present     string       `json:"present,omitempty"`     // "derives", or "re-signs" with the issuer's key; "" if it cannot be measured
	Default     bool         `json:"default"`               // part of the default subset
}

var defaultSchemas = []string{"simple-20", "ob3"}

// family is an exchange without its schema and policy.
type family struct {
	format      compare.Format
	suite       string
	engine      compare.Engine
	algorithm   compare.Algorithm
	method      canon.Method // "" where nothing is canonicalized
	state       compare.ContextState
	unsupported string
	inDefault   bool
	reissues    bool // present signs again
	open        func() (compare.Preparer, error)
}

var cacheStates = map[compare.ContextState]jsonld.CacheState{compare.NoContexts: jsonld.Warm, compare.Cold: jsonld.Cold,
	compare.Embedded: jsonld.Embedded, compare.Warm: jsonld.Warm}

// families lists every family in the order of reports, each with the state of contexts that is usual for its engine.
func families() []family {
	var all []family
	for _, engine := range canon.Engines {
		for _, algorithm := range keys.Algorithms {
			for _, s := range vcdm.Suites {
				if slices.Contains(s.Algorithms, algorithm) {
					all = append(all, vcdmFamily(s, engine, algorithm))
				}
			}
			if engine == canon.Tuned {
				continue // the baselines are stock or native
			}
			all = append(all, family{format: compare.SDJWT, suite: "jws", engine: engine, algorithm: algorithm,
				open: func() (compare.Preparer, error) { return sdjwt.NewFormat(engine, algorithm), nil }},
				family{format: compare.Mdoc, suite: "cose-sign1", engine: engine, algorithm: algorithm,
					open: func() (compare.Preparer, error) { return mdoc.NewFormat(engine, algorithm), nil }})
		}
	}
	for i := range all {
		f := &all[i]
		f.state = cmp.Or(f.state, compare.NoContexts)
		f.inDefault = f.unsupported == "" && f.engine != canon.Tuned && (f.algorithm == keys.EdDSA || f.engine == canon.Stock && f.algorithm == keys.ES256 && f.format != compare.VCDM)
	}
	return all
}

func vcdmFamily(s *vcdm.Cryptosuite, engine compare.Engine, algorithm compare.Algorithm) family {
	f := family{format: compare.VCDM, suite: s.Name, engine: engine, algorithm: algorithm, method: s.Method, reissues: !s.Derives}
	if s.Method != canon.RDFC {
		return f.in(compare.NoContexts)
	}
	if engine == canon.Stock {
		return f.in(compare.Embedded)
	}
	return f.in(compare.Warm)
}

// in returns a family of the format vcdm that finds its contexts in a state.
func (f family) in(state compare.ContextState) family {
	f.state, f.open, f.unsupported = state, nil, ""
	c, err := canonicalizer(f.engine, f.method, cacheStates[state])
	switch {
	case err != nil || f.engine == canon.Native || f.method != canon.RDFC:
	case f.algorithm == keys.ES384:
		err = &canon.UnsupportedError{Engine: "json-gold", What: "SHA-384 inside RDFC-1.0"}
	case f.engine == canon.Stock && state == compare.Warm:
		err = &canon.UnsupportedError{Engine: "json-gold as shipped", What: "contexts kept processed; the engine tuned does so"}
	case f.engine == canon.Tuned && state != compare.Warm:
		err = &canon.UnsupportedError{Engine: string(canon.Tuned), What: string(state) + " contexts; the engine stock has them"}
	}
	if err != nil {
		f.unsupported = err.Error()
		return f
	}
	f.open = func() (compare.Preparer, error) { return di.NewFormat(f.suite, c, f.algorithm) }
	return f
}

// cannot says why a family cannot be measured with a binding; "" if it can.
func (f *family) cannot(binding compare.Binding) string {
	if f.unsupported == "" && binding != compare.NoBinding && f.method == canon.RDFC && f.engine != canon.Native {
		return (&canon.UnsupportedError{Engine: "json-gold", What: "the graph of a presented credential: it puts its statements into the default graph"}).Error()
	}
	return f.unsupported
}

// present says how a family presents; "" if it cannot.
func (f *family) present() string {
	switch {
	case f.unsupported != "":
		return ""
	case f.reissues:
		return "re-signs"
	}
	return "derives"
}

// states returns the family in each of the named states: as it is if none is named, or if it has no contexts.
func (f family) states(names []string) []family {
	if len(names) == 0 || f.state == compare.NoContexts {
		return []family{f}
	}
	var out []family
	for _, state := range compare.ContextStates {
		if slices.Contains(names, string(state)) {
			out = append(out, f.in(state))
		}
	}
	return out
}

// familiesIn lists the families in a state of their contexts, those without contexts as they are.
func familiesIn(state compare.ContextState) []family {
	all := families()
	if slices.Contains(compare.ContextStates, state) {
		for i := range all {
			if all[i].state != compare.NoContexts {
				all[i] = all[i].in(state)
			}
		}
	}
	return all
}

// contexts is the state in which a family finds its JSON-LD contexts.
func (f *family) contexts() compare.ContextState { return f.state }

func (f *family) cell(schema string, p Policy) compare.Cell {
	c := compare.Cell{Format: f.format, Suite: f.suite, Engine: f.engine, Algorithm: f.algorithm, Schema: schema,
		GC: p.GC, Procs: p.Procs, Contexts: f.contexts(), Binding: p.Binding}
	if f.format == compare.VCDM { // the JSON Schemas are those of VCDM documents
		c.Validator = p.Validator
	}
	return c
}

// Filter names what to select; an empty list selects everything, except that without any of Formats, Suites, Engines and
// Algorithms only the default subset is selected if Default is set, and that without Contexts each engine has its usual state.
type Filter struct {
	Formats, Suites, Engines, Algorithms, Schemas, Operations, Contexts []string
	Default                                                             bool
}

// Selection is what a filter selects.
type Selection struct {
	Entries    []Entry             `json:"exchanges"`
	Operations []compare.Operation `json:"operations"`
	LeftOut    []string            `json:"left_out,omitempty"` // what the default subset leaves out, for people
}

// Cells returns the cells of the supported entries.
func (s *Selection) Cells() []compare.Cell {
	var cells []compare.Cell
	for _, e := range s.Entries {
		if e.Unsupported == "" {
			for _, op := range s.Operations {
				cells = append(cells, e.Cell.With(op))
			}
		}
	}
	return cells
}

// Unsupported returns a result for every cell that cannot be measured.
func (s *Selection) Unsupported() []compare.Result {
	var out []compare.Result
	for _, e := range s.Entries {
		if e.Unsupported != "" {
			for _, op := range s.Operations {
				c := e.Cell.With(op)
				out = append(out, compare.Result{Cell: c, ID: c.ID(), State: compare.Unsupported, Reason: e.Unsupported})
			}
		}
	}
	return out
}

// Select returns the exchanges that a filter names. An unknown name and names that exclude each other are errors.
func Select(f Filter, p Policy) (*Selection, error) {
	all := families()
	dimensions := []struct {
		flag  string
		names []string
		of    func(*family) string
	}{
		{"format", f.Formats, func(f *family) string { return string(f.format) }},
		{"suite", f.Suites, func(f *family) string { return f.suite }},
		{"engine", f.Engines, func(f *family) string { return string(f.engine) }},
		{"algorithm", f.Algorithms, func(f *family) string { return string(f.algorithm) }},
	}
	var named []string
	for _, d := range dimensions {
		var valid []string
		for i := range all {
			if v := d.of(&all[i]); !slices.Contains(valid, v) {
				valid = append(valid, v)
			}
		}
		if err := known(d.flag, d.names, valid); err != nil {
			return nil, err
		}
		if len(d.names) > 0 {
			named = append(named, fmt.Sprintf("--%s %s", d.flag, strings.Join(d.names, ",")))
		}
	}
	s := &Selection{}
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
	var names []string
	canonized := make(map[string]error) // of schemas that are only canonicalized: why they are not exchanged
	for _, name := range f.Schemas {
		g, err := catalogue.Get(name)
		if err != nil {
			return nil, fmt.Errorf("--schema: %w", err)
		}
		if !slices.Contains(names, g.Name()) {
			names = append(names, g.Name()) // of a file: its path without slashes
			canonized[g.Name()] = g.Kind().Exchangeable(g.Name())
		}
	}
	if len(names) == 0 {
		names = catalogue.Names()
		if f.Default {
			names = defaultSchemas
		}
	}
	subset := f.Default && len(named) == 0
	left := make(map[string][]string)
	for i := range all {
		m := &all[i]
		if slices.ContainsFunc(dimensions, func(d struct {
			flag  string
			names []string
			of    func(*family) string
		}) bool {
			return len(d.names) > 0 && !slices.Contains(d.names, d.of(m))
		}) {
			continue
		}
		if subset && !m.inDefault {
			if m.unsupported == "" {
				k := string(m.engine) + " " + string(m.algorithm)
				left[k] = append(left[k], m.suite)
			}
			continue
		}
		for _, state := range m.states(f.Contexts) {
			for _, schema := range names {
				e := Entry{Cell: state.cell(schema, p), Unsupported: state.cannot(p.Binding), Present: state.present(), Default: m.inDefault && state.state == m.state}
				if err := canonized[schema]; err != nil {
					e.Unsupported, e.Present = err.Error(), ""
				}
				s.Entries = append(s.Entries, e)
			}
		}
	}
	if len(s.Entries) == 0 {
		return nil, fmt.Errorf("no cell has %s", strings.Join(named, " and "))
	}
	// Most important first: all schemas of a tier and algorithm before the next.
	slices.SortStableFunc(s.Entries, func(a, b Entry) int {
		return cmp.Or(slices.Index(canon.Engines, a.Cell.Engine)-slices.Index(canon.Engines, b.Cell.Engine),
			slices.Index(keys.Algorithms, a.Cell.Algorithm)-slices.Index(keys.Algorithms, b.Cell.Algorithm),
			slices.Index(names, a.Cell.Schema)-slices.Index(names, b.Cell.Schema))
	})
	for _, engine := range canon.Engines {
		for _, algorithm := range keys.Algorithms {
			if suites := left[string(engine)+" "+string(algorithm)]; suites != nil {
				s.LeftOut = append(s.LeftOut, fmt.Sprintf("%s with %s: %s", engine, algorithm, strings.Join(suites, ", ")))
			}
		}
	}
	return s, nil
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

// Open makes what a cell or exchange is measured with. A cell that the matrix does not have is an error, one that its
// engine cannot do a [*canon.UnsupportedError] in words.
func Open(cell compare.Cell) (*measure.Bench, error) {
	for _, f := range familiesIn(cell.Contexts) {
		if cell.Binding != compare.NoBinding && cell.Binding != compare.HolderBinding || f.cell(cell.Schema, Policy{cell.GC, cell.Procs, cell.Validator, cell.Binding}) != cell.Exchange() {
			continue
		}
		if reason := f.cannot(cell.Binding); reason != "" {
			return nil, errors.New(reason)
		}
		generator, err := catalogue.Get(cell.Schema)
		if err != nil {
			return nil, err
		}
		if err := generator.Kind().Exchangeable(cell.Schema); err != nil {
			return nil, err
		}
		format, err := f.open()
		if err != nil {
			return nil, err
		}
		if cell.Validator != "" {
			format = validating{format, jsonschema.Engine(cell.Validator)}
		}
		check, err := f.check(cell.Binding)
		if err != nil {
			return nil, err
		}
		return &measure.Bench{Format: format, Generator: generator, Binding: cell.Binding, Guard: f.guard(), Check: check,
			Tamper: func(c *schemas.Credential, presented []byte) ([]measure.Tampered, error) {
				return tampers[f.format](c, presented, cell.Binding != compare.NoBinding)
			}}, nil
	}
	return nil, fmt.Errorf("the matrix has no cell %s", cell.ID())
}
