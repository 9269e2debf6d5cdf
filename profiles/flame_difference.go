package profiles

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/pprof/profile"

	"canonscope/canon/phase"
)

// Side is one of two profiles that are compared.
type Side struct {
	Name    string
	Profile *profile.Profile
	Cost    float64 // nanoseconds of an operation; 0 is what the samples say
	Rules   Rules   // if this side has others than Compare is given
}

// Counted is how many samples of a profile a frame has, out of those that cost operations, and what an
// operation costs.
type Counted struct {
	Samples, Of int64
	Cost        float64
}

func (c Counted) nanoseconds() float64 { return c.Cost * float64(c.Samples) / float64(max(1, c.Of)) }

// Change is what a frame costs in two profiles. A Judge sets the interval of the nanoseconds that an
// operation gained, and whether they are more than noise.
type Change struct {
	Before, After Counted
	Low, High     float64
	Real          bool
}

// Gained returns by how many nanoseconds an operation costs more after than before.
func (c *Change) Gained() float64 { return c.After.nanoseconds() - c.Before.nanoseconds() }

// Judge judges the changes of a family together.
type Judge func(family []*Change)

// leastJudged is the number of samples, of both profiles together, from which on a frame is judged. It does
// not depend on which profile has them.
const leastJudged = 10

// DifferenceOptions describe the picture of a difference.
type DifferenceOptions struct {
	FlameOptions
	ByBefore bool // frames are as wide as in the profile before, instead of after
}

// Difference is two profiles as one tree of frames.
type Difference struct {
	before, after Side
	trees         [2]*node // what the view shows
	wholes        [2]*node // trees of all samples
	options       DifferenceOptions
	judge         Judge
	root          *pair
	total         Change // of the whole operation, judged alone
	judged        []*Change
}

// pair is a frame of both profiles.
type pair struct {
	Change
	name     string
	self     [2]float64 // nanoseconds of an operation
	children []*pair
}

// NoOperationsError says that a profile does not say what an operation costs.
type NoOperationsError struct{ Name string }

func (e *NoOperationsError) Error() string {
	return fmt.Sprintf("%s has no samples of %s; canonscope run and profile write files that have", e.Name,
		PerOperation)
}

// Compare makes the difference of two profiles that Operations has changed. The samples of the background
// that no phase owns cost no operation and are left out.
func Compare(before, after Side, r Rules, o DifferenceOptions, judge Judge) (*Difference, error) {
	d := &Difference{before: before, after: after, options: o, judge: judge}
	for i, s := range []*Side{&d.before, &d.after} {
		if valueIndex(s.Profile) < 0 {
			return nil, errNoProfile
		}
		if s.Cost = cmp.Or(s.Cost, PerOperationOf(s.Profile)); s.Cost <= 0 {
			return nil, &NoOperationsError{s.Name}
		}
		if s.Rules.List == nil {
			s.Rules = r
		}
		d.trees[i], _ = tree(s.Profile, s.Rules, o.View, true)
		if d.wholes[i] = d.trees[i]; o.Callers != "" {
			d.wholes[i], _ = tree(s.Profile, s.Rules, View{}, true)
		}
		if d.wholes[i].samples == 0 {
			return nil, &NoOperationsError{s.Name}
		}
	}

	if d.options.Width == 0 {
		d.options.Width = 1200
	}
	d.root = d.pairOf(d.trees[0], d.trees[1])
	d.root.name = ""
	d.judged = []*Change{&d.root.Change}
	d.root.family(&d.judged)
	d.total = d.root.Change
	judge([]*Change{&d.total})
	judge(d.judged)
	d.root.inherit()
	return d, nil
}

// scale is what a nanosecond of a profile is of an operation.
func (d *Difference) scale(side int) float64 {
	return [2]float64{d.before.Cost, d.after.Cost}[side] / float64(max(1, d.wholes[side].value))
}

