package compare

import "canonscope/schemas/shape"

// Experiment is a series of schemas that differ in one property: the values of an axis, or a preset.
type Experiment struct {
	Name   string  `json:"name"`         // the axis, or the preset
	Base   string  `json:"base"`         // schema whose other axes stay the same; "" for a preset
	About  string  `json:"about"`        // as text
	By     string  `json:"by,omitempty"` // figure that costs grow with: see [Figures]; "" chooses
	Points []Point `json:"points"`
}

// Figures of a point that costs may grow with, beside the axis.
const (
	ByQuads       = "quads"
	ByBytes       = "bytes"
	ByBlank       = "blank nodes"
	ByScoped      = "scoped nodes"
	ByContext     = "context bytes"
	ByDisclosures = "disclosures" // that make up the credential; on the axis [DiscloseAxis] those presented
)

// Figures lists them.
var Figures = []string{ByQuads, ByBytes, ByBlank, ByScoped, ByContext, ByDisclosures}

// DiscloseAxis is the axis that varies what is presented of a schema, and not the schema.
const DiscloseAxis = "disclose"

// Point is one schema of an experiment.
type Point struct {
	Label    string         `json:"label"`              // value of the axis
	Schema   string         `json:"schema"`             // catalogue name
	Figures  *shape.Figures `json:"figures"`            // of its first document
	Disclose Disclosure     `json:"disclose,omitempty"` // what is presented, on the axis [DiscloseAxis]
}

// Figure returns a figure of the document; 0 for [ByDisclosures], which is not one of the document alone.
func (p *Point) Figure(name string) int {
	switch f := p.Figures; name {
	case ByQuads:
		return f.Quads
	case ByBytes:
		return f.Bytes
	case ByBlank:
		return f.Blank
	case ByScoped:
		return f.Scoped
	case ByContext:
		return f.ContextBytes + f.InlineBytes
	}
	return 0
}
