package measure

import (
	"cmp"
	"math"
	"time"

	"canonscope/compare"
	"canonscope/profiles"
)

// Plan is a campaign to be run.
type Plan struct {
	// Cells are most important first: groups are left out from the end to fit the budget.
	Cells     []compare.Cell   `json:"-"`
	Given     compare.Given    `json:"-"`                   // documents and contexts of the user
	Builds    []Build          `json:"builds,omitempty"`    // that do the jobs of cells with their labels
	Seed      uint64           `json:"seed"`                // of documents, keys and the order of the work
	Documents int              `json:"documents"`           // rotating documents
	Window    compare.Window   `json:"window"`              // of each operation in each process
	Now       time.Time        `json:"now"`                 // the verifier's clock; zero is the beginning
	Runs      int              `json:"runs"`                // fresh processes of each exchange
	Raw       bool             `json:"raw,omitempty"`       // keep single operations, outside the budget
	Profile   float64          `json:"profile_s"`           // CPU of each profile; negative chooses
	Precise   float64          `json:"precise,omitempty"`   // half-width at which a profile ends early
	Sampler   profiles.Sampler `json:"sampler,omitempty"`   // of profiles; "" is auto
	Allocs    bool             `json:"allocs,omitempty"`    // an allocation pass, outside the budget
	Fitness   bool             `json:"fitness,omitempty"`   // pairs of processes of the cheapest cell
	Precision float64          `json:"precision,omitempty"` // half-width of every headline, as 0.02
	Band      float64          `json:"band,omitempty"`      // of equivalence, for the report
	Budget    time.Duration    `json:"budget_ns"`           // wall time of the whole campaign; 0 is unlimited
	Keep      bool             `json:"keep,omitempty"`      // measure what does not fit the budget
	CPU       *int             `json:"cpu,omitempty"`       // the processor that children run on; nil is any
	Canonize  time.Duration    `json:"canonize_ns"`         // that canonize may take; 0 is no bound
	Deadline  time.Duration    `json:"deadline_ns"`         // wall time of one child
	Idle      time.Duration    `json:"idle_ns"`             // without CPU until a child is given up; 0 waits
	Memory    int64            `json:"memory_bytes"`        // data segment of one child; 0 is unlimited
	Rules     profiles.Rules   `json:"-"`

	// Where the campaign runs on other machines.
	Environment string `json:"environment,omitempty"` // the name of what they have in common
	Binary      string `json:"binary,omitempty"`      // SHA-256 of theirs, unless it is that of this process

	// What reports show beside the results.
	Command     string               `json:"command,omitempty"`
	Args        []string             `json:"args,omitempty"` // of the command, which name what the user gave
	Disclosed   []compare.Disclosed  `json:"disclosed,omitempty"`
	LeftOut     []string             `json:"left_out,omitempty"`    // of the default subset
	Unsupported []compare.Result     `json:"unsupported,omitempty"` // cells that no engine can do
	Experiments []compare.Experiment `json:"experiments,omitempty"` // whose schemas the cells have
	Against     []string             `json:"against,omitempty"`     // suites and formats of ratios
}

// Planned is plan.json of a results folder: a campaign, written before it begins.
type Planned struct {
	Version int              `json:"version"` // that of a campaign in JSON
	Started time.Time        `json:"started"`
	Binary  string           `json:"binary"` // SHA-256 of the executable
	Rules   string           `json:"rules"`  // hash of the frame rules
	Given   []compare.Source `json:"given,omitempty"`
	Cells   []string         `json:"cells"` // ids, in the order of the plan
	Plan    Plan             `json:"plan"`  // without Cells, Given and Rules
}

// planned is a plan as it is written.
func (p Plan) planned(started time.Time) Planned {
	out := Planned{Version: compare.Version, Started: started, Binary: p.binary(), Rules: p.Rules.Hash(),
		Given: append(sources(p.Given.Documents), sources(p.Given.Contexts)...), Cells: []string{}, Plan: p}
	for _, c := range p.Cells {
		out.Cells = append(out.Cells, c.ID())
	}
	return out
}

// binary is the SHA-256 of the executable that measures.
func (p *Plan) binary() string { return cmp.Or(p.Binary, BinaryHash()) }

// blocks bounds the block of a record: a control has its place in the campaign there, and --precision adds
// processes.
func (p *Plan) blocks(kind Kind) int {
	switch {
	case kind == Control:
		return 2 * len(controls)
	case p.Precision > 0:
		return math.MaxInt
	}
	return p.Runs
}

// campaign is what became of a plan.
func (p *Planned) campaign(dir string, env map[string]string, l *ledger, end Ended) *compare.Campaign {
	var builds []compare.Build
	for _, b := range p.Plan.Builds {
		builds = append(builds, b.Build)
	}
	return &compare.Campaign{Version: compare.Version, Command: p.Plan.Command, Started: p.Started,
		Now: p.Plan.Now, Took: end.Took, Seed: p.Plan.Seed, Planned: p.Plan.Runs, Runs: runs(l.results),
		Window: p.Plan.Window, Documents: p.Plan.Documents, Environment: env, Out: dir, Given: p.Given,
		Builds:    builds,
		Results:   append(l.results, p.Plan.Unsupported...),
		Disclosed: p.Plan.Disclosed, LeftOut: p.Plan.LeftOut,
		Interrupted: end.Interrupted, Stopped: end.Stopped, Band: p.Plan.Band, Fitness: l.judge(),
		Machines: l.machines(), Faults: l.faults}
}

// Bounds of what a plan chooses automatically.
const (
	defaultProfile = 1.0 // CPU seconds of a profile without a budget
	minProfiles    = 0.5 // CPU seconds of the profiles of an exchange
	maxProfiles    = 9.0
	leastProfile   = 0.1                    // of them, for each operation; the rest goes as operations cost
	perfProfile    = 0.25                   // CPU seconds of the profiles of an exchange, by perf
	leastPerf      = 0.03                   // of them, at least, for each operation: 100 samples
	perfStop       = 20 * time.Millisecond  // the same of perf
	grace          = 2 * time.Second        // by how much the profiles may overdraw
	signalStop     = 100 * time.Millisecond // until a profile is attributed and drawn
	lenience       = 1.25                   // by how much the last processes may overdraw
	fitRuns        = 3                      // processes of the first schema that must fit
	idleTimes      = 3
)

// expected is the time that a child should take to time an exchange: its start, and for each operation the
// warm-up and a window with some reserve, or the time of a slow operation.
func expected(w compare.Window, start time.Duration, operations []time.Duration) time.Duration {
	for _, op := range operations {
		window := max(op, seconds(w.Least)*3/2)
		if w.N > 0 {
			window = time.Duration(w.N) * op
		}
		start += max(2*op, warmTime, seconds(w.Warm)) + window
	}
	return start
}