// pairOf joins two frames, one of which may be nil, and what they call.
func (d *Difference) pairOf(a, b *node) *pair {
	wholes := d.wholes
	scales := [2]float64{d.scale(0), d.scale(1)}
	var join func(a, b *node) *pair
	join = func(a, b *node) *pair {
		p := &pair{}
		p.Before = Counted{Of: wholes[0].samples, Cost: d.before.Cost}
		p.After = Counted{Of: wholes[1].samples, Cost: d.after.Cost}
		children := map[string][2]*node{}
		for i, n := range []*node{a, b} {
			if n == nil {
				continue
			}
			p.name, p.self[i] = n.name, float64(n.self)*scales[i]

			[]*Counted{&p.Before, &p.After}[i].Samples = n.samples
			for _, c := range n.children {
				both := children[c.name]
				both[i] = c
				children[c.name] = both
			}
		}
		names := slices.Sorted(maps.Keys(children))
		if i := slices.Index(names, backgroundFrame); i >= 0 {
			names = append(slices.Delete(names, i, i+1), backgroundFrame)
		}
		for _, name := range names {
			p.children = append(p.children, join(children[name][0], children[name][1]))
		}
		return p
	}
	return join(a, b)
}

// same reports whether two frames have the same samples, so that they are one hypothesis.
func (p *pair) same(o *pair) bool {
	return p.Before.Samples == o.Before.Samples && p.After.Samples == o.After.Samples
}

// family adds the frames below that are judged, each hypothesis once.
func (p *pair) family(all *[]*Change) {
	for _, c := range p.children {
		if !c.same(p) && c.Before.Samples+c.After.Samples >= leastJudged {
			*all = append(*all, &c.Change)
		}
		c.family(all)
	}
}

// inherit gives frames with the samples of their caller its verdict.
func (p *pair) inherit() {
	for _, c := range p.children {
		if c.same(p) {
			c.Low, c.High, c.Real = p.Low, p.High, p.Real
		}
		c.inherit()
	}
}

// List is some changed frames, the largest change first.
type List struct {
	Name    string
	Changed []Changed
}

// Changed is a frame whose change is more than noise.
type Changed struct {
	Name, Caller string
	Change
}

// Lists returns which frames grew, shrank, appeared and vanished. Of frames that call each other, the
// innermost that has most of the change is in the list; of those that are in one profile only, the
// outermost.
func (d *Difference) Lists() []List {
	grew, shrank := List{Name: "Cost more"}, List{Name: "Cost less"}
	appeared, vanished := List{Name: "Appeared"}, List{Name: "Vanished"}
	var walk func(p *pair)
	walk = func(p *pair) {
		for _, c := range p.children {
			changed := Changed{c.name, p.name, c.Change}
			switch {
			case !c.Real:
				walk(c)
			case c.Before.Samples == 0:
				appeared.Changed = append(appeared.Changed, changed)
			case c.After.Samples == 0:
				vanished.Changed = append(vanished.Changed, changed)
			default:
				if !c.passesOn() && c.Gained() > 0 {
					grew.Changed = append(grew.Changed, changed)
				} else if !c.passesOn() {
					shrank.Changed = append(shrank.Changed, changed)
				}
				walk(c)
			}
		}
	}
	walk(d.root)

	lists := []List{grew, shrank, appeared, vanished}
	for _, l := range lists {
		slices.SortStableFunc(l.Changed, func(a, b Changed) int {
			return cmp.Compare(math.Abs(b.Gained()), math.Abs(a.Gained()))
		})
	}
	return lists
}

// passesOn reports whether one callee has most of the change of a frame.
func (p *pair) passesOn() bool {
	return slices.ContainsFunc(p.children, func(c *pair) bool {
		return c.Real && c.Gained()/p.Gained() >= 0.5
	})
}

