package predict_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/compare/predict"
	"canonscope/schemas/catalogue"
)

// measured is a campaign in which each quad costs 200 ns, each canonical byte 2, and the rest 5 µs.
func measured(t *testing.T, names []string, given compare.Given) (*compare.Campaign, *matrix.Selection) {
	t.Helper()
	filter := matrix.Filter{Suites: []string{"eddsa-rdfc-2022"}, Engines: []string{"native"},
		Operations: []string{"issue"}, Schemas: names, Given: given}
	s, err := matrix.Select(filter, matrix.DefaultPolicy)
	if err != nil {
		t.Fatal(err)
	}
	c := &compare.Campaign{Disclosed: s.Disclosed, Runs: 3}
	for _, cell := range s.Cells() {
		shape, err := predict.ShapeOf(context.Background(), cell.Schema, given)
		if err != nil {
			t.Fatal(cell.Schema, err)
		}
		r := compare.Result{Cell: cell, ID: cell.ID(), State: compare.Measured}
		for block := range 3 {
			cost := 5000 + 200*float64(shape.Quads) + 2*float64(shape.Canonical)
			r.Runs = append(r.Runs, compare.Run{Block: block, CPU: cost * (1 + 0.01*float64(block-1))})
		}
		c.Results = append(c.Results, r)
	}
	return c, s
}

// A document costs what the catalogue's units say, and the text has formula, interval and check in 80 columns.
func TestPredict(t *testing.T) {
	ctx := context.Background()
	doc := []byte(`{"@context": ["https://www.w3.org/ns/credentials/v2", {"@vocab": "https://vocab.example/"}],
		"type": ["VerifiableCredential"], "issuer": "https://issuer.example/1",
		"credentialSubject": {"id": "did:example:1", "name": "a text", "award": {"title": "the best"}}}`)
	name := catalogue.Changed("file:badge.json@00", "copy", doc)
	given := compare.Given{Documents: map[string][]byte{name: doc}}

	campaign, _ := measured(t, predict.Schemas, compare.Given{})
	models, err := predict.Fit(ctx, campaign)
	if err != nil || len(models) != 1 {
		t.Fatal(len(models), err)
	}
	checked, selection := measured(t, []string{name}, given)
	r, err := predict.New(ctx, name, given, models, selection, checked)
	if err != nil {
		t.Fatal(err)
	}
	row := r.Rows[0]
	if row.Off == nil || !(math.Abs(row.Off.Center) <= 0.001) || row.Pace != nil || len(row.Model.Schemas) != len(predict.Schemas) {
		t.Errorf("off by %v of what %d credentials cost", row.Off, len(row.Model.Schemas))
	}
	if p, m := row.Predicted, row.Measured.Center; !(p.Low <= m && m <= p.High) {
		t.Errorf("%v is not in %v", m, p)
	}

	// The same on a machine that became 1.3 times as slow: it is told apart from an error of the model.
	slower, _ := measured(t, append([]string{name}, predict.Anchors...), given)
	for i := range slower.Results {
		for k := range slower.Results[i].Runs {
			slower.Results[i].Runs[k].CPU *= 1.3
		}
	}
	if r, err = predict.New(ctx, name, given, models, selection, slower); err != nil {
		t.Fatal(err)
	}
	row = r.Rows[0]
	if row.Off == nil || !(math.Abs(row.Off.Center) <= 0.001) || !(math.Abs(row.Pace.Center-1.3) <= 0.001) {
		t.Errorf("off by %v at a pace of %v", row.Off, row.Pace)
	}

	// Blocks differ by 1 %, in both campaigns: the anchors of one by that and the document beside them alike,
	// so that the first has both variances, of 4 degrees of freedom, and the second one, of 2.
	for what, c := range map[string]struct{ got, half float64 }{
		"pace": {math.Log(row.Pace.High / row.Pace.Center), 2.776 * math.Sqrt2 * 0.01 / math.Sqrt(3)},
		"off":  {math.Log1p(row.Off.High) - math.Log1p(row.Off.Center), 4.303 * 0.01 / math.Sqrt(3)},
	} {
		if !(math.Abs(c.got/c.half-1) <= 0.001) {
			t.Errorf("%s: half-width %v, want %v", what, c.got, c.half)
		}
	}

	// Half of the anchors are no pace.
	part := *slower
	part.Results = nil
	for _, res := range slower.Results {
		if res.Cell.Schema != predict.Anchors[0] {
			part.Results = append(part.Results, res)
		}
	}
	if without, err := predict.New(ctx, name, given, models, selection, &part); err != nil ||
		without.Rows[0].Pace != nil || without.Rows[0].Off.Center > -0.2 {
		t.Errorf("%+v, %v", without, err)
	}

	var text bytes.Buffer
	if err := predict.Text(&text, r); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("too wide: %s", line)
		}
	}
	for _, want := range []string{"copy:badge.json@", "predicted", "measured", "eddsa-rdfc-2022 native issue",
		"·quads", "residuals: standard deviation", "off by +0 % [-2, +3], at a pace of 1.30 [1.27, 1.33]", "the 95 % interval"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("there is no %q in\n%s", want, &text)
		}
	}

	large, given := "simple-5000", compare.Given{}
	_, selection = measured(t, []string{large}, given)
	if r, err = predict.New(ctx, large, given, models, selection, nil); err != nil || len(r.Rows[0].Beyond) == 0 {
		t.Errorf("a document larger than all others: %v, %v", r.Rows[0].Beyond, err)
	}
}

// A model is fitted to what was measured, and used only where it was.
func TestRefused(t *testing.T) {
	ctx := context.Background()
	campaign, selection := measured(t, predict.Schemas[:6], compare.Given{})
	if _, err := predict.Fit(ctx, campaign); err == nil {
		t.Error("six credentials were enough")
	}
	campaign.Results[0].State, campaign.Results[0].Reason = compare.GateFailed, "lost"
	if _, err := predict.Fit(ctx, campaign); err == nil || !strings.Contains(err.Error(), "lost") {
		t.Errorf("a gate failed: %v", err)
	}
	if _, err := predict.Fit(ctx, &compare.Campaign{}); err == nil {
		t.Error("results of nothing were fitted")
	}
	if _, err := predict.New(ctx, "simple-5", compare.Given{}, nil, selection, nil); err == nil {
		t.Error("an operation was predicted without a model")
	}

	env := measure.Environment()
	if err := predict.Same(env); err != nil {
		t.Error(err)
	}
	var other *measure.OtherError
	env["cpu"] = "another"
	if err := predict.Same(env); !errors.As(err, &other) || other.What != "processor" {
		t.Errorf("results of another processor: %v", err)
	}
	if _, err := predict.ShapeOf(ctx, "ring-5", compare.Given{}); err == nil {
		t.Error("N-Quads were counted")
	}
}
