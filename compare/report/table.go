// Package report shows a campaign: as text for a terminal, as Markdown, CSV and JSON, and as Go benchmark
// text that benchstat reads. [NewTable] makes the rows that all of them print; a ratio compares rows of one
// tier, schema and policy or is absent.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"canonscope/canon"
	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/stats"
	"canonscope/profiles"
)

// Table is a campaign by exchange.
type Table struct {
	Rows       []Row      `json:"rows"`
	Attributed Attributed `json:"attributed"`
	Allocated  *Allocated `json:"allocated,omitempty"` // of campaigns with allocation passes

	Sentences []string       `json:"sentences,omitempty"`   // the answer, generated from verdicts
	Fitness   []string       `json:"fitness,omitempty"`     // of the machine while it measured
	Overhead  stats.Estimate `json:"net_overhead,omitzero"` // of vcdm over mdoc, for a slide

	Builds []*Comparison `json:"builds,omitempty"` // each further build against the first

	Against []string `json:"against"` // suites and formats that rows have ratios to

	Drift    float64          `json:"drift,omitzero"`       // of the machine between blocks, as 0.02
	Band     float64          `json:"band"`                 // within which ratios are equivalent
	Compared int              `json:"comparisons"`          // that verdicts are corrected for
	Finds    map[string]Found `json:"detectable,omitempty"` // by what the ratios are to

	formats []*compare.Definition
	fit     string // the fitness in a word
}

// Ratios are those of a row to the rows that suites and formats name.
type Ratios map[string]stats.Estimate

// Row is one exchange. Times are process CPU nanoseconds of one operation.
type Row struct {
	Cell        compare.Cell                         `json:"cell"`
	ID          string                               `json:"id"`
	Operations  map[compare.Operation]compare.State  `json:"operations"`
	Reasons     []string                             `json:"reasons,omitempty"` // for missing parts
	CPU         map[compare.Operation]stats.Estimate `json:"cpu_ns"`
	IssueVerify stats.Estimate                       `json:"issue_verify_ns"` // the headline
	Exchange    stats.Estimate                       `json:"exchange_ns"`
	Reissued    bool                                 `json:"reissued"` // present signs again (†)
	Whole       bool                                 `json:"whole"`    // present hands on all
	Ratios      Ratios                               `json:"issue_verify_to,omitempty"`
	Bound       Ratios                               `json:"exchange_to,omitempty"` // with holder binding
	Single      map[compare.Operation]Ratios         `json:"operation_to,omitempty"`
	Crossed     map[string]compare.Algorithm         `json:"other_algorithm,omitempty"` // of the base
	// Net is IssueVerify less the bare signatures, Bare the part of them in it, ToNative its ratio to the
	// native row with contexts in the same state.
	Net      stats.Estimate          `json:"net_ns,omitzero"`
	Bare     stats.Estimate          `json:"bare_signatures_part,omitzero"`
	ToNative stats.Estimate          `json:"issue_verify_to_native,omitzero"`
	perBlock map[string]stats.Sample // of Ratios

	// Verdicts are those on Ratios, NativeVerdict is that on ToNative.
	Verdicts      Verdicts          `json:"verdicts,omitempty"`
	NativeVerdict *stats.Comparison `json:"native_verdict,omitempty"`

	Basis    map[compare.Operation]Basis `json:"basis"`
	First    stats.Estimate              `json:"canonize_to_first,omitzero"` // of documents
	Summed   []compare.Operation         `json:"summed"`                     // in sums below
	Counters compare.Counters            `json:"counters"`

	// Means of the time and allocations of one exchange; 0 unless all operations of Summed have a time.
	Wall   float64 `json:"wall_ns"`
	Thread float64 `json:"thread_ns"`
	Bytes  float64 `json:"bytes"`
	Allocs float64 `json:"allocs"`

	Output    map[compare.Operation]int `json:"output_bytes"`
	Quads     int                       `json:"quads"`
	Blank     int                       `json:"blank_nodes,omitempty"` // of documents
	NDegree   int64                     `json:"n_degree,omitempty"`    // of documents
	Documents int                       `json:"documents"`
	Tampers   int                       `json:"tampers"`
	Checks    string                    `json:"checks"`
	Oracle    string                    `json:"oracle"`
	Compared  int                       `json:"compared"`         // documents
	Alone     string                    `json:"alone,omitempty"`  // why nothing was compared
	Second    string                    `json:"second,omitempty"` // engine that verified it too

	Phases Shares `json:"phases,omitempty"`      // of the CPU, with gc and runtime
	Heap   Shares `json:"heap_phases,omitempty"` // of the heap bytes
	// Phases with gc and runtime of the background charged to phases by their share of the bytes, operation
	// by operation: a model, see profiles.Attribution.Charged.
	Charged      Shares         `json:"charged_phases,omitempty"`
	Foreground   int64          `json:"foreground_samples"`
	Unattributed stats.Estimate `json:"unattributed"` // share of the foreground samples that no rule owns
	unattributed int64
	base         bool // of documents: the others have ratios to it
	signatures   map[compare.Operation]compare.Counters
}