// headLines are the totals, as the table of a campaign has them.
func (d *Difference) headLines() []string {
	t := &d.total
	line := func(name string, s Side, c Counted) string {
		return fmt.Sprintf("%s: %s: %s µs an operation, %s samples", name, s.Name, micros(s.Cost),
			grouped(c.Of))
	}
	change := fmt.Sprintf("B - A: %s µs an operation", signed(d.after.Cost-d.before.Cost))
	if d.options.Callers == "" && (t.Low != 0 || t.High != 0) {
		change += fmt.Sprintf(" (%s to %s)", signed(t.Low), signed(t.High))
	}
	change += fmt.Sprintf(", %.3g times", d.after.Cost/d.before.Cost)
	if !t.Real {
		change += ", within noise"
	}
	real := 0
	for _, c := range d.judged {
		if c.Real {
			real++
		}
	}
	return []string{line("A", d.before, t.Before), line("B", d.after, t.After), change,
		fmt.Sprintf("%s of %s judged frames differ by more than noise (at 5 %% for all together).",
			grouped(int64(real)), grouped(int64(len(d.judged))))}
}

// Text prints the totals and the lists within 80 columns.
func (d *Difference) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, l := range d.headLines() {
		for i, part := range wrapped(visible(l), 80) {
			fmt.Fprintf(b, "%s%s\n", map[bool]string{true: "   "}[i > 0], part)
		}
	}
	for _, l := range d.Lists() {
		for _, line := range l.lines(80) {
			fmt.Fprintln(b, line.text)
		}
	}
	return b.Flush()
}

// wrapped cuts a text into pieces, at a slash or a space where there is one.
func wrapped(text string, width int) (lines []string) {
	for {
		runes := []rune(text)
		if len(runes) <= width {
			return append(lines, text)
		}
		head := string(runes[:width])
		at := strings.LastIndexAny(head, "/ ") + 1
		if at <= 1 {
			at = len(head)
		}
		lines, text = append(lines, strings.TrimRight(text[:at], " ")), text[at:]
		width = 77
	}
}

const (
	longestList = 8
	leastCaller = 12 // columns, below which the caller is left out
)

// lines prints a list: what an operation gained, the interval, and the frame. An empty list has none.
func (l *List) lines(width int) (out []line) {
	if len(l.Changed) == 0 {
		return nil
	}
	out = []line{{l.Name + " (µs an operation, 95 % interval, frame)", true}}
	for _, c := range l.Changed[:min(longestList, len(l.Changed))] {
		text := fmt.Sprintf("%9s  %-20s  ", signed(c.Gained()), fmt.Sprintf("(%s to %s)", signed(c.Low),
			signed(c.High)))
		text += fit(visible(c.Name), width-utf8.RuneCountInString(text))
		if left := width - utf8.RuneCountInString(text) - 3; c.Caller != "" && left >= leastCaller {
			text += " < " + fit(visible(c.Caller), left)
		}
		out = append(out, line{text: text})
	}
	if more := len(l.Changed) - longestList; more > 0 {
		out = append(out, line{text: fmt.Sprintf("%9s  and %d more", "", more)})
	}
	return out
}

// Kinds of frames in the legend of a difference.
const (
	more = iota
	less
	noise
)

// SVG draws the difference: colour by the cost that an operation gained or lost, grey where that is within
// noise.
func (d *Difference) SVG(w io.Writer) error { return d.picture().svg(w) }

// HTML writes a page with the picture and a table of the functions.
func (d *Difference) HTML(w io.Writer) error {
	p := d.picture()
	d.tabulate(p)
	return p.html(w)
}

