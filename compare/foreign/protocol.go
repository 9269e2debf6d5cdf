package foreign

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"canonscope/canon"
)

// Protocol is the name of the protocol, which hello carries in both directions.
const Protocol = "canonscope-engine/1"

// Verbs of a [Request].
const (
	doHello   = "hello"
	doPrepare = "prepare"
	doGate    = "gate"
	doRun     = "run"
	doBye     = "bye"
)

// Request is a line that the parent writes. ID counts from 1, and the answer repeats it.
type Request struct {
	ID       int    `json:"id"`
	Do       string `json:"do"` // hello, prepare, gate, run or bye
	Protocol string `json:"protocol,omitempty"`
	Task     *Task  `json:"task,omitempty"`  // of prepare
	Index    int    `json:"index,omitempty"` // document of gate, from 0
	Input    []byte `json:"input,omitempty"` // of gate, for an operation that takes one
	Run      *Lap   `json:"run,omitempty"`
}

// Answer is a line that the child writes: the ID of the request, and what was asked for or an error.
type Answer struct {
	ID     int      `json:"id"`
	Hello  *Hello   `json:"hello,omitempty"`
	Output []byte   `json:"output,omitempty"` // of gate
	Ran    *Ran     `json:"ran,omitempty"`
	Error  *Problem `json:"error,omitempty"`
}

// Hello is what a child says about its engine.
type Hello struct {
	Protocol string    `json:"protocol"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Language string    `json:"language"`
	Lineage  string    `json:"lineage"` // engines of one share code or authors: they are not independent
	Can      []Ability `json:"can"`
}

// Ability is a suite with the operations that an engine does of it.
type Ability struct {
	Suite      string   `json:"suite"` // rdfc, jcs, a cryptosuite, jws or cose-sign1
	Operations []string `json:"operations"`
}

// Task is what an engine makes ready before the clock runs. Each prepare replaces the task before it, while
// contexts stay known until the child ends.
type Task struct {
	Operation string            `json:"operation"`
	Suite     string            `json:"suite"`
	Algorithm string            `json:"algorithm,omitempty"`
	Hash      string            `json:"hash,omitempty"`  // inside RDFC-1.0: sha256 or sha384
	Input     string            `json:"input,omitempty"` // syntax of the documents: jsonld, nquads or json
	Documents [][]byte          `json:"documents"`       // which a run walks in turn
	Inputs    [][]byte          `json:"inputs,omitempty"`
	Elements  [][]string        `json:"elements,omitempty"`  // what can be disclosed: pointers
	Mandatory [][]string        `json:"mandatory,omitempty"` // pointers
	Disclose  [][]string        `json:"disclose,omitempty"`  // pointers, of present
	Contexts  map[string][]byte `json:"contexts,omitempty"`  // by URL, those that are new
	Keys      *Keys             `json:"keys,omitempty"`
	Now       string            `json:"now,omitempty"` // the verifier's clock, RFC 3339
}

// Keys are those of a task. Only issue gets the issuer's secret half.
type Keys struct {
	JWK         json.RawMessage `json:"jwk"`                   // of the issuer
	Multikey    json.RawMessage `json:"multikey"`              // the same
	DID         string          `json:"did"`                   // did:key of the issuer
	Method      string          `json:"method"`                // URL of the key
	Certificate []byte          `json:"certificate,omitempty"` // of the issuer, DER, for an mdoc
	Holder      json.RawMessage `json:"holder"`                // public JWK
}

// Lap asks for operations on the documents in turn, Warm of them before the clocks start.
type Lap struct {
	First   int  `json:"first"` // index of the first document
	Warm    int  `json:"warm,omitempty"`
	Count   int  `json:"count"`
	Profile bool `json:"profile,omitempty"` // record where the time goes
}

// Ran is what a child measured of a [Lap]. Zero is not known, except in Wall.
type Ran struct {
	Wall    []int64 `json:"wall_ns"`          // of each operation, by a monotonic clock
	CPU     int64   `json:"cpu_ns,omitempty"` // of the process, over all operations
	GC      int64   `json:"gc_ns,omitempty"`  // of the collector, over all operations
	Peak    int64   `json:"peak_bytes,omitempty"`
	Output  []byte  `json:"output,omitempty"`  // of the last operation
	Profile []byte  `json:"profile,omitempty"` // .cpuprofile of V8, or pprof

	Note string `json:"-"` // of the parent, where the system counts another CPU time than the child
}

// Problem is why an engine did not do what it was asked. It is an answer: the child goes on.
type Problem struct {
	Kind    string `json:"kind"` // unsupported, refused, loss, limit or failed
	Message string `json:"message"`
}

// Kinds of [Problem].
const (
	Unsupported = "unsupported" // the engine cannot do this
	Refused     = "refused"     // verify answers no
	Loss        = "loss"        // data would be lost
	Limit       = "limit"       // a limit of the engine was reached
	Failed      = "failed"      // any other error
)

// mostMessage bounds the bytes of a message, which results keep.
const mostMessage = 2 << 10

// bounded is the problem as it is kept: any other kind is failed.
func (p *Problem) bounded() *Problem {
	if !slices.Contains([]string{Unsupported, Refused, Loss, Limit}, p.Kind) {
		p.Kind = Failed
	}
	if len(p.Message) > mostMessage {
		p.Message = strings.ToValidUTF8(p.Message[:mostMessage], "") + "…"
	}
	return p
}

func (p *Problem) Error() string { return p.Message }

// Unwrap makes a *canon.LimitError of a limit.
func (p *Problem) Unwrap() error {
	if p.Kind == Limit {
		return &canon.LimitError{Limit: "work", Err: errors.New(p.Message)}
	}
	return nil
}
