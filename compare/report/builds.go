package report

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/stats"
)

// builds compares each further build of a campaign with its first: the same work in the same blocks.
func builds(c *compare.Campaign, band float64) (all []*Comparison) {
	if len(c.Builds) < 2 {
		return nil
	}
	baseline := ofBuild(c, &c.Builds[0])
	for i := range c.Builds[1:] {
		s := ofBuild(c, &c.Builds[1+i])
		out := &Comparison{Baseline: baseline.Name, Name: s.Name, Band: band, Figure: s.Figure,
			Differs: differences(baseline, s), Paired: true}
		out.Withheld = c.Fitness != nil && c.Fitness.State == compare.Unfit // noise cancels in pairs
		out.fill(out.match(baseline, s), stats.Paired)
		all = append(all, out)
	}
	return all
}

// ofBuild is what a build measured in a campaign, as a source.
func ofBuild(c *compare.Campaign, b *compare.Build) *Source {
	only := *c
	only.Environment, only.Results = nil, nil
	for _, r := range c.Results {
		if r.Cell.Build == b.Label {
			r.Cell = r.Cell.Of("")
			r.ID = r.Cell.ID()
			only.Results = append(only.Results, r)
		}
	}

	s := SourceOf(fmt.Sprintf("%s (%.12s)", b.Label, b.SHA256), &only)
	facts := []Fact{{binaryFacts, "SHA-256", b.SHA256}, {binaryFacts, "version", b.Version},
		{binaryFacts, "revision", b.Revision}, {binaryFacts, "go", b.Go},
		{rulesFacts, "frame rules", b.Rules}}
	for _, name := range slices.Sorted(maps.Keys(b.Modules)) {
		facts = append(facts, Fact{binaryFacts, "module " + name, b.Modules[name]})
	}
	s.Facts = append(facts, slices.DeleteFunc(s.Facts, func(f Fact) bool { return f.Group == rulesFacts })...)
	return s
}

// built prints the comparisons of builds.
func (p *printer) built(t Table) {
	for _, c := range t.Builds {
		p.line("")
		p.comparison(c)
	}
}

// writeBuilds writes the comparisons of builds in Markdown.
func (t *Table) writeBuilds(w io.Writer) error {
	p := &printer{}
	for _, c := range t.Builds {
		p.line("")
		p.line("### Build %s against %s", printable.Markdown(c.Name), printable.Markdown(c.Baseline))
		p.line("")
		p.summary(c)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// pageBuilds is a table of each comparison of builds, with the phases that changed.
func (t *Table) pageBuilds() (all []*htmlTable) {
	for _, c := range t.Builds {
		out := &htmlTable{Caption: fmt.Sprintf("B, the build %s, against A, %s: µs of process CPU", c.Name,
			c.Baseline), Words: 1, Head: []string{"operation", "verdict", "A", "B", "B/A"}}
		row := func(name, verdict string, x *Change) {
			out.Rows = append(out.Rows, htmlRow{Cells: []htmlCell{{Text: name}, {Text: verdict},
				measured(x.Before), measured(x.After),
				{ratioOf(x.Comparison.Ratio), cmpSpread(x.Comparison.Ratio)}}})
		}
		for i := range c.Cells {
			x := &c.Cells[i]
			row(x.label, string(x.Comparison.Verdict), x)
			for k := range x.Phases {
				row("· "+x.Phases[k].Phase, string(x.Phases[k].Comparison.Verdict), &x.Phases[k])
			}
		}
		for _, l := range c.Unpaired {
			out.Rows = append(out.Rows, htmlRow{Reasons: []string{l.Reason}, Cells: []htmlCell{
				{Text: Short(l.ID)}, {Text: "only in " + l.In}, {}, {}, {}}})
		}
		all = append(all, out)
	}
	return all
}
