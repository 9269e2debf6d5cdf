package measure

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"canonscope/compare"
	"canonscope/profiles"
)

// Version of Job and Event. A child refuses a Job of another version.
const Version = 4

// Kind is the kind of work of a Job.
type Kind string

const (
	Gate    Kind = "gate"    // check an exchange over all documents and prepare the inputs of its cells
	Time    Kind = "time"    // time operations
	Raw     Kind = "raw"     // time single operations
	Profile Kind = "profile" // profile the CPU time of operations
	Allocs  Kind = "allocs"  // profile the allocations of operations
	Control Kind = "control" // time operations again, for the fitness alone

	// Of a Record alone.
	Left   Kind = "left out" // the exchange and those after it do not fit the time
	Enough Kind = "enough"   // in a block they have no process
	End    Kind = "end"      // nothing more is measured

	// Of a Record of a campaign on other machines.
	NewWorker Kind = "worker" // its environment
	Fault     Kind = "fault"  // what a machine, or the way to it, did wrong
)

// Windows of a campaign.
var (
	DefaultWindow = compare.Window{Collections: 2, Least: 0.05, Most: 0.2, Warm: 0.005}
	FullWindow    = compare.Window{Collections: 10, Least: 0.25, Most: 2, Warm: 0.2}
)

// Job is everything a child needs to know; the same Job means the same work on any machine. The child reads
// it as one line of JSON, followed by the inputs and by what the user gave.
type Job struct {
	Version int    `json:"version"`
	Kind    Kind   `json:"kind"`
	Cell    string `json:"cell"` // id of the exchange; names GC policy and GOMAXPROCS

	// In the order in which they run; empty for a gate.
	Operations []compare.Operation `json:"operations,omitempty"`

	Seed      uint64   `json:"seed"`            // of documents and keys
	Documents int      `json:"documents"`       // how many documents rotate
	Drawn     []string `json:"drawn,omitempty"` // SHA-256 of each drawn document, from the gate
	Inputs    []Input  `json:"inputs,omitempty"`

	// What the user gave, whose bytes follow those of the inputs: the document of the cell, if it is one of
	// the user, and contexts.
	Document *compare.Source  `json:"document,omitempty"`
	Contexts []compare.Source `json:"given_contexts,omitempty"`
	Engine   []string         `json:"engine,omitempty"` // words of the command of a foreign engine

	Executable *File `json:"executable,omitempty"` // of the parent, which the child may be as well

	// Counters of one operation, from the gate; a timed operation must not do less.
	Work map[compare.Operation]compare.Counters `json:"work,omitempty"`

	Block  int            `json:"block"`  // from 0
	First  int            `json:"first"`  // index of the first document
	Window compare.Window `json:"window"` // of a timing
	Now    time.Time      `json:"now"`    // the verifier's clock

	// CPU budget of the profile of each operation. If Bounded, a profile ends after twice its budget in
	// wall time.
	ProfileSeconds map[compare.Operation]float64 `json:"profile_s,omitempty"`
	Bounded        bool                          `json:"bounded,omitempty"`
	Precise        float64                       `json:"precise,omitempty"` // see Plan
	Sampler        profiles.Sampler              `json:"sampler,omitempty"` // of a profile

	CPU      *int    `json:"cpu,omitempty"`        // the processor that the child runs on; nil is any
	Canonize float64 `json:"canonize_s,omitempty"` // wall seconds that canonize may take; 0 is no bound
	Deadline float64 `json:"deadline_s"`           // wall seconds until the runner stops the child
	Idle     float64 `json:"idle_s"`               // seconds without CPU time until it is given up; 0 is none
	Memory   int64   `json:"memory_bytes"`         // limit of the child's data segment; 0 is none
	Rules    string  `json:"rules,omitempty"`      // hash of the frame rules that will read the profile
}

// Input is the input of an operation: a record for each document, packed.
type Input struct {
	Operation compare.Operation `json:"op"`
	SHA256    string            `json:"sha256"`
	Bytes     int               `json:"bytes"`
}

