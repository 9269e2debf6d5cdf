package profiles

import (
	"bufio"
	"encoding/xml"
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
	Title string   // the cell's id
	Notes []string // further header lines
	Width int      // pixels; 0 is 1200
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

// Layout of the picture, in pixels.
const (
	margin    = 16.0
	rowHeight = 17.0
	charWidth = 6.65 // of the 11 px monospace labels
	minWidth  = 0.4  // narrower frames are left out
)

// FlameSVG draws the profile as one self-contained SVG: roots on top, width by CPU time or bytes, callees
// in the order of their names, colour by phase, a tooltip on every frame. The same input gives the same
// bytes.
func FlameSVG(w io.Writer, p *profile.Profile, r Rules, o FlameOptions) error {
	if o.Width == 0 {
		o.Width = 1200
	}
	if valueIndex(p) < 0 {
		return errNoProfile
	}

	root, unit := tree(p, r)
	a := Attribute(p, r)
	f := &flame{Writer: bufio.NewWriter(w), unit: unit, total: root.value, width: float64(o.Width) - 2*margin}
	head := f.headHeight(&a, o)
	height := head + rowHeight*float64(max(1, f.rows(root)-1)) + margin
	fmt.Fprintf(f, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%.0f" viewBox="0 0 %d %.0f"`+
		` role="img">`+"\n", o.Width, height, o.Width, height)
	fmt.Fprintf(f, "<title>%s</title>\n", xmlText("Flame graph "+o.Title))

	f.WriteString(`<style>
text{font:11px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;fill:#1c2430}
text.h{font:600 16px system-ui,"DejaVu Sans",sans-serif}
text.n{font-size:12px}
text.s{font:12px system-ui,"DejaVu Sans",sans-serif;fill:#4a5563}
text.g{fill:#7a8594}
g rect{stroke:#fff;stroke-width:.6}
g:hover>rect{stroke:#1c2430}
rect.u{stroke:#b3382c;stroke-dasharray:2 2}
</style>
<rect width="100%" height="100%" fill="#fff"/>
`)

	f.head(&a, o)
	if root.value == 0 {
		f.text(margin, head+12, "s", "no samples")
	}

	x := margin
	for _, c := range root.children {
		x = f.frame(c, x, head)
	}

	f.WriteString("</svg>\n")
	return f.Flush()
}

type flame struct {
	*bufio.Writer
	unit  string
	total int64
	width float64
}

func (f *flame) scale(v int64) float64 {
	if f.total == 0 {
		return 0
	}
	return float64(v) / float64(f.total) * f.width
}

// rows returns the number of levels that are drawn, including the root.
func (f *flame) rows(n *node) int {
	deepest := 0
	for _, c := range n.children {
		if f.scale(c.value) >= minWidth {
			deepest = max(deepest, f.rows(c))
		}
	}
	return deepest + 1
}

// frame draws a node and its callees and returns the right edge.
func (f *flame) frame(n *node, x, y float64) float64 {
	w := f.scale(n.value)
	if w < minWidth {
		return x + w
	}
	fill, class := colours[n.phase], ""
	what := n.phase.String()
	if n.phase == phase.Unattributed {
		if _, one := n.onlyPhase(); one {
			class = ` class="u"`
		} else {
			fill, what = "#eceff3", f.mix(n)
		}
	}
	fmt.Fprintf(f, "<g><title>%s\n%s\n%s, %.2f %% of the process, %s %s</title>", xmlText(n.name), what,
		amount(n.value, f.unit), 100*float64(n.value)/float64(f.total), grouped(n.samples),
		plural(n.samples, f.sampleName()))
	fmt.Fprintf(f, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" rx="1.5" fill="%s"%s/>`, x, y, w,
		rowHeight-1, fill, class)
	if label := fit(n.name, int((w-6)/charWidth)); label != "" {
		fmt.Fprintf(f, `<text x="%.2f" y="%.2f">%s</text>`, x+3, y+12, xmlText(label))
	}
	f.WriteString("</g>\n")
	at := x
	for _, c := range n.children {
		at = f.frame(c, at, y+rowHeight)
	}
	return x + w
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

const legendWidth, legendHeight = 290.0, 18.0

func (f *flame) legendColumns() int { return max(1, int(f.width/legendWidth)) }

func (f *flame) headHeight(a *Attribution, o FlameOptions) float64 {
	h := margin + 22 + 18 + 18*float64(len(o.Notes))
	cols := f.legendColumns()
	return h + 8 + 20 + 10 + legendHeight*float64((len(a.Shares())+cols-1)/cols) + 10
}

// head draws the title, the totals, the bar of phases and the legend.
func (f *flame) head(a *Attribution, o FlameOptions) {
	t, bg := a.Foreground.Total(), a.Background.Total()
	y := margin + 16
	title := "h"
	if float64(len(o.Title))*9.5 > f.width { // 9.5 px is the mean width of a bold 16 px letter
		title = "h n"
	}

	f.text(margin, y, title, o.Title)

	at := a.Attributed()
	y += 22
	line := fmt.Sprintf("%s %s in the operation", grouped(t.Samples), plural(t.Samples, f.sampleName()))
	line += fmt.Sprintf(" (%s)", amount(t.Value, f.unit))
	if bg.Samples > 0 {
		line += fmt.Sprintf(", %s in the background (%s: collector %s, runtime %s)", grouped(bg.Samples),
			amount(bg.Value, f.unit), amount(a.Background[phase.GC].Value, f.unit),
			amount(a.Background[phase.Runtime].Value, f.unit))
	}

	line += fmt.Sprintf(". Attributed: %.1f %%", 100*at.Share)
	if f.unit == "nanoseconds" {
		line += fmt.Sprintf(" (%.1f-%.1f)", 100*at.Low, 100*at.High)
	}

	line += " of the operation."
	if slices.ContainsFunc(a.Shares(), few) {
		line += fmt.Sprintf(" Grey: fewer than %d samples.", FewSamples)
	}

	f.text(margin, y, "s", line)
	for _, n := range o.Notes {
		y += 18
		f.text(margin, y, "s", n)
	}

	y += 12
	x := margin
	for _, s := range a.Shares() {
		w := float64(s.Value) / float64(max(1, t.Value)) * f.width
		if w > 0 {
			fmt.Fprintf(f, `<g><title>%s %.1f %%</title>`, s.Phase, 100*s.Share)
			fmt.Fprintf(f, `<rect x="%.2f" y="%.2f" width="%.2f" height="20" fill="%s"/>`, x, y, w,
				colours[s.Phase])
			if label := fmt.Sprintf("%s %.0f %%", s.Phase, 100*s.Share); float64(len(label))*charWidth+8 < w {
				fmt.Fprintf(f, `<text x="%.2f" y="%.2f">%s</text>`, x+4, y+14, label)
			}
			f.WriteString("</g>\n")
		}
		x += w
	}

	y += 30
	cols := f.legendColumns()
	for i, s := range a.Shares() {
		lx, ly := margin+float64(i%cols)*legendWidth, y+legendHeight*float64(i/cols)
		class := ""
		if s.Phase == phase.Unattributed {
			class = ` class="u"`
		}
		fmt.Fprintf(f, `<g><rect x="%.2f" y="%.2f" width="12" height="12" rx="2" fill="%s"%s/></g>`, lx, ly,
			colours[s.Phase], class)
		name, share := fmt.Sprintf("%-13s", s.Phase), fmt.Sprintf("%5.1f %%", 100*s.Share)
		if f.unit == "nanoseconds" {
			share += fmt.Sprintf("  (%.1f-%.1f)", 100*s.Low, 100*s.High)
		} else {
			share += "  " + amount(s.Value, f.unit)
		}
		tc := ""
		if few(s) {
			tc = "g"
		}
		f.text(lx+18, ly+10, tc, name+" "+share)
	}
}

func few(s Share) bool { return s.Samples < FewSamples && s.Phase != phase.Unattributed }

func (f *flame) sampleName() string {
	if f.unit == "bytes" {
		return "allocation"
	}
	return "sample"
}

func (f *flame) text(x, y float64, class, s string) {
	attr := ""
	if class != "" {
		attr = fmt.Sprintf(` class="%s"`, class)
	}
	fmt.Fprintf(f, `<text x="%.2f" y="%.2f"%s xml:space="preserve">%s</text>`+"\n", x, y, attr, xmlText(s))
}

// xmlText escapes text. Characters that XML forbids become U+FFFD.
func xmlText(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}

// fit shortens a function name to n characters: it drops the import path, then package and receiver, then
// cuts the rest.
func fit(name string, n int) string {
	if n < 2 {
		return ""
	}
	short := strings.ReplaceAll(name, "[...]", "")
	short = short[strings.LastIndexByte(short, '/')+1:]
	if len(short) <= n {
		return short
	}
	base := short
	if i := strings.LastIndex(base, ")."); i >= 0 {
		base = base[i+2:]
	} else if i := strings.IndexByte(base, '.'); i >= 0 {
		base = base[i+1:]
	}
	if len(base) <= n {
		return base
	}
	if n < 4 {
		return ""
	}
	return base[:n-1] + "…"
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
