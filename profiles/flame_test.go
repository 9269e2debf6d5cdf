package profiles_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"canonscope/profiles"
)

// inDo is the end of a stack inside the measured operation.
const inDo = "<canonscope/profiles.Do<main.main"

// element is a rectangle or a text of a picture, with the tooltip of its group.
type element struct {
	name, class, rx, text, title string
	x, y, width, height          float64
}

// draw returns the elements of a picture in the order of drawing, and its size.
func draw(t *testing.T, p *profile.Profile, o profiles.FlameOptions) (all []element, width, height float64) {
	t.Helper()
	var svg bytes.Buffer
	if err := profiles.FlameSVG(&svg, p, profiles.LoadRules(), o); err != nil {
		t.Fatal(err)
	}
	title, open, down := "", "", 0.0
	for dec := xml.NewDecoder(&svg); ; {
		token, err := dec.Token()
		if err == io.EOF {
			return all, width, height
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, title: title}
			for _, a := range token.Attr {
				v, _ := strconv.ParseFloat(a.Value, 64)
				switch a.Name.Local {
				case "class":
					e.class = a.Value
				case "rx":
					e.rx = a.Value
				case "x":
					e.x = v
				case "y":
					e.y = v
				case "width":
					e.width = v
				case "height":
					e.height = v
				}
			}
			if e.name == "g" {
				for _, a := range token.Attr {
					if a.Name.Local == "transform" {
						fmt.Sscanf(a.Value, "translate(0,%g)", &down)
					}
				}
			}
			e.y += down
			switch open = e.name; open {
			case "svg":
				width, height = e.width, e.height
			case "rect", "text":
				all = append(all, e)
			case "g", "title":
				title = ""
			}
		case xml.EndElement:
			open = ""
		case xml.CharData:
			switch open {
			case "title":
				title += string(token)
			case "text":
				all[len(all)-1].text += string(token)
			}
		}
	}
}

// frames are the rectangles of functions.
func frames(all []element) []element {
	return slices.DeleteFunc(slices.Clone(all), func(e element) bool { return e.rx != "1.5" })
}

// texts are those of a class.
func texts(all []element, class string) []string {
	var out []string
	for _, e := range all {
		if e.name == "text" && e.class == class {
			out = append(out, e.text)
		}
	}
	return out
}

// Nothing of a picture is outside it, and title, notes, bar, legend and frames are below one another,
// whatever its width and the number of notes and phases.
func TestFlameLayout(t *testing.T) {
	many := synthetic(
		"11 a crypto/sha256.Sum256<main.op"+inDo,
		"11 a crypto/ed25519.Sign<main.op"+inDo,
		"11 a encoding/json.Unmarshal<main.op"+inDo,
		"11 a encoding/json.Marshal<main.op"+inDo,
		"1 runtime.gcDrain<runtime.gcBgMarkWorker",
	)
	gap := -1.0 // from the legend to the frames
	for _, p := range []*profile.Profile{many, synthetic("1 a main.op" + inDo), synthetic()} {
		for _, o := range []profiles.FlameOptions{{}, {Width: 400, Notes: []string{"one"}}, {Width: 640, Notes: []string{"one", "two", "three"}}} {
			all, width, height := draw(t, p, o)
			at := fmt.Sprintf("%d samples, width %g, %d notes", len(p.Sample), width, len(o.Notes))
			bottom, legend := 0.0, 0.0
			for _, e := range all[1:] { // after the background
				top, band := e.y, 0.0 // a band begins where the one above ends
				switch {
				case e.name == "text" && (e.class == "h" || e.class == "s"):
					top, band = e.y-10, bottom
					bottom = e.y + 2
				case e.name == "rect" && e.rx == "" && e.width > 0:
					band, legend = bottom, max(legend, e.y+e.height)
				case e.name == "rect" && e.rx == "2":
					band = legend
					bottom = max(bottom, e.y+e.height)
				case e.rx == "1.5":
					band = bottom
					if gap < 0 {
						gap = top - band
					}
					if e == frames(all)[0] && top != band+gap {
						t.Errorf("%s: %g pixels between legend and frames, elsewhere %g", at, top-band, gap)
					}
				}
				if top < band || e.y+max(e.height, 2) > height || e.x < 0 || e.x+e.width > width {
					t.Errorf("%s: %+v is not below %g or not in the picture of %g", at, e, band, height)
				}
			}
			if len(p.Sample) == 0 && !slices.Contains(texts(all, "s"), "no samples") {
				t.Errorf("%s: nothing says that there are no samples", at)
			}
		}
	}
}

// A title as wide as the picture has the large letters, a longer one the small.
func TestFlameTitleFits(t *testing.T) {
	for n, class := range map[int]string{40: "h", 41: "h n"} {
		all, _, _ := draw(
			t,
			synthetic("1 a main.op"+inDo),
			profiles.FlameOptions{Width: 32 + 380, Title: strings.Repeat("x", n)},
		)
		if got := texts(all, class); len(got) != 1 || len(got[0]) != n {
			t.Errorf("title of %d characters: class %s has %q", n, class, got)
		}
	}
}