func (d *Difference) picture() *picture {
	o := d.options
	p := &picture{FlameOptions: o.FlameOptions, costs: true, differ: true, lines: d.headLines()}
	side, name := 1, "B"
	if o.ByBefore {
		side, name = 0, "A"
	}
	p.lines = append(p.lines, fmt.Sprintf("Frames are as wide as they cost in %s. Their colour is what an "+
		"operation gained or lost.", name))
	p.lines = append(p.lines, o.Notes...)

	longest := max(d.before.Cost, d.after.Cost)
	for i, s := range []Side{d.before, d.after} {
		p.bars = append(p.bars, d.bar("AB"[i:i+1], s, s.Cost/longest))
	}
	for kind, e := range []entry{{text: "costs more", paint: paint{class: "more"}},
		{text: "costs less", paint: paint{class: "less"}},
		{text: "within noise", paint: paint{class: "mix"}}} {
		e.kind = kind
		p.legend = append(p.legend, e)
	}

	cost := func(n *pair) float64 {
		return []Counted{n.Before, n.After}[side].nanoseconds()
	}
	p.total, p.whole = max(1e-9, cost(d.root)), [2]float64{d.before.Cost, d.after.Cost}[side]
	most := 0.0
	d.root.each(func(n *pair) {
		if n.Real && n != d.root {
			most = max(most, math.Abs(n.Gained()))
		}
	})

	var add func(n *pair, depth int, x float64)
	add = func(n *pair, depth int, x float64) {
		for _, c := range n.children {
			if cost(c) == 0 {
				continue
			}
			b := box{name: visible(c.name), depth: depth, x: x, value: cost(c), cost: cost(c),
				change: c.Gained(), kind: noise, paint: paint{class: "mix"}, tip: c.tip()}
			if c.Real {
				b.kind, b.paint.class = more, "more"
				if c.Gained() < 0 {
					b.kind, b.paint.class = less, "less"
				}
				b.paint.opacity = math.Round(10*(0.3+0.7*math.Sqrt(math.Abs(c.Gained())/most))) / 10
			}
			p.boxes = append(p.boxes, b)
			add(c, depth+1, x)
			x += cost(c)
		}
	}
	add(d.root, 0, 0)

	for _, l := range d.Lists() {
		p.below = append(p.below, l.lines(160)...)
	}

	return p
}

func (p *pair) each(f func(*pair)) {
	f(p)
	for _, c := range p.children {
		c.each(f)
	}
}

func (p *pair) tip() string {
	s := fmt.Sprintf("A %s µs, B %s µs (%s and %s samples)\n%s µs an operation",
		micros(p.Before.nanoseconds()), micros(p.After.nanoseconds()), grouped(p.Before.Samples),
		grouped(p.After.Samples), signed(p.Gained()))
	switch {
	case p.Low == 0 && p.High == 0:
		return s + ": too few samples"
	case !p.Real:
		return s + fmt.Sprintf(" (%s to %s): within noise", signed(p.Low), signed(p.High))
	}
	return s + fmt.Sprintf(" (%s to %s)", signed(p.Low), signed(p.High))
}

// bar is the phases of a side.
func (d *Difference) bar(name string, s Side, length float64) bar {
	a := Attribute(s.Profile, s.Rules)
	costs := a.Costs()
	total := 0.0
	for _, c := range costs {
		total += c
	}
	out := bar{name: name}
	for i, c := range costs {
		if c == 0 {
			continue
		}
		text := fmt.Sprintf("%s %s µs", phase.Phase(i), micros(c/total*s.Cost))
		out.segments = append(out.segments, segment{text: text,
			tip: fmt.Sprintf("%s, %.1f %%", text, 100*c/total), share: c / total * length,
			colour: colours[i]})
	}
	return out
}

// tabulate makes the table of functions, judged as one family.
func (d *Difference) tabulate(p *picture) {
	v := View{}
	if p.By == ByPackage {
		v.By = ByPackage
	}
	p.table.heads = []string{string(cmp.Or(v.By, ByFunction)), "change µs", "A µs", "B µs", "change self µs",
		"self A µs", "self B µs"}
	both := map[string][2]*called{}
	var wholes [2]*node
	for i, s := range []Side{d.before, d.after} {
		wholes[i], _ = tree(s.Profile, s.Rules, v, true)
		for _, f := range functions(wholes[i]) {
			sides := both[f.name]
			sides[i] = f
			both[f.name] = sides
		}
	}

	whole := d.root.Change
	family, names := []*Change{&whole}, slices.Sorted(maps.Keys(both))
	changes := map[string]*Change{}
	for _, name := range names {
		c := &Change{Before: Counted{Of: wholes[0].samples, Cost: d.before.Cost},
			After: Counted{Of: wholes[1].samples, Cost: d.after.Cost}}
		var self [2]float64
		for i, f := range both[name] {
			if f != nil {
				[]*Counted{&c.Before, &c.After}[i].Samples = f.samples
				self[i] = float64(f.self) * d.scale(i)
			}
		}
		changes[name] = c
		if c.Before.Samples+c.After.Samples >= leastJudged {
			family = append(family, c)
		}
		p.table.rows = append(p.table.rows, row{name: name, cells: []float64{c.Gained(),
			c.Before.nanoseconds(), c.After.nanoseconds(), self[1] - self[0], self[0], self[1]}})
	}

	d.judge(family)
	for i := range p.table.rows {
		r := &p.table.rows[i]
		if c := changes[r.name]; c.Real {
			r.class = map[bool]string{true: "more", false: "less"}[c.Gained() > 0]
		}
	}
	slices.SortStableFunc(p.table.rows, func(a, b row) int {
		return cmp.Compare(math.Abs(b.cells[3]), math.Abs(a.cells[3]))
	})
}

