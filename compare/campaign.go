package compare

import (
	"time"

	"canonscope/profiles"
)

// State says what became of a cell.
type State string

const (
	Measured    State = "measured"
	Unsupported State = "unsupported" // the suite or engine cannot do it
	GateFailed  State = "gate failed" // the output is wrong, so it has no time
	Failed      State = "failed"      // an operation returned an error
	Died        State = "died"        // the process ended without saying done
	TimedOut    State = "deadline"    // the process was stopped at its deadline
	OutOfMemory State = "out of memory"
	LeftOut     State = "left out" // not part of this campaign
	Interrupted State = "interrupted"
)

// Block holds the totals of one block of operations inside a run. Times are in nanoseconds.
type Block struct {
	Run    int     `json:"run"`
	Index  int     `json:"block"`
	Ops    int     `json:"ops"`
	CPU    int64   `json:"cpu_ns"`    // process CPU: user and system, garbage collector included
	Wall   int64   `json:"wall_ns"`   // elapsed
	Thread int64   `json:"thread_ns"` // CPU of the thread that runs the operations
	Bytes  int64   `json:"bytes"`     // heap bytes allocated
	Allocs int64   `json:"allocs"`    // heap objects allocated
	GC     float64 `json:"gc_s"`      // CPU seconds of the collector as the runtime estimates them
}

// Work is what a cell's gate learnt about it besides that it is correct.
type Work struct {
	Counters  Counters `json:"counters"`  // of one operation, counted by calls
	Output    int      `json:"output"`    // bytes an operation returns: median over the documents; 0 for verify
	Quads     int      `json:"quads"`     // lines of the canonical form of the unsigned document; 0 without RDF
	Reissued  bool     `json:"reissued"`  // present signs again with the issuer's key
	Checks    string   `json:"checks"`    // which checks verify makes
	Documents int      `json:"documents"` // how many documents passed the gate
	Tampers   int      `json:"tampers"`   // how many tampered presentations were refused
	Estimate  int64    `json:"estimate"`  // rough CPU nanoseconds of one operation, to choose N; not a result
	Compared  int      `json:"compared"`  // of how many documents the form was compared: all, or some where that takes long
	Oracle    string   `json:"oracle"`    // what the output was compared with, "" if nothing stands outside the engine
}

// Profile is what the profile pass of one cell found.
type Profile struct {
	Attribution profiles.Attribution `json:"attribution"`
	Ops         int                  `json:"ops"`
	CPU         int64                `json:"cpu_ns"`   // process CPU over the pass
	Coverage    float64              `json:"coverage"` // time of the samples over CPU
	Warning     string               `json:"warning,omitempty"`
	Pprof       string               `json:"pprof"` // path in the results folder
	Flame       string               `json:"flame"` // path in the results folder
}

// Allocs is what the allocation pass of one cell found.
type Allocs struct {
	Attribution profiles.Attribution `json:"attribution"` // samples are objects, values bytes
	Ops         int                  `json:"ops"`
	Bytes       int64                `json:"bytes"`    // heap bytes allocated over the pass, as the runtime counts them
	Coverage    float64              `json:"coverage"` // bytes of the profile over Bytes
	Pprof       string               `json:"pprof"`    // path in the results folder
	Flame       string               `json:"flame"`    // path in the results folder
}

// Result is everything known about one cell.
type Result struct {
	Cell    Cell     `json:"cell"`
	ID      string   `json:"id"`
	State   State    `json:"state"`
	Reason  string   `json:"reason,omitempty"`
	N       int      `json:"n"` // operations timed in each run
	Blocks  []Block  `json:"blocks,omitempty"`
	Work    Work     `json:"work"`
	Profile *Profile `json:"profile,omitempty"`
	Allocs  *Allocs  `json:"allocs,omitempty"`
}

// Runs is how many runs have blocks.
func (r *Result) Runs() int {
	n := 0
	for i, b := range r.Blocks {
		if i == 0 || b.Run != r.Blocks[i-1].Run {
			n++
		}
	}
	return n
}

// Version of a Campaign in JSON: 2 has ratios by the name of a format.
const Version = 2

// Campaign is a matrix with its runs, environment and seeds.
type Campaign struct {
	Version     int               `json:"version"` // of this JSON
	Command     string            `json:"command"`
	Started     time.Time         `json:"started"`
	Took        float64           `json:"took_s"`
	Seed        uint64            `json:"seed"`      // of documents, keys and the order of cells
	Runs        int               `json:"runs"`      // fresh processes per cell
	Documents   int               `json:"documents"` // rotating documents per cell
	Environment map[string]string `json:"environment"`
	Out         string            `json:"out"` // results folder
	Results     []Result          `json:"results"`
	LeftOut     []string          `json:"left_out,omitempty"` // what the default subset does not measure, for people
	Interrupted bool              `json:"interrupted,omitempty"`
	Stopped     string            `json:"stopped,omitempty"` // why the campaign ended before it was done, unless interrupted
}