// A frame is drawn, and has its row, from a width of 0.4 pixels on; the next one begins where it ends, drawn
// or not.
func TestFlameLeastWidth(t *testing.T) {
	for samples, want := range map[int]int{1: 2, 2: 1} { // 0.4 and 0.2 of 400 pixels
		p := synthetic("1 a main.a"+inDo, "1 a main.b"+inDo)
		p.Sample[0].Value = []int64{1, 1}
		p.Sample[1].Value = []int64{999, int64(1000*samples - 1)}
		all, _, height := draw(t, p, profiles.FlameOptions{Width: 432})
		got := frames(all)
		if at := 16 + 0.4/float64(samples); len(got) != want || got[want-1].x != at {
			t.Errorf(
				"1 of %d samples: %d frames, want %d, the last at %g: %+v",
				1000*samples,
				len(got),
				want,
				at,
				got,
			)
		}
		alone := synthetic("1 a main.a<main.b" + inDo)
		alone.Sample[0].Value = []int64{1, 1}
		alone.Sample = append(alone.Sample, synthetic("1 a main.c"+inDo).Sample...)
		alone.Sample[1].Value = []int64{999, int64(1000*samples - 1)}
		if _, _, two := draw(t, alone, profiles.FlameOptions{Width: 432}); (two > height) != (want == 2) {
			t.Errorf("1 of %d samples: height %g for two rows, %g for one", 1000*samples, two, height)
		}
	}
}

// The label of a frame is its function's name without import path, then without package and receiver, then
// cut; it is never longer than the frame.
func TestFlameLabels(t *testing.T) {
	for _, c := range []struct {
		name  string
		chars int
		want  string
	}{
		{"ab", 2, "ab"},
		{"ab", 1, ""},
		{"example.org/a/p.Name", 6, "p.Name"},
		{"example.org/a/p.Name", 5, "Name"},
		{"example.org/a/p.Name", 4, "Name"},
		{"example.org/a/p.Name", 3, ""},
		{"example.org/a/p.(*T).Longest", 11, "Longest"},
		{"example.org/a/p.(*T).Longest", 7, "Longest"},
		{"example.org/a/p.(*T).Longest", 6, "Longe…"},
		{"example.org/a/p.(*T).Longest", 4, "Lon…"},
		{"example.org/a/p.Of[...]", 4, "p.Of"},
		{".hidden", 6, "hidden"},
	} {
		p := synthetic("1 a " + c.name + inDo)
		all, _, _ := draw(t, p, profiles.FlameOptions{Width: 32 + 6 + int(float64(c.chars)*6.65+0.999)})
		got := ""
		for i, e := range all {
			if e.rx == "1.5" && i+1 < len(all) {
				got = all[i+1].text
			}
		}
		if got != c.want {
			t.Errorf("%s in %d characters: %q, want %q", c.name, c.chars, got, c.want)
		}
	}
}

