package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"canonscope/canon/phase"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/report"
	"canonscope/profiles"
)

func pageOf(t *testing.T, r *report.Report, files fstest.MapFS) string {
	t.Helper()
	var out bytes.Buffer
	if err := r.HTML(&out, files); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// whole is a report that has every section.
func whole() *report.Report {
	c := made()
	c.Interrupted = true
	for i := range c.Results {
		if p := c.Results[i].Profile; p != nil {
			p.Flame = fmt.Sprintf("flame/%d.svg", i)
		}
	}
	r := report.New(c, matrix.Formats, nil)
	r.Table.Sentences, r.Table.Fitness = []string{"It costs 14.7 times as much."}, []string{"fit: nothing disturbed it"}
	return r
}

var someFlames = fstest.MapFS{"flame/0.svg": {Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 60" onload="alert(1)"><title>Flame graph</title>` +
	`<style>text{fill:red}</style><script>alert(2)</script><image href="https://example.org/x.png"/><rect width="100%" height="100%" fill="#fff"/>` +
	`<g onclick="alert(3)"><title>a &lt;b&gt;</title><rect x="16" y="20" width="400" height="16" fill="#f6a55f" style="fill:url(https://example.org)"/><text x="19" y="32">main.a</text></g>` +
	`<rect fill="url(#x)" width="1"/><a href="javascript:alert(4)"><text>link</text></a><foreignObject><p>x</p></foreignObject></svg>`)}}

// The page has each section with its place in the contents, tables with captions and scopes, pictures with text, one of each id.
func TestPage(t *testing.T) {
	text := pageOf(t, whole(), someFlames)
	ids, links := make(map[string]int), make(map[string]int)
	var tables, captions int
	var open []string
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if _, end := token.(xml.EndElement); end {
			open = open[:len(open)-1]
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attributes := make(map[string]string)
		for _, a := range e.Attr {
			attributes[a.Name.Local] = a.Value
			if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "src" || a.Name.Local == "href" && !strings.HasPrefix(a.Value, "#") && a.Value != "data:," {
				t.Errorf("<%s> has %s=%q", e.Name.Local, a.Name.Local, a.Value)
			}
		}
		if id := attributes["id"]; id != "" {
			ids[id]++
		}
		switch e.Name.Local {
		case "a":
			links[strings.TrimPrefix(attributes["href"], "#")]++
		case "table":
			tables++
		case "caption":
			captions++
		case "th":
			if attributes["scope"] == "" {
				t.Error("a th has no scope")
			}
		case "script", "image", "foreignObject", "iframe", "object", "img":
			t.Errorf("there is a <%s>", e.Name.Local)
		case "svg":
			if attributes["role"] != "img" && open[len(open)-1] != "svg" {
				t.Errorf("a picture without a role: %v", e.Attr)
			}
		}
		open = append(open, e.Name.Local)
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d times the id %s", n, id)
		}
	}
	for _, id := range []string{"answer", "fitness", "results", "group-1", "group-2", "sizes", "flames", "not", "method", "notes", "environment"} {
		if ids[id] != 1 || links[id] != 1 {
			t.Errorf("%s: %d sections, %d links", id, ids[id], links[id])
		}
	}
	for id := range links {
		if ids[id] == 0 {
			t.Errorf("a link to %s, which is not there", id)
		}
	}
	if tables == 0 || tables != captions {
		t.Errorf("%d tables, %d captions", tables, captions)
	}
	for _, want := range []string{"It costs 14.7 times as much.", "fit: nothing disturbed it", "interrupted or killed", "1,200", "14.7", "<text x=\"19\" y=\"32\">main.a</text>",
		"a &lt;b&gt;", "flame/1.svg", "signed again", "canonscope run", "Example CPU", "aria-label=\"Issue and verify, as multiples of"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, no := range []string{"alert(", "example.org", "url(", "javascript", "foreign", "NaN", "Inf", "ZgotmplZ", "%!"} {
		if strings.Contains(text, no) {
			t.Errorf("the page has %q", no)
		}
	}
}

// Names that others chose stay text.
func TestHostilePage(t *testing.T) {
	const bad = `<script>alert("x")</script><img src=x onerror=alert(1)>'"&`
	c := made()
	c.Command, c.LeftOut, c.Stopped = "canonscope run "+bad, []string{bad}, bad
	c.Environment["cpu"], c.Environment[bad] = bad, bad
	c.Given = []compare.Source{{Name: bad, SHA256: bad}}
	for i := range c.Results {
		r := &c.Results[i]
		r.Cell.Schema, r.Cell.Suite = bad, bad+r.Cell.Suite
		r.ID, r.Reason, r.Work.Checks = r.Cell.ID(), bad, bad
	}
	r := report.New(c, matrix.Formats, nil)
	r.Table.Sentences, r.Table.Fitness = []string{bad}, []string{bad}
	text := pageOf(t, r, nil)
	for _, no := range []string{"<script", "<img", `alert("`} {
		if strings.Contains(text, no) {
			t.Errorf("the page has %q", no)
		}
	}
	if !strings.Contains(text, "&lt;script&gt;") {
		t.Error("the names are not there")
	}
}

