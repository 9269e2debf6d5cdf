// Package predict predicts what a credential costs from its shape. A campaign measures [Schemas] of the
// catalogue on this machine, [Fit] finds what a unit of each figure costs in every cell, and
// [Model.Predict] adds up those of a document. It is above compare/matrix, whose schemas it reads.
//
//phase:caller
package predict

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"canonscope/canon/jsonld"
	"canonscope/canon/jsontape"
	"canonscope/canon/rdf"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/compare/stats"
	"canonscope/schemas"
	"canonscope/schemas/charge"
	"canonscope/schemas/shape"
)

// Schemas are those of the catalogue that a model is fitted to. The largest are left out for their time.
var Schemas = []string{"simple-5", "simple-20", "simple-100", "simple-inline-20", "kit-simple", "kit-ob3",
	"kit-dcc", "synth-bn-10", "synth-bn-50", "ob-small", "ob-medium", "ob3", "ob3:alignments=20", "clr-small",
	"clr-medium:achievements=3", "clr-medium", "elm-small", "elm-medium", "elm-medium:embedded-bytes=0"}

// Anchors are the schemas that are measured again beside a document that is checked, so that a machine whose
// speed changed since the model was measured is not taken for a fault of the model.
var Anchors = []string{"simple-20", "ob3"}

// Shape is what the cost of a document depends on.
type Shape struct {
	shape.Figures
	Nodes     int   `json:"nodes"` // objects outside of contexts
	Canonical int   `json:"canonical_bytes"`
	Hashed    int64 `json:"hashed_bytes"` // by RDFC-1.0, to label blank nodes
	Disclosed int   `json:"disclosed"`    // elements that are presented
	Injects   bool  `json:"injects"`      // issue adds the context of a proof, for which it labels once more
}

// ShapeOf counts the first document of a schema.
func ShapeOf(ctx context.Context, schema string, given compare.Given) (*Shape, error) {
	g, err := matrix.Generator(schema, given)
	if err != nil {
		return nil, err
	}
	if kind := g.Kind(); kind == schemas.NQuads || kind == schemas.JSON {
		return nil, fmt.Errorf("%s is not JSON-LD, for which alone costs are predicted", g.Describe())
	}
	c, err := g.Document(1, 0)
	if err != nil {
		return nil, err
	}

	f, err := shape.Measure(ctx, c.VCDM, shape.Options{Loader: matrix.Loader(given), Limits: measure.Limits})
	if err != nil {
		return nil, err
	}
	if len(f.Losses) > 0 {
		return nil, fmt.Errorf("the canonical form loses %s (%s)", f.Losses[0].Pointer, f.Losses[0].Reason)
	}
	a, err := charge.Document(ctx, c.VCDM, charge.Options{Loader: matrix.Loader(given),
		Limits: measure.Limits})
	if err != nil {
		return nil, err
	}
	nodes, err := nodesOf(c.VCDM)
	if err != nil {
		return nil, err
	}
	injects, err := injects(ctx, c.VCDM, given)
	if err != nil {
		return nil, err
	}
	return &Shape{Figures: *f, Nodes: nodes, Canonical: a.Total.Bytes, Hashed: a.Total.Hashed,
		Injects: injects}, nil
}

// injects reports whether the contexts of a document do not define the type of a proof.
func injects(ctx context.Context, doc []byte, given compare.Given) (bool, error) {
	var t jsontape.Tape
	if err := t.Scan(doc, jsontape.Options{}); err != nil {
		return false, err
	}
	proof := []byte(`{"@id":"urn:proof","@type":"DataIntegrityProof"}`)
	if at := t.Get(0, "@context"); at >= 0 {
		text := slices.Clone(t.Raw(at))
		if err := t.Scan(proof, jsontape.Options{}); err != nil {
			return false, err
		}
		proof = t.AppendMember(nil, 0, "@context", text)
	}

	var d rdf.Dataset
	p := jsonld.New(jsonld.Config{Loader: matrix.Loader(given)})
	err := p.ToRDF(ctx, proof, jsonld.Options{Lossy: true, Limits: measure.Limits}, &d)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(d.Terms, func(term rdf.Term) bool {
		return bytes.Contains(term.Text, []byte("https://w3id.org/security#DataIntegrityProof"))
	}), nil
}

