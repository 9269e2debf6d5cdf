package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"canonscope/canon/phase"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/profiles"
)

// Profiling is the profile of one cell, with what a reader needs to repeat it.
type Profiling struct {
	Campaign *compare.Campaign
	Result   *compare.Result // with a profile
	Profile  *profile.Profile
	Rules    profiles.Rules
	Within   float64 // half of the widest interval that was wanted of a phase
}

const (
	dearestFunctions = 10 // functions that are shown
	stacks           = 5
)

// Text prints phases, the dearest functions and where the files are, in 80 columns.
func (p *Profiling) Text(w io.Writer) error {
	out := printable.Printer{W: w, Width: columns}
	out.Line("%s: %s µs of CPU an operation", Short(p.Result.ID), p.cost())
	out.Line("%s", p.ending())
	out.Line("")
	if out.Err != nil {
		return out.Err
	}
	if err := p.Result.Profile.Attribution.WriteText(w); err != nil {
		return err
	}

	out.Line("")
	out.Line("%9s %9s  %-13s %s", "self µs", "total µs", "phase", "function")
	for _, f := range p.functions() {
		out.Line("%s", printable.Line(fmt.Sprintf("%9s %9s  %-13s %s", p.micros(f.Self), p.micros(f.Total),
			f.Phase, tail(f.Name, columns-36))))
	}

	out.Line("")
	out.Line("files in %s: %s for go tool pprof, %s", printable.Line(p.Campaign.Out), p.Result.Profile.Pprof,
		p.Result.Profile.Flame)
	return out.Err
}

const columns = 80

// tail is the end of a name, which says more than its beginning.
func tail(name string, width int) string {
	runes := []rune(printable.Line(name))
	if len(runes) <= width {
		return string(runes)
	}
	return "…" + string(runes[len(runes)-width+1:])
}

func (p *Profiling) functions() []profiles.Function {
	all := profiles.Functions(p.Profile, p.Rules)
	return all[:min(dearestFunctions, len(all))]
}

func (p *Profiling) micros(share float64) string { return figure(share * CPU(p.Result).Center / 1e3) }

// cost is the cost of an operation, with its interval.
func (p *Profiling) cost() string {
	e := CPU(p.Result)
	if !e.Bounded() {
		return figure(e.Center / 1e3)
	}
	return fmt.Sprintf("%s (%s to %s)", figure(e.Center/1e3), figure(e.Low/1e3),
		figure(e.High/1e3))
}

// ending reports whether the profile is as precise as it was to be.
func (p *Profiling) ending() string {
	a := &p.Result.Profile.Attribution
	wide := a.Wide(p.Within)
	points := fmt.Sprintf("%g", 100*p.Within)
	if len(wide) == 0 {
		return fmt.Sprintf("precise: every phase above 5 %% is known within %s point", points)
	}
	var names []string
	for _, s := range wide {
		names = append(names, fmt.Sprintf("%s ±%.1f", s.Phase, 50*(s.High-s.Low)))
	}
	return fmt.Sprintf("the time ended before every phase above 5 %% was known within %s point (%s); "+
		"--seconds gives more", points, strings.Join(names, ", "))
}

// Markdown writes a report for the tracker of a library: environment, command, phases, dearest functions and
// stacks, input.
func (p *Profiling) Markdown(w io.Writer) error {
	var b strings.Builder
	c, r := p.Campaign, p.Result
	fmt.Fprintf(&b, "# CPU profile: %s\n\n", printable.Markdown(Short(r.ID)))
	fmt.Fprintf(&b, "One operation costs %s µs of process CPU, the garbage collector included: the mean of "+
		"%d processes.\n%s.\n\n", p.cost(), len(r.Runs), sentence(p.ending()))

	b.WriteString("## Environment\n\n| | |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(c.Environment)) {
		if value := c.Environment[name]; value != "unavailable" && value != "unset" && name != "load" {
			fmt.Fprintf(&b, "| %s | %s |\n", printable.Markdown(name), printable.Markdown(value))
		}
	}

	b.WriteString("\n## Command\n\n")
	fmt.Fprintf(&b, "    %s\n\nCell: %s\n", printable.Line(c.Command), printable.Markdown(r.ID))

	b.WriteString("\n## Input\n\n")
	if len(c.Given) == 0 {
		fmt.Fprintf(&b, "%d documents of %s from the catalogue, seed %d:\n\n    canonscope schemas generate "+
			"%s\n", c.Documents, printable.Markdown(r.Cell.Schema), c.Seed, printable.Line(r.Cell.Schema))
	}
	for _, s := range c.Given {
		fmt.Fprintf(&b, "- %s, %d bytes, SHA-256 %s\n", printable.Markdown(s.Name), s.Bytes, s.SHA256)
	}

	b.WriteString("\n## Phases\n\n| phase | share | 95 % interval | µs | samples |\n|---|--:|--:|--:|--:|\n")
	costs, of := shares(r.Profile.Attribution.Costs()), CPU(r).Center/1e3
	for _, s := range r.Profile.Attribution.Shares() {
		fmt.Fprintf(&b, "| %s | %.1f %% | %.1f-%.1f %% | %s | %d |\n", s.Phase, 100*s.Share, 100*s.Low,
			100*s.High,
			figure(costs[s.Phase]*of), s.Samples)
	}
	fmt.Fprintf(&b, "\nBeside them %s µs of the collector and %s µs of the scheduler, in the background.\n",
		figure(costs[phase.GC]*of), figure(costs[phase.Runtime]*of))

	b.WriteString("\n## Dearest functions\n\n")
	fmt.Fprintf(&b, "    %9s %9s  %-13s %s\n", "self µs", "total µs", "phase", "function")
	for _, f := range p.functions() {
		fmt.Fprintf(&b, "    %9s %9s  %-13s %s\n", p.micros(f.Self), p.micros(f.Total), f.Phase,
			printable.Line(f.Name))
	}

	b.WriteString("\n## Dearest stacks\n")
	all := profiles.Stacks(p.Profile, p.Rules)
	for _, s := range all[:min(stacks, len(all))] {
		fmt.Fprintf(&b, "\n%.1f %%, %s µs an operation, with what it calls:\n\n", 100*s.Share,
			p.micros(s.Share))
		for _, name := range s.Path {
			fmt.Fprintf(&b, "    %s\n", printable.Line(name))
		}
	}

	_, err := io.WriteString(w, b.String())
	return err
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
