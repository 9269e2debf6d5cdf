package profiles

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
)

//go:embed flame.css
var flameStyle string

//go:embed flame.js
var flameScript string

// Layout of the picture, in pixels.
const (
	margin    = 16.0
	rowHeight = 17.0
	charWidth = 6.65 // of the 11 px monospace labels
	minWidth  = 0.4  // narrower frames are drawn by zoom alone
	barHeight = 20.0
	lineStep  = 18.0

	legendWidth, legendHeight = 290.0, 18.0
)

// picture is a flame graph before it is drawn.
type picture struct {
	FlameOptions
	lines  []string // below the title
	bars   []bar
	legend []entry
	boxes  []box   // callers before callees
	total  float64 // what the width is
	whole  float64 // of which it may be a part, without the stacks that a view leaves out
	costs  bool    // an operation's cost is known
	differ bool
	below  []line // under the frames
	table  table  // beside the picture on a page
}

// box is a frame with its place in units of the total.
type box struct {
	name, tip string
	depth     int
	x, value  float64
	kind      int // of the legend; -1 for none
	paint     paint
	cost      float64 // nanoseconds of an operation
	change    float64 // of them, gained
}

// paint is how a rectangle is filled: by a class of the style or by a colour.
type paint struct {
	class, fill string
	opacity     float64 // of a class over a neutral frame; 0 is 1
}

// bar is one line of the phases above the frames. Its length is a part of the width.
type bar struct {
	name     string
	segments []segment
}

type segment struct {
	text, tip string
	share     float64 // of the picture's width
	colour    string
}

type entry struct {
	kind  int
	paint paint
	text  string
	few   bool
}

// line is a line of text; heading ones are bold.
type line struct {
	text    string
	heading bool
}

// svg writes the picture. Everything is in it: style, script and data.
func (p *picture) svg(to io.Writer) error {
	w := &drawing{bufio.NewWriter(to), float64(p.Width) - 2*margin}
	top := p.headHeight(w)
	rows := 1
	for _, b := range p.boxes {
		if b.value/p.total*w.inner >= minWidth {
			rows = max(rows, b.depth+1)
		}
	}

	bottom := top + rowHeight*float64(rows)
	height := bottom + lineStep*float64(len(p.below)) + margin
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="flame" width="%d" height="%.0f"`+
		` viewBox="0 0 %d %.0f">`+"\n", p.Width, height, p.Width, height)
	fmt.Fprintf(w, "<title>%s</title>\n", xmlText("Flame graph "+p.Title))
	fmt.Fprintf(w, "<style>\n%s</style>\n", flameStyle)
	w.WriteString(`<rect class="bg" width="100%" height="100%" fill="#fff"/>` + "\n")
	p.head(w)
	if len(p.boxes) == 0 {
		w.text(margin, top+12, "s", "no samples")
	}

	fmt.Fprintf(w, `<g class="frames" transform="translate(0,%.0f)">`+"\n", top)
	for _, b := range p.boxes {
		row := b.depth
		if p.Upward {
			row = rows - 1 - b.depth
		}
		p.frame(w, b, rowHeight*float64(row))
	}
	w.WriteString("</g>\n")

	fmt.Fprintf(w, `<g class="below" transform="translate(0,%.0f)">`+"\n", bottom)
	for i, l := range p.below {
		class := ""
		if l.heading {
			class = "b"
		}
		w.text(margin, 14+lineStep*float64(i), class, l.text)
	}
	w.WriteString("</g>\n")

	if err := p.data(w, top, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flameScript)
	return w.Flush()
}

// drawing is where a picture is written to.
type drawing struct {
	*bufio.Writer
	inner float64 // width without margins
}

func (w *drawing) text(x, y float64, class, s string) {
	attr := ""
	if class != "" {
		attr = fmt.Sprintf(` class="%s"`, class)
	}
	fmt.Fprintf(w, `<text x="%.2f" y="%.2f"%s xml:space="preserve">%s</text>`+"\n", x, y, attr, xmlText(s))
}

// frame draws a box, if it is wide enough.
func (p *picture) frame(w *drawing, b box, y float64) {
	width := b.value / p.total * w.inner
	if width < minWidth {
		return
	}
	x := margin + b.x/p.total*w.inner
	fmt.Fprintf(w, "<g><title>%s\n%s</title>", xmlText(b.name), xmlText(b.tip))
	if b.paint.opacity > 0 {
		w.rect(x, y, width, paint{class: "mix"})
	}
	w.rect(x, y, width, b.paint)
	if label := fit(b.name, int((width-6)/charWidth)); label != "" {
		fmt.Fprintf(w, `<text x="%.2f" y="%.2f">%s</text>`, x+3, y+12, xmlText(label))
	}
	w.WriteString("</g>\n")
}

func (w *drawing) rect(x, y, width float64, p paint) {
	fmt.Fprintf(w, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" rx="1.5"%s/>`, x, y, width,
		rowHeight-1, p)
}

