//phase:caller
package canon

import (
	"fmt"
	"time"
)

// LimitError reports a document that needed more than its limits allow. Commands exit with status 3 on it.
type LimitError struct {
	Limit string // name of the limit: a field of [Limits] in lower case, or another bounded quantity
	Max   int64  // its value; time is in nanoseconds
	Done  int64  // what was used when it stopped
	Where string // JSON pointer, line or "" where unknown
	Err   error  // the error of the context if it ended the work; Limit is then "time" and Max is unknown
}

func (e *LimitError) Unwrap() error { return e.Err }

func (e *LimitError) Error() string {
	at := ""
	if e.Where != "" {
		at = " at " + e.Where
	}
	switch {
	case e.Err != nil:
		return fmt.Sprintf("stopped%s with %d steps of work done: %v", at, e.Done, e.Err)
	case e.Limit == "time":
		return fmt.Sprintf("limit reached%s: time of at most %v; raise the limit if the input is trusted", at,
			time.Duration(e.Max))
	}
	return fmt.Sprintf("limit reached%s: %s %d of at most %d; raise the limit if the input is trusted",
		at, e.Limit, e.Done, e.Max)
}

// UnsupportedError names a construct or option that an engine does not support. The matrix shows it as
// unsupported.
type UnsupportedError struct {
	Engine string // engine or package name
	What   string // the construct, in the words of its specification
	Where  string // JSON pointer or ""
}

func (e *UnsupportedError) Error() string {
	at := ""
	if e.Where != "" {
		at = " at " + e.Where
	}
	return fmt.Sprintf("%s does not support %s%s", e.Engine, e.What, at)
}

// MarshalText makes JSON show the error as its text.
func (e *UnsupportedError) MarshalText() ([]byte, error) { return []byte(e.Error()), nil }

// SyntaxError reports malformed input and its place.
type SyntaxError struct {
	Format string // "JSON", "N-Quads"
	Offset int    // byte offset, from 0
	Line   int    // from 1
	Column int    // in bytes, from 1
	Msg    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s line %d column %d: %s", e.Format, e.Line, e.Column, e.Msg)
}

// LossError reports data of a document that its canonical form would not carry, so that a signature would
// not cover it.
type LossError struct {
	Losses []Loss // at least one, in document order
}

func (e *LossError) Error() string {
	l := e.Losses[0]
	more := ""
	if n := len(e.Losses) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Sprintf("data would be lost at %q: %s%s", l.Pointer, l.Reason, more)
}

// PointerError reports a JSON pointer that does not lead to a part of the credential.
type PointerError struct {
	Pointer string
	Why     string // where it leaves the credential
}

func (e *PointerError) Error() string {
	return fmt.Sprintf("JSON pointer %s does not match the credential: %s", e.Pointer, e.Why)
}