// nodesOf counts the objects of a document outside of contexts.
func nodesOf(doc []byte) (n int, err error) {
	var t jsontape.Tape
	if err := t.Scan(doc, jsontape.Options{}); err != nil {
		return 0, err
	}
	for i := 0; i < len(t.Nodes); i++ {
		isKey := t.Nodes[i].Hash != 0
		switch {
		case t.Nodes[i].Kind == jsontape.Object:
			n++
		case isKey && t.TextIs(i, "@context"):
			i = int(t.Nodes[i+1].Next) - 1
		}
	}
	return n, nil
}

// figure is one of the terms of a model.
type figure struct {
	name string
	of   func(*Shape) float64
	in   func(compare.Cell) bool // nil is all
}

// presents reports whether an operation is about a part of the credential.
func presents(c compare.Cell) bool {
	return c.Operation == compare.Present || c.Operation == compare.VerifyPresented
}

// issues reports whether an operation signs the statements of a document.
func issues(c compare.Cell) bool { return c.Operation == compare.Issue && c.Format == compare.VCDM }

// adds is 1 of a document to which issue adds a context, 0 of others.
func adds(s *Shape) float64 {
	if !s.Injects {
		return 0
	}
	return 1
}

// added is the nodes of a document to which issue adds a context, 0 of others.
func added(s *Shape) float64 {
	if !s.Injects {
		return 0
	}
	return float64(s.Nodes)
}

// figures are the terms, in the order of a formula.
var figures = []figure{
	{"fixed", func(*Shape) float64 { return 1 }, nil},
	{"quads", func(s *Shape) float64 { return float64(s.Quads) }, nil},
	{"nodes", func(s *Shape) float64 { return float64(s.Nodes) }, nil},
	{"scoped nodes", func(s *Shape) float64 { return float64(s.Scoped) }, nil},
	{"bytes", func(s *Shape) float64 { return float64(s.Bytes) }, nil},
	{"canonical bytes", func(s *Shape) float64 { return float64(s.Canonical) }, nil},
	{"hashed bytes", func(s *Shape) float64 { return float64(s.Hashed) }, nil},
	{"alike nodes", func(s *Shape) float64 { return float64(s.NonUnique) }, nil},
	{"context bytes", func(s *Shape) float64 { return float64(s.ContextBytes + s.InlineBytes) },
		func(c compare.Cell) bool { return c.Contexts != compare.Warm && c.Contexts != compare.NoContexts }},
	{"a context added", adds, issues},
	{"nodes with a context added", added, issues},
	{"disclosures", func(s *Shape) float64 { return float64(s.Disclosed) }, presents},
}

// Model is what an operation costs by the shape of a document, in nanoseconds of process CPU.
type Model struct {
	Cell    compare.Cell `json:"cell"` // without schema and part
	Schemas []string     `json:"schemas"`
	stats.Model

	figures []figure
	of      *compare.Campaign // that it is fitted to
	anchors stats.Sample      // what the anchors cost in it; nil if one was not measured
}

// anyDocument is a cell without its document.
func anyDocument(c compare.Cell) compare.Cell {
	c.Schema, c.Disclose, c.Granularity = "", "", compare.Leaf
	return c
}

// Fit fits a model to every operation that a campaign measured of [Schemas].
func Fit(ctx context.Context, c *compare.Campaign) ([]Model, error) {
	shapes := make(map[string]*Shape)
	var models []Model
	for i := range c.Results {
		cell := anyDocument(c.Results[i].Cell)
		if !slices.Contains(Schemas, c.Results[i].Cell.Schema) ||
			slices.ContainsFunc(models, func(m Model) bool { return m.Cell == cell }) {
			continue
		}
		m, err := fit(ctx, c, cell, shapes)
		if err != nil {
			return nil, fmt.Errorf("%s %s %s: %w", cell.Engine, cell.Suite, cell.Operation, err)
		}
		models = append(models, *m)
	}
	if models == nil {
		return nil, fmt.Errorf("the results have no credential that a model is fitted to, such as %s",
			Schemas[0])
	}
	return models, nil
}

