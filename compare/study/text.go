package study

import (
	"fmt"
	"io"
	"strings"

	"canonscope/canon/printable"
	"canonscope/compare/report"
)

// summary is what held and what did not, in sentences.
func (s *Study) summary() []string {
	agree, differ, open := len(s.with(Agrees)), len(s.with(Differs)), len(s.with(Open))
	missing := len(s.Claims) - agree - differ - open
	var out []string
	if s.Stopped {
		out = append(out, s.stopped())
	}
	out = append(out, fmt.Sprintf("Of %d claims, figures and parameters of the study %d were judged "+
		"here: %d agree, %d differ; %d cannot be judged here.", len(s.Claims), agree+differ, agree, differ,
		open))
	if missing > 0 {
		out = append(out, fmt.Sprintf("%d are not judged, because their scenarios have no result.", missing))
	}

	var held []string
	for i := range s.Claims {
		c := &s.Claims[i]
		switch {
		case c.Kind != Result:
		case c.Verdict == Agrees:
			held = append(held, fmt.Sprintf("%s (%d)", c.Says, c.N))
		case c.Verdict == Differs:
			out = append(out, fmt.Sprintf("Did not hold (%d): %s. Here: %s; %s.", c.N, c.Says, c.Measured,
				c.Why))
		}
	}
	if held != nil {
		out = append(out, "Held: "+strings.Join(held, "; ")+".")
	}
	return out
}

// stopped is the progress of an interrupted study.
func (s *Study) stopped() string {
	var done, failed []string
	for _, r := range s.Scenarios {
		if r.Failed == "" {
			done = append(done, r.Name)
		} else {
			failed = append(failed, r.Name)
		}
	}
	text := "The study was interrupted."
	for _, part := range []struct {
		names []string
		say   string
	}{{done, "Done"}, {failed, "Not finished"}, {s.NotRun, "Not begun"}} {
		if part.names != nil {
			text += " " + part.say + ": " + strings.Join(part.names, ", ") + "."
		}
	}
	return text
}

// Columns of text.
const width = 80

// Text prints the study for a terminal.
func Text(w io.Writer, s *Study) error {
	p := printable.Printer{W: w, Width: width}
	for _, text := range s.summary() {
		p.Line("%s", text)
		p.Line("")
	}

	for _, v := range []Verdict{Differs, Agrees, Open} {
		p.Line("%s:", v)
		for _, c := range s.with(v) {
			text := fmt.Sprintf("%3d %s", c.N, c.Says)
			if c.Figure != "" {
				text += ": " + c.Figure
			}
			p.Line("%s", text)
			for _, more := range []string{c.Measured, c.Why} {
				if more != "" {
					p.Line("      %s", more)
				}
			}
		}
		p.Line("")
	}

	if missing := s.missing(); missing != nil {
		p.Line("claims whose scenario has no result:")
		for _, text := range missing {
			p.Line("  %s", text)
		}
		p.Line("")
	}

	if s.Questions != nil {
		p.Line("questions that the study left open:")
	}
	for _, q := range s.Questions {
		p.Line("  %s", q.Asked)
		p.Line("      %s", q.Answer)
	}
	s.textOfChecks(&p)

	p.Line("")
	p.Line("what was done otherwise than in the study:")
	for _, text := range Deviations(s.Full) {
		p.Line("  - %s", text)
	}
	p.Line("")
	p.Line("scenarios:")
	for _, r := range s.Scenarios {
		text := fmt.Sprintf("  %s, %.0f s", r.Name, r.Took)
		if r.Fitness != "" {
			text += ", machine " + r.Fitness
		}
		if r.Failed != "" {
			text += ": " + r.Failed
		}
		p.Line("%s", text)
	}
	return p.Err
}

// textOfChecks prints the tables of the checks.
func (s *Study) textOfChecks(p *printable.Printer) {
	if s.Checks != nil {
		p.Line("")
		p.Line("what verifiers answer to attacks:")
		for i := range s.Checks {
			c := &s.Checks[i]
			p.Line("  %-9s %-6s %s: %s", c.Format, c.Engine, c.Attack, c.answer())
		}
	}
	if s.Loaders != nil {
		p.Line("")
		p.Line("one canonicalization with contexts from:")
		for _, l := range s.Loaders {
			p.Line("  %-26s %-6s %s ms, %d loads", l.From, l.Engine, digits(l.Wall/1e6), l.Calls)
		}
	}
	if s.Limits != nil {
		p.Line("")
		p.Line("work of RDFC-1.0 under limits of n-degree calls and permutations:")
		for _, l := range s.Limits {
			p.Line("  %-10s %9d %s", l.Document, l.Work, l.outcome())
		}
	}
}

