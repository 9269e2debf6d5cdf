package profiles

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"canonscope/canon/phase"
)

// FlameOptions describe a flame graph. The zero value has the default width and no title.
type FlameOptions struct {
	View
	Title  string   // the cell's id
	Notes  []string // further header lines
	Width  int      // pixels; 0 is 1200
	Upward bool     // roots at the bottom
	Cost   float64  // nanoseconds of an operation; 0 is what the samples say
}

// colours of the phases. They are light enough for dark text, and consecutive phases differ in hue and
// lightness.
var colours = [phase.Count]string{
	phase.Parse:        "#8ecae6",
	phase.Context:      "#f6a55f",
	phase.Expand:       "#f2d06b",
	phase.ToRDF:        "#b9d879",
	phase.Label:        "#ec7f7a",
	phase.Serialize:    "#e8a3c8",
	phase.JCS:          "#b9a1ef",
	phase.Digest:       "#79d29b",
	phase.Select:       "#84dccb",
	phase.Salt:         "#d2bc9e",
	phase.Encode:       "#a3bdf5",
	phase.Sign:         "#63b9bd",
	phase.Check:        "#5aa7e0",
	phase.Validate:     "#d9aeb0",
	phase.Runtime:      "#cdd3da",
	phase.GC:           "#aab4c0",
	phase.Unattributed: "#f7f7f7",
}

// Colour returns the colour of a phase as "#rrggbb", the same in every picture.
func Colour(p phase.Phase) string { return colours[p] }

// FlameSVG draws the profile as one self-contained SVG: width by CPU time or bytes, callees in the order of
// their names, colour by phase, a tooltip on every frame. Its script zooms, searches and filters; without a
// script the picture is complete but still. The same input gives the same bytes.
func FlameSVG(w io.Writer, p *profile.Profile, r Rules, o FlameOptions) error {
	f, err := newFlame(p, r, o)
	if err != nil {
		return err
	}
	return f.svg(w)
}

// FlameHTML writes a page with the picture of FlameSVG and a table of the functions.
func FlameHTML(w io.Writer, p *profile.Profile, r Rules, o FlameOptions) error {
	f, err := newFlame(p, r, o)
	if err != nil {
		return err
	}
	return f.html(w)
}

// flame makes the picture of one profile.
type flame struct {
	picture
	unit  string
	perOp float64 // nanoseconds of an operation in one of the profile; 0 if not known
}

func newFlame(p *profile.Profile, r Rules, o FlameOptions) (*flame, error) {
	if valueIndex(p) < 0 {
		return nil, errNoProfile
	}
	if o.Width == 0 {
		o.Width = 1200
	}

	root, unit := tree(p, r, o.View, false)
	all := root
	if o.Callers != "" {
		all, _ = tree(p, r, View{}, false)
	}
	f := &flame{picture: picture{FlameOptions: o, total: max(1, float64(root.value)),
		whole: max(1, float64(all.value))}, unit: unit}
	if unit == "nanoseconds" && all.own > 0 {
		f.perOp = cmp.Or(o.Cost, PerOperationOf(p)) / float64(all.own)
		f.costs = f.perOp > 0
	}

	a := Attribute(p, r)
	f.head(&a)
	at := 0.0
	for _, c := range root.children {
		f.add(c, 0, at)
		at += float64(c.value)
	}
	f.tabulate(p, r)

	return f, nil
}

// PerOperationOf returns the nanoseconds of an operation in a profile that Operations has changed, or 0.
func PerOperationOf(p *profile.Profile) (total float64) {
	for i, t := range p.SampleType {
		if t.Type != PerOperation {
			continue
		}
		for _, s := range p.Sample {
			total += float64(s.Value[i])
		}
	}
	return total
}

// add makes the boxes of a node and its callees.
func (f *flame) add(n *node, depth int, x float64) {
	b := box{name: visible(n.name), depth: depth, x: x, value: float64(n.value), kind: int(n.phase),
		cost: float64(n.own) * f.perOp, paint: paint{fill: colours[n.phase]}}
	what := n.phase.String()
	if n.phase == phase.Unattributed {
		if _, one := n.onlyPhase(); one {
			b.paint.class = "u"
		} else {
			b.kind, b.paint, what = -1, paint{class: "mix"}, f.mix(n)
		}
	}

	b.tip = fmt.Sprintf("%s\n%s, %.2f %% of the process, %s %s", what, amount(n.value, f.unit),
		100*float64(n.value)/f.whole, grouped(n.samples), plural(n.samples, f.sampleName()))
	if b.cost > 0 {
		b.tip += fmt.Sprintf("\n%s µs an operation", micros(b.cost))
		if n.self > 0 && n.self < n.value {
			b.tip += fmt.Sprintf(", itself %s", micros(float64(n.self)*f.perOp))
		}
	}
	f.boxes = append(f.boxes, b)
	for _, c := range n.children {
		f.add(c, depth+1, x)
		x += float64(c.value)
	}
}

