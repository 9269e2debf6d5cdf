package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
)

// suite writes a small suite in the form of the official one.
func suite(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"manifest.jsonld": `{"@context": {}, "entries": [
			{"id": "#a", "type": "rdfc:RDFC10EvalTest", "name": "eval", "action": "a-in.nq", "result": "a-out.nq"},
			{"id": "#b", "type": "rdfc:RDFC10MapTest", "name": "map", "action": "a-in.nq", "result": "a.json"},
			{"id": "#c", "type": "rdfc:RDFC10NegativeEvalTest", "name": "negative", "action": "c-in.nq"},
			{"id": "#d", "type": "rdfc:RDFC10EvalTest", "name": "other hash", "hashAlgorithm": "SHA384", "action": "a-in.nq", "result": "a-out.nq"}]}`,
		"a-in.nq":  "in",
		"a-out.nq": "one\ntwo\n",
		"a.json":   `{"x": "c14n0"}`,
		"c-in.nq":  "poison",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// engine is an engine that a test defines by a function.
type engine func(doc string, opt canon.Options) (*canon.Form, error)

func (e engine) Canonicalize(_ context.Context, doc []byte, opt canon.Options) (*canon.Form, error) {
	return e(string(doc), opt)
}

func right(doc string, opt canon.Options) (*canon.Form, error) {
	if doc == "poison" {
		return nil, fmt.Errorf("wrapped: %w", &canon.LimitError{Limit: "work"})
	}
	return &canon.Form{Text: []byte("one\ntwo\n"), Issued: map[string]string{"x": "c14n0"}}, nil
}

func TestRDFCOutcomes(t *testing.T) {
	for _, c := range []struct {
		name     string
		engine   engine
		outcomes string
		reason   string
	}{
		{"right", right, "passed passed passed passed", ""},
		{"wrong line", func(d string, o canon.Options) (*canon.Form, error) {
			f, err := right(d, o)
			if f != nil {
				f.Text = []byte("one\nthree\n")
			}
			return f, err
		}, "failed passed passed failed", `line 2 is "three\n", want "two\n"`},
		{"missing line", func(d string, o canon.Options) (*canon.Form, error) {
			f, err := right(d, o)
			if f != nil {
				f.Text = []byte("one\n")
			}
			return f, err
		}, "failed passed passed failed", `line 2 is "", want "two\n"`},
		{"wrong map", func(d string, o canon.Options) (*canon.Form, error) {
			f, err := right(d, o)
			if f != nil {
				f.Issued = map[string]string{"x": "c14n1"}
			}
			return f, err
		}, "passed failed passed passed", `issued identifier of "x" is "c14n1", want "c14n0"`},
		{"long map", func(d string, o canon.Options) (*canon.Form, error) {
			f, err := right(d, o)
			if f != nil {
				f.Issued["y"] = "c14n1"
			}
			return f, err
		}, "passed failed passed passed", "2 issued identifiers, want 1"},
		{"no map", func(d string, o canon.Options) (*canon.Form, error) {
			f, err := right(d, o)
			if f != nil {
				f.Issued = nil
			}
			return f, err
		}, "passed skipped passed passed", "engine does not support the issued identifiers map"},
		{"no SHA-384", func(d string, o canon.Options) (*canon.Form, error) {
			if o.Hash == canon.SHA384 {
				return nil, &canon.UnsupportedError{Engine: "e", What: "SHA-384"}
			}
			return right(d, o)
		}, "passed passed passed skipped", "e does not support SHA-384"},
		{"no limit", func(string, canon.Options) (*canon.Form, error) { return right("", canon.Options{}) },
			"passed passed failed passed", "got a canonical form"},
		{"another limit", func(d string, o canon.Options) (*canon.Form, error) {
			if d == "poison" {
				return nil, &canon.LimitError{Limit: "bytes"}
			}
			return right(d, o)
		}, "passed passed failed passed", "bytes 0 of at most"},
		{"error", func(string, canon.Options) (*canon.Form, error) { return nil, errors.New("broken") },
			"failed failed failed failed", "broken"},
	} {
		results, err := RDFC(context.Background(), suite(t), c.engine)
		if err != nil {
			t.Fatal(err)
		}
		var outcomes, reasons []string
		for _, r := range results {
			outcomes = append(outcomes, string(r.Outcome))
			reasons = append(reasons, r.Reason)
		}
		if got := strings.Join(outcomes, " "); got != c.outcomes || !strings.Contains(strings.Join(reasons, " "), c.reason) {
			t.Errorf("%s: %s %q, want %s %q", c.name, got, reasons, c.outcomes, c.reason)
		}
	}
}

func TestRDFCFolders(t *testing.T) {
	dir := suite(t)
	if err := os.Remove(filepath.Join(dir, "manifest.jsonld")); err != nil {
		t.Fatal(err)
	}
	results, err := RDFC(context.Background(), dir, engine(right))
	if err != nil || len(results) != 1 || results[0].Outcome != Passed || results[0].Test != "a" {
		t.Errorf("a folder of pairs: %v %v", results, err)
	}
	if _, err := RDFC(context.Background(), t.TempDir(), engine(right)); err == nil {
		t.Error("an empty folder is no suite")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := RDFC(ctx, suite(t), engine(right)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run: %v", err)
	}
}

func TestEARL(t *testing.T) {
	subject := Subject{IRI: "https://example.org/soft", Name: "Soft \"1\"", Version: "v1", Description: "d", Language: "Go",
		Assertor: "https://example.org/me", AssertorIs: "Me"}
	results := []Result{{"https://example.org/m#a", "a", Passed, ""}, {"https://example.org/m#b", "b", Failed, "line 1\n"}, {"https://example.org/m#c", "c", Skipped, "no"}}
	var out bytes.Buffer
	if err := WriteEARL(&out, subject, results, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`doap:name "Soft \"1\"" ;`, `doap:revision "v1"`, `dc:issued "2026-01-02T03:04:05Z"^^xsd:dateTime`,
		"earl:test <https://example.org/m#a> ;\n  earl:result [ a earl:TestResult ;\n    earl:outcome earl:passed ;\n    dc:date",
		"earl:outcome earl:failed ;\n    dc:description \"line 1\\n\" ;", "earl:outcome earl:inapplicable ;",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %s:\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "a earl:Assertion ;"); n != 3 {
		t.Errorf("%d assertions, want 3", n)
	}
	if err := WriteEARL(&out, subject, []Result{{"007", "", Passed, ""}}, time.Now()); err == nil {
		t.Error("a test without an IRI is no test of EARL")
	}
}
