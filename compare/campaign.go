package compare

import (
	"encoding/json"
	"fmt"
	"time"

	"canonscope/profiles"
)

// State is the outcome of a cell.
type State string

const (
	Measured    State = "measured"
	Unsupported State = "unsupported" // the suite or engine cannot do it
	Limited     State = "limit"       // an operation reached a limit of its engine
	GateFailed  State = "gate failed" // the output is wrong, so it has no time
	Failed      State = "failed"      // an operation returned an error
	Died        State = "died"        // the process ended without saying done
	TimedOut    State = "deadline"    // the process was stopped at its deadline
	OutOfMemory State = "out of memory"
	LeftOut     State = "left out" // not part of this campaign
	Interrupted State = "interrupted"
)

// Ending is the reason why the window of a process ended.
type Ending string

const (
	Collections Ending = "collections" // it holds as many collections as were asked for
	Rare        Ending = "rare"        // collections are so rare that it holds fewer
	Counted     Ending = "count"       // it holds as many operations as were asked for
)

// Window says when the timing of an operation ends. It reaches from the end of one collection to the end of
// another, so that the collector has its part in it whatever the operation allocates.
type Window struct {
	N           int     `json:"n,omitempty"` // instead of all others: so many operations
	Collections int     `json:"collections"` // that it holds
	Least       float64 `json:"least_s"`     // seconds of process CPU that it lasts
	Most        float64 `json:"most_s"`      // seconds after which it ends with fewer collections
	Warm        float64 `json:"warm_s"`      // seconds of process CPU before it
}

// Run is what one process measured of one operation, per operation: means over its window. Times are in
// nanoseconds.
type Run struct {
	Block       int     `json:"block"`       // runs of one block are one process of each exchange
	Ops         int     `json:"ops"`         // in the window
	First       int     `json:"first"`       // index of the first document; the others follow in turn
	CPU         float64 `json:"cpu_ns"`      // process CPU: user and system, garbage collector included
	Wall        float64 `json:"wall_ns"`     // elapsed
	Thread      float64 `json:"thread_ns"`   // CPU of one thread after the window; 0 except in block 0
	Bytes       float64 `json:"bytes"`       // heap bytes allocated
	Allocs      float64 `json:"allocs"`      // heap objects allocated
	Collections int     `json:"collections"` // in the window
	Window      float64 `json:"window_s"`    // elapsed
	Ending      Ending  `json:"ending"`
	LiveHeap    int64   `json:"live_heap"` // bytes that were live when all was timed, ballast included

	Note string `json:"note,omitempty"` // what is odd about it
}

// Work is what a cell's gate learnt about it besides that it is correct.
type Work struct {
	Counters  Counters `json:"counters"`              // of one operation, counted by calls
	Output    int      `json:"output"`                // median bytes that an operation returns; 0 for verify
	Quads     int      `json:"quads"`                 // lines of the unsigned document; 0 without RDF
	Blank     int      `json:"blank_nodes,omitempty"` // of a document that is canonicalized
	NDegree   int64    `json:"n_degree,omitempty"`    // its n-degree calls plus permutations of RDFC-1.0
	Reissued  bool     `json:"reissued"`              // present signs again with the issuer's key
	Whole     bool     `json:"whole"`                 // present hands on what was issued, as it is
	Checks    string   `json:"checks"`                // which checks verify makes
	Documents int      `json:"documents"`             // how many different documents passed the gate
	Tampers   int      `json:"tampers"`               // how many tampered presentations were refused
	Estimate  int64    `json:"estimate"`              // rough nanoseconds of one operation, for planning
	Compared  int      `json:"compared"`              // documents whose forms were compared
	Oracle    string   `json:"oracle"`                // what the output was compared with, or ""
	Alone     string   `json:"alone,omitempty"`       // why there is no such engine
	Second    string   `json:"second,omitempty"`      // engine that verified what was issued and presented
}

// Profile is what the profile pass of one cell found.
type Profile struct {
	Attribution profiles.Attribution `json:"attribution"`
	Ops         int                  `json:"ops"`
	CPU         int64                `json:"cpu_ns"`   // process CPU over the pass
	Coverage    float64              `json:"coverage"` // time of the samples over CPU
	Warning     string               `json:"warning,omitempty"`
	Sampler     profiles.Sampler     `json:"sampler"`            // signal or perf
	Fallback    string               `json:"fallback,omitempty"` // why auto is signal
	Lost        int64                `json:"lost,omitempty"`     // samples
	Pprof       string               `json:"pprof"`              // path in the results folder
	Flame       string               `json:"flame"`              // path in the results folder
}

// Allocs is what the allocation pass of one cell found.
type Allocs struct {
	Attribution profiles.Attribution `json:"attribution"` // samples are objects, values bytes
	Ops         int                  `json:"ops"`
	Bytes       int64                `json:"bytes"`    // heap bytes of the pass, counted by the runtime
	Coverage    float64              `json:"coverage"` // bytes of the profile over Bytes
	Pprof       string               `json:"pprof"`    // path in the results folder
	Flame       string               `json:"flame"`    // path in the results folder
}

