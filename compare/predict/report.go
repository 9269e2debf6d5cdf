package predict

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/stats"
	"canonscope/schemas"
)

// Report is what is predicted of a document.
type Report struct {
	Document string `json:"document"` // schema
	Shape    Shape  `json:"shape"`
	Folder   string `json:"model,omitempty"` // of the results that the model is fitted to
	Runs     int    `json:"runs"`            // fresh processes of each
	Rows     []Row  `json:"predictions"`
}

// Row is a prediction of one operation. Times are nanoseconds of process CPU.
type Row struct {
	Model     Model           `json:"model"`
	Predicted stats.Estimate  `json:"predicted_ns"`
	Beyond    []string        `json:"beyond,omitempty"` // figures larger than all of the model
	Measured  *stats.Estimate `json:"measured_ns,omitempty"`
	Pace      *stats.Estimate `json:"pace,omitempty"` // costs of anchors over those in the model
	Off       *stats.Estimate `json:"off,omitempty"`  // predicted, at the pace, over measured, less 1
	Failed    string          `json:"failed,omitempty"`
}

// New predicts the selected operations of a document by the models that have them. The campaign checked has
// measured them; nil compares with nothing.
func New(
	ctx context.Context, schema string, given compare.Given, models []Model, of *matrix.Selection,
	checked *compare.Campaign,
) (*Report, error) {
	s, err := ShapeOf(ctx, schema, given)
	if err != nil {
		return nil, err
	}
	for _, d := range of.Disclosed {
		s.Disclosed = d.Elements
	}

	r := &Report{Document: schema, Shape: *s}
	for _, cell := range of.Cells() {
		cell = anyDocument(cell)
		i := slices.IndexFunc(models, func(m Model) bool { return m.Cell == cell })
		if i < 0 {
			return nil, fmt.Errorf("the model has no %s by %s with the engine %s; measure it with --out",
				cell.Operation, cell.Suite, cell.Engine)
		}
		m := models[i]
		row := Row{Model: m, Predicted: m.Predict(s), Beyond: m.Beyond(s)}
		row.check(schema, checked)
		r.Rows = append(r.Rows, row)
	}
	if r.Rows == nil {
		return nil, of.Entries[0].Unsupported
	}
	return r, nil
}

// check compares a prediction with what was measured. The intervals are those of processes; how far documents
// are from the model is the interval of the prediction.
func (row *Row) check(schema string, c *compare.Campaign) {
	if c == nil {
		return
	}
	for i := range c.Results {
		r := &c.Results[i]
		if r.Cell.Schema != schema || anyDocument(r.Cell) != row.Model.Cell {
			continue
		}
		if r.State != compare.Measured || len(r.Runs) == 0 {
			row.Failed = fmt.Sprintf("%s: %s", r.State, r.Reason)
			return
		}
		measured := cost(r)
		inverse := make(stats.Sample)
		for block, v := range sampleOf(r) {
			inverse[block] = 1 / v
		}
		off := stats.Mean(inverse)

		// The anchors and the document share the blocks of a campaign, whose effects cancel.
		pace, now := row.Model.pace(c)
		if now = stats.Quotients([]stats.Sample{now}, []stats.Sample{sampleOf(r)}); len(now) > 0 {
			off = stats.Unpaired([]stats.Sample{now}, []stats.Sample{row.Model.anchors}, stats.Band).Ratio
			row.Pace = pace
		}

		for _, v := range []*float64{&off.Center, &off.Low, &off.High} {
			*v = *v*row.Predicted.Center - 1
		}
		row.Measured, row.Off = &measured, &off
	}
}

const columns = 80 // of the text

