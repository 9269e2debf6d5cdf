package profiles_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"canonscope/profiles"
)

// everything judges every change as real, with an interval of 1 ns to both sides.
func everything(family []*profiles.Change) {
	for _, c := range family {
		c.Real = c.Gained() != 0
		c.Low, c.High = c.Gained()-1, c.Gained()+1
	}
}

// different is an operation that costs 1,000 ns and then 2,000.
func different(t *testing.T, o profiles.DifferenceOptions) *profiles.Difference {
	t.Helper()
	rules := profiles.LoadRules()
	n := func(n int) string { return strings.Repeat("1", n) + " a " }
	a := synthetic(n(60)+"main.leaf<main.op"+inDo, n(40)+"main.old<main.op"+inDo, "11 profiler.loop")
	b := synthetic(n(60)+"main.leaf<main.op"+inDo, n(20)+"main.new<main.op"+inDo, n(20)+"main.deep<main.leaf<main.op"+inDo)
	for _, p := range []struct {
		of   *[]*profiles.Change
		cost float64
	}{{nil, 1000}, {nil, 2000}} {
		which := a
		if p.cost == 2000 {
			which = b
		}
		if err := profiles.Operations(which, rules, p.cost); err != nil {
			t.Fatal(err)
		}
	}
	d, err := profiles.Compare(profiles.Side{Name: "x", Profile: a}, profiles.Side{Name: "y", Profile: b}, rules, o, everything)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The totals are the costs, and each frame is in the list that it belongs to.
func TestDifference(t *testing.T) {
	d := different(t, profiles.DifferenceOptions{})
	var text bytes.Buffer
	if err := d.Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A: x: 1.00 µs an operation, 100 samples", "B: y: 2.00 µs an operation, 100 samples",
		"B - A: +1.00 µs an operation (+1.00 to +1.00), 2 times"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	got := map[string][]string{}
	for _, l := range d.Lists() {
		for _, c := range l.Changed {
			got[l.Name] = append(got[l.Name], c.Name)
		}
	}
	for name, want := range map[string][]string{"Cost more": nil, "Cost less": nil, "Appeared": {"main.new", "main.deep"},
		"Vanished": {"main.old"}} {
		if name != "Cost more" && !slices.Equal(slices.Sorted(slices.Values(got[name])), slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	if !slices.Contains(got["Cost more"], "main.leaf") && !slices.Contains(got["Cost more"], "main.op") {
		t.Errorf("nothing that others call costs more: %q", got)
	}
}

// Frames are as wide as they cost on the side that is asked for; grey is what did not change.
func TestDifferencePicture(t *testing.T) {
	for before, want := range map[bool]string{false: "main.new", true: "main.old"} {
		var svg, page bytes.Buffer
		d := different(t, profiles.DifferenceOptions{ByBefore: before})
		if err := d.SVG(&svg); err != nil {
			t.Fatal(err)
		}
		if err := d.HTML(&page); err != nil {
			t.Fatal(err)
		}
		other := map[string]string{"main.new": "main.old", "main.old": "main.new"}[want]
		if !strings.Contains(svg.String(), "<title>"+want) || strings.Contains(svg.String(), "<title>"+other) {
			t.Errorf("by before %v: want a frame of %s and none of %s", before, want, other)
		}
		if !strings.Contains(page.String(), `<td data-v="1200" class="more">+1.20</td>`) && !strings.Contains(page.String(), `class="more"`) {
			t.Errorf("no function costs more:\n%s", &page)
		}
	}
}

// All figures of a difference and where its picture draws them: frames that cost more, less and the same, work of the
// collector besides, changes that are noise, and a view of callers.
func TestDifferenceGolden(t *testing.T) {
	n := func(n int, stack string) string { return strings.Repeat("1", n) + " a " + stack + inDo }
	collector := func(n int) string { return strings.Repeat("1", n) + " runtime.scanobject<runtime.gcBgMarkWorker" }
	a := synthetic(n(30, "main.same<main.op"), n(40, "crypto/sha256.Sum256<main.cheaper<main.op"), n(5, "main.twice<main.op"),
		n(9, "main.old<main.op"), n(2, "main.noise<main.op"), collector(7), "11 profiler.loop")
	b := synthetic(n(31, "main.same<main.op"), n(8, "crypto/sha256.Sum256<main.cheaper<main.op"), n(25, "main.twice<main.op"),
		n(40, "main.new<main.op"), n(3, "main.noise<main.op"), n(12, "main.twice<main.new<main.op"), collector(11))
	judge := func(family []*profiles.Change) {
		for _, c := range family {
			c.Low, c.High = c.Gained()-200, c.Gained()+150
			c.Real = c.Low > 0 || c.High < 0
		}
	}

	other := regexp.MustCompile(`(?s)<style>.*?</style>\n|<script[^>]*>.*?</script>\n`)
	var all bytes.Buffer
	rules := profiles.LoadRules()
	sides := []profiles.Side{{Name: "x", Profile: a, Cost: 3000}, {Name: "y", Profile: b, Cost: 4100}}
	for _, s := range sides {
		if err := profiles.Operations(s.Profile, rules, s.Cost); err != nil {
			t.Fatal(err)
		}
	}
	for i, o := range []profiles.DifferenceOptions{{}, {ByBefore: true,
		FlameOptions: profiles.FlameOptions{View: profiles.View{Callers: "main.twice"}}}} {
		d, err := profiles.Compare(sides[0], sides[1], rules, o, judge)
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		for _, write := range []func(io.Writer) error{d.Text, d.Folded, d.SVG, d.HTML}[:4-i] {
			if err := write(&page); err != nil {
				t.Fatal(err)
			}
		}
		all.Write(other.ReplaceAll(page.Bytes(), nil))
		p, err := d.Profile()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sample {
			fmt.Fprintln(&all, s.Value, s.Label, s.Location[0].Line[0].Function.Name)
		}
	}
	golden(t, "difference.txt", all.Bytes())
}

// A profile that does not say what an operation costs is refused, also an empty one.
func TestDifferenceNeedsOperations(t *testing.T) {
	p := synthetic("1 a main.op" + inDo)
	for _, side := range []profiles.Side{{Name: "x", Profile: p}, {Name: "x", Profile: synthetic(), Cost: 1}, {}} {
		if _, err := profiles.Compare(side, side, profiles.LoadRules(), profiles.DifferenceOptions{}, everything); err == nil {
			t.Errorf("%+v is compared", side)
		}
	}
}

// The exports of a difference have its totals, and go tool pprof reads the profile.
func TestDifferenceExports(t *testing.T) {
	d := different(t, profiles.DifferenceOptions{})
	var folded, scope bytes.Buffer
	if err := d.Folded(&folded); err != nil {
		t.Fatal(err)
	}
	if want := "main.op;main.leaf 600 1200\n"; !strings.Contains(folded.String(), want) {
		t.Errorf("no %q in\n%s", want, &folded)
	}
	if err := d.Speedscope(&scope); err != nil {
		t.Fatal(err)
	}
	var file struct {
		Profiles []struct {
			Name     string
			EndValue int64
			Weights  []int64
		}
	}
	if err := json.Unmarshal(scope.Bytes(), &file); err != nil || len(file.Profiles) != 2 || file.Profiles[0].EndValue != 1000 ||
		file.Profiles[1].EndValue != 2000 {
		t.Errorf("%v: %s", err, &scope)
	}

	p, err := d.Profile()
	if err != nil {
		t.Fatal(err)
	}
	sum, base := int64(0), int64(0)
	for _, s := range p.Sample {
		sum += s.Value[1]
		if s.Label["pprof::base"] != nil {
			base -= s.Value[1]
		}
	}
	if sum != 1000 || base != 1000 {
		t.Errorf("the profile gains %d of %d", sum, base)
	}

	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no Go tool")
	}
	path := filepath.Join(t.TempDir(), "d.pb.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(f); err != nil {
		t.Fatal(err)
	}
	f.Close()
	out, err := exec.Command(tool, "tool", "pprof", "-top", path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Type: cpu/op") || !strings.Contains(string(out), "100% of 1000ns total") {
		t.Errorf("%v: %s", err, out)
	}
}

// A view shows packages, phases or callers; the shares add up to the whole.
func TestViews(t *testing.T) {
	p := synthetic("1111 a regexp.match<example.org/x.IsURL<example.org/x.A<main.op"+inDo,
		"11 a regexp.match<example.org/x.IsURL<example.org/x.B<main.op"+inDo, "1111 a crypto/sha256.Sum256<main.op"+inDo)
	for _, c := range []struct {
		view profiles.View
		want []string
	}{
		{profiles.View{By: profiles.ByPackage}, []string{"main 100", "crypto/sha256 40", "example.org/x 60", "regexp 60"}},
		{profiles.View{Invert: true, Callers: "IsURL"}, []string{"example.org/x.IsURL 60", "example.org/x.A 40", "main.op 40",
			"example.org/x.B 20", "main.op 20"}},
		{profiles.View{Invert: true, Callers: "regexp.match"}, []string{"regexp.match 60", "example.org/x.IsURL 60",
			"example.org/x.A 40", "main.op 40", "example.org/x.B 20", "main.op 20"}},
		{profiles.View{By: profiles.ByPhase}, []string{"digest 40", "main.op 40", "crypto/sha256.Sum256 40", "unattributed 60",
			"main.op 60", "example.org/x.A 40", "example.org/x.IsURL 40", "regexp.match 40", "example.org/x.B 20",
			"example.org/x.IsURL 20", "regexp.match 20"}},
	} {
		all, _, _ := draw(t, p, profiles.FlameOptions{View: c.view})
		var got []string
		for _, e := range frames(all) {
			lines := strings.Split(e.title, "\n")
			_, share, _ := strings.Cut(lines[2], ", ")
			share, _, _ = strings.Cut(share, ".")
			got = append(got, lines[0]+" "+share)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.view, got, c.want)
		}
	}

	self := 0.0
	for _, f := range profiles.Functions(p, profiles.LoadRules()) {
		self += f.Self
	}
	if !(math.Abs(self-1) <= 1e-9) {
		t.Errorf("functions add up to %v", self)
	}
	if s := profiles.Stacks(p, profiles.LoadRules()); len(s) != 3 || s[0].Share != 0.4 || s[2].Path[0] != "regexp.match" {
		t.Errorf("stacks %+v", s)
	}
}

// Each side has its phases by its own rules, if it has any.
func TestDifferenceOwnRules(t *testing.T) {
	p := synthetic(strings.Repeat("1", 60) + " a main.leaf<main.op" + inDo)
	sides := [2]profiles.Side{{Name: "x", Profile: p}, {Name: "y", Profile: p}}
	for i, text := range []string{"version 1\nparse owner main.leaf\n", "version 1\nsign owner main.leaf\n"} {
		own, err := profiles.ParseRules([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		sides[i].Rules = profiles.LoadRules().With(own)
	}
	if err := profiles.Operations(p, sides[0].Rules, 1000); err != nil {
		t.Fatal(err)
	}
	d, err := profiles.Compare(sides[0], sides[1], profiles.LoadRules(), profiles.DifferenceOptions{}, everything)
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := d.SVG(&svg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"parse 1.00 µs", "sign 1.00 µs"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the picture has no %q", want)
		}
	}
}
