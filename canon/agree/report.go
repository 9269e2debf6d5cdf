package agree

import "slices"

// Version of [Report].
const Version = 1

// Report is the answers of all engines to all inputs.
type Report struct {
	Version int            `json:"version"`
	About   string         `json:"about"` // what the inputs are
	Engines []string       `json:"engines"`
	Pairs   []Pair         `json:"pairs"`
	Judged  map[string]Sum `json:"judged,omitempty"` // by engine, if right answers are known
	Inputs  int            `json:"inputs"`
	Rows    []Row          `json:"rows"` // of a random campaign only those that differ, one of each kind
}

// Pair is how often two engines agree.
type Pair struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Both  int    `json:"both"`  // inputs that both answered, with a form or a refusal
	Equal int    `json:"equal"` // of these, with the same answer
}

// Sum counts the verdicts of an engine.
type Sum struct {
	Right int `json:"right"`
	Wrong int `json:"wrong"`
	Open  int `json:"open"`
}

// NewReport returns a report without inputs.
func NewReport(about string, engines []Engine) *Report {
	r := &Report{Version: Version, About: about, Judged: map[string]Sum{}, Rows: []Row{}}
	for i, e := range engines {
		for _, o := range r.Engines {
			r.Pairs = append(r.Pairs, Pair{A: o, B: engines[i].Name})
		}
		r.Engines = append(r.Engines, e.Name)
	}
	return r
}

// Count adds a row to the figures, but not to the rows.
func (r *Report) Count(row *Row) {
	r.Inputs++
	for i := range r.Pairs {
		p := &r.Pairs[i]
		a, b := row.groupOf(p.A), row.groupOf(p.B)
		if a.answers() && b.answers() {
			p.Both++
			if a == b {
				p.Equal++
			}
		}
	}

	if row.Source == "" {
		return
	}
	for _, name := range r.Engines {
		s := r.Judged[name]
		switch row.groupOf(name).Verdict {
		case Right:
			s.Right++
		case Wrong:
			s.Wrong++
		default:
			s.Open++
		}
		r.Judged[name] = s
	}
}

// Add adds a row.
func (r *Report) Add(row *Row) {
	r.Count(row)
	r.Rows = append(r.Rows, *row)
}

// Agree reports whether no engine disagrees with another one, is wrong, or contradicts its earlier answer
// where the form is determined.
func (r *Report) Agree() bool {
	for i := range r.Rows {
		row := &r.Rows[i]
		if !row.Agree() || row.Wrong() || len(row.Unstable) > 0 && len(row.Undetermined) == 0 {
			return false
		}
	}
	return true
}

// Compared reports whether two engines answered the same input, where there are two.
func (r *Report) Compared() bool {
	return len(r.Pairs) == 0 || slices.ContainsFunc(r.Pairs, func(p Pair) bool { return p.Both > 0 })
}

// equal returns how often two engines agree, of how many.
func (r *Report) equal(a, b string) (equal, both int) {
	for _, p := range r.Pairs {
		if p.A == a && p.B == b || p.A == b && p.B == a {
			return p.Equal, p.Both
		}
	}
	return 0, 0
}