// Shares are those of the phases that have samples, each with its interval.
type Shares map[string]stats.Estimate

// of is the share of a phase, which may have no sample; nothing of nil.
func (s Shares) of(name string) stats.Estimate {
	if e, ok := s[name]; ok {
		return e
	}
	return stats.Share(0, float64(s.samples()))
}

// samples is how many the shares rest on.
func (s Shares) samples() int {
	for _, e := range s {
		return e.N
	}
	return 0
}

// Basis is what the figures of one operation rest on.
type Basis struct {
	Processes   int          `json:"processes"`
	Operations  int          `json:"operations"`
	Documents   int          `json:"documents"`   // that the operations walked
	Collections int          `json:"collections"` // in the windows
	Rare        bool         `json:"rare"`        // a window has fewer collections than it was to have
	LiveHeap    float64      `json:"live_heap"`   // mean bytes
	Raw         *compare.Raw `json:"raw,omitempty"`
}

func basis(r *compare.Result, rotating int) Basis {
	b := Basis{Processes: len(r.Runs), Operations: r.Ops(), Documents: r.Documents(rotating), Raw: r.Raw,
		LiveHeap: mean(r, func(run compare.Run) float64 { return float64(run.LiveHeap) })}
	for _, run := range r.Runs {
		b.Collections += run.Collections
		b.Rare = b.Rare || run.Ending == compare.Rare
	}
	return b
}

// Attributed pools the profiles of the campaign.
type Attributed struct {
	Share      float64  `json:"share"` // of the foreground samples, with its 95 % Wilson interval
	Low        float64  `json:"low"`
	High       float64  `json:"high"`
	Foreground int64    `json:"foreground_samples"`
	Background int64    `json:"background_samples"`
	Below      []string `json:"below,omitempty"` // cells whose interval lies wholly below Wanted
	Coverage   float64  `json:"coverage"`        // time of all samples over the CPU time of all passes

	Samplers []profiles.Sampler `json:"samplers"`           // that took them
	Fallback string             `json:"fallback,omitempty"` // why auto took signals
	Lost     int64              `json:"lost,omitempty"`     // samples
}

// Allocated pools the allocation profiles of the campaign.
type Allocated struct {
	Share    float64  `json:"share"` // of the bytes that have a phase
	Bytes    int64    `json:"bytes"` // of all passes, as the runtime counts them
	Below    []string `json:"below,omitempty"`
	Coverage float64  `json:"coverage"` // bytes of the profiles over Bytes
}

// Wanted is the share of foreground samples that rules should own.
const Wanted = 0.98

var errNoCampaign = errors.New("report: there is no campaign")

// NewTable makes the rows of a campaign in its own order, none of nil. Rows have ratios to the suites and
// formats of against; without any to the formats that have a column.
func NewTable(c *compare.Campaign, formats []*compare.Definition, against ...string) Table {
	t := Table{formats: formats, Against: against, Band: stats.Band}
	if len(against) == 0 {
		for _, f := range formats {
			if f.Column != "" {
				t.Against = append(t.Against, string(f.Name))
			}
		}
		slices.Sort(t.Against)
	}

	if c == nil {
		return t
	}
	t.Band = cmp.Or(c.Band, t.Band)

	groups := make(map[string][]*compare.Result)
	var ids []string
	for i := range c.Results {
		r := &c.Results[i]
		id := r.Cell.Exchange().ID()
		if groups[id] == nil {
			ids = append(ids, id)
		}
		groups[id] = append(groups[id], r)
	}

	samples := make(map[string]cellSamples)
	for _, id := range ids {
		s := make(cellSamples)
		t.Rows = append(t.Rows, newRow(groups[id], s, c.Documents))
		samples[id] = s
	}

	for i := range t.Rows {
		row := &t.Rows[i]
		switch row.Cell.Format {
		case compare.Document:
			row.First = t.toFirst(samples, row)
		case compare.Floor:
		default:
			t.relate(samples, row)
		}
	}

	t.drift(samples)
	t.judge(samples)
	t.Builds = builds(c, t.Band)
	t.answer(c, samples)
	t.Fitness, t.fit = fitnessOf(c), state(c)
	if note := t.driftNote(); note != "" {
		t.Fitness = append(t.Fitness, note)
	}
	t.Attributed, t.Allocated = attributed(c), allocated(c)
	return t
}