// String returns the attributes.
func (p paint) String() string {
	s := ""
	if p.class != "" {
		s += fmt.Sprintf(` class="%s"`, p.class)
	}
	if fill := p.fill; fill != "" {
		s += fmt.Sprintf(` fill="%s"`, fill)
	} else if plain[p.class] != "" {
		s += fmt.Sprintf(` fill="%s"`, plain[p.class]) // for programs that do not read the style
	}
	if p.opacity > 0 {
		s += fmt.Sprintf(` fill-opacity="%.2f"`, p.opacity)
	}
	return s
}

// plain are the colours of classes, as the style has them on a light ground.
var plain = map[string]string{"mix": "#e6eaef", "more": "#f0705a", "less": "#5ba0e0"}

// headHeight is what the head needs, down to the frames.
func (p *picture) headHeight(w *drawing) float64 {
	columns := w.columns()
	h := margin + 22 + lineStep*float64(len(p.lines)) + 8
	h += (barHeight + 4) * float64(len(p.bars))
	return h + 6 + legendHeight*float64((len(p.legend)+columns-1)/columns) + 10
}

func (w *drawing) columns() int { return max(1, int(w.inner/legendWidth)) }

// head draws the title, the lines, the bars of phases and the legend.
func (p *picture) head(w *drawing) {
	y := margin + 16
	title := "h"
	if float64(len(p.Title))*9.5 > w.inner { // 9.5 px is the mean width of a bold 16 px letter
		title = "h n"
	}

	w.text(margin, y, title, p.Title)
	y += 4
	for _, l := range p.lines {
		y += lineStep
		w.text(margin, y, "s", l)
	}

	y += 12
	for _, b := range p.bars {
		x, width := margin, w.inner
		if b.name != "" {
			w.text(x, y+14, "", b.name)
			x, width = x+barName, width-barName
		}
		for _, s := range b.segments {
			if s.share > 0 {
				w.segment(x, y, s.share*width, s)
			}
			x += s.share * width
		}
		y += barHeight + 4
	}

	y += 6
	for i, e := range p.legend {
		x := margin + float64(i%w.columns())*legendWidth
		at := y + legendHeight*float64(i/w.columns())
		fmt.Fprintf(w, `<g data-kind="%d"><rect x="%.2f" y="%.2f" width="12" height="12" rx="2"%s/>`, e.kind,
			x, at, e.paint)
		class := ""
		if e.few {
			class = "g"
		}
		w.text(x+18, at+10, class, e.text)
		w.WriteString("</g>\n")
	}
}

const barName = 24.0 // width of the name of a bar

func (w *drawing) segment(x, y, width float64, s segment) {
	fmt.Fprintf(w, `<g><title>%s</title>`, xmlText(s.tip))
	fmt.Fprintf(w, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.0f" fill="%s"/>`, x, y, width, barHeight,
		s.colour)
	if float64(len(s.text))*charWidth+8 < width {
		fmt.Fprintf(w, `<text x="%.2f" y="%.2f">%s</text>`, x+4, y+14, xmlText(s.text))
	}
	w.WriteString("</g>\n")
}

// data writes what the script draws from. JSON escapes the characters that markup would read.
func (p *picture) data(w io.Writer, top float64, rows int) error {
	texts, paints := interned[string]{}, interned[paint]{}
	all := make([][]any, len(p.boxes))
	for i, b := range p.boxes {
		all[i] = []any{b.depth, texts.of(b.name), b.kind, paints.of(b.paint), texts.of(b.tip),
			rounded(b.value), rounded(b.cost)}
		if p.differ {
			all[i] = append(all[i], rounded(b.change))
		}
	}

	colours := make([][]any, len(paints.list))
	for i, c := range paints.list {
		colours[i] = []any{c.class, c.fill, rounded(c.opacity)}
	}

	b, err := json.Marshal(map[string]any{"text": texts.list, "paint": colours, "rows": all, "width": p.Width,
		"margin": margin, "row": rowHeight, "char": charWidth, "least": minWidth, "top": top,
		"total": rounded(p.total), "whole": rounded(p.whole), "up": p.Upward, "cost": p.costs,
		"difference": p.differ, "rowsDrawn": rows, "below": lineStep * float64(len(p.below))})
	if err != nil {
		return err
	}

	_, err = fmt.Fprintf(w, "<script type=\"application/json\">%s</script>\n", b)
	return err
}

// rounded keeps the data short.
func rounded(v float64) float64 { return math.Round(v*100) / 100 }

// interned gives equal values one number.
type interned[T comparable] struct {
	list  []T
	index map[T]int
}

