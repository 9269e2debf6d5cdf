package compare

import (
	"fmt"
	"strings"
)

// Cell is one point of the matrix: what is measured and under which policy. Its ID is stable and is the key
// of every result. A Cell without an Operation is the whole exchange.
type Cell struct {
	Format      Format       `json:"format"`
	Suite       string       `json:"suite"`  // a cryptosuite, or the envelope of a signature
	Engine      Engine       `json:"engine"` // also called the tier
	Algorithm   Algorithm    `json:"algorithm"`
	Schema      string       `json:"schema"`              // catalogue name, or that of a user's file
	Operation   Operation    `json:"operation,omitempty"` // "" for the exchange
	GC          string       `json:"gc"`                  // GOGC: a number of percent, or "off"
	Procs       int          `json:"procs"`               // GOMAXPROCS
	LiveHeap    int          `json:"live_heap,omitempty"` // MB of live heap beside that of the harness
	Contexts    ContextState `json:"contexts"`
	Validator   string       `json:"validator,omitempty"` // of the JSON Schema; "" validates nothing
	Present     Presenting   `json:"present,omitempty"`   // how a suite that does not derive presents
	Binding     Binding      `json:"binding,omitempty"`
	Disclose    Disclosure   `json:"disclose,omitempty"` // what is presented; "" is what the credential names
	Granularity Granularity  `json:"granularity,omitempty"`
	Build       string       `json:"build,omitempty"` // label of a [Build]; "" is the binary that measures
}

// ID returns the printable form, which [ParseCell] reads back.
func (c Cell) ID() string {
	op := ""
	if c.Operation != "" {
		op = "/op=" + string(c.Operation)
	}
	id := fmt.Sprintf("format=%s/suite=%s/engine=%s/alg=%s/schema=%s%s/gc=%s/procs=%d/contexts=%s",
		c.Format, c.Suite, c.Engine, c.Algorithm, c.Schema, op, c.GC, c.Procs, c.Contexts)
	if c.LiveHeap != 0 {
		id += fmt.Sprintf("/live-heap=%d", c.LiveHeap)
	}
	if c.Validator != "" {
		id += "/validator=" + c.Validator
	}
	if c.Present != "" {
		id += "/present=" + string(c.Present)
	}
	if c.Binding != NoBinding {
		id += "/binding=" + string(c.Binding)
	}
	if c.Disclose != "" {
		id += "/disclose=" + string(c.Disclose)
	}
	if c.Granularity != Leaf {
		id += "/granularity=" + string(c.Granularity)
	}
	if c.Build != "" {
		id += "/build=" + c.Build
	}
	return id
}

// ParseCell reads what ID wrote.
func ParseCell(id string) (Cell, error) {
	var c Cell
	for part := range strings.SplitSeq(id, "/") {
		key, value, ok := strings.Cut(part, "=")
		if !ok || value == "" {
			return Cell{}, fmt.Errorf("cell id %q: %q is not key=value", id, part)
		}
		switch key {
		case "format":
			c.Format = Format(value)
		case "suite":
			c.Suite = value
		case "engine":
			c.Engine = Engine(value)
		case "alg":
			c.Algorithm = Algorithm(value)
		case "schema":
			c.Schema = value
		case "op":
			c.Operation = Operation(value)
		case "gc":
			c.GC = value
		case "procs":
			if _, err := fmt.Sscanf(value, "%d", &c.Procs); err != nil {
				return Cell{}, fmt.Errorf("cell id %q: procs %q is not a number", id, value)
			}
		case "contexts":
			c.Contexts = ContextState(value)
		case "live-heap":
			if _, err := fmt.Sscanf(value, "%d", &c.LiveHeap); err != nil || c.LiveHeap < 0 {
				return Cell{}, fmt.Errorf("cell id %q: live heap %q is not a number", id, value)
			}
		case "validator":
			c.Validator = value
		case "present":
			c.Present = Presenting(value)
		case "binding":
			c.Binding = Binding(value)
		case "disclose":
			c.Disclose = Disclosure(value)
		case "granularity":
			c.Granularity = Granularity(value)
		case "build":
			c.Build = value
		default:
			return Cell{}, fmt.Errorf("cell id %q: unknown key %q", id, key)
		}
	}

	if c.ID() != id {
		return Cell{}, fmt.Errorf("cell id %q is incomplete or out of order", id)
	}

	return c, nil
}

// With returns the cell of one operation of the exchange.
func (c Cell) With(op Operation) Cell {
	c.Operation = op
	return c
}

// Of returns the cell of a build, by its label; "" is the cell that a child knows.
func (c Cell) Of(build string) Cell {
	c.Build = build
	return c
}

// Exchange returns the cell without its operation.
func (c Cell) Exchange() Cell { return c.With("") }
