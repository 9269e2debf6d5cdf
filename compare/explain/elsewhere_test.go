package explain

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/compare"
	"canonscope/compare/foreign"
	"canonscope/compare/matrix"
)

// serveEngine is a foreign engine: the native one in another process.
func serveEngine() error {
	hello := foreign.Hello{Name: "other", Version: "1", Language: "Go", Lineage: "example",
		Can: []foreign.Ability{{Suite: "rdfc", Operations: []string{"canonize"}}}}
	return foreign.Serve(os.Stdin, os.Stdout, hello, func(t *foreign.Task) (foreign.Doer, error) {
		loader := matrix.Loader(compare.Given{Contexts: t.Contexts})
		c, err := engines.New(canon.Native, canon.RDFC, engines.Config{Loader: loader})
		if err != nil {
			return nil, err
		}
		return func(i int, _ []byte) ([]byte, error) {
			form, err := c.Canonicalize(context.Background(), t.Documents[i], canon.Options{})
			if err != nil {
				return nil, err
			}
			return form.Text, nil
		}, nil
	})
}

// An engine that is another program is measured without its parts being counted, and without states of contexts,
// which it keeps as it likes. It has no suite of vcdm here, and one that does not start is an error.
func TestElsewhere(t *testing.T) {
	const other = canon.Engine("exec:other")
	opt := Options{Seconds: 2, Engines: []canon.Engine{canon.Native, other},
		Commands: map[compare.Engine][]string{other: {os.Args[0], "engine"}}}
	e := explainer(t, given(""), opt)
	for _, step := range []func(context.Context) error{e.Probe, e.Measure} {
		if err := step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	costs := e.report.Costs
	if len(costs) != 2 || costs[1].Engine != other || !(costs[1].Whole.Center > 0) || len(costs[1].States) != 0 {
		t.Fatalf("%+v", costs)
	}
	var out strings.Builder
	if err := Text(&out, e.report, 5); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "exec:other by state") || !strings.Contains(out.String(), "exec:other") {
		t.Error(out.String())
	}

	opt.Suite = "eddsa-rdfc-2022"
	if _, err := NewExplainer(e.doc, e.report, opt); err == nil || !strings.Contains(err.Error(), "omit --suite") {
		t.Error(err)
	}
	opt.Suite, opt.Commands[other] = "", []string{os.Args[0] + " is not there"}
	e = explainer(t, given(""), opt)
	var fault *foreign.Fault
	if err := e.Probe(t.Context()); !errors.As(err, &fault) || fault.State != foreign.NotStarted {
		t.Error(err)
	}
}