// drift gives the intervals of times what all costs of a block have in common: the campaign would have other
// times in another minute. Ratios are paired by block and keep theirs.
func (t *Table) drift(samples map[string]cellSamples) {
	most := 0
	for _, s := range samples {
		for _, costs := range s {
			most = max(most, len(costs))
		}
	}
	var exchanges []stats.Sample
	for i := range t.Rows {
		var cells []stats.Sample
		for _, op := range compare.Operations {
			if costs := samples[t.Rows[i].ID][op]; most > 0 && len(costs) == most {
				cells = append(cells, costs)
			}
		}
		if len(cells) > 0 {
			exchanges = append(exchanges, stats.Index(cells))
		}
	}

	d := stats.DriftOf(exchanges)
	t.Drift = math.Sqrt(d.Variance)
	for i := range t.Rows {
		row := &t.Rows[i]
		for op, e := range row.CPU {
			row.CPU[op] = d.Widen(e)
		}
		row.IssueVerify, row.Exchange = d.Widen(row.IssueVerify), d.Widen(row.Exchange)
	}
}

// driftNote describes the drift of the machine; "" if none is seen.
func (t *Table) driftNote() string {
	if t.Drift == 0 {
		return ""
	}
	return fmt.Sprintf("drift: all costs of a block moved together by %s (standard deviation), which "+
		"intervals of times hold and ratios do without", percentage(t.Drift))
}

// cellSamples holds the process CPU of one exchange's operations.
type cellSamples map[compare.Operation]stats.Sample

func (s cellSamples) of(ops ...compare.Operation) []stats.Sample {
	var out []stats.Sample
	for _, op := range ops {
		if len(s[op]) == 0 {
			return nil
		}
		out = append(out, s[op])
	}
	return out
}

// cpuOf is the process CPU of an operation, by block.
func cpuOf(r *compare.Result) stats.Sample {
	s := make(stats.Sample)
	for _, run := range r.Runs {
		s[run.Block] = run.CPU
	}
	return s
}

// mean is that of a quantity over the processes of a cell.
func mean(r *compare.Result, quantity func(compare.Run) float64) float64 {
	sum := 0.0
	for _, run := range r.Runs {
		sum += quantity(run)
	}
	return sum / float64(len(r.Runs))
}

// thread is the mean over the processes that measured one thread alone.
func thread(r *compare.Result) float64 {
	sum, n := 0.0, 0
	for _, run := range r.Runs {
		if run.Thread > 0 {
			sum, n = sum+run.Thread, n+1
		}
	}
	return sum / float64(max(1, n))
}