// A campaign without any run has a page that says so.
func TestEmptyPage(t *testing.T) {
	c := made()
	for i := range c.Results {
		c.Results[i] = compare.Result{Cell: c.Results[i].Cell, ID: c.Results[i].ID, State: compare.LeftOut, Reason: "not reached"}
	}
	c.Runs, c.Interrupted = 0, true
	text := pageOf(t, report.New(c, matrix.Formats, nil), nil)
	for _, want := range []string{"Nothing was timed", "interrupted or killed", "Left out: not reached: simple-20"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, `id="results"`) || strings.Contains(text, `id="answer"`) {
		t.Error("there are results")
	}
}

// The page opens in a browser, narrow and wide, light and dark, without an error or a request; and it prints. CANONSCOPE_SCREENSHOTS
// keeps the pictures in a folder.
func TestBrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium")
	}
	dir := os.Getenv("CANONSCOPE_SCREENSHOTS")
	if dir == "" {
		dir = t.TempDir()
	}
	page := filepath.Join(dir, "report.html")
	if err := os.WriteFile(page, []byte(pageOf(t, whole(), someFlames)), 0o666); err != nil {
		t.Fatal(err)
	}
	open := func(args ...string) {
		t.Helper()
		args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
			"--user-data-dir=" + t.TempDir(), "--no-first-run", "--disable-background-networking"}, args...)
		cmd := exec.CommandContext(t.Context(), browser, append(args, "file://"+page)...)
		cmd.WaitDelay = time.Second
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if console := regexp.MustCompile(`(?m)^.*CONSOLE.*$`).Find(out); console != nil {
			t.Errorf("%s", console)
		}
	}
	for _, width := range []int{360, 1280} {
		for mode, flags := range map[string][]string{"light": nil, "dark": {"--force-dark-mode", "--blink-settings=preferredColorScheme=0"}} {
			name := filepath.Join(dir, fmt.Sprintf("%d-%s.png", width, mode))
			open(append(flags, "--screenshot="+name, fmt.Sprintf("--window-size=%d,2400", width))...)
			if info, err := os.Stat(name); err != nil || info.Size() < 10_000 {
				t.Errorf("no picture of %d pixels, %s: %v", width, mode, err)
			}
		}
	}
	pdf := filepath.Join(dir, "report.pdf")
	open("--print-to-pdf="+pdf, "--no-pdf-header-footer")
	if text, err := os.ReadFile(pdf); err != nil || !bytes.HasPrefix(text, []byte("%PDF-")) {
		t.Errorf("no PDF: %v", err)
	}
}

// Text has a contrast of 4.5 and more, in light and dark; so have the names of phases on their colours.
func TestContrast(t *testing.T) {
	text := pageOf(t, whole(), nil)
	luminance := func(hex string) float64 {
		if len(hex) == 4 {
			hex = "#" + strings.Repeat(hex[1:2], 2) + strings.Repeat(hex[2:3], 2) + strings.Repeat(hex[3:], 2)
		}
		var c [3]uint8
		if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &c[0], &c[1], &c[2]); err != nil {
			t.Fatalf("%q is not a colour", hex)
		}
		sum := 0.0
		for i, part := range []float64{0.2126, 0.7152, 0.0722} {
			v := float64(c[i]) / 255
			if v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			sum += part * v
		}
		return sum
	}
	check := func(what, a, b string) {
		x, y := luminance(a), luminance(b)
		if ratio := (max(x, y) + 0.05) / (min(x, y) + 0.05); ratio < 4.5 {
			t.Errorf("%s: %s on %s has a contrast of %.2f", what, a, b, ratio)
		}
	}
	sets := regexp.MustCompile(`(?s):root\{(.*?)\}`).FindAllStringSubmatch(text, -1)
	if len(sets) != 2 {
		t.Fatalf("%d sets of colours", len(sets))
	}
	for _, set := range sets {
		colours := make(map[string]string)
		for _, m := range regexp.MustCompile(`--(\w+):(#\w+)`).FindAllStringSubmatch(set[1], -1) {
			colours[m[1]] = m[2]
		}
		for _, front := range []string{"fg", "dim", "link"} {
			for _, back := range []string{"bg", "soft"} {
				check(front, colours[front], colours[back])
			}
		}
		check("alert", colours["fg"], colours["warn"])
	}
	for i := range phase.Count {
		check(phase.Phase(i).String(), "#1c2430", profiles.Colour(phase.Phase(i)))
	}
}