// baseLabel marks the samples of the first profile, for pprof, which then prints parts of that profile.
const baseLabel = "pprof::base"

// Profile returns the difference as a profile: the samples of before are negative, as those of
// "go tool pprof -diff_base", and the sum is what an operation gained, to the nanosecond.
func (d *Difference) Profile() (*profile.Profile, error) {
	var both []*profile.Profile
	for i, s := range []Side{d.before, d.after} {
		p := s.Profile.Copy()
		c := s.Rules.classifier()
		vi := valueIndex(p)
		var buf []string
		var own []*profile.Sample
		var values []int64
		for _, s := range p.Sample {
			buf = stack(s, buf)
			if c.foreground(s, buf) || c.phaseOf(buf) != phase.Unattributed {
				own, values = append(own, s), append(values, s.Value[vi])
			}
		}

		sign := int64(2*i - 1)
		for k, v := range spread(values, int64(math.Round(s.Cost))) {
			own[k].Value = []int64{sign * own[k].Value[0], sign * v}
			if i == 0 {
				if own[k].Label == nil {
					own[k].Label = map[string][]string{}
				}
				own[k].Label[baseLabel] = []string{"true"}
			}
			delete(own[k].Label, CellLabel)
		}
		p.Sample = own
		p.SampleType = []*profile.ValueType{{Type: "samples", Unit: "count"},
			{Type: PerOperation, Unit: "nanoseconds"}}
		p.DefaultSampleType = PerOperation
		p.PeriodType, p.Period = &profile.ValueType{}, 0
		both = append(both, p.Compact())
	}
	return profile.Merge(both)
}

// spread divides a total in proportion to values; what rounding leaves goes to the largest remainders.
func spread(values []int64, total int64) []int64 {
	sum := int64(0)
	for _, v := range values {
		sum += v
	}
	out, order := make([]int64, len(values)), make([]int, len(values))
	rest := make([]float64, len(values))
	left := total
	for i, v := range values {
		exact := float64(v) / float64(max(1, sum)) * float64(total)
		out[i], order[i] = int64(exact), i
		rest[i] = exact - float64(out[i])
		left -= out[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rest[b], rest[a]) })
	for _, i := range order[:min(len(order), int(max(0, left)))] {
		out[i]++
	}
	return out
}

// Folded writes a line for each call path with its nanoseconds of an operation before and after, as
// difffolded.pl does.
func (d *Difference) Folded(w io.Writer) error {
	b := bufio.NewWriter(w)
	var walk func(p *pair, path string)
	walk = func(p *pair, path string) {
		if p.self != [2]float64{} {
			fmt.Fprintf(b, "%s %.0f %.0f\n", path, p.self[0], p.self[1])
		}
		for _, c := range p.children {
			below := foldedName.Replace(c.name)
			if path != "" {
				below = path + ";" + below
			}
			walk(c, below)
		}
	}
	walk(d.root, "")
	return b.Flush()
}

// Speedscope writes both profiles into one file of speedscope.
func (d *Difference) Speedscope(w io.Writer) error {
	f := newScope()
	for i, s := range []Side{d.before, d.after} {
		f.add(d.trees[i], "AB"[i:i+1]+": "+s.Name, "nanoseconds", d.scale(i))
	}
	return f.write(w, "difference")
}