// mix names the phases of a frame whose callees differ, largest share first.
func (f *flame) mix(n *node) string {
	left := n.phases
	var parts []string
	for len(parts) < 4 {
		best := -1
		for i, c := range left {
			if c.Value > 0 && (best < 0 || c.Value > left[best].Value) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		parts = append(parts, fmt.Sprintf("%s %.0f %%", phase.Phase(best),
			100*float64(left[best].Value)/float64(n.value)))
		left[best] = Count{}
	}
	return strings.Join(parts, ", ")
}

// head makes the lines above the frames: totals, notes, the bar of phases and the legend.
func (f *flame) head(a *Attribution) {
	t, bg := a.Foreground.Total(), a.Background.Total()
	at := a.Attributed()
	text := fmt.Sprintf("%s %s in the operation", grouped(t.Samples), plural(t.Samples, f.sampleName()))
	text += fmt.Sprintf(" (%s)", amount(t.Value, f.unit))
	if bg.Samples > 0 {
		text += fmt.Sprintf(", %s in the background (%s: collector %s, runtime %s)", grouped(bg.Samples),
			amount(bg.Value, f.unit), amount(a.Background[phase.GC].Value, f.unit),
			amount(a.Background[phase.Runtime].Value, f.unit))
	}

	text += fmt.Sprintf(". Attributed: %.1f %%", 100*at.Share)
	if f.unit == "nanoseconds" {
		text += fmt.Sprintf(" (%.1f-%.1f)", 100*at.Low, 100*at.High)
	}

	text += " of the operation."
	if slices.ContainsFunc(a.Shares(), few) {
		text += fmt.Sprintf(" Grey: fewer than %d samples.", FewSamples)
	}

	f.lines = append([]string{text}, f.Notes...)
	if f.Callers != "" {
		f.lines = append(f.lines, "Callers of functions with "+f.Callers+" in their names, the callee first.")
	}
	var phases bar
	for _, s := range a.Shares() {
		phases.segments = append(phases.segments, segment{
			text:  fmt.Sprintf("%s %.0f %%", s.Phase, 100*s.Share),
			tip:   fmt.Sprintf("%s %.1f %%", s.Phase, 100*s.Share),
			share: float64(s.Value) / float64(max(1, t.Value)), colour: colours[s.Phase]})

		share := fmt.Sprintf("%5.1f %%", 100*s.Share)
		if f.unit == "nanoseconds" {
			share += fmt.Sprintf("  (%.1f-%.1f)", 100*s.Low, 100*s.High)
		} else {
			share += "  " + amount(s.Value, f.unit)
		}
		fill := paint{fill: colours[s.Phase]}
		if s.Phase == phase.Unattributed {
			fill.class = "u"
		}
		f.legend = append(f.legend, entry{kind: int(s.Phase), paint: fill, few: few(s),
			text: fmt.Sprintf("%-13s %s", s.Phase, share)})
	}
	f.bars = []bar{phases}
}

func few(s Share) bool { return s.Samples < FewSamples && s.Phase != phase.Unattributed }

// tabulate makes the table of functions, or packages.
func (f *flame) tabulate(p *profile.Profile, r Rules) {
	v := View{}
	if f.By == ByPackage {
		v.By = ByPackage
	}
	root, _ := tree(p, r, v, false)
	f.table.heads = []string{string(cmp.Or(v.By, ByFunction)), "self %", "total %", "samples"}
	if f.costs {
		f.table.heads = append(f.table.heads, "self µs", "total µs")
	}
	for _, s := range functions(root) {
		cells := []float64{100 * float64(s.self) / f.whole, 100 * float64(s.value) / f.whole,
			float64(s.samples)}
		if f.costs {
			cells = append(cells, float64(s.selfOwn)*f.perOp, float64(s.own)*f.perOp)
		}
		f.table.rows = append(f.table.rows, row{name: s.name, note: s.mainPhase(), cells: cells})
	}
}

func (f *flame) sampleName() string {
	if f.unit == "bytes" {
		return "allocation"
	}
	return "sample"
}

func plural(n int64, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// grouped prints an integer with commas between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if neg {
		return "-" + s
	}
	return s
}

func byteSize(n int64) string {
	switch v := float64(n); {
	case n >= 10e9:
		return fmt.Sprintf("%.1f GB", v/1e9)
	case n >= 10e6:
		return fmt.Sprintf("%.1f MB", v/1e6)
	case n >= 10e3:
		return fmt.Sprintf("%.1f kB", v/1e3)
	}
	return grouped(n) + " B"
}