// Raw is what a pass that kept single operations found: elapsed nanoseconds.
type Raw struct {
	Ops      int     `json:"ops"`
	P50      float64 `json:"p50_ns"`
	P95      float64 `json:"p95_ns"`
	P99      float64 `json:"p99_ns"`
	Outliers int     `json:"outliers"` // by Tukey's rule; they are in the quantiles all the same
	File     string  `json:"file"`     // path in the results folder
}

// Result is everything known about one cell.
type Result struct {
	Cell    Cell     `json:"cell"`
	ID      string   `json:"id"`
	State   State    `json:"state"`
	Reason  string   `json:"reason,omitempty"`
	Runs    []Run    `json:"runs,omitempty"` // one of each process
	Work    Work     `json:"work"`
	Raw     *Raw     `json:"raw,omitempty"`
	Profile *Profile `json:"profile,omitempty"`
	Allocs  *Allocs  `json:"allocs,omitempty"`
}

// Ops is how many operations the figures rest on.
func (r *Result) Ops() int {
	n := 0
	for _, run := range r.Runs {
		n += run.Ops
	}
	return n
}

// Outcome reports whether the state of a cell is an answer, though not a time: the engine of a document ends
// at a limit or a deadline, or a foreign engine fails in any way.
func (c Cell) Outcome(s State) bool {
	return Foreign(c.Engine) && s.failed() || c.Format == Document && (s == Limited || s == TimedOut)
}

// failed reports whether a cell was tried in vain.
func (s State) failed() bool {
	return s != Measured && s != Unsupported && s != LeftOut && s != Interrupted
}

// CPU is the mean over the processes: nanoseconds of an operation.
func (r *Result) CPU() float64 {
	sum := 0.0
	for _, run := range r.Runs {
		sum += run.CPU
	}
	return sum / float64(len(r.Runs))
}

// Documents is how many of those that rotate the operations walked.
func (r *Result) Documents(rotating int) int {
	seen := make(map[int]bool)
	for _, run := range r.Runs {
		for k := range min(run.Ops, rotating) {
			seen[(run.First+k)%rotating] = true
		}
	}
	if n := r.Work.Documents; n > 0 { // those of a file of the user are one
		return min(len(seen), n)
	}
	return len(seen)
}

// Version of a Campaign in JSON: 3 has a process as its unit; 2 and 1 had blocks of operations inside a
// process.
const Version = 3

// VersionError says that results are of another version than this program reads.
type VersionError struct{ Got int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("results of version %d; this program reads version %d: measure again with it",
		e.Got, Version)
}

// UnmarshalJSON reads results of this Version; others are a *VersionError.
func (c *Campaign) UnmarshalJSON(b []byte) error {
	var head struct{ Version int }
	if err := json.Unmarshal(b, &head); err != nil {
		return err
	}
	if head.Version != Version {
		return &VersionError{head.Version}
	}
	type plain Campaign
	return json.Unmarshal(b, (*plain)(c))
}

// Campaign is a matrix with its runs, environment and seeds.
type Campaign struct {
	Version     int               `json:"version"` // of this JSON
	Command     string            `json:"command"`
	Started     time.Time         `json:"started"`
	Now         time.Time         `json:"now"` // the verifier's clock
	Took        float64           `json:"took_s"`
	Seed        uint64            `json:"seed"`         // of documents, keys and the order of cells
	Planned     int               `json:"planned_runs"` // fresh processes that each cell was to have
	Runs        int               `json:"runs"`         // fresh processes of the cells that have most
	Window      Window            `json:"window"`       // of each operation in each process
	Documents   int               `json:"documents"`    // rotating documents per cell
	Environment map[string]string `json:"environment"`
	Builds      []Build           `json:"builds,omitempty"`  // that it compares; the first is the baseline
	Out         string            `json:"out"`               // results folder
	Given       []Source          `json:"given,omitempty"`   // documents and contexts of the user
	Fitness     *Fitness          `json:"fitness,omitempty"` // nil is not known
	Band        float64           `json:"band,omitzero"`     // of equivalence, as 0.1; 0 is the usual one
	Results     []Result          `json:"results"`
	Disclosed   []Disclosed       `json:"disclosed,omitempty"` // of each schema that is exchanged
	LeftOut     []string          `json:"left_out,omitempty"`  // what the default subset does not measure
	Interrupted bool              `json:"interrupted,omitempty"`
	Stopped     string            `json:"stopped,omitempty"` // why it ended early, unless interrupted

	Machines []Machine `json:"machines,omitempty"` // that measured, where they were others
	Faults   []string  `json:"faults,omitempty"`   // of machines and of the way to them
}

// Machine is one of those that measured a campaign.
type Machine struct {
	Worker    string   `json:"worker"`
	Processes int      `json:"processes"`         // that timed something there
	Fitness   *Fitness `json:"fitness,omitempty"` // nil is not known
}
