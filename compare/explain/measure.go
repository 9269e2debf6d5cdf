package explain

import (
	"cmp"
	"context"

	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/stats"
)

// Cost is what an engine takes for the document, in nanoseconds of process CPU an operation.
type Cost struct {
	Engine    canon.Engine         `json:"engine"`
	Operation string               `json:"operation"`
	Contexts  compare.ContextState `json:"contexts"`
	Whole     stats.Estimate       `json:"whole_ns"`
	States    []State              `json:"context_states,omitempty"`
	Parts     []PartCost           `json:"parts,omitempty"`
}

// State is the cost of the document in another state of the contexts.
type State struct {
	Contexts compare.ContextState `json:"contexts"`
	Cost     stats.Estimate       `json:"cost_ns"`
}

// PartCost is what the document would cost less without a part.
type PartCost struct {
	Pointer string         `json:"pointer"`
	Cost    stats.Estimate `json:"cost_ns"`
	Shown   bool           `json:"shown"` // to be more than noise, corrected for the parts of its level

	// Of a part whose parts were measured: what is left of it without them, the cost of its cheaper parts
	// together, and by how much the parts together cost more than one by one.
	Shell       *stats.Estimate `json:"shell_ns,omitempty"`
	Rest        *stats.Estimate `json:"rest_ns,omitempty"`
	RestOf      int             `json:"rest_of,omitempty"`
	Interaction *stats.Estimate `json:"interaction_ns,omitempty"`
	Why         string          `json:"interaction,omitempty"` // where it matters

	test *stats.Comparison // until it is judged
}

// find returns the cost of a part, nil if it was not measured.
func (c *Cost) find(pointer string) *PartCost {
	for i := range c.Parts {
		if c.Parts[i].Pointer == pointer {
			return &c.Parts[i]
		}
	}
	return nil
}

// self is the cost of a part beyond those of its parts that were measured, 0 within noise.
func (c *Cost) self(pointer string) int64 {
	own := c.Whole.Center
	if pointer != "" {
		p := c.find(pointer)
		if p == nil || !p.Shown {
			return 0
		}
		own = p.Cost.Center
	}
	for i := range c.Parts {
		p := &c.Parts[i]
		if p.Shown && c.above(p.Pointer) == pointer {
			own -= p.Cost.Center
		}
	}
	return int64(max(0, own))
}

// above is the nearest measured part around a part, "" for the document.
func (c *Cost) above(pointer string) string {
	for {
		at := strings.LastIndexByte(pointer, '/')
		if at <= 0 {
			return ""
		}
		pointer = pointer[:at]
		if p := c.find(pointer); p != nil && p.Shown {
			return pointer
		}
	}
}

// Options of Measure and Advise.
type Options struct {
	Process  Process
	Engines  []canon.Engine
	Commands map[compare.Engine][]string // of engines that are other programs
	Suite    string                      // "" canonicalizes alone
	Seconds  float64
	Limits   canon.Limits
	Seed     uint64
	Note     func(text string) // of progress; nil is silent
}

// OperationName is what is timed.
func (o *Options) OperationName() string {
	if o.Suite == "" {
		return "canonize"
	}
	return o.Suite + ", issue + verify"
}

// Settings of a measurement.
const (
	mostBlocks  = 8
	leastBlocks = stats.Fewest
	mostAtOnce  = 28   // documents in a stage
	mostParts   = 10   // of one part, measured one by one
	mostChecked = 200  // of one part, of which each is tried before the rest is left out together
	goDeeper    = 0.04 // share of the whole from which the parts of a part are measured
	added       = 0.05 // share of a part from which an interaction is named

	// Shares of the time: the whole, its states, one level of parts, all of them, advice.
	forWhole  = 0.08
	forStates = 0.07
	ofStage   = 0.17
	forParts  = 0.7
	forAdvice = 0.28

	leastDocuments = 4 // of a level, without which an engine is too slow
)

// Explainer measures one document.
type Explainer struct {
	opt    Options
	doc    *Document
	report *Report
	tape   jsontape.Tape
	cells  []compare.Cell // by engine
	try    *bench         // native, which checks changed documents
	start  time.Time
	now    time.Time
	round  []float64 // seconds of an operation on the document, by engine
	active []int     // engines that are fast enough for parts and advice
	stages int
}