// Validate returns an error if a Job is not valid.
func (j *Job) Validate() error {
	w := j.Window
	switch {
	case j.Version != Version:
		return fmt.Errorf("job has version %d, this binary speaks %d", j.Version, Version)
	case j.Now.IsZero():
		return errors.New("job has no time for the verifier's clock")
	case j.First < 0:
		return fmt.Errorf("job begins with document %d", j.First)
	case j.Documents < 1:
		return errors.New("job has no documents")
	case (j.Kind == Time || j.Kind == Control) && w.N < 1 &&
		!(w.Least > 0 && w.Most >= w.Least && w.Collections > 0):
		return fmt.Errorf("job times for a window of %+v", w)
	case j.Kind == Profile && slices.ContainsFunc(j.Operations, j.noProfile):
		return fmt.Errorf("job profiles %v for %v seconds", j.Operations, j.ProfileSeconds)
	case j.Kind == Profile && !slices.Contains(profiles.Samplers, j.Sampler):
		return fmt.Errorf("job has unknown sampler %q", string(j.Sampler))
	case !slices.Contains([]Kind{Gate, Time, Raw, Profile, Allocs, Control}, j.Kind):
		return fmt.Errorf("job has unknown kind %q", j.Kind)
	}

	c, err := compare.ParseCell(j.Cell)
	if err != nil {
		return err
	}
	if j.Kind == Allocs && len(j.Operations) > 1 {
		return errors.New("job records the allocations of more than one operation, which are one profile")
	}
	if c.Operation != "" || (len(j.Operations) == 0) != (j.Kind == Gate) {
		return fmt.Errorf("a %s job of %d operations does not fit %s", j.Kind, len(j.Operations), j.Cell)
	}

	if j.Document != nil && j.Document.Name != c.Schema {
		return fmt.Errorf("job gives the document %s to %s", j.Document.Name, j.Cell)
	}

	total := 0
	for _, n := range j.sizes() {
		if n < 0 || n > maxBytes-total {
			return fmt.Errorf("job has more than %d bytes of inputs", maxBytes)
		}
		total += n
	}
	return nil
}

// maxBytes bounds what follows a Job.
const maxBytes = 1 << 30

// sizes lists the bytes of what follows a Job.
func (j *Job) sizes() []int {
	var sizes []int
	for _, in := range j.Inputs {
		sizes = append(sizes, in.Bytes)
	}
	for _, s := range j.given() {
		sizes = append(sizes, s.Bytes)
	}
	return sizes
}

// given lists what the user gave, in the order of its bytes.
func (j *Job) given() []compare.Source {
	if j.Document == nil {
		return j.Contexts
	}
	return append([]compare.Source{*j.Document}, j.Contexts...)
}

// give adds to a Job what the user gave that concerns its cell, and returns the bytes.
func (j *Job) give(schema string, given compare.Given) []byte {
	var all []byte
	if doc, ok := given.Documents[schema]; ok {
		j.Document = &compare.Source{Name: schema, SHA256: hash(doc), Bytes: len(doc)}
		all = append(all, doc...)
	}
	if c, err := compare.ParseCell(j.Cell); err == nil {
		j.Engine = given.Engines[c.Engine]
	}
	j.Contexts = sources(given.Contexts)
	for _, s := range j.Contexts {
		all = append(all, given.Contexts[s.Name]...)
	}
	return all
}

// sources describes what was given, in the order of names.
func sources(given map[string][]byte) []compare.Source {
	var all []compare.Source
	for _, name := range slices.Sorted(maps.Keys(given)) {
		all = append(all, compare.Source{Name: name, SHA256: hash(given[name]), Bytes: len(given[name])})
	}
	return all
}

// read reads what follows a Job, and checks that it is what the Job names.
func (j *Job) read(r io.Reader) (map[compare.Operation][]byte, compare.Given, error) {
	inputs := make(map[compare.Operation][]byte)
	given := compare.Given{Documents: make(map[string][]byte), Contexts: make(map[string][]byte)}
	if c, err := compare.ParseCell(j.Cell); err == nil && j.Engine != nil {
		given.Engines = map[compare.Engine][]string{c.Engine: j.Engine}
	}
	next := func(n int, sum string) ([]byte, error) {
		b := make([]byte, n)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, fmt.Errorf("read inputs of the job: %w", err)
		}
		if hash(b) != sum {
			return nil, errors.New("the inputs are not those the job names")
		}
		return b, nil
	}

	var err error
	for _, in := range j.Inputs {
		if inputs[in.Operation], err = next(in.Bytes, in.SHA256); err != nil {
			return nil, given, err
		}
	}

	if d := j.Document; d != nil {
		if given.Documents[d.Name], err = next(d.Bytes, d.SHA256); err != nil {
			return nil, given, err
		}
	}

	for _, c := range j.Contexts {
		if given.Contexts[c.Name], err = next(c.Bytes, c.SHA256); err != nil {
			return nil, given, err
		}
	}

	return inputs, given, nil
}

