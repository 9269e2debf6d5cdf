package study

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
)

// Scenario is a part of the study: a campaign over some cells, or a check.
type Scenario struct {
	Name  string
	About string

	filter    matrix.Filter
	policy    func(*matrix.Policy)
	axis      string        // that is walked, as AXIS=VALUE,...
	runs      int           // processes with --quick; those of the study with --full
	profile   float64       // CPU seconds of each profile; 0 for none
	raw       bool          // keep single operations
	published int           // operations in a process of the study
	canonize  time.Duration // that one canonicalization may take; 0 is the usual time

	check func(ctx context.Context, e *evidence) error // instead of a campaign
}

// The published parameters.
const (
	publishedRuns = 5
	publishedN    = 2000
)

// Names that scenarios share.
var (
	bothTiers = []string{"stock", "native"}
	eddsa     = []string{"EdDSA"}
	whole     = []string{"issue", "verify"}
	today     = []string{"eddsa-rdfc-2022", "eddsa-jcs-2022", "jws", "cose-sign1"}
)

// inline is the credential of the study's exchange: 20 attributes, and an inline context alone.
const inline = "simple-inline-20"

// Scenarios are run in this order. Their cells are different.
var Scenarios = []Scenario{
	{Name: "security", About: "attacks that a verifier must refuse", check: security},
	{Name: "limits", About: "work limits against hard and real documents", check: limits},
	{Name: "loader",
		About: "contexts from memory, with a delay of 50 ms, over loopback HTTP",
		check: loaders},
	{Name: "exchange", About: "5 of 20 attributes: issue, present, verify, in three formats",
		filter: matrix.Filter{Schemas: []string{inline}, Engines: bothTiers,
			Algorithms: []string{"EdDSA", "ES256"}, Default: true},
		runs: 7, profile: 0.15, raw: true, published: publishedN},
	{Name: "canonize", About: "canonicalization alone: the study's documents and education credentials",
		filter: matrix.Filter{Schemas: []string{"kit-simple", "kit-ob3", "kit-dcc", "synth-bn-10",
			"synth-bn-50",
			"simple-20", "ob3", "ob3:blank=0", "clr-medium", "elm-medium"}, Engines: bothTiers,
			Suites: []string{"rdfc"}, Operations: []string{"canonize"}},
		runs: 5, profile: 0.15, published: 200},
	{Name: "lineages", About: "canonicalization by RDFC-1.0 and by JCS in engines that share no code",
		filter: matrix.Filter{Schemas: []string{inline}, Engines: bothTiers, Suites: []string{"rdfc", "jcs"},
			Operations: []string{"canonize"}},
		runs: 5, profile: 0.3, published: publishedN},
	{Name: "attributes", About: "5 to 500 attributes",
		filter: matrix.Filter{Schemas: []string{inline}, Engines: bothTiers, Suites: today, Algorithms: eddsa,
			Operations: whole},
		axis: "attributes=5,20,100,500", runs: 3, published: 400},
	{Name: "disclosures", About: "1 to 20 of 20 attributes presented",
		filter: matrix.Filter{Schemas: []string{inline}, Engines: bothTiers, Algorithms: []string{"ES256"},
			Suites:     []string{"ecdsa-sd-2023", "jws", "cose-sign1"},
			Operations: []string{"present", "verify-presented"}},
		axis: "disclose=1,2,3,5,10,20", runs: 3, published: 100},
	{Name: "contexts", About: "contexts cold, embedded and warm",
		filter: matrix.Filter{Schemas: []string{"simple-20"}, Engines: bothTiers,
			Suites: []string{"eddsa-rdfc-2022"}, Contexts: []string{"cold", "embedded", "warm"},
			Operations: whole},
		runs: 3, published: publishedN},
	{Name: "tiny", About: "a credential of one attribute",
		filter: matrix.Filter{Schemas: []string{"simple-inline-1"}, Engines: bothTiers, Suites: today,
			Algorithms: eddsa, Operations: whole},
		runs: 3, published: publishedN},
	{Name: "binding", About: "holders sign what they present",
		filter: matrix.Filter{Schemas: []string{inline}, Engines: []string{"native"}, Algorithms: eddsa},
		policy: func(p *matrix.Policy) { p.Binding = compare.HolderBinding },
		runs:   3, published: publishedN},
	{Name: "validation", About: "JSON Schema validation inside issue and verify of a badge",
		filter: matrix.Filter{Schemas: []string{"ob3"}, Engines: []string{"native"},
			Suites: []string{"eddsa-rdfc-2022"}, Operations: whole},
		policy: func(p *matrix.Policy) { p.Validator = "santhosh-tekuri" },
		runs:   3, profile: 0.3, published: 200},
	{Name: "poison", About: "hard datasets under limits",
		filter: matrix.Filter{Schemas: []string{"clique-4", "clique-5", "clique-6", "clique-7", "clique-8",
			"cubic-16", "cubic-64", "ring-16", "ring-64", "tree-15", "tree-63"}, Engines: bothTiers,
			Suites: []string{"rdfc"}, Operations: []string{"canonize"}},
		runs: 3, published: 20, canonize: time.Second},
}

func scenarioNamed(name string) *Scenario {
	i := slices.IndexFunc(Scenarios, func(s Scenario) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &Scenarios[i]
}

// plan sets what the scenario decides of a plan, and selects its cells.
func (sc *Scenario) plan(
	ctx context.Context, plan *measure.Plan, opt *Options,
) (*matrix.Selection, error) {
	plan.Runs, plan.Profile, plan.Raw = sc.runs, sc.profile, sc.raw
	plan.Fitness, plan.Keep, plan.Rules = true, true, measure.Rules()
	if sc.canonize > 0 {
		plan.Canonize = sc.canonize
	}
	if opt.Full {
		plan.Runs, plan.Window = publishedRuns, compare.Window{N: sc.published}
		plan.Profile *= 4
	}

	policy := matrix.DefaultPolicy
	if sc.policy != nil {
		sc.policy(&policy)
	}
	filter := sc.filter
	filter.Given = plan.Given
	if sc.Name == "canonize" || sc.Name == "lineages" {
		filter.Engines = slices.Concat(filter.Engines, opt.Engines)
	}
	if sc.axis == "" {
		return matrix.Select(filter, policy)
	}
	var err error
	plan.Experiments, err = matrix.Along(ctx, plan.Given, filter.Schemas, []string{sc.axis}, plan.Seed)
	if err != nil {
		return nil, err
	}
	return matrix.SelectExperiments(plan.Experiments, filter, policy)
}

// Command is the command line of the campaign, or of the study for a check.
func (sc *Scenario) Command() string {
	if sc.check != nil {
		return "canonscope study --scenario " + sc.Name
	}
	line := "canonscope run"
	add := func(flag string, values ...string) {
		if len(values) > 0 && values[0] != "" {
			line += fmt.Sprintf(" --%s %s", flag, strings.Join(values, ","))
		}
	}
	f, p := &sc.filter, matrix.DefaultPolicy
	if sc.policy != nil {
		sc.policy(&p)
	}

	add("schema", f.Schemas...)
	add("suite", f.Suites...)
	add("engine", f.Engines...)
	add("algorithm", f.Algorithms...)
	add("operation", f.Operations...)
	add("context-cache", f.Contexts...)
	add("axis", sc.axis)
	add("validate", p.Validator)
	if p.Binding != compare.NoBinding {
		add("binding", p.Binding.String())
	}
	if sc.canonize > 0 {
		add("deadline", sc.canonize.String())
	}
	if sc.raw {
		line += " --raw"
	}
	return line
}