// NewExplainer prepares the measurement of a document that has been counted. An engine or suite that cannot
// do the document is an error.
func NewExplainer(d *Document, r *Report, opt Options) (*Explainer, error) {
	start := time.Now()
	e := &Explainer{opt: opt, doc: d, report: r, start: start, now: start.UTC().Truncate(time.Second)}
	scan := jsontape.Options{Bytes: opt.Limits.Bytes, Depth: opt.Limits.Depth}
	if err := e.tape.Scan(d.JSON, scan); err != nil {
		return nil, err
	}

	suite := cmp.Or(opt.Suite, string(canon.RDFC))
	for _, engine := range opt.Engines {
		if compare.Foreign(engine) && opt.Suite != "" {
			return nil, fmt.Errorf("the engine %s explains what canonicalization costs; omit --suite", engine)
		}
		cell, err := matrix.Signing(engine, suite)
		if err != nil {
			return nil, err
		}
		e.cells = append(e.cells, cell)
	}
	var err error
	if e.try, err = e.bench(suite); err != nil {
		return nil, err
	}
	if err := e.check(d.JSON); err != nil {
		return nil, fmt.Errorf("%s cannot be measured: %w", d.Name, err)
	}
	return e, nil
}

// check returns why a document cannot be measured: what the native engine refuses in safe mode, other
// engines might only drop.
func (e *Explainer) check(doc []byte) error {
	step, err := e.try.step(doc)
	if err == nil {
		_, err = step(1)
	}
	return err
}

func (e *Explainer) note(format string, args ...any) {
	if e.opt.Note != nil {
		e.opt.Note(fmt.Sprintf(format, args...))
	}
}

// samples are the CPU times of documents: by engine, then by document.
type samples [][]stats.Sample

// stage times documents in blocks, the first of which is the whole. In each block every engine has a fresh
// process for all documents.
func (e *Explainer) stage(
	ctx context.Context, cells []compare.Cell, docs [][]byte, seconds float64,
) (samples, error) {
	out := make(samples, len(cells))
	for i := range out {
		out[i] = make([]stats.Sample, len(docs))
		for j := range docs {
			out[i][j] = stats.Sample{}
		}
	}

	e.stages++
	each := seconds / mostBlocks / float64(len(cells))
	start := time.Now()
	for block := range mostBlocks {
		used := time.Since(start).Seconds()
		if block >= leastBlocks && used+used/float64(block) > seconds {
			break
		}
		for i, cell := range cells {
			w := &work{Version: Version, Cell: cell.ID(), Documents: docs, Contexts: e.doc.Given.Contexts,
				Seed: e.opt.Seed + uint64(1000*e.stages+block), Now: e.now}
			w.Seconds = 0.7 * each // the rest is for the start and the warm-up
			cpu, err := e.times(ctx, cell.Engine, w)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", cell.Engine, err)
			}
			for j, ns := range cpu {
				out[i][j][block] = ns
			}
		}
	}
	return out, nil
}

// scaled returns times of an engine in which the whole takes its mean in every block: what slows a block
// down is then in no difference.
func scaled(times []stats.Sample) []stats.Sample {
	mean := stats.Mean(times[0]).Center
	out := make([]stats.Sample, len(times))
	for i := range times {
		out[i] = stats.Sample{}
		for block, ns := range times[i] {
			out[i][block] = ns * mean / times[0][block]
		}
	}
	return out
}

// Probe measures the whole in every state of the contexts.
func (e *Explainer) Probe(ctx context.Context) error {
	e.note("the whole, and the states of its contexts")
	var cells []compare.Cell
	var which []int // engine of each
	states, of := make([][]compare.Cell, len(e.cells)), make([][]int, len(e.cells))
	for i, c := range e.cells {
		e.report.Costs = append(e.report.Costs, Cost{Engine: c.Engine, Operation: e.opt.OperationName(),
			Contexts: c.Contexts})
		for _, state := range compare.ContextStates {
			c.Contexts = state
			if _, err := matrix.Preparer(c, e.doc.Given); err == nil {
				states[i], of[i] = append(states[i], c), append(of[i], i)
			}
		}
	}

	whole := [][]byte{e.doc.JSON}
	times, err := e.stage(ctx, e.cells, whole, forWhole*e.opt.Seconds)
	if err != nil {
		return err
	}
	for i := range e.cells {
		c := &e.report.Costs[i]
		c.Whole = stats.Mean(times[i][0])
		e.round = append(e.round, c.Whole.Center/1e9)
		if e.fits(e.round[i], forStates) >= 1 {
			cells, which = append(cells, states[i]...), append(which, of[i]...)
		}
		if e.fits(e.round[i], ofStage/float64(len(e.cells))) >= leastDocuments {
			e.active = append(e.active, i)
			continue
		}
		e.report.Warnings = append(e.report.Warnings, fmt.Sprintf(
			"%s takes too long an operation for its parts and advice; --seconds gives more time", c.Engine))
	}

	if times, err = e.stage(ctx, cells, whole, forStates*e.opt.Seconds); err != nil {
		return err
	}
	for k, i := range which {
		c := &e.report.Costs[i]
		c.States = append(c.States, State{cells[k].Contexts, stats.Mean(times[k][0])})
	}
	return nil
}