func (j *Job) noProfile(op compare.Operation) bool { return !(j.ProfileSeconds[op] > 0) }

// Event is one line a child writes. Exactly one of the pointers is set, by Type.
type Event struct {
	Type      string            `json:"event"` // hello, gate, run, raw, ..., machine, done, failed
	Operation compare.Operation `json:"op,omitempty"`
	Hello     *Hello            `json:"hello,omitempty"`
	Gate      *Gated            `json:"gate,omitempty"`
	Run       *compare.Run      `json:"run,omitempty"`
	Raw       *Timed            `json:"raw,omitempty"`
	Profile   *Profiled         `json:"profile,omitempty"`
	Allocs    *Allocated        `json:"allocs,omitempty"`
	Reading   *compare.Reading  `json:"machine,omitempty"`
	Failed    *Failure          `json:"failed,omitempty"` // of an operation, before the others, or of all
}

// Hello is the first event, once the documents are drawn.
type Hello struct {
	Version int    `json:"version"`
	Binary  string `json:"binary"` // SHA-256 of the executable
	CPUs    string `json:"cpus"`   // that it may run on
}

// Gated is the event of a passed gate.
type Gated struct {
	Drawn  []string                           `json:"drawn,omitempty"` // SHA-256 of each document; gates only
	Work   map[compare.Operation]compare.Work `json:"work"`
	Inputs map[compare.Operation][]byte       `json:"inputs,omitempty"` // packed; gate jobs only
}

// Timed is the event of single operations.
type Timed struct {
	First int     `json:"first"`   // index of the first document; the others follow in turn
	Wall  []int64 `json:"wall_ns"` // of each operation
}

// Profiled is the event of a profile pass.
type Profiled struct {
	Pprof    []byte           `json:"pprof"` // gzipped profile.proto
	Ops      int              `json:"ops"`
	CPU      int64            `json:"cpu_ns"`
	Wall     int64            `json:"wall_ns"`
	Sampler  profiles.Sampler `json:"sampler"`             // signal or perf
	Fallback string           `json:"fallback,omitempty"`  // why auto is signal
	Lost     int64            `json:"lost,omitempty"`      // samples
	UserOnly bool             `json:"user_only,omitempty"` // time in the kernel was not sampled
}

// Allocated is the event of an allocation pass.
type Allocated struct {
	Pprof []byte `json:"pprof"` // gzipped profile.proto
	Ops   int    `json:"ops"`
	Bytes int64  `json:"bytes"` // heap bytes allocated over the pass, as the runtime counts them
}

// Failure is the reason why a child could not do its Job or one of its operations.
type Failure struct {
	Stage  string `json:"stage"` // job, open, gate, or the kind of the Job
	Reason string `json:"reason"`
	// Unsupported is true if the engine does not support the cell, which is not a fault.
	Unsupported bool `json:"unsupported,omitempty"`
	// Limit is the limit that the operation reached: "time", "work", ..., or "".
	Limit string `json:"limit,omitempty"`
	// State is that of an engine in another process that failed, or "".
	State compare.State `json:"state,omitempty"`
}

// pack joins records, each after its length.
func pack(records [][]byte) []byte {
	var b []byte
	for _, r := range records {
		b = binary.AppendUvarint(b, uint64(len(r)))
		b = append(b, r...)
	}
	return b
}

// unpack splits what pack joined.
func unpack(b []byte) ([][]byte, error) {
	var records [][]byte
	for len(b) > 0 {
		n, w := binary.Uvarint(b)
		if w <= 0 || n > uint64(len(b)-w) {
			return nil, errors.New("inputs are cut short")
		}
		records = append(records, bytes.Clone(b[w:w+int(n)]))
		b = b[w+int(n):]
	}
	return records, nil
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