// fit fits the model of a cell.
func fit(
	ctx context.Context, c *compare.Campaign, cell compare.Cell, shapes map[string]*Shape,
) (*Model, error) {
	m := &Model{Cell: cell, of: c, anchors: anchored(c, cell)}
	var all []*Shape
	var costs []float64
	reason := ""
	for i := range c.Results {
		r := &c.Results[i]
		if anyDocument(r.Cell) != cell || !slices.Contains(Schemas, r.Cell.Schema) {
			continue
		}
		if r.State != compare.Measured || len(r.Runs) == 0 {
			reason = fmt.Sprintf("; %s is %s: %s", r.Cell.Schema, r.State, r.Reason)
			continue
		}
		schema := r.Cell.Schema
		if shapes[schema] == nil {
			s, err := ShapeOf(ctx, schema, compare.Given{})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", schema, err)
			}
			shapes[schema] = s
		}
		s := *shapes[schema]
		s.Disclosed = disclosed(c, r.Cell)
		all, costs = append(all, &s), append(costs, cost(r).Center)
		m.Schemas = append(m.Schemas, schema)
	}

	var names []string
	for _, f := range figures {
		most := 0.0
		for _, s := range all {
			most = max(most, f.of(s))
		}
		if most > 0 && (f.in == nil || f.in(cell)) {
			m.figures, names = append(m.figures, f), append(names, f.name)
		}
	}
	rows := make([][]float64, len(all))
	for i, s := range all {
		rows[i] = m.row(s)
	}
	fitted, err := stats.FitModel(names, rows, costs)
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, reason)
	}
	m.Model = *fitted
	return m, nil
}

// row lists the figures of a document.
func (m *Model) row(s *Shape) []float64 {
	row := make([]float64, len(m.figures))
	for j, f := range m.figures {
		row[j] = f.of(s)
	}
	return row
}

// Predict returns the cost of a document, with the interval of such a cost.
func (m *Model) Predict(s *Shape) stats.Estimate { return m.Model.Predict(m.row(s)) }

// pace is what the anchors of another campaign cost in proportion to what they did when the model was
// measured: 1.1 on a machine that became a tenth slower. Now is their cost in each of its blocks. There is
// none, nil, unless all of them were measured both times.
func (m *Model) pace(c *compare.Campaign) (pace *stats.Estimate, now stats.Sample) {
	now = anchored(c, m.Cell)
	if c == m.of || len(now) == 0 || len(m.anchors) == 0 {
		return nil, nil
	}
	ratio := stats.Unpaired([]stats.Sample{now}, []stats.Sample{m.anchors}, stats.Band).Ratio
	return &ratio, now
}

// anchored is the geometric mean over the anchors in each block that has them all.
func anchored(c *compare.Campaign, cell compare.Cell) stats.Sample {
	logs, seen := make(stats.Sample), make(map[int]int)
	for i := range c.Results {
		r := &c.Results[i]
		if r.State != compare.Measured || anyDocument(r.Cell) != cell ||
			!slices.Contains(Anchors, r.Cell.Schema) {
			continue
		}
		for block, v := range sampleOf(r) {
			logs[block] += math.Log(v) / float64(len(Anchors))
			seen[block]++
		}
	}

	all := make(stats.Sample)
	for block, v := range logs {
		if seen[block] == len(Anchors) {
			all[block] = math.Exp(v)
		}
	}
	return all
}

// Beyond lists the figures of a document that are larger than any that the model was fitted to.
func (m *Model) Beyond(s *Shape) []string {
	var names []string
	for j, v := range m.row(s) {
		if v > m.Terms[j].Most && m.Terms[j].Used {
			names = append(names, m.Terms[j].Name)
		}
	}
	return names
}

// disclosed is the number of elements that a cell presents.
func disclosed(c *compare.Campaign, cell compare.Cell) int {
	for _, d := range c.Disclosed {
		if d.Schema == cell.Schema && d.Disclose == cell.Disclose && d.Granularity == cell.Granularity {
			return d.Elements
		}
	}
	return 0
}

// cost is what the processes of a result measured.
func cost(r *compare.Result) stats.Estimate { return stats.Mean(sampleOf(r)) }

func sampleOf(r *compare.Result) stats.Sample {
	s := make(stats.Sample)
	for _, run := range r.Runs {
		s[run.Block] = run.CPU
	}
	return s
}

// Same returns a *[measure.OtherError] if results are of another machine or binary than this one: their
// costs are not those here.
func Same(environment map[string]string) error {
	now := measure.Environment()
	for _, fact := range []struct{ name, what string }{{"goarch", "architecture"}, {"cpu", "processor"},
		{"cpus", "number of processors"}, {"binary", "binary"}} {
		if was := environment[fact.name]; was != now[fact.name] {
			return &measure.OtherError{What: fact.what, Was: was, Now: now[fact.name]}
		}
	}
	return nil
}