func (s *interned[T]) of(v T) int {
	i, ok := s.index[v]
	if !ok {
		if s.index == nil {
			s.index = map[T]int{}
		}
		i = len(s.list)
		s.index[v] = i
		s.list = append(s.list, v)
	}
	return i
}

// table is the functions of a profile, or of a difference, on a page.
type table struct {
	heads []string // the first column is the name
	rows  []row
}

type row struct {
	name  string
	note  string    // behind the name
	cells []float64 // of the other columns
	class string
}

//go:embed flame_page.js
var pageScript string

const pageStyle = `
body{margin:16px;font:14px system-ui,"DejaVu Sans",sans-serif;color:#1c2430;background:#fff}
svg{max-width:100%}
table{border-collapse:collapse;font:12px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
th,td{padding:2px 12px 2px 0;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left;white-space:normal;overflow-wrap:anywhere}
th button,td button{font:inherit;color:inherit;background:none;border:0;padding:0;text-align:inherit}
th button,td button{cursor:pointer}
th{border-bottom:1px solid #b6bfca;position:sticky;top:0;background:#fff}
tr:hover td{background:#eef2f6}
td small{color:#7a8594}
.more{color:#b3382c}.less{color:#1f66a8}
.holder{overflow-x:auto}
@media (prefers-color-scheme:dark){
body,th{color:#e4e9f0;background:#14181f}
tr:hover td{background:#232931}
.more{color:#f0907f}.less{color:#86bbea}
}
`

// html writes a page with the picture and the table.
func (p *picture) html(to io.Writer) error {
	w := bufio.NewWriter(to)
	title := html.EscapeString(visible(p.Title))
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>\n",
		title)
	w.WriteString(`<meta name="viewport" content="width=device-width"><meta name="color-scheme"` +
		` content="light dark"><link rel="icon" href="data:,">` + "\n")
	fmt.Fprintf(w, "<style>%s</style></head><body>\n<div class=\"holder\">\n", pageStyle)
	if err := p.svg(w); err != nil {
		return err
	}

	w.WriteString("</div>\n<h2>Functions</h2>\n<p>A heading sorts, a name searches.</p>\n" +
		"<div class=\"holder\"><table><thead><tr>")
	for _, h := range p.table.heads {
		fmt.Fprintf(w, "<th scope=\"col\"><button type=\"button\">%s</button></th>", html.EscapeString(h))
	}
	w.WriteString("</tr></thead>\n<tbody>\n")
	for _, r := range p.table.rows {
		name := html.EscapeString(visible(r.name))
		fmt.Fprintf(w, "<tr><td><button type=\"button\">%s</button> <small>%s</small></td>", name,
			html.EscapeString(r.note))
		for i, v := range r.cells {
			class := ""
			if r.class != "" && strings.HasPrefix(p.table.heads[i+1], "change") {
				class = fmt.Sprintf(` class="%s"`, r.class)
			}
			fmt.Fprintf(w, `<td data-v="%s"%s>%s</td>`, strconv.FormatFloat(v, 'g', -1, 64), class,
				p.table.cell(i+1, v))
		}
		w.WriteString("</tr>\n")
	}
	fmt.Fprintf(w, "</tbody></table></div>\n<script>\n%s</script>\n</body></html>\n", pageScript)

	return w.Flush()
}

// cell is a number as its column shows it.
func (t *table) cell(column int, v float64) string {
	head := t.heads[column]
	switch {
	case strings.HasSuffix(head, "µs") && strings.HasPrefix(head, "change"):
		return signed(v)
	case strings.HasSuffix(head, "µs"):
		return micros(v)
	case strings.HasSuffix(head, "%"):
		return fmt.Sprintf("%.2f", v)
	}
	return grouped(int64(v))
}

// micros prints nanoseconds in microseconds, without the unit.
func micros(ns float64) string {
	us := ns / 1e3
	switch size := math.Abs(us); {
	case size >= 99.95:
		return grouped(int64(math.Round(us)))
	case size >= 9.995:
		return fmt.Sprintf("%.1f", us)
	}
	return fmt.Sprintf("%.2f", us)
}

// signed prints gained nanoseconds in microseconds.
func signed(ns float64) string {
	if s := micros(ns); ns > 0 {
		return "+" + s
	} else {
		return s
	}
}

// xmlText escapes text. Characters that XML forbids become U+FFFD.
func xmlText(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(visible(text))) // a Builder never fails
	return b.String()
}

// visible escapes characters that change the direction or the place of others, or that XML does not have.
func visible(text string) string {
	hidden := func(r rune) bool {
		return r != '\n' && unicode.In(r, unicode.Cf, unicode.Cc) || r == 0xfffe || r == 0xffff
	}
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if hidden(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
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
	return strings.ToValidUTF8(base[:n-1], "") + "…"
}