// fits is the number of documents that a stage with a share of the time can measure, if an operation takes
// some seconds. Each is done once or twice before the clock starts.
func (e *Explainer) fits(round, share float64) int {
	return min(mostAtOnce, int(share*e.opt.Seconds/(leastBlocks*3*max(round, 1e-6))))
}

// room is that number for the engines that are measured.
func (e *Explainer) room(share float64) int {
	round := 0.0
	for _, i := range e.active {
		round += e.round[i]
	}
	return e.fits(round, share)
}

// activeCells are those of the engines whose parts are measured.
func (e *Explainer) activeCells() []compare.Cell {
	var cells []compare.Cell
	for _, i := range e.active {
		cells = append(cells, e.cells[i])
	}
	return cells
}

// expansion is a part whose parts are measured in a stage.
type expansion struct {
	part     int
	children []int // measured one by one
	rest     []int
	without  int   // document without the part; 0 for the whole
	variants []int // documents without a child
	restDoc  int   // document without the rest; 0 for none
	shell    int   // document without all of them; 0 for none
}

// Measure measures the whole and the document without each of its dearest parts, down the tree until parts
// are within noise or the time is over.
func (e *Explainer) Measure(ctx context.Context) error {
	total, each := forParts*e.opt.Seconds, ofStage*e.opt.Seconds
	todo := []int{0}
	done := map[int]bool{}
	for level := 1; len(todo) > 0 && len(e.active) > 0; level++ {
		if level > 1 && time.Since(e.start).Seconds()+0.7*each > total {
			break
		}
		docs, expansions := e.variants(todo, done, e.room(ofStage))
		if len(docs) < 2 {
			break
		}
		e.note("level %d: the document without each of %d parts", level, len(docs)-1)
		times, err := e.stage(ctx, e.activeCells(), docs, each)
		if err != nil {
			return err
		}
		var tests []*stats.Comparison
		for i := range expansions {
			tests = append(tests, e.judge(&expansions[i], times)...)
		}
		stats.Correct(tests)
		e.show(tests)
		todo = e.dearest(done)
	}

	return nil
}

// node returns the value of a part on the tape.
func (e *Explainer) node(part int) int { return e.tape.At(e.report.Parts[part].Pointer) }

// without returns the document without parts, nil if it cannot be measured.
func (e *Explainer) without(parts []int) []byte {
	var edits []edit
	for _, p := range parts {
		edits = append(edits, edit{node: e.node(p), drop: true})
	}
	doc := rewrite(&e.tape, edits)
	if e.check(doc) != nil {
		return nil
	}
	return doc
}

// variants returns the whole and documents without the parts of some parts, the dearest first.
func (e *Explainer) variants(todo []int, done map[int]bool, room int) (docs [][]byte, all []expansion) {
	docs = [][]byte{e.doc.JSON}
	add := func(doc []byte) int {
		docs = append(docs, doc)
		return len(docs) - 1
	}

	for _, part := range todo {
		done[part] = true
		children := e.children(part)
		if len(children) == 0 {
			continue
		}
		free := room - len(docs) - 3 // the part, the rest, the shell
		if free < 1 {
			break
		}
		x := expansion{part: part}
		if part != 0 {
			x.without = add(e.without([]int{part}))
		}
		var removable []int
		for _, c := range children {
			if len(x.variants) == min(free, mostParts) && len(children) > mostChecked {
				x.rest = append(x.rest, c)
				continue
			}
			doc := e.without([]int{c})
			switch {
			case doc == nil: // it is needed
			case len(x.variants) == min(free, mostParts):
				x.rest = append(x.rest, c)
			default:
				x.children, x.variants = append(x.children, c), append(x.variants, add(doc))
				removable = append(removable, c)
			}
		}

		if doc := e.without(x.rest); doc != nil && len(x.rest) > 0 {
			x.restDoc = add(doc)
			removable = append(removable, x.rest...)
		}
		if doc := e.without(removable); doc != nil && len(removable) > 0 {
			x.shell = add(doc)
		}
		all = append(all, x)
	}

	return docs, all
}