// A frame whose callees are of several phases names four of them at most, the largest first and the earlier
// of equals.
func TestFlameNamesPhases(t *testing.T) {
	const parse, digest, sign, encode = "encoding/json.Unmarshal", "crypto/sha256.Sum256", "crypto/ed25519.Sign", "encoding/json.Marshal"
	for want, lines := range map[string][]string{
		"digest 75 %, parse 25 %":                         {"1 a " + parse + "<main.op", "111 a " + digest + "<main.op"},
		"parse 50 %, digest 50 %":                         {"1 a " + parse + "<main.op", "1 a " + digest + "<main.op"},
		"sign 40 %, digest 30 %, encode 20 %, parse 10 %": {"1 a " + parse + "<main.op", "111 a " + digest + "<main.op", "1111 a " + sign + "<main.op", "11 a " + encode + "<main.op"},
		"sign 40 %, digest 27 %, encode 20 %, parse 7 %": {"1 a " + parse + "<main.op", "1111 a " + digest + "<main.op", "111111 a " + sign + "<main.op",
			"111 a " + encode + "<main.op", "1 a main.other<main.op"},
	} {
		for i := range lines {
			lines[i] += inDo
		}
		all, _, _ := draw(t, synthetic(lines...), profiles.FlameOptions{})
		if got := strings.Split(frames(all)[0].title, "\n"); got[0] != "main.op" || got[1] != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A frame that a rule names has the phase of the rule if a twentieth of it is charged to that phase;
// otherwise it looks like its callees.
func TestFlameOwnPhase(t *testing.T) {
	const expand, toRDF = gold + "(*JsonLdApi).Expand", gold + "(*RDFDataset).GraphToRDF"
	for callees, want := range map[int][]string{19: {"to-rdf", "expand"}, 20: {"expand 95 %, to-rdf 5 %", "expand"}} {
		all, _, _ := draw(
			t,
			synthetic(strings.Repeat("1", callees)+" a "+expand+"<"+toRDF+inDo, "1 a "+toRDF+inDo),
			profiles.FlameOptions{},
		)
		var got []string
		for _, e := range frames(all) {
			got = append(got, strings.Split(e.title, "\n")[1])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d callees: %q, want %q", callees, got, want)
		}
	}
}

// The bar labels a phase that has room for it, draws none without time, and the head names a background that
// there is.
func TestFlameBar(t *testing.T) {
	const parse, sign = "encoding/json.Unmarshal", "crypto/ed25519.Sign"
	p := synthetic("1 a "+parse+"<main.op"+inDo, "1 a "+sign+"<main.op"+inDo)
	all, _, _ := draw(
		t,
		p,
		profiles.FlameOptions{Width: 32 + 149},
	) // 74.5 each; ten characters and a margin are as wide
	var bars, labels []string
	for i, e := range all[1:] {
		if e.name == "rect" && e.rx == "" {
			bars = append(bars, fmt.Sprint(e.width))
			if next := all[i+2]; next.name == "text" {
				labels = append(labels, next.text)
			}
		}
	}
	if want := []string{"74.5", "74.5"}; !slices.Equal(bars, want) ||
		!slices.Equal(labels, []string{"sign 50 %"}) {
		t.Errorf("bars %v, labels %q", bars, labels)
	}
	if head := texts(all, "s")[0]; strings.Contains(head, "background") {
		t.Errorf("head without background: %s", head)
	}
	all, _, _ = draw(
		t,
		synthetic("1 a main.op"+inDo, strings.Repeat("1", 1234)+" runtime.gcDrain<runtime.gcBgMarkWorker"),
		profiles.FlameOptions{},
	)
	if head := texts(all, "s")[0]; !strings.Contains(
		head,
		"1 sample in the operation (0.01 s), 1,234 in the background",
	) {
		t.Errorf("head with background: %s", head)
	}
}

// Fewer than 30 samples are grey; 30 are enough. An integer has a comma before each three digits but the
// first.
func TestFewSamples(t *testing.T) {
	for n, few := range map[int]bool{29: true, 30: false, 100: false} {
		p := synthetic(strings.Repeat("1", n) + " a crypto/ed25519.Sign<main.op" + inDo)
		all, _, _ := draw(t, p, profiles.FlameOptions{})
		if got := len(texts(all, "g")) == 1; got != few {
			t.Errorf("%d samples: grey %v", n, got)
		}
		if head := texts(all, "s")[0]; strings.Contains(head, "Grey") != few ||
			!strings.HasPrefix(head, fmt.Sprintf("%d samples", n)) {
			t.Errorf("%d samples: %s", n, head)
		}
		a := profiles.Attribute(p, profiles.LoadRules())
		var text bytes.Buffer
		if err := a.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		if line := strings.Split(text.String(), "\n")[1]; strings.Contains(line, "few") != few {
			t.Errorf("%d samples: %s", n, line)
		}
	}
}

// Ten seconds and more have one digit after the point, fewer have two.
func TestSeconds(t *testing.T) {
	for ns, want := range map[int64]string{9_994_000_000: "9.99 s,", 10_000_000_000: "10.0 s,", 0: ""} {
		p := synthetic("1 a main.op" + inDo)
		p.Sample[0].Value[1] = ns
		all, _, _ := draw(t, p, profiles.FlameOptions{})
		if f := frames(all); want == "" && len(f) != 0 ||
			want != "" && !strings.Contains(f[0].title, "\n"+want) {
			t.Errorf("%d ns: %+v, want %q", ns, f, want)
		}
	}
}

// A profile that has nothing but CPU time, and one of another unit, is drawn and exported.
func TestOneColumn(t *testing.T) {
	for unit, want := range map[string]string{"nanoseconds": "nanoseconds", "bytes": "bytes", "count": "none"} {
		p := synthetic("11 a main.op" + inDo)
		p.SampleType = []*profile.ValueType{{Type: "cpu", Unit: unit}}
		p.Sample[0].Value = []int64{20}
		var svg, folded, scope bytes.Buffer
		for _, err := range []error{profiles.FlameSVG(&svg, p, profiles.LoadRules(), profiles.FlameOptions{}),
			profiles.Folded(&folded, p, profiles.LoadRules()), profiles.Speedscope(&scope, p, profiles.LoadRules(), "x")} {
			if err != nil {
				t.Errorf("%s: %v", unit, err)
			}
		}
		if folded.String() != "main.op 20\n" ||
			!strings.Contains(scope.String(), fmt.Sprintf(`"unit":%q`, want)) {
			t.Errorf("%s: folded %q, speedscope %s", unit, &folded, &scope)
		}
		if unit == "bytes" && !strings.Contains(svg.String(), "20 B") {
			t.Errorf("%s: %s", unit, &svg)
		}
	}
}
