package foreign_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"canonscope/canon/phase"
	"canonscope/compare/foreign"
	"canonscope/profiles"
)

// A profile of V8 keeps its stacks and times, and one that is malformed is an error.
func TestPprof(t *testing.T) {
	b, err := foreign.Pprof([]byte(`{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},
		{"id":2,"callFrame":{"functionName":"expand","url":"file:///x/node_modules/jsonld/lib/expand.js","lineNumber":6}},
		{"id":3,"callFrame":{"functionName":"(garbage collector)"}},{"id":4,"callFrame":{"functionName":"(idle)"}}],
		"samples":[2,3,4,2],"timeDeltas":[5,7,1000,11]}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	s := p.Sample[0]
	if len(p.Sample) != 2 || len(s.Location) != 2 || s.Value[0] != 2 || s.Value[1] != 16_000 ||
		s.Location[0].Line[0].Function.Name != "js:jsonld/lib/expand.js:expand" || s.Location[0].Line[0].Line != 7 {
		t.Errorf("%v", p)
	}
	a := profiles.Attribute(p, profiles.LoadRules())
	if a.Foreground[phase.Expand].Samples != 2 || a.Background[phase.GC].Value != 7_000 || a.Foreground.Total().Samples != 2 {
		t.Errorf("its phases are %+v", a)
	}
	if len(s.Label[profiles.CellLabel]) == 0 || len(p.Sample[1].Label) != 0 {
		t.Errorf("of the operations: %v, beside them: %v", s.Label, p.Sample[1].Label)
	}
	for text, want := range map[string]string{
		`{}`: "not a .cpuprofile", `[`: "JSON",
		`{"nodes":[{"id":1,"children":[2]},{"id":2,"children":[1]}],"samples":[1],"timeDeltas":[1]}`: "cycle",
		`{"nodes":[{"id":1,"children":[1]}],"samples":[1],"timeDeltas":[1]}`:                         "two parents",
	} {
		if _, err := foreign.Pprof([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A profile that a child wrote to cost much, or whose times cannot be, is refused.
func TestPprofBounds(t *testing.T) {
	deep := new(strings.Builder)
	const nodes = 6000
	var ids, deltas []string
	for i := range nodes {
		ids, deltas = append(ids, strconv.Itoa(i)), append(deltas, "1")
		fmt.Fprintf(deep, `,{"id":%d,"callFrame":{"functionName":"f","url":"u","lineNumber":1},"children":[%d]}`, i, i+1)
	}
	for _, text := range []string{
		`{"nodes":[` + deep.String()[1:] + `],"samples":[` + strings.Join(ids, ",") + `],"timeDeltas":[` +
			strings.Join(deltas, ",") + `]}`,
		`{"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"samples":[1,1],"timeDeltas":[9000000000000000,9000000000000000]}`,
	} {
		if b, err := foreign.Pprof([]byte(text)); err == nil {
			t.Errorf("%.80s: %d bytes", text, len(b))
		}
	}
}
