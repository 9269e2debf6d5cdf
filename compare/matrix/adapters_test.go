package matrix_test

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/agree"
	"canonscope/canon/engines"
	"canonscope/compare"
	"canonscope/compare/foreign"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/schemas/contexts"
)

// installed skips a test of an adapter that is not installed. CANONSCOPE_ADAPTERS lists families that must be.
func installed(t *testing.T, family string) {
	t.Helper()
	f, err := foreign.FamilyNamed(family)
	if err != nil {
		t.Fatal(err)
	}
	if f.Installed() {
		return
	}
	if slices.Contains(strings.Split(os.Getenv("CANONSCOPE_ADAPTERS"), ","), family) {
		t.Fatalf("the adapters of %s are not installed, and CANONSCOPE_ADAPTERS names them", family)
	}
	t.Skipf("canonscope foreign install %s installs what this test needs", family)
}

// Over the corpus an engine of another program is wrong exactly where its libraries are known to be: agree finds each
// difference by itself, and names none that is right.
func TestAdaptersAgree(t *testing.T) {
	for _, a := range []struct {
		family, engine string
		libraries      []string
		mended         []string // where the adapter has its library refuse, or sets an option
	}{
		{"node", "exec:node", []string{"jsonld.js", "rdf-canonize", "canonicalize"},
			[]string{"language-tag-ill-formed", "graph-container-empty-node", "two-cycles"}},
		{"node", "exec:rdfjs", []string{"rdfjs-c14n", "jsonld-streaming-parser"}, nil},
		{"python", "exec:pyld", []string{"PyLD"}, nil},
		{"java", "exec:titanium", []string{"titanium-json-ld"}, nil},
	} {
		t.Run(a.engine, func(t *testing.T) {
			installed(t, a.family)
			t.Parallel()
			inputs, err := agree.Corpus()
			if err != nil {
				t.Fatal(err)
			}
			first, err := matrix.Canonicalizer(compare.Engine(a.engine), canon.RDFC,
				engines.Config{Loader: contexts.Embedded()}, compare.Given{})
			if err != nil {
				t.Fatal(err)
			}
			engine := first.(*foreign.Canonicalizer).Engine
			defer engine.Close()
			methods := map[canon.Method]canon.Canonicalizer{canon.RDFC: first,
				canon.JCS: &foreign.Canonicalizer{Engine: engine, Method: canon.JCS}}
			c := &agree.Comparer{Engines: []agree.Engine{{Name: a.engine, Methods: methods}}, Loader: contexts.Embedded()}

			answered := 0
			for _, in := range inputs {
				known := slices.ContainsFunc(in.Known.Differs, func(l string) bool { return slices.Contains(a.libraries, l) }) &&
					!slices.Contains(a.mended, in.Name)
				row, err := c.Add(context.Background(), &in)
				if err != nil {
					t.Fatal(err)
				}
				g := row.Groups[0]
				if (g.Verdict == agree.Wrong) != known || g.Outcome == agree.Crashed {
					t.Errorf("%s: %s, %s %s; known to differ: %v", in.Name, g.Outcome, g.Verdict, g.Error, in.Known.Differs)
				}
				if g.Verdict != agree.Open {
					answered++
				}
			}
			if answered < 90 {
				t.Errorf("%d answers", answered)
			}
		})
	}
}

// Engines of other programs issue what native verifies, verify it themselves and refuse altered copies.
func TestAdaptersExchange(t *testing.T) {
	for _, id := range []string{
		"vcdm/suite=eddsa-rdfc-2022/engine=exec:node/alg=EdDSA",
		"vcdm/suite=ecdsa-sd-2023/engine=exec:node/alg=ES256",
		"sd-jwt-vc/suite=jws/engine=exec:node/alg=ES256",
		"mdoc/suite=cose-sign1/engine=exec:node/alg=ES256",
		"mdoc/suite=cose-sign1/engine=exec:owf/alg=EdDSA",
	} {
		cell, err := compare.ParseCell("format=" + id + "/schema=simple-20/gc=100/procs=2/contexts=library")
		if err != nil {
			t.Fatal(err)
		}
		if cell.Format != compare.VCDM {
			cell.Contexts = compare.NoContexts
		}
		t.Run(id, func(t *testing.T) {
			installed(t, "node")
			t.Parallel()
			x := exchanged(t, cell)
			defer x.bench.Elsewhere.(io.Closer).Close()
			s := x.bench.Scenario
			s.Now, s.Seed = measure.Now, 1
			second, err := x.bench.Second.Prepare(x.credential, s)
			if err != nil {
				t.Fatal(err)
			}
			if err := second.Verify(x.presented); err != nil {
				t.Errorf("%s refuses what was presented: %v", x.bench.SecondBy, err)
			}
			altered, err := x.bench.Tamper(x.credential, x.presented)
			if err != nil || len(altered) != 3 {
				t.Fatalf("%d altered presentations, %v", len(altered), err)
			}
			for _, a := range altered {
				if x.Verify(a.Bytes) == nil {
					t.Errorf("verify accepts %s altered", a.What)
				}
			}
		})
	}
}
