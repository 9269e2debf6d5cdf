package measure

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"canonscope/compare"
)

// Version of Job and Event. A child refuses a Job of another version.
const Version = 1

// Kind says what a Job asks for.
type Kind string

const (
	Gate    Kind = "gate"    // check an exchange over all documents and prepare the inputs of its cells
	Time    Kind = "time"    // time one cell
	Profile Kind = "profile" // profile the CPU time of one cell
	Allocs  Kind = "allocs"  // profile the allocations of one cell
)

// Job is everything a child needs to know; the same Job means the same work on any machine. The child reads it as one line
// of JSON, followed by InputBytes bytes of inputs.
type Job struct {
	Version        int              `json:"version"`
	Kind           Kind             `json:"kind"`
	Cell           string           `json:"cell"`             // id of the cell, or of the exchange for a gate; names GC policy and GOMAXPROCS
	Seed           uint64           `json:"seed"`             // of documents and keys
	Documents      int              `json:"documents"`        // how many documents rotate
	Drawn          []string         `json:"drawn,omitempty"`  // SHA-256 of each drawn document, from the gate
	Inputs         string           `json:"inputs,omitempty"` // SHA-256 of the inputs that follow
	InputBytes     int              `json:"input_bytes"`      // their length: the issued bytes for present, the presented for verify
	Work           compare.Counters `json:"work"`             // counters of one operation, from the gate: a timed operation does no less
	Run            int              `json:"run"`              // from 0
	First          int              `json:"first"`            // index of the first document
	N              int              `json:"n"`                // operations to time, or whose allocations to record
	Blocks         int              `json:"blocks"`           // blocks they are divided into
	Warmup         int              `json:"warmup"`           // operations before the clock
	ProfileSeconds float64          `json:"profile_seconds"`  // CPU budget of the profile pass
	ProfileWall    float64          `json:"profile_wall_s"`   // wall seconds after which the pass ends with less; 0 is no bound
	Deadline       float64          `json:"deadline_s"`       // wall seconds until the runner stops the child
	Idle           float64          `json:"idle_s"`           // wall seconds without CPU time until the runner gives the child up; 0 is none
	Memory         int64            `json:"memory_bytes"`     // limit of the child's data segment; 0 is none
	Rules          string           `json:"rules,omitempty"`  // hash of the frame rules that will read the profile
}

// Validate says what is wrong with a Job.
func (j *Job) Validate() error {
	switch {
	case j.Version != Version:
		return fmt.Errorf("job has version %d, this binary speaks %d", j.Version, Version)
	case j.Documents < 1:
		return errors.New("job has no documents")
	case j.Kind == Time && (j.Blocks < 1 || j.N < j.Blocks):
		return fmt.Errorf("job divides %d operations into %d blocks", j.N, j.Blocks)
	case j.Kind == Profile && !(j.ProfileSeconds > 0):
		return fmt.Errorf("job profiles for %v seconds", j.ProfileSeconds)
	case j.Kind == Allocs && j.N < 1:
		return fmt.Errorf("job records the allocations of %d operations", j.N)
	case j.Kind != Gate && j.Kind != Time && j.Kind != Profile && j.Kind != Allocs:
		return fmt.Errorf("job has unknown kind %q", j.Kind)
	}
	c, err := compare.ParseCell(j.Cell)
	if err != nil {
		return err
	}
	if (c.Operation == "") != (j.Kind == Gate) {
		return fmt.Errorf("a %s job does not fit the cell %s", j.Kind, j.Cell)
	}
	return nil
}

// Event is one line a child writes. Exactly one of the pointers is set, by Type.
type Event struct {
	Type    string         `json:"event"` // hello, gate, block, profile, allocs, done, failed
	Hello   *Hello         `json:"hello,omitempty"`
	Gate    *Gated         `json:"gate,omitempty"`
	Block   *compare.Block `json:"block,omitempty"`
	Profile *Profiled      `json:"profile,omitempty"`
	Allocs  *Allocated     `json:"allocs,omitempty"`
	Failed  *Failure       `json:"failed,omitempty"`
}

// Hello is the first event.
type Hello struct {
	Version int    `json:"version"`
	Binary  string `json:"binary"` // SHA-256 of the executable
}

// Gated is the event of a passed gate.
type Gated struct {
	Drawn     []string                           `json:"drawn,omitempty"` // SHA-256 of each drawn document; gate jobs only
	Work      map[compare.Operation]compare.Work `json:"work"`
	Open      float64                            `json:"open_s,omitempty"`    // seconds to open the bench and draw the documents
	Issued    []byte                             `json:"issued,omitempty"`    // packed, one record a document; gate jobs only
	Presented []byte                             `json:"presented,omitempty"` // packed, one record a document; gate jobs only
}

// Profiled is the event of a profile pass.
type Profiled struct {
	Pprof []byte `json:"pprof"` // gzipped profile.proto as runtime/pprof wrote it
	Ops   int    `json:"ops"`
	CPU   int64  `json:"cpu_ns"`
	Wall  int64  `json:"wall_ns"`
}

// Allocated is the event of an allocation pass.
type Allocated struct {
	Pprof []byte `json:"pprof"` // gzipped profile.proto
	Ops   int    `json:"ops"`
	Bytes int64  `json:"bytes"` // heap bytes allocated over the pass, as the runtime counts them
}

// Failure is the last event of a child that could not do its Job.
type Failure struct {
	Stage  string `json:"stage"` // job, open, gate, time, profile, allocs
	Reason string `json:"reason"`
	// Unsupported says that the engine cannot do the cell, which is no fault.
	Unsupported bool `json:"unsupported,omitempty"`
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

// unpack divides what pack joined.
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
