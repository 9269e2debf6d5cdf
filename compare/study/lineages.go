package study

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/foreign"
	"canonscope/compare/stats"
)

// independent is the number of lineages that a claim about implementations needs.
const independent = 3

// lineagesOf names the lineage of each engine. json-gold follows the libraries of Digital Bazaar; an engine
// of another process is asked, and one that does not answer has none.
func lineagesOf(ctx context.Context, opt *Options) map[string]string {
	all := map[string]string{string(canon.Stock): "digitalbazaar", string(canon.Native): "canonscope"}
	for _, name := range opt.Engines {
		id := compare.Engine(name)
		command, err := foreign.Command{Engine: id, Words: opt.Plan.Given.Engines[id]}.Find()
		if err != nil {
			continue // its cells say why
		}
		engine := foreign.New(command, nil, foreign.Limits{})
		if hello, _, err := engine.Hello(ctx); err == nil {
			all[name] = hello.Lineage
		}
		engine.Close()
	}
	return all
}

// agreed asks engines of several lineages whether RDFC-1.0, its labels and order, is most of what it costs to
// canonicalize a document by it.
func agreed(e *evidence) answer {
	form := pick{scenario: "lineages", suite: "rdfc"}
	plain := pick{scenario: "lineages", suite: "jcs"}
	var engines []string
	for _, r := range e.results(form, canonize) {
		engines = append(engines, string(r.Cell.Engine))
	}

	var texts []string
	most, least := make(map[string]bool), make(map[string]bool) // lineages with most of it, or less
	for _, engine := range engines {
		s := e.share(form.in(engine), proper, canonize)
		lineage := e.lineages[engine]
		if s.N == 0 || lineage == "" {
			continue
		}
		text := fmt.Sprintf("%s (%s) %s", engine, lineage, percent(s))
		if c := e.compared(form.in(engine), plain.in(engine), stats.Band, canonize); c.Ratio.N > 0 {
			text += ", " + times(c.Ratio) + " JCS"
		}
		texts = append(texts, text)
		most[lineage] = most[lineage] || s.Low > 0.5
		least[lineage] = least[lineage] || s.High < 0.5
	}
	if texts == nil {
		return notRun("lineages")
	}

	a := answer{Open, "labels and order of canonize: " + strings.Join(texts, "; "),
		"the intervals do not show whether it is most of the cost"}
	lineages := len(most)
	maps.DeleteFunc(most, func(_ string, is bool) bool { return !is })
	maps.DeleteFunc(least, func(_ string, is bool) bool { return !is })
	switch {
	case lineages < independent:
		a.why = fmt.Sprintf("engines of %d lineages have a profile (%s); it takes %d", lineages,
			strings.Join(lineagesIn(e, engines), ", "), independent)
	case len(most) == lineages && len(least) == 0:
		a.verdict, a.why = Agrees, fmt.Sprintf("it is most of the cost in engines of %d lineages", lineages)
	case len(least) == lineages && len(most) == 0:
		a.verdict, a.why = Differs, fmt.Sprintf("engines of %d lineages agree that it is less than half of "+
			"the cost: the rest is JSON-LD and parsing", lineages)
	case len(most) > 0 && len(least) > 0:
		a.verdict, a.why = Differs, "engines do not agree: in some it is most of the cost, in others less"
	}
	return a
}

// lineagesIn lists the lineages of engines by name, each once.
func lineagesIn(e *evidence, engines []string) (names []string) {
	for _, engine := range engines {
		if l := e.lineages[engine]; l != "" && !slices.Contains(names, l) {
			names = append(names, l)
		}
	}
	slices.Sort(names)
	return names
}
