package report

import (
	"fmt"
	"strings"

	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/measure"
)

// fitnessOf describes what the machine did to a campaign: the state with its reasons, and what to do. A
// campaign without a time has nothing to say.
func fitnessOf(c *compare.Campaign) []string {
	f := c.Fitness
	if f == nil {
		if c.Runs == 0 {
			return away(c)
		}
		return append([]string{"fitness of the machine: not known, so no figure is sure, " +
			"and there is no answer in sentences"}, away(c)...)
	}

	facts := []string{fmt.Sprintf("load %.1f on %d CPUs", f.Load, f.CPUs),
		printable.Plural(int(f.Neighbours), "runnable neighbour"), fmt.Sprintf("steal %.1f%%", 100*f.Steal),
		fmt.Sprintf("wall over thread time %.3f", f.Waiting),
		fmt.Sprintf("%d of %d processes disturbed", f.Disturbed, f.Processes)}
	if aa := measure.Agreement(f.Pairs); aa.N > 0 {
		facts = append(facts, fmt.Sprintf("A/A pairs %s", withInterval(aa)))
	} else {
		facts = append(facts, "no A/A pair fitted the time")
	}

	lines := []string{"fitness of the machine: " + string(f.State)}
	if len(f.Reasons) > 0 {
		lines[0] += ": " + strings.Join(f.Reasons, "; ")
	}
	lines[0] += " (" + strings.Join(facts, ", ") + ")"
	switch f.State {
	case compare.Noisy:
		lines = append(lines, "what holds: ratios inside this campaign, with their intervals; "+
			"single times and shares do not, nor does a comparison with another campaign: "+
			"end other work and measure again")
	case compare.Unfit:
		lines = append(lines, "what holds: nothing to conclude from; competing work makes some times "+
			"larger and others smaller: end it, or take another machine, and measure again")
	}
	return append(lines, away(c)...)
}

// away describes the other machines that measured a campaign, and what went wrong there and on the way.
func away(c *compare.Campaign) (lines []string) {
	for _, m := range c.Machines {
		fitness := "fitness not known"
		if m.Fitness != nil {
			fitness = string(m.Fitness.State)
		}
		lines = append(lines, fmt.Sprintf("measured by %s: %s, %s", printable.Line(m.Worker),
			printable.Plural(m.Processes, "process"), fitness))
	}
	for _, text := range c.Faults {
		lines = append(lines, "fault: "+printable.Line(text))
	}
	return lines
}

// state is the fitness in a word.
func state(c *compare.Campaign) string {
	if c == nil || c.Fitness == nil {
		return "unknown"
	}
	return string(c.Fitness.State)
}

// fitness prints that of the machine below the head.
func (p *printer) fitness(t Table) {
	for _, text := range t.Fitness {
		p.wrapped(2, "", text)
	}
}
