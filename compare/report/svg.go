package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"math"
	"regexp"
	"strings"

	"canonscope/compare"
)

// svg writes a picture. Its figures are numbers, its texts are escaped.
type svg struct{ strings.Builder }

// begin writes the start of a picture with a text alternative.
func (s *svg) begin(attributes, title, description string) {
	fmt.Fprintf(s, `<svg role="img" aria-label="%s" %s>`, template.HTMLEscapeString(title+": "+description),
		attributes)
}

func (s *svg) end() template.HTML {
	s.WriteString("</svg>")
	return template.HTML(s.String())
}

func (s *svg) text(attributes, text string) {
	fmt.Fprintf(s, `<text %s>%s</text>`, attributes, template.HTMLEscapeString(text))
}

// bar is a value with its interval, and as text.
type bar struct {
	name, value       string
	low, center, high float64
}

// Pixels of a chart of bars, whose horizontal measures are percents, so that it fits any width.
const (
	barLine   = 20
	barHeight = 12
	barRow    = 44
)

// barsSVG draws bars from 0, each with a mark at a value if that is not 0.
func barsSVG(title string, bars []bar, at float64) template.HTML {
	most := at
	var said []string
	for _, b := range bars {
		said = append(said, b.name+" "+b.value)
		if most = max(most, b.center); !math.IsInf(b.high, 0) {
			most = max(most, b.high)
		}
	}

	x := func(v float64) float64 { return 100 * max(0, v) / most }
	var s svg
	s.begin(fmt.Sprintf(`class="bars" width="100%%" height="%d"`, barRow*len(bars)), title,
		strings.Join(said, "; "))
	for i, b := range bars {
		y := barRow * i
		s.text(fmt.Sprintf(`x="0" y="%d"`, y+barLine-6), b.name)
		s.text(fmt.Sprintf(`class="v" x="100%%" y="%d" text-anchor="end"`, y+barLine-6), b.value)
		fmt.Fprintf(&s, `<rect class="bar" x="0" y="%d" width="%.2f%%" height="%d"/>`, y+barLine, x(b.center),
			barHeight)
		if at > 0 {
			fmt.Fprintf(&s, `<line class="one" x1="%.2f%%" x2="%.2f%%" y1="%d" y2="%d"/>`, x(at), x(at),
				y+barLine-3, y+barLine+barHeight+3)
		}
		if b.low < b.high && !math.IsInf(b.low, 0) && !math.IsInf(b.high, 0) {
			low, high, mid := x(b.low), x(b.high), y+barLine+barHeight/2
			fmt.Fprintf(&s, `<line class="i" x1="%.2f%%" x2="%.2f%%" y1="%d" y2="%d"/>`, low,
				high, mid, mid)
			for _, end := range []float64{low, high} {
				fmt.Fprintf(&s, `<line class="i" x1="%.2f%%" x2="%.2f%%" y1="%d" y2="%d"/>`, end, end, mid-4,
					mid+4)
			}
		}
	}

	return s.end()
}

// segment is a part of a stack.
type segment struct {
	name, colour string
	share        float64
}

// labelled is the share of a segment that has its name in it, where there is room.
const labelled = 0.06

// stackSVG draws parts of one whole beside one another.
func stackSVG(title string, parts []segment) template.HTML {
	var said []string
	for _, x := range parts {
		said = append(said, x.name+" "+percent(x.share))
	}
	var s svg
	s.begin(`class="stack" width="100%" height="24"`, title, strings.Join(said, ", "))
	s.WriteString(`<rect class="rest" width="100%" height="24"/>`)
	at := 0.0
	for _, x := range parts {
		fmt.Fprintf(&s, `<svg x="%.2f%%" width="%.2f%%" height="24">`, 100*at, 100*x.share)
		fmt.Fprintf(&s, `<rect width="100%%" height="24" fill="%s"/>`, x.colour)
		if x.share >= labelled {
			s.text(`x="5" y="16"`, x.name)
		}
		s.WriteString("</svg>")
		fmt.Fprintf(&s, `<line class="gap" x1="%.2f%%" x2="%.2f%%" y1="0" y2="24"/>`, 100*(at+x.share),
			100*(at+x.share))
		at += x.share
	}
	return s.end()
}

// pageFlame is a flame graph that opens by a click.
type pageFlame struct {
	Title string
	SVG   template.HTML
}

// mostFlames bounds the bytes of the flame graphs in a page.
const mostFlames = 6 << 20

// flames reads the flame graphs of the operations that figures sum up; those that do not fit the page, and
// those of other operations, are named.
func flames(c *compare.Campaign, t *Table, folder fs.FS) (shown []pageFlame, more []string) {
	summed := make(map[string]bool)
	for i := range t.Rows {
		for _, op := range t.Rows[i].Summed {
			summed[t.Rows[i].Cell.With(op).ID()] = true
		}
	}

	left := mostFlames
	for _, r := range c.Results {
		if r.Profile == nil || r.Profile.Flame == "" {
			continue
		}
		if summed[r.ID] && folder != nil {
			if picture, err := flame(folder, r.Profile.Flame, left); err == nil {
				left -= len(picture)
				shown = append(shown, pageFlame{Short(r.ID), picture})
				continue
			}
		}
		more = append(more, r.Profile.Flame)
	}

	return shown, more
}

// flameParts are the elements and attributes of a flame graph, with what each may hold.
var flameParts = map[string]*regexp.Regexp{
	"svg": nil, "g": nil, "title": nil, "rect": nil, "text": nil,
	"width": numbers, "height": numbers, "viewBox": numbers, "x": numbers, "y": numbers, "rx": numbers,
	"fill": regexp.MustCompile(`^#[0-9a-f]{3,6}$`), "class": regexp.MustCompile(`^[a-z ]*$`),
}

var numbers = regexp.MustCompile(`^[0-9. %-]+$`)

var errTooLarge = errors.New("it does not fit the page")

// flame reads a flame graph and keeps what such a picture has: shapes and texts, no script, style or link, as
// the folder may come from anywhere.
func flame(folder fs.FS, name string, most int) (template.HTML, error) {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > int64(most) {
		return "", errTooLarge
	}
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return "", err
	}

	var out strings.Builder
	var open []string
	dec := xml.NewDecoder(strings.NewReader(string(text)))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		switch e := token.(type) {
		case xml.StartElement:
			if _, ok := flameParts[e.Name.Local]; !ok || flameParts[e.Name.Local] != nil || len(open) > 8 {
				if err := dec.Skip(); err != nil {
					return "", err
				}
				continue
			}
			if len(open) == 0 {
				out.WriteString(`<svg class="flame" role="img"`)
			} else {
				out.WriteString("<" + e.Name.Local)
			}
			for _, a := range e.Attr {
				if may := flameParts[a.Name.Local]; may != nil && may.MatchString(a.Value) && len(open) > 0 ||
					a.Name.Local == "viewBox" && numbers.MatchString(a.Value) || a.Name.Local == "width" &&
					numbers.MatchString(a.Value) {
					fmt.Fprintf(&out, ` %s="%s"`, a.Name.Local, a.Value)
				}
			}
			out.WriteString(">")
			open = append(open, e.Name.Local)
		case xml.EndElement:
			if len(open) > 0 {
				out.WriteString("</" + open[len(open)-1] + ">")
				open = open[:len(open)-1]
			}
		case xml.CharData:
			if len(open) > 0 {
				out.WriteString(template.HTMLEscapeString(string(e)))
			}
		}
	}

	return template.HTML(out.String()), nil
}
