package foreign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/compare"
)

// State is how a child failed.
type State string

const (
	NotStarted  State = "did not start"
	Crashed     State = "crashed" // by a signal or with an exit status
	Ended       State = "ended"   // with exit status 0, before the end
	Hung        State = "hung"
	Garbage     State = "wrote what is not an answer"
	TooMuch     State = "wrote too much"
	OutOfMemory State = "ran out of memory"
	Interrupted State = "was interrupted"
)

// Fault is the error of a child that is no longer of use. It is an outcome of the engine, not of the
// program.
type Fault struct {
	Engine canon.Engine
	State  State
	Doing  string // what it was asked: hello, prepare, gate, run
	Why    string
	Words  string // the last that it wrote to standard error
}

func (e *Fault) Error() string {
	text := fmt.Sprintf("%s %s", e.Engine, e.State)
	if e.Doing != "" {
		text += " at " + e.Doing
	}
	if e.Why != "" {
		text += ": " + printable.Line(e.Why)
	}
	if e.Words != "" {
		text += "; its last words: " + printable.Line(e.Words)
	}
	return text
}

// Unwrap makes a *canon.LimitError of what ended at a limit.
func (e *Fault) Unwrap() error {
	switch e.State {
	case Hung:
		return &canon.LimitError{Limit: "time", Err: context.DeadlineExceeded}
	case OutOfMemory:
		return &canon.LimitError{Limit: "memory", Err: errors.New(e.Why)}
	}
	return nil
}

// Outcome is the state of a cell whose engine failed in this way.
func (e *Fault) Outcome() compare.State {
	switch e.State {
	case Hung:
		return compare.TimedOut
	case OutOfMemory:
		return compare.OutOfMemory
	case NotStarted, Garbage:
		return compare.Failed
	case Interrupted:
		return compare.Interrupted
	}
	return compare.Died
}

// Limits bound a child. A field that is not positive means its default.
type Limits struct {
	Hello  time.Duration // until it answers hello; default 30 s
	Call   time.Duration // until it answers anything else; default 60 s
	Memory int64         // bytes of data, where the system can limit them; default 2 GiB
	Output int           // bytes of one answer; default 256 MiB
}

// Defaults of [Limits].
const (
	DefaultHello  = 30 * time.Second
	DefaultCall   = 60 * time.Second
	DefaultMemory = 2 << 30
	DefaultOutput = 256 << 20
)

func (l Limits) withDefaults() Limits {
	if l.Hello <= 0 {
		l.Hello = DefaultHello
	}
	if l.Call <= 0 {
		l.Call = DefaultCall
	}
	if l.Memory <= 0 {
		l.Memory = DefaultMemory
	}
	if l.Output <= 0 {
		l.Output = DefaultOutput
	}
	return l
}
