package profiles_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"canonscope/canon/phase"
	"canonscope/profiles"
)

// golden compares got with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from the golden file; got %d bytes:\n%.2000s", path, len(got), got)
	}
}

// testRules are the embedded rules with the functions of this test as harness.
func testRules(t *testing.T) profiles.Rules {
	t.Helper()
	text, err := os.ReadFile("rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	r, err := profiles.ParseRules(append(text, "- harness canonscope/profiles_test.\n"...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecordedShares(t *testing.T) {
	rules := testRules(t)
	pooled := profiles.Attribution{}
	for name := range workloads {
		t.Run(name, func(t *testing.T) {
			p := load(t, name)
			a := profiles.Attribute(p, rules)
			pooled.Add(a)
			var text bytes.Buffer
			if err := a.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", text.Bytes())

			var total int64
			for _, s := range p.Sample {
				total += s.Value[0]
			}
			if got := a.Foreground.Total().Samples + a.Background.Total().Samples; got != total {
				t.Errorf("%d samples attributed or shown as unattributed, the profile has %d", got, total)
			}
			if other := a.Background[phase.Unattributed].Samples; other > 1+total/100 {
				t.Errorf("%d background samples are neither gc nor runtime", other)
			}
		})
	}
	if s := pooled.Attributed(); s.Share < 0.98 {
		t.Errorf("attributed %.4f of the foreground, want 0.98", s.Share)
	}
}

// synthetic is a CPU profile of one sample a line: "count [cell] leaf<caller<...".
func synthetic(lines ...string) *profile.Profile {
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1e7,
	}
	functions := map[string]*profile.Location{}
	for _, line := range lines {
		f := strings.Fields(line)
		s := &profile.Sample{Value: []int64{0, 0}}
		for range len(f[0]) {
			s.Value[0]++
			s.Value[1] += 1e7
		}
		if len(f) == 3 {
			s.Label = map[string][]string{profiles.CellLabel: {f[1]}}
		}
		for _, name := range strings.Split(f[len(f)-1], "<") {
			loc := functions[name]
			if loc == nil {
				id := uint64(len(functions) + 1)
				fn := &profile.Function{ID: id, Name: name, SystemName: name}
				loc = &profile.Location{ID: id, Line: []profile.Line{{Function: fn}}}
				functions[name] = loc
				p.Function = append(p.Function, fn)
				p.Location = append(p.Location, loc)
			}
			s.Location = append(s.Location, loc)
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

// Frames of engines in JavaScript have phases by their package and file.
func TestJavaScript(t *testing.T) {
	for stack, want := range map[string]phase.Phase{
		"js:jsonld/lib/util.js:api.clone<js:jsonld/lib/context.js:_cloneActiveContext<js:jsonld/lib/expand.js:api.expand": phase.Context,
		"js:jsonld/lib/context.js:_expandIri<js:jsonld/lib/context.js:api.expandIri<js:jsonld/lib/expand.js:api.expand":   phase.Expand,
		"js:jsonld/lib/toRdf.js:_graphToRDF<js:jsonld/lib/toRdf.js:api.toRDF<js:jsonld/lib/jsonld.js:jsonld.toRDF":        phase.ToRDF,
		"js:jsonld/lib/jsonld.js:_setDefaults<js:jsonld/lib/jsonld.js:jsonld.toRDF":                                       phase.ToRDF,
		"js:hash:update<js:rdf-canonize/lib/MessageDigest.js:update<js:rdf-canonize/lib/RDFC10.js:main":                   phase.Label,
		"js:rdf-canonize/lib/NQuads.js:serializeQuadComponents<js:rdf-canonize/lib/RDFC10.js:main":                        phase.Serialize,
		"js:rdf-canonize/lib/NQuads.js:serializeQuadComponents<js:rdf-canonize/lib/RDFC10.js:hashFirstDegreeQuads":        phase.Label,
		"js:n3/lib/N3Writer.js:quadToString<js:rdfjs-c14n/dist/lib/common.js:quadToNquad":                                 phase.Label,
		"js:jsonld-context-parser/lib/ContextParser.js:parse<js:jsonld-streaming-parser/lib/JsonLdParser.js:_flush":       phase.Context,
		"js:canonicalize/lib/canonicalize.js:serialize<js:forms.mjs:form":                                                 phase.JCS,
		"js:sig:signOneShot<js:sdjwt.mjs:signer":                                                                          phase.Sign,
		"js:lru-cache/index.js:set<js:task_queues:processTicksAndRejections":                                              phase.Unattributed,
	} {
		a := profiles.Attribute(synthetic("1 "+stack+"<js:serve.mjs:run"), profiles.LoadRules())
		if a.Background[want].Samples != 1 {
			t.Errorf("%s: %v, want %v", stack, a.Background, want)
		}
	}
}

const gold = "github.com/piprate/json-gold/ld."

func TestAttributionRules(t *testing.T) {
	do := "<canonscope/profiles.Do.func1<runtime/pprof.Do<canonscope/profiles.Do<main.main"
	for _, c := range []struct {
		stack string
		want  phase.Phase
	}{
		// The nearest owner wins, whatever primitive is below it.
		{"crypto/internal/fips140/sha256.block<crypto/sha256.Sum256<" + gold + "(*NormalisationAlgorithm).hashFirstDegreeQuads<" +
			gold + "(*NormalisationAlgorithm).hashNDegreeQuads<" + gold + "(*NormalisationAlgorithm).Main", phase.Label},
		{"runtime.mallocgc<runtime.growslice<regexp.(*machine).add<" + gold + "IsURL<" + gold + "(*RDFDataset).GraphToRDF<" +
			gold + "(*JsonLdApi).ToRDF", phase.ToRDF},
		{"runtime.gcAssistAlloc<runtime.mallocgc<" + gold + "(*Context).createTermDefinition<" + gold + "(*JsonLdApi).Expand", phase.Context},
		{"strings.Index<" + gold + "(*Context).ExpandIri<" + gold + "(*JsonLdApi).expandObject<" + gold + "(*JsonLdApi).Expand", phase.Expand},
		{"strings.Index<" + gold + "(*Context).ExpandIri<" + gold + "(*Context).createTermDefinition<" + gold + "(*JsonLdApi).Expand", phase.Context},
		// A rule with a caller is stronger than one without.
		{"runtime.concatstrings<" + gold + "toNQuad<" + gold + "(*NormalisationAlgorithm).Normalize", phase.Serialize},
		{"runtime.concatstrings<" + gold + "toNQuad<" + gold + "(*NormalisationAlgorithm).hashFirstDegreeQuads<" + gold +
			"(*NormalisationAlgorithm).Normalize", phase.Label},
		{"sort.insertionSort<sort.Sort<" + gold + "(*NormalisationAlgorithm).Normalize", phase.Serialize},
		{"slices.pdqsort<sort.Strings<" + gold + "(*NormalisationAlgorithm).Normalize", phase.Label},
		// Without an owner, the outermost primitive names the work.
		{"crypto/internal/fips140/sha512.block<crypto/internal/fips140/ed25519.Sign<crypto/ed25519.Sign<main.op", phase.Sign},
		{"crypto/internal/fips140/sha256.block<main.op", phase.Digest},
		{"encoding/base64.(*Encoding).Decode<encoding/json.(*decodeState).literalStore<encoding/json.Unmarshal<main.op", phase.Parse},
		{"runtime.memmove<main.op", phase.Unattributed},
		{"main.op", phase.Unattributed},
		// The runtime called by the harness is runtime, and the harness ends the search.
		{"runtime.memmove", phase.Runtime},
		{"memeqbody<runtime.memequal", phase.Runtime},
	} {
		for _, label := range []string{"a", ""} {
			p := synthetic("1 " + label + " " + c.stack + do)
			a := profiles.Attribute(p, profiles.LoadRules())
			if got := a.Foreground[c.want].Samples; got != 1 {
				t.Errorf("label %q, %s:\n got %v, want %s", label, c.stack, a.Foreground, c.want)
			}
		}
	}
	bench, err := profiles.ParseRules([]byte("version 1\n- harness example.org/bench.\n- caller crypto/sha256.Sum256\n"))
	if err != nil {
		t.Fatal(err)
	}
	for stack, want := range map[string]phase.Phase{
		"example.org/bench.step.func1" + do: phase.Unattributed, // calling the operation
		"runtime.newobject<context.WithValue<runtime/pprof.WithLabels<runtime/pprof.Do<canonscope/profiles.Do<main.main": phase.Unattributed, // setting the label
		"runtime.scanobject<runtime.gcDrain<runtime.gcBgMarkWorker.func2<runtime.systemstack<runtime.gcBgMarkWorker":     phase.GC,
		"expandAVX512_32<internal/runtime/gc/scan.scanSpan<runtime.gcDrain<runtime.gcBgMarkWorker":                       phase.GC,
		"runtime.futex<runtime.findRunnable<runtime.schedule<runtime.mcall":                                              phase.Runtime,
		"compress/flate.(*compressor).deflate<runtime/pprof.(*profileBuilder).build<runtime/pprof.profileWriter":         phase.Unattributed,
	} {
		a := profiles.Attribute(synthetic("1 "+stack), profiles.LoadRules().With(bench))
		if a.Background[want].Samples != 1 || a.Foreground.Total().Samples != 0 {
			t.Errorf("%s: got %v, want background %s", stack, a.Background, want)
		}
	}
}

// Each phase has a different colour.
func TestEveryPhaseHasAColour(t *testing.T) {
	of := map[string]phase.Phase{}
	for i := range phase.Count {
		p := phase.Phase(i)
		colour := profiles.Colour(p)
		if other, twice := of[colour]; twice || len(colour) != len("#rrggbb") {
			t.Errorf("%s has the colour %q, like %s", p, colour, other)
		}
		of[colour] = p
	}
}

func TestFlameGolden(t *testing.T) {
	do := "<canonscope/profiles.Do<main.main"
	p := synthetic(
		"1111111111 a crypto/sha256.Sum256<"+gold+"(*NormalisationAlgorithm).hashFirstDegreeQuads<"+gold+"(*JsonLdProcessor).Normalize"+do,
		"11111 a "+gold+"(*JsonLdApi).Expand<"+gold+"(*JsonLdProcessor).Normalize"+do,
		"111 a crypto/ed25519.Sign"+do,
		"1 a main.odd<&\"quotes\">"+do,
		"1 a strings.Index<"+strings.Repeat("main.recurse<", 62)+gold+"(*JsonLdApi).expandObject",
		"1 a runtime.newstack<runtime.morestack",
		"1111 runtime.gcDrain<runtime.gcBgMarkWorker",
	)
	rules := profiles.LoadRules()
	var svg, folded, scope bytes.Buffer
	if err := profiles.FlameSVG(&svg, p, rules, profiles.FlameOptions{Title: "vcdm/eddsa <golden>", Notes: []string{"a note"}}); err != nil {
		t.Fatal(err)
	}
	golden(t, "golden.svg", svg.Bytes())
	if err := profiles.Folded(&folded, p, rules); err != nil {
		t.Fatal(err)
	}
	short := strings.ReplaceAll(folded.String(), strings.Repeat("main.recurse;", 61), "")
	golden(t, "golden.folded", []byte(short))
	if err := profiles.Speedscope(&scope, p, rules, "golden"); err != nil {
		t.Fatal(err)
	}
	golden(t, "golden.speedscope.json", scope.Bytes())
}

func TestFlameIsWellFormedAndRepeatable(t *testing.T) {
	rules := testRules(t)
	for name := range workloads {
		var a, b bytes.Buffer
		for _, w := range []*bytes.Buffer{&a, &b} {
			if err := profiles.FlameSVG(w, load(t, name), rules, profiles.FlameOptions{Title: name}); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two drawings of one profile differ", name)
		}
		frames := 0
		dec := xml.NewDecoder(&a)
		for {
			tok, err := dec.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "g" {
				frames++
			}
		}
		if frames < 100 {
			t.Errorf("%s: only %d frames drawn", name, frames)
		}
	}
	empty := synthetic()
	if err := profiles.FlameSVG(io.Discard, empty, rules, profiles.FlameOptions{}); err != nil {
		t.Errorf("empty profile: %v", err)
	}
}

// With any title, note and function names, a picture is valid XML that shows them as text, and each call
// path has one line.
func TestHostileNames(t *testing.T) {
	hostile := "<script>&\"';\x00\x08\x1b[2J\x7f\u0085\u009b\u202e\n\r\t\x9b\xc2\ufffe\uffff]]>\ud7ff\U0010ffff"
	p := synthetic("11111111 a main." + hostile + "<canonscope/profiles.Do<main.main")
	var svg, folded, scope bytes.Buffer
	if err := profiles.FlameSVG(&svg, p, profiles.LoadRules(), profiles.FlameOptions{Title: hostile, Notes: []string{hostile}}); err != nil {
		t.Fatal(err)
	}
	text, scripts := "", 0
	for dec := xml.NewDecoder(&svg); ; {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "script" {
				scripts++
			}
		case xml.CharData:
			text += string(token)
		}
	}
	if strings.Count(text, "<script>&\"';") < 3 {
		t.Errorf("names are not shown: %q", text)
	}
	if scripts != 2 { // that of the picture, and its data
		t.Errorf("a name is markup: %d scripts", scripts)
	}
	if strings.ContainsAny(text, "\u202e\u009b") {
		t.Error("a name changes the direction of text")
	}

	if err := profiles.Folded(&folded, p, profiles.LoadRules()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(folded.String(), "\n"); n != 1 {
		t.Errorf("%d lines: %q", n, &folded)
	}
	if err := profiles.Speedscope(&scope, p, profiles.LoadRules(), hostile); err != nil || !json.Valid(scope.Bytes()) {
		t.Errorf("%q, %v", &scope, err)
	}
}

func TestFoldedAndSpeedscopeKeepEverySample(t *testing.T) {
	rules := testRules(t)
	p := load(t, "rdfc-eddsa")
	var want int64
	for _, s := range p.Sample {
		want += s.Value[1]
	}
	var b bytes.Buffer
	if err := profiles.Speedscope(&b, p, rules, "x"); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Shared   struct{ Frames []struct{ Name string } }
		Profiles []struct {
			EndValue int64
			Samples  [][]int
			Weights  []int64
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var got int64
	for i, w := range doc.Profiles[0].Weights {
		got += w
		for _, f := range doc.Profiles[0].Samples[i] {
			if f >= len(doc.Shared.Frames) {
				t.Fatalf("sample %d names frame %d of %d", i, f, len(doc.Shared.Frames))
			}
		}
	}
	if got != want || doc.Profiles[0].EndValue != want {
		t.Errorf("weights add up to %d and the end is %d, want %d", got, doc.Profiles[0].EndValue, want)
	}
}

func TestAnnotate(t *testing.T) {
	rules := testRules(t)
	p := load(t, "rdfc-eddsa")
	profiles.Annotate(p, rules)
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	q, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	a := profiles.Attribute(q, rules)
	var byLabel profiles.Counts
	for _, s := range q.Sample {
		ph, ok := phase.ByName(s.Label[profiles.PhaseLabel][0])
		if !ok {
			t.Fatalf("label %q", s.Label[profiles.PhaseLabel])
		}
		if len(s.Label[profiles.CellLabel]) > 0 {
			byLabel[ph].Samples += s.Value[0]
			byLabel[ph].Value += s.Value[1]
		}
	}
	if byLabel != a.Foreground {
		t.Errorf("labels say %v, attribution %v", byLabel, a.Foreground)
	}
}

func TestWilson(t *testing.T) {
	// Newcombe 1998, table I, method 3: 81 of 263 is 0.2553 to 0.3662; 0 of 20 is 0 to 0.1611; 15 of 148 is 0.0624 to 0.1605.
	for _, c := range []struct {
		k, n      float64
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {0, 20, 0, 0.1611}, {15, 148, 0.0624, 0.1605}, {0, 0, 0, 1}, {20, 20, 0.8389, 1}} {
		low, high := profiles.Wilson(c.k, c.n)
		if !(math.Abs(low-c.low) <= 5e-5 && math.Abs(high-c.high) <= 5e-5) { // NaN is near nothing
			t.Errorf("%v of %v: %.4f-%.4f, want %.4f-%.4f", c.k, c.n, low, high, c.low, c.high)
		}
	}
}

func TestCountsJSON(t *testing.T) {
	var c profiles.Counts
	c[phase.Label] = profiles.Count{Samples: 3, Value: 30}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"label":{"samples":3,"value":30},"unattributed":{"samples":0,"value":0}}`; string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
	var d profiles.Counts
	if err := json.Unmarshal(b, &d); err != nil || d != c {
		t.Errorf("read back %v, %v", d, err)
	}
	if err := json.Unmarshal([]byte(`{"labels":{}}`), &d); err == nil {
		t.Error("an unknown phase is accepted")
	}
}

func TestCharged(t *testing.T) {
	var cpu, alloc profiles.Attribution
	cpu.Foreground[phase.Parse].Value = 100
	cpu.Foreground[phase.Sign].Value = 100
	cpu.Foreground[phase.GC].Value = 7 // in the operation's own stacks: stays
	cpu.Foreground[phase.Unattributed].Value = 3
	cpu.Background[phase.GC].Value = 30
	cpu.Background[phase.Runtime].Value = 10
	cpu.Background[phase.Unattributed].Value = 5 // the profiler
	costs := cpu.Costs()
	if want := (map[phase.Phase]float64{phase.Parse: 100, phase.Sign: 100, phase.GC: 37, phase.Runtime: 10, phase.Unattributed: 3}); !equal(costs, want) {
		t.Errorf("costs: %v", costs)
	}
	if got := cpu.Charged(&alloc); got != costs {
		t.Errorf("without allocations: %v", got)
	}
	alloc.Foreground[phase.Parse].Value = 3000
	alloc.Foreground[phase.Sign].Value = 600
	alloc.Foreground[phase.Unattributed].Value = 400
	alloc.Background[phase.Sign].Value = 1e6 // outside the operation: charged to no one
	want := map[phase.Phase]float64{phase.Parse: 130, phase.Sign: 106, phase.GC: 7, phase.Unattributed: 7}
	if got := cpu.Charged(&alloc); !equal(got, want) {
		t.Errorf("with allocations: %v", got)
	}
}

func equal(got [phase.Count]float64, want map[phase.Phase]float64) bool {
	for i, v := range got {
		if v != want[phase.Phase(i)] {
			return false
		}
	}
	return true
}

func TestParseRulesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                        "no rules",
		"version 1":                               "no rules",
		"parse owner x.":                          "line 1: want \"version N\"",
		"version 0\nparse owner x.":               "line 1: want \"version N\"",
		"version 1\nparse owner":                  "line 2: want PHASE KIND SYMBOL",
		"version 1\nparse owner x. > y.":          "line 2: want PHASE KIND SYMBOL",
		"version 1\n\nparsing owner x.":           "line 3: unknown phase",
		"version 1\nunattributed owner x.":        "line 2: unknown phase",
		"version 1\nparse owns x.":                "line 2: unknown kind",
		"version 1\nparse harness x.":             "line 2: a harness rule",
		"version 1\nparse owner x.\njcs owner x.": "line 3: x. already has a rule",
	} {
		if _, err := profiles.ParseRules([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	a, _ := profiles.ParseRules([]byte("version 1\n# note\nparse owner x.\n"))
	b, _ := profiles.ParseRules([]byte("version 1\n\nparse   owner x.\n"))
	c, _ := profiles.ParseRules([]byte("version 1\nparse owner y.\n"))
	if a.Hash() == "" || a.Hash() != b.Hash() || a.Hash() == c.Hash() {
		t.Errorf("hashes: %s %s %s", a.Hash(), b.Hash(), c.Hash())
	}
}

func TestCapture(t *testing.T) {
	before := used(t)
	c, err := profiles.Start(profiles.Signal)
	if err != nil {
		t.Fatal(err)
	}
	started := used(t)
	if _, err := profiles.Start(profiles.Signal); err == nil {
		t.Error("a second profile started beside the first")
	}
	op := workloads["salted"](func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	})
	profiles.Do("cell-1", func() {
		for begin := time.Now(); time.Since(begin) < 500*time.Millisecond; {
			op()
		}
	})
	system(t, 20*time.Millisecond)
	stopping := used(t)
	r, err := c.Stop()
	if err != nil {
		t.Fatal(err)
	}
	if low, high := stopping-started, used(t)-before; r.CPU < low || r.CPU > high || r.Wall <= 0 {
		t.Errorf("CPU %v, want %v to %v; wall %v", r.CPU, low, high, r.Wall)
	}
	two, err := profiles.Merge(r, r)
	if err != nil {
		t.Fatal(err)
	}
	rules := testRules(t)
	a, b := profiles.Attribute(r.Profile, rules), profiles.Attribute(two.Profile, rules)
	if b.Foreground.Total().Samples != 2*a.Foreground.Total().Samples || !(math.Abs(two.Coverage()-r.Coverage()) <= 1e-9) {
		t.Errorf("merged: %d samples of %d, coverage %g of %g", b.Foreground.Total().Samples, a.Foreground.Total().Samples,
			two.Coverage(), r.Coverage())
	}
}

// used is the CPU time of this process.
func used(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// system spends time in the kernel.
func system(t *testing.T, d time.Duration) {
	t.Helper()
	var u syscall.Rusage
	for begin := int64(-1); begin < 0 || u.Stime.Nano() < begin+int64(d); {
		for range 1000 {
			if _, err := os.Stat("."); err != nil {
				t.Fatal(err)
			}
		}
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		if begin < 0 {
			begin = u.Stime.Nano()
		}
	}
}

// Coverage is the time of the samples over that of the kernel, and is warned of beyond a tenth, not at it.
func TestCoverage(t *testing.T) {
	for cpu, want := range map[time.Duration]float64{100: 1, 80: 1.25, 125: 0.8, 0: 0, -1: 0} {
		r := profiles.Recording{Profile: synthetic("1111111111 a main.op"), CPU: cpu * time.Millisecond}
		if got := r.Coverage(); got != want || (r.Warning() == "") != (want == 1) {
			t.Errorf("%v of CPU: coverage %g, want %g; %q", r.CPU, got, want, r.Warning())
		}
	}
	for _, samples := range []string{"111111111", "11111111111"} {
		r := profiles.Recording{Profile: synthetic(samples + " a main.op"), CPU: 100 * time.Millisecond}
		if r.Warning() != "" {
			t.Errorf("%d samples of 10 ms in 100 ms: %s", len(samples), r.Warning())
		}
	}
}

// The operation is known by its closure though the compiler put its functions into it, and a sample without a
// stack is nobody's.
func TestInlinedIntoDo(t *testing.T) {
	p := synthetic("1 main.op<canonscope/profiles.Do.func1<main.main")
	leaf := p.Sample[0].Location
	leaf[0].Line = append(leaf[0].Line, leaf[1].Line...)
	p.Sample[0].Location = []*profile.Location{leaf[0], leaf[2]}
	p.Sample = append(p.Sample, &profile.Sample{Value: []int64{3, 3}})
	a := profiles.Attribute(p, profiles.LoadRules())
	if a.Foreground.Total().Samples != 1 || a.Background.Total().Samples != 3 {
		t.Errorf("foreground %v, background %v", a.Foreground, a.Background)
	}
}

// The phases that allocate get all the bytes. Allocations outside the operation are not in the profile.
func TestAllocs(t *testing.T) {
	op := workloads["salted"](func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	})
	op() // fills the caches of encoding/json
	profiles.StartAllocs()
	read := func() (*profile.Profile, profiles.Attribution) {
		p, err := profiles.ReadAllocs()
		if err != nil {
			t.Fatal(err)
		}
		return p, profiles.Attribute(p, testRules(t))
	}
	_, earlier := read() // of other tests in this process
	var outside [][]byte
	for range 1000 {
		outside = append(outside, make([]byte, 10_000))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	profiles.Do("cell-1", func() {
		for range 500 {
			op()
		}
	})
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(outside)
	p, a := read()
	bytes := func(ph phase.Phase) int64 { return a.Foreground[ph].Value - earlier.Foreground[ph].Value }
	if bytes(phase.Parse) == 0 || bytes(phase.Encode) == 0 || bytes(phase.Unattributed) > bytes(phase.Encode)/5 {
		t.Errorf("bytes by phase: %v, earlier %v", a.Foreground, earlier.Foreground)
	}
	// Some 40,000 samples: a standard error below 1 %. Allocations by the functions of this test are
	// background.
	got := a.Foreground.Total().Value + a.Background.Total().Value - earlier.Foreground.Total().Value - earlier.Background.Total().Value
	if exact := after.TotalAlloc - before.TotalAlloc; !(math.Abs(float64(got)/float64(exact)-1) <= 0.05) {
		t.Errorf("%d bytes in the operation, the runtime counts %d", got, exact)
	}
	if len(p.SampleType) != 2 || p.SampleType[0].Type != "alloc_objects" || p.SampleType[1].Type != "alloc_space" {
		t.Errorf("values: %v", p.SampleType)
	}
}

// Further rules join those of the libraries as if in one list: a caller and the longer symbol take
// precedence, and functions with a caller rule are skipped even if a rule with a shorter symbol matches.
func TestRulesWithOthers(t *testing.T) {
	own, err := profiles.ParseRules([]byte("version 2\nparse owner example.org/p.\n- caller example.org/p.help\ndigest owner example.org/p.hash\n- caller crypto/sha256.\n"))
	if err != nil {
		t.Fatal(err)
	}
	rules := profiles.LoadRules().With(own)
	if rules.Version != 2 || rules.Hash() == own.Hash() || rules.Hash() == profiles.LoadRules().Hash() {
		t.Errorf("version %d, hash %s", rules.Version, rules.Hash())
	}
	for stack, want := range map[string]phase.Phase{
		"example.org/p.help<example.org/p.hash<example.org/p.read": phase.Digest,
		"example.org/p.help<example.org/p.read":                    phase.Parse,
		"example.org/p.help<main.op":                               phase.Unattributed,
		"crypto/sha256.Sum256<main.op":                             phase.Unattributed,
		"crypto/sha512.Sum384<main.op":                             phase.Digest,
	} {
		if a := profiles.Attribute(synthetic("1 a "+stack), rules); a.Foreground[want].Samples != 1 {
			t.Errorf("%s: %v, want %s", stack, a.Foreground, want)
		}
	}
}

// A rule that names the caller comes before one that does not, then the longer symbol, then the earlier rule;
// the order of the list changes nothing else.
func TestRulePrecedence(t *testing.T) {
	lines := []string{"parse owner p.f < main.", "digest owner p.fun", "sign owner p.fu < main.", "encode owner p.", "select owner p.g < main.", "salt owner p.g < main.x"}
	for range lines {
		lines = append(lines[1:], lines[0])
		rules, err := profiles.ParseRules([]byte("version 1\n" + strings.Join(lines, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		first := phase.Select
		if slices.Index(lines, "salt owner p.g < main.x") < slices.Index(lines, "select owner p.g < main.") {
			first = phase.Salt
		}
		for stack, want := range map[string]phase.Phase{
			"p.func<main.a": phase.Sign, "p.f<main.a": phase.Parse, "p.func<other.a": phase.Digest, "p.other<main.a": phase.Encode, "p.g<main.y": phase.Select, "p.g<main.x": first,
		} {
			if a := profiles.Attribute(synthetic("1 a "+stack), rules); a.Foreground[want].Samples != 1 {
				t.Errorf("%q: %s: %v, want %s", lines, stack, a.Foreground, want)
			}
		}
	}
}