func newRow(results []*compare.Result, samples cellSamples, rotating int) Row {
	row := Row{Cell: results[0].Cell.Exchange(), ID: results[0].Cell.Exchange().ID(),
		Operations: make(map[compare.Operation]compare.State),
		CPU:        make(map[compare.Operation]stats.Estimate), Output: make(map[compare.Operation]int),
		Basis:      make(map[compare.Operation]Basis),
		signatures: make(map[compare.Operation]compare.Counters)}

	row.Summed = summed(results)
	var cpu, heap, charged mix
	recorded, both, profiled := 0, 0, 0 // operations with a profile of allocations, both, or CPU time
	for _, r := range results {
		op := r.Cell.Operation
		row.Operations[op] = r.State
		if why := reason(r); why != "" && !slices.Contains(row.Reasons, why) {
			row.Reasons = append(row.Reasons, why)
		}
		w := r.Work
		row.Output[op], row.signatures[op] = w.Output, w.Counters
		row.Reissued, row.Whole = row.Reissued || w.Reissued, row.Whole || handsOn(r)
		row.Quads, row.Checks, row.Oracle = w.Quads, w.Checks, w.Oracle
		row.Compared, row.Documents, row.Tampers = w.Compared, w.Documents, w.Tampers
		row.Alone, row.Second = w.Alone, w.Second
		row.Blank, row.NDegree = w.Blank, w.NDegree
		counted := slices.Contains(row.Summed, op)
		if counted {
			row.Counters.Add(w.Counters)
		}
		if r.State != compare.Measured || len(r.Runs) == 0 {
			continue
		}
		samples[op] = cpuOf(r)
		row.CPU[op], row.Basis[op] = stats.Mean(samples[op]), basis(r, rotating)
		if !counted {
			continue
		}
		row.Wall += mean(r, func(run compare.Run) float64 { return run.Wall })
		row.Thread += thread(r)
		row.Bytes += mean(r, func(run compare.Run) float64 { return run.Bytes })
		row.Allocs += mean(r, func(run compare.Run) float64 { return run.Allocs })
		if a := r.Allocs; a != nil {
			recorded++
			bytes := a.Attribution.Foreground.Total().Value
			values := valuesOf(&a.Attribution.Foreground)
			heap.add(float64(bytes)/float64(a.Ops), values, bytes/profiles.AllocRate)
		}
		if p := r.Profile; p != nil {
			row.Foreground += p.Attribution.Foreground.Total().Samples
			row.unattributed += p.Attribution.Foreground[phase.Unattributed].Samples
			n := samplesOf(&p.Attribution)
			if n > 0 {
				profiled++
			}
			cpu.add(row.CPU[op].Center, p.Attribution.Costs(), n)
			if r.Allocs != nil {
				both++
				charged.add(row.CPU[op].Center, p.Attribution.Charged(&r.Allocs.Attribution), n)
			}
		}
	}

	if n := float64(row.Foreground); n > 0 {
		row.Unattributed = stats.Share(float64(row.unattributed)/n, n)
	}

	if profiled == len(row.Summed) {
		row.Phases = cpu.byName()
	}
	if recorded == len(row.Summed) {
		row.Heap = heap.byName()
	}
	if both == len(row.Summed) {
		row.Charged = charged.byName()
	}
	if !row.complete() {
		row.Wall, row.Thread, row.Bytes, row.Allocs, row.Phases = 0, 0, 0, 0, nil
	}

	row.IssueVerify = stats.Sum(samples.of(compare.Whole...))
	row.Exchange = stats.Sum(samples.of(compare.Exchanged...))
	return row
}

// summed are the operations of an exchange that one figure sums up: issue and verify of the whole
// credential, the same work in every format, or all if these were not both to be measured.
func summed(results []*compare.Result) []compare.Operation {
	var ops []compare.Operation
	for _, r := range results {
		ops = append(ops, r.Cell.Operation)
	}
	for _, op := range compare.Whole {
		if !slices.Contains(ops, op) {
			return ops
		}
	}
	return compare.Whole
}

// handsOn reports whether a holder presents the whole credential, be it signed by the holder.
func handsOn(r *compare.Result) bool {
	return (r.Work.Whole || r.Cell.Present == compare.HandedOver) && r.Cell.Format != compare.Floor
}

// reason is why a cell has no time, or what else it lacks; "" if nothing.
func reason(r *compare.Result) string {
	if r.Reason == "" || r.State == compare.Measured {
		return r.Reason
	}
	return string(r.State) + ": " + r.Reason
}

// shares divides by the total; all are 0 where that is.
func shares(costs [phase.Count]float64) [phase.Count]float64 {
	total := 0.0
	for _, v := range costs {
		total += v
	}
	if total > 0 {
		for i := range costs {
			costs[i] /= total
		}
	}
	return costs
}

// mix adds up the phases of operations.
type mix struct {
	costs   [phase.Count]float64
	weights []float64
	samples []int64
}

// add adds an operation of a cost, which is divided as costs are, by so many samples.
func (m *mix) add(cost float64, costs [phase.Count]float64, samples int64) {
	if samples == 0 {
		return
	}
	for i, s := range shares(costs) {
		m.costs[i] += cost * s
	}
	m.weights, m.samples = append(m.weights, cost), append(m.samples, samples)
}

// byName returns the share of each phase that has one; nil where nothing was added.
func (m *mix) byName() Shares {
	var out Shares
	n := stats.Effective(m.weights, m.samples)
	for i, s := range shares(m.costs) {
		if s > 0 {
			if out == nil {
				out = make(Shares)
			}
			out[phase.Phase(i).String()] = stats.Share(s, n)
		}
	}
	return out
}