func (c *Check) answer() string {
	text := "refused"
	if c.Accepted {
		text = "accepted"
	}
	if !c.Right() {
		text += ", which is wrong"
	}
	return text
}

func (l *Limited) outcome() string {
	switch {
	case !l.Within:
		return "limit reached"
	case l.Needs != nil:
		return fmt.Sprintf("within, %d needed", *l.Needs)
	}
	return "within"
}

// page is the page of the study.
func (s *Study) page() *report.Sheet {
	mode := "quick"
	if s.Full {
		mode = "full"
	}
	page := &report.Sheet{Title: "The study of 2026, measured again", Sentences: s.summary(),
		Facts: []string{s.Machine["cpu"] + ", " + s.Machine["cpus"] + " CPUs, " + s.Machine["kernel"] + ", " +
			s.Machine["go"], "measured " + s.Started.Format("2 January 2006, 15:04 UTC") +
			fmt.Sprintf(", in %.0f s, %s", s.Took, mode), s.Command}}
	for _, v := range []Verdict{Differs, Agrees, Open} {
		part := report.SheetPart{ID: strings.Fields(string(v))[0], Title: strings.ToUpper(string(v[:1])) +
			string(v[1:]),
			Head: []string{"claim", "published", "measured here", "why", "command"}}
		for _, c := range s.with(v) {
			part.Rows = append(part.Rows, []string{fmt.Sprintf("%d %s", c.N, c.Says), c.Figure, c.Measured,
				c.Why, c.Command})
		}
		page.Parts = append(page.Parts, part)
	}

	questions := report.SheetPart{ID: "questions", Title: "Questions that the study left open",
		Head: []string{"question", "answer", "command"}}
	for _, q := range s.Questions {
		questions.Rows = append(questions.Rows, []string{q.Asked, q.Answer, q.Command})
	}
	security := report.SheetPart{ID: "security", Title: "What verifiers answer to attacks",
		Head: []string{"attack", "format", "engine", "answer", "reason"}}
	for i := range s.Checks {
		c := &s.Checks[i]
		security.Rows = append(security.Rows, []string{c.Attack, c.Format, c.Engine, c.answer(), c.Why})
	}
	from := report.SheetPart{ID: "loaders", Title: "Contexts from memory, with a delay, from a server",
		Head: []string{"from", "engine", "median ms of one canonicalization", "loads"}}
	for _, l := range s.Loaders {
		from.Rows = append(from.Rows, []string{l.From, l.Engine, digits(l.Wall / 1e6), fmt.Sprint(l.Calls)})
	}
	work := report.SheetPart{ID: "limits", Title: "Work of RDFC-1.0 under limits",
		Head: []string{"document", "limit", "outcome"}}
	for _, l := range s.Limits {
		work.Rows = append(work.Rows, []string{l.Document, fmt.Sprint(l.Work), l.outcome()})
	}
	missing := report.SheetPart{ID: "missing", Title: "Claims whose scenario has no result",
		About: s.missing()}
	deviations := report.SheetPart{ID: "deviations", Title: "What was done otherwise than in the study",
		About: Deviations(s.Full)}
	scenarios := report.SheetPart{ID: "scenarios", Title: "Scenarios",
		Head: []string{"scenario", "what", "seconds", "machine", "command"}}
	for _, r := range s.Scenarios {
		state := r.Fitness
		if r.Failed != "" {
			state = r.Failed
		}
		link := ""
		if r.Folder != "" {
			link = r.Folder + "/report.html"
		}
		scenarios.Rows = append(scenarios.Rows, []string{r.Name, r.About, fmt.Sprintf("%.0f", r.Took), state,
			r.Command})
		scenarios.To = append(scenarios.To, link)
	}
	if missing.About != nil {
		page.Parts = append(page.Parts, missing)
	}
	page.Parts = append(page.Parts, questions, security, from, work, deviations, scenarios)
	return page
}