// Text writes a report, at most 80 columns wide.
func Text(w io.Writer, r *Report) error {
	p := printable.Printer{W: w, Width: columns}
	title, _ := schemas.FileTitle(r.Document)
	s := &r.Shape
	p.Line("%s: %d bytes, %d canonical bytes, %d quads, %d scoped nodes, %d alike nodes",
		printable.Short(title, columns/2), s.Bytes, s.Canonical, s.Quads, s.Scoped, s.NonUnique)
	p.Line("")

	head := fmt.Sprintf("%-33s%10s%18s", "µs of process CPU", "predicted", "95 of 100 within")
	if slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Measured != nil }) {
		head += fmt.Sprintf("%10s%7s", "measured", "off")
	}
	p.Line("%s", head)
	for i := range r.Rows {
		row := &r.Rows[i]
		line := fmt.Sprintf("%-33s%10s%18s", row.name(), micros(row.Predicted.Center),
			micros(row.Predicted.Low)+" to "+micros(row.Predicted.High))
		if row.Measured != nil {
			line += fmt.Sprintf("%10s%6s%%", micros(row.Measured.Center), signed(row.Off.Center))
		}
		p.Line("%s", line)
		if row.Failed != "" {
			p.Line("  ! %s", printable.Line(row.Failed))
		}
	}

	for i := range r.Rows {
		r.Rows[i].explain(&p)
	}
	p.Line("")
	switch {
	case slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Pace != nil }):
		p.Line("beside the document %s were measured again: the pace is what they cost in proportion "+
			"to what they did when the model was measured; off is to the prediction at that pace; [ ] of "+
			"both is the 95 %% interval of processes", strings.Join(Anchors, " and "))
	case slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Off != nil }):
		p.Line("off is predicted over measured, less 1; its [ ] is the 95 %% interval of processes")
	}
	p.Line("fitted to %d credentials of the catalogue, measured by this binary on this machine in %d "+
		"processes each, by least squares of logarithms with no term below 0; [ ] is the 95 %% interval "+
		"of a term", len(r.Rows[0].Model.Schemas), r.Runs)
	return p.Err
}

// name is the operation of a row.
func (row *Row) name() string {
	c := &row.Model.Cell
	return fmt.Sprintf("%s %s %s", c.Suite, c.Engine, c.Operation)
}

// explain writes the formula of a row and how far it is from what it was fitted to.
func (row *Row) explain(p *printable.Printer) {
	m := &row.Model
	var terms []string
	for _, t := range m.Terms {
		if !t.Used {
			continue
		}
		unit := fmt.Sprintf("%s [%s, %s]", micros(t.Unit.Center), micros(t.Unit.Low), micros(t.Unit.High))
		if t.Name != figures[0].name {
			unit += "·" + t.Name
		}
		terms = append(terms, unit)
	}
	worst := 0
	for i, v := range m.Residuals {
		if math.Abs(math.Log1p(v)) > math.Abs(math.Log1p(m.Residuals[worst])) {
			worst = i
		}
	}

	p.Line("")
	p.Line("%s = %s", row.name(), strings.Join(terms, " + "))
	p.Line("  residuals: standard deviation %.0f %%; largest %+.0f %%, of %s", 100*math.Expm1(m.Spread),
		100*m.Residuals[worst], m.Schemas[worst])
	if row.Off != nil {
		text := fmt.Sprintf("off by %s %%%s", signed(row.Off.Center), between(row.Off, signed))
		if row.Pace != nil {
			text += fmt.Sprintf(", at a pace of %.2f%s", row.Pace.Center,
				between(row.Pace, func(v float64) string { return fmt.Sprintf("%.2f", v) }))
		}
		p.Line("  %s", text)
	}
	if len(row.Beyond) > 0 {
		p.Line("  the document has more %s than any of the catalogue's: no interval covers that",
			strings.Join(row.Beyond, " and "))
	}
}

// signed prints a part as whole percents.
func signed(v float64) string {
	return fmt.Sprintf("%+.0f", math.Round(100*v)+0) // not -0
}

// between prints the interval of an estimate, if processes are enough for one.
func between(e *stats.Estimate, text func(float64) string) string {
	if !e.Bounded() {
		return fmt.Sprintf(" [? of %d processes]", e.N)
	}
	return fmt.Sprintf(" [%s, %s]", text(e.Low), text(e.High))
}

// micros prints nanoseconds as microseconds with three digits.
func micros(ns float64) string {
	us := ns / 1e3
	switch {
	case us >= 100:
		return fmt.Sprintf("%.0f", us)
	case us == 0:
		return "0"
	}
	return fmt.Sprintf("%.3g", us)
}