// valuesOf are the values of counts.
func valuesOf(c *profiles.Counts) (out [phase.Count]float64) {
	for i, n := range c {
		out[i] = float64(n.Value)
	}
	return out
}

// samplesOf counts the samples that the costs of an attribution rest on: all but those of the profiler.
func samplesOf(a *profiles.Attribution) int64 {
	background := a.Background.Total().Samples - a.Background[phase.Unattributed].Samples
	return a.Foreground.Total().Samples + background
}

// complete reports whether every operation of the sums has a time.
func (r *Row) complete() bool {
	for _, op := range r.Summed {
		if r.Operations[op] != compare.Measured {
			return false
		}
	}
	return len(r.CPU) > 0
}

// column is a suite or format that rows have ratios to.
type column struct {
	name  string // key of Ratios
	head  string // in text
	title string // where there is room
}

func (t *Table) columns() []column {
	var out []column
	for _, name := range slices.Compact(slices.Clone(t.Against)) {
		c := column{name, name, name}
		i := slices.IndexFunc(t.formats, func(f *compare.Definition) bool { return string(f.Name) == name })
		if i >= 0 {
			c.head, c.title = cmp.Or(t.formats[i].Column, name), cmp.Or(t.formats[i].Title, name)
		}
		out = append(out, c)
	}
	return out
}

// method is the name of the canonicalization of a row's suite.
func (t *Table) method(r *Row) canon.Method {
	for _, f := range t.formats {
		for _, s := range f.Suites {
			if f.Name == r.Cell.Format && s.Name == r.Cell.Suite {
				return s.Method
			}
		}
	}
	return ""
}

// stock describes the stock engines of the rows for which no library does all.
func (t *Table) stock() []string {
	var notes []string
	for _, f := range t.formats {
		if f.Stock != "" && slices.ContainsFunc(t.Rows, func(r Row) bool {
			return r.Cell.Format == f.Name && r.Cell.Engine == canon.Stock && len(r.CPU) > 0
		}) {
			notes = append(notes, f.Stock)
		}
	}
	return notes
}

// bound reports whether holders sign what they present.
func (r *Row) bound() bool { return r.Cell.Binding != compare.NoBinding }

// relate fills what a row of credentials owes to other rows.
func (t *Table) relate(samples map[string]cellSamples, row *Row) {
	row.Ratios, row.Crossed = make(Ratios), make(map[string]compare.Algorithm)
	row.Single, row.perBlock = make(map[compare.Operation]Ratios), make(map[string]stats.Sample)
	if row.bound() {
		row.Bound = make(Ratios)
	}

	for _, name := range t.Against {
		base := t.base(row, name)
		if base == nil {
			continue
		}
		put := func(to Ratios, ops ...compare.Operation) {
			if e := stats.Ratio(samples[row.ID].of(ops...), samples[base.ID].of(ops...)); e.N > 0 {
				to[name] = e
			}
		}
		put(row.Ratios, compare.Whole...)
		row.perBlock[name] = stats.Quotients(samples[row.ID].of(compare.Whole...),
			samples[base.ID].of(compare.Whole...))
		if row.bound() {
			put(row.Bound, compare.Exchanged...)
		}
		for _, op := range compare.OfCredentials {
			derive := row.presents() == derived && base.presents() == derived
			if derive || slices.Contains(compare.Whole, op) {
				if row.Single[op] == nil {
					row.Single[op] = make(Ratios)
				}
				put(row.Single[op], op)
			}
		}

		if base.Cell.Algorithm != row.Cell.Algorithm {
			row.Crossed[name] = base.Cell.Algorithm
		}
	}

	if other := t.native(row); other != nil {
		row.ToNative = stats.Ratio(samples[row.ID].of(compare.Whole...),
			samples[other.ID].of(compare.Whole...))
	}
	for i := range t.Rows {
		other := &t.Rows[i]
		bare := samples[other.ID]
		if bare.of(compare.Whole...) != nil && row.Net.N == 0 && other.signs(row) {
			signatures := slices.Concat(
				slices.Repeat(bare.of(compare.Issue), row.signatures[compare.Issue].Signatures),
				slices.Repeat(bare.of(compare.Verify), row.signatures[compare.Verify].Verifications))
			whole := samples[row.ID].of(compare.Whole...)
			row.Net, row.Bare = stats.Difference(whole, signatures), stats.Ratio(signatures, whole)
		}
	}
}