// children lists the parts directly in a part, the dearest by count first.
func (e *Explainer) children(part int) []int {
	var all []int
	for i := part + 1; i < len(e.report.Parts) && e.report.Parts[i].Depth > e.report.Parts[part].Depth; i++ {
		if e.report.Parts[i].Up == part && e.report.Parts[i].All.Quads > 0 {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int {
		p, q := &e.report.Parts[a].All, &e.report.Parts[b].All
		return cmp.Or(q.Quads-p.Quads, q.Bytes-p.Bytes)
	})
	return all
}

// show marks the costs of the last tests that are more than noise.
func (e *Explainer) show(tests []*stats.Comparison) {
	for i := range e.report.Costs {
		c := &e.report.Costs[i]
		for j := range c.Parts {
			p := &c.Parts[j]
			if k := slices.Index(tests, p.test); k >= 0 {
				p.Shown = p.test.Differs <= 1-stats.Confidence && p.Cost.Low > 0
				p.test = nil
			}
		}
	}
}

// judge derives the costs of an expansion, and returns the test of each part.
func (e *Explainer) judge(x *expansion, times samples) (tests []*stats.Comparison) {
	for k, i := range e.active {
		c, t := &e.report.Costs[i], scaled(times[k])
		whole := t[0]
		less := func(doc int) stats.Estimate {
			return stats.Difference([]stats.Sample{whole}, []stats.Sample{t[doc]})
		}
		for j, child := range x.children {
			test := stats.Paired([]stats.Sample{t[x.variants[j]]}, []stats.Sample{whole}, stats.Band)
			tests = append(tests, &test)
			c.Parts = append(c.Parts, PartCost{Pointer: e.report.Parts[child].Pointer,
				Cost: less(x.variants[j]), test: &test})
		}

		own := PartCost{Cost: stats.Mean(times[k][0]), Shown: true}
		at := &own
		if x.part != 0 {
			if at = c.find(e.report.Parts[x.part].Pointer); at == nil {
				continue
			}
		} else {
			c.Whole = own.Cost
			c.Parts = append(c.Parts, own)
			at = &c.Parts[len(c.Parts)-1]
		}
		if x.restDoc != 0 {
			rest := less(x.restDoc)
			at.Rest, at.RestOf = &rest, len(x.rest)
		}
		if x.shell == 0 {
			continue
		}
		if shell := stats.Mean(t[x.shell]); x.part == 0 {
			at.Shell = &shell
		} else {
			shell = stats.Difference([]stats.Sample{t[x.shell]}, []stats.Sample{t[x.without]})
			at.Shell = &shell
		}

		more, fewer := []stats.Sample{whole}, []stats.Sample{t[x.shell]}
		for _, doc := range append(slices.Clone(x.variants), x.restDoc) {
			if doc != 0 {
				more, fewer = append(more, t[doc]), append(fewer, whole)
			}
		}
		together := stats.Difference(more, fewer)
		at.Interaction = &together
		if together.Bounded() && (together.Low > 0 || together.High < 0) &&
			math.Abs(together.Center) > added*at.Cost.Center {
			at.Why = e.why(x.part)
		}
	}
	return tests
}

// why names what makes the costs of parts not add up.
func (e *Explainer) why(part int) string {
	all := &e.report.Parts[part].All
	var of []string
	if all.Repeated > 0 {
		of = append(of, fmt.Sprintf("%d statements repeat others", all.Repeated))
	}
	if all.NDegree > 0 {
		of = append(of, fmt.Sprintf("%d n-degree hashes depend on each other", all.NDegree))
	}
	if len(of) == 0 {
		return "no line or hash is shared: growth that is not linear, or the collector"
	}
	return strings.Join(of, ", ")
}

// dearest lists the measured parts whose parts are to be measured, the dearest first.
func (e *Explainer) dearest(done map[int]bool) []int {
	share := map[int]float64{}
	for i := range e.report.Parts {
		for j := range e.report.Costs {
			c := &e.report.Costs[j]
			p := c.find(e.report.Parts[i].Pointer)
			if p == nil || !p.Shown || done[i] || i == 0 {
				continue
			}
			if s := p.Cost.Center / c.Whole.Center; s > goDeeper {
				share[i] = max(share[i], s)
			}
		}
	}
	var all []int
	for i := range share {
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Or(cmp.Compare(share[b], share[a]), a-b) })
	return all
}