// signs reports whether the row is that of the bare signatures of another.
func (r *Row) signs(other *Row) bool {
	a, b := &r.Cell, &other.Cell
	return a.Format == compare.Floor && a.Suite == compare.Primitives &&
		a.Engine == b.Engine && a.Algorithm == b.Algorithm && a.Schema == b.Schema && a.GC == b.GC &&
		a.Procs == b.Procs && a.LiveHeap == b.LiveHeap && a.Build == b.Build &&
		a.Disclose == b.Disclose && a.Granularity == b.Granularity
}

// base returns the row that a suite or format names among those that a row may be compared with: of one
// tier, schema and policy, and contexts in one state if both have any. It is the one of the same algorithm,
// else the only one. Nil is none, more than one, or the row itself.
func (t *Table) base(row *Row, name string) *Row {
	key := func(c compare.Cell) compare.Cell {
		c.Format, c.Suite, c.Algorithm, c.Contexts, c.Present = "", "", "", "", "" // of issue and verify
		return c
	}

	var same, other []*Row
	for i := range t.Rows {
		r := &t.Rows[i]
		if string(r.Cell.Format) != name && r.Cell.Suite != name || len(r.CPU) == 0 ||
			key(r.Cell) != key(row.Cell) {
			continue
		}
		if a, b := r.Cell.Contexts, row.Cell.Contexts; a != b && a != compare.NoContexts &&
			b != compare.NoContexts {
			continue
		}
		if r.Cell.Algorithm == row.Cell.Algorithm {
			same = append(same, r)
		} else {
			other = append(other, r)
		}
	}

	switch {
	case len(same) == 1 && same[0] != row:
		return same[0]
	case len(same) == 0 && len(other) == 1:
		return other[0]
	}

	return nil
}

// toFirst is the ratio of a document to the first measured one of the same suite, engine and policy. A
// dataset in N-Quads has no contexts, whatever their state is for the others.
func (t *Table) toFirst(samples map[string]cellSamples, row *Row) stats.Estimate {
	for i := range t.Rows {
		base, want := t.Rows[i].Cell, row.Cell
		want.Schema = base.Schema
		if want.Contexts == compare.NoContexts || base.Contexts == compare.NoContexts {
			want.Contexts = base.Contexts
		}
		first := samples[t.Rows[i].ID].of(compare.Canonize)
		if base != want || first == nil {
			continue
		}
		if row.base = t.Rows[i].ID == row.ID; row.base {
			break
		}
		return stats.Ratio(samples[row.ID].of(compare.Canonize), first)
	}
	return stats.Estimate{}
}

func attributed(c *compare.Campaign) Attributed {
	var a Attributed
	var all compare.Profile
	for _, r := range c.Results {
		if r.Profile == nil {
			continue
		}
		if s := r.Profile.Sampler; s != "" && !slices.Contains(a.Samplers, s) {
			a.Samplers = append(a.Samplers, s)
		}
		a.Fallback = cmp.Or(a.Fallback, r.Profile.Fallback)
		a.Lost += r.Profile.Lost
		all.Attribution.Add(r.Profile.Attribution)
		if s := r.Profile.Attribution.Attributed(); s.High < Wanted {
			a.Below = append(a.Below, r.ID)
		}
		all.CPU += r.Profile.CPU
	}
	s := all.Attribution.Attributed()
	a.Share, a.Low, a.High, a.Foreground = s.Share, s.Low, s.High, s.Of
	bg := all.Attribution.Background.Total()
	a.Background = bg.Samples
	if all.CPU > 0 {
		a.Coverage = float64(all.Attribution.Foreground.Total().Value+bg.Value) / float64(all.CPU)
	}
	return a
}

func allocated(c *compare.Campaign) *Allocated {
	var a Allocated
	var all profiles.Attribution
	passes := 0
	for _, r := range c.Results {
		if r.Allocs == nil {
			continue
		}
		passes++
		all.Add(r.Allocs.Attribution)
		if s := r.Allocs.Attribution.Attributed(); s.Value > 0 && s.Share < Wanted {
			a.Below = append(a.Below, r.ID)
		}
		a.Bytes += r.Allocs.Bytes
	}
	if passes == 0 {
		return nil
	}
	a.Share = all.Attributed().Share
	if a.Bytes > 0 {
		a.Coverage = float64(all.Foreground.Total().Value+all.Background.Total().Value) / float64(a.Bytes)
	}
	return &a
}
