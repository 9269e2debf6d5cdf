package compare

import (
	"errors"
	"fmt"
	"io"
	"time"

	"canonscope/canon"
	"canonscope/schemas"
)

// Operation is what a cell measures.
type Operation string

const (
	Canonize        Operation = "canonize" // document bytes to canonical bytes
	Issue           Operation = "issue"
	Verify          Operation = "verify" // the whole credential: everything is disclosed
	Present         Operation = "present"
	VerifyPresented Operation = "verify-presented"
)

// Operations lists every operation, in the order in which an exchange needs them. Canonize is the operation
// of the format [Document], the others are those of the formats of credentials.
var Operations = []Operation{Canonize, Issue, Verify, Present, VerifyPresented}

// OfCredentials lists the operations of a format of credentials.
var OfCredentials = Operations[1:]

// The sums that reports compare. Whole is the same work in every format; Exchanged is what a holder who
// discloses a part causes.
var (
	Whole     = []Operation{Issue, Verify}
	Exchanged = []Operation{Issue, Present, VerifyPresented}
)

// Scenario holds the choices of an exchange beyond the credential.
type Scenario struct {
	Disclose    []string      // JSON pointers; empty means the credential's own Disclose
	Granularity Granularity   // what is one disclosure and one element; pointers name whole ones
	HandOn      bool          // suites that do not derive present the whole credential
	Binding     Binding       // whether the holder signs what it presents
	Now         time.Time     // the verifier's clock
	Deadline    time.Duration // of canonize; 0 is none
	Limits      canon.Limits  // of each operation
	Seed        uint64        // of the issuer's and the holder's keys, the same in every process
}

// Counters are counted by the code that does the work, not derived: each call adds one.
type Counters struct {
	Canonicalizations int `json:"canonicalizations"` // calls of a canonicalizer
	Salts             int `json:"salts"`             // salts drawn
	Digests           int `json:"digests"`           // disclosure or element digests computed
	Signatures        int `json:"signatures"`        // signatures made
	Verifications     int `json:"verifications"`     // signatures checked
}

// Add adds o to c; nil counts nothing.
func (c *Counters) Add(o Counters) {
	if c == nil {
		return
	}
	c.Canonicalizations += o.Canonicalizations
	c.Salts += o.Salts
	c.Digests += o.Digests
	c.Signatures += o.Signatures
	c.Verifications += o.Verifications
}

// Since returns what was counted after before.
func (c Counters) Since(before Counters) Counters {
	c.Canonicalizations -= before.Canonicalizations
	c.Salts -= before.Salts
	c.Digests -= before.Digests
	c.Signatures -= before.Signatures
	c.Verifications -= before.Verifications
	return c
}

// Exchange is one document made ready for timing: keys parsed, everything else inside the operations, bytes
// in and bytes out. It is used by one goroutine.
type Exchange struct {
	steps Steps

	// Canonizes is true where canonize is the only operation.
	Canonizes bool
	// HandsOn is true where present hands on the whole credential.
	HandsOn bool
	// Reissued is true where present signs again with the issuer's key: no selective disclosure (shown as †).
	Reissued bool
	// Counters is where the operations count their work; never nil.
	Counters *Counters
	// Checks lists the checks inside verify: "signature, digests, validity period".
	Checks string
}

// Steps are the operations of an exchange. Only Issue has the issuer's key.
type Steps struct {
	Issue   func() ([]byte, error)
	Whole   func(issued []byte) ([]byte, error) // whole credential for a verifier; nil hands on issued
	Present func(issued []byte) ([]byte, error)
	Verify  func(presented []byte) error // the whole credential, or what was presented
}

// Deriving makes an exchange whose present derives from the issued bytes alone; it has no way to see the
// issuer's key. Without counters it makes some.
func Deriving(c *Counters, checks string, steps Steps) *Exchange {
	if c == nil {
		c = new(Counters)
	}
	if steps.Whole == nil {
		steps.Whole = func(issued []byte) ([]byte, error) { return issued, nil }
	}
	return &Exchange{steps: steps, Counters: c, Checks: checks}
}

// Reissuing makes an exchange whose present signs the subset with the issuer's key, which it is given.
// steps.Present is not read.
func Reissuing[K any](
	c *Counters, checks string, key K, steps Steps, present func(issued []byte, issuer K) ([]byte, error),
) *Exchange {
	steps.Present = nil
	if present != nil {
		steps.Present = func(b []byte) ([]byte, error) { return present(b, key) }
	}
	e := Deriving(c, checks, steps)
	e.Reissued = true
	return e
}

// HandingOn makes an exchange of a suite that does not derive: the holder presents the whole credential.
// steps.Present is not read.
func HandingOn(c *Counters, checks string, steps Steps) *Exchange {
	e := Deriving(c, checks, steps)
	e.steps.Present, e.HandsOn = e.steps.Whole, true
	return e
}

// Canonizing makes an exchange whose only operation is canonize.
func Canonizing(c *Counters, canonize func() ([]byte, error)) *Exchange {
	e := Deriving(c, "", Steps{Issue: canonize})
	e.Canonizes = true
	return e
}

// Checking returns the exchange with further checks inside its clock: one before issue signs, one of what
// verify has accepted; nil checks nothing. what is appended to Checks.
func (e *Exchange) Checking(what string, before func() error, after func(presented []byte) error) *Exchange {
	c := *e
	c.Checks += ", " + what

	c.steps.Issue = func() ([]byte, error) {
		if before != nil {
			if err := before(); err != nil {
				return nil, err
			}
		}
		return e.Issue()
	}
	c.steps.Verify = func(presented []byte) error {
		if err := e.Verify(presented); err != nil || after == nil {
			return err
		}
		return after(presented)
	}
	return &c
}

var errNotMade = errors.New("compare: the Exchange has no such operation, or was not made with Deriving, " +
	"Reissuing, " +
	"HandingOn or Canonizing")

// Canonize returns the canonical form of the document.
func (e *Exchange) Canonize() ([]byte, error) {
	if !e.Canonizes || e.steps.Issue == nil {
		return nil, errNotMade
	}
	return e.steps.Issue()
}

// Issue returns the issued credential.
func (e *Exchange) Issue() ([]byte, error) {
	if e.Canonizes || e.steps.Issue == nil {
		return nil, errNotMade
	}
	return e.steps.Issue()
}

// Whole returns what a verifier of the whole issued credential gets. It is outside the clock.
func (e *Exchange) Whole(issued []byte) ([]byte, error) {
	if e.Canonizes || e.steps.Whole == nil {
		return nil, errNotMade
	}
	return e.steps.Whole(issued)
}

// Present returns the presentation of an issued credential.
func (e *Exchange) Present(issued []byte) ([]byte, error) {
	if e.steps.Present == nil {
		return nil, errNotMade
	}
	return e.steps.Present(issued)
}

// Verify returns nil if the bytes verify: those of Whole or of Present.
func (e *Exchange) Verify(presented []byte) error {
	if e.steps.Verify == nil {
		return errNotMade
	}
	return e.steps.Verify(presented)
}

// InvalidError reports why a credential or presentation of a format other than VCDM is refused.
type InvalidError struct {
	Of     string // what is refused: "SD-JWT", "mdoc"
	Where  string // part of it: "header", "disclosure 3", "MSO", "namespace/element", or a JSON pointer
	Msg    string
	Rule   string // specification and section
	Option string // of the format's Verifier, with which it may be accepted; "" where there is none
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("%s %s: %s (%s)", e.Of, e.Where, e.Msg, e.Rule)
}

// Preparer makes exchanges of one format with one suite, engine and algorithm. Prepare is outside the clock.
type Preparer interface {
	Prepare(c *schemas.Credential, s Scenario) (*Exchange, error)
}

// Inspection is what was read of a credential without checking it.
type Inspection struct {
	Line  func() string           // what it is
	Print func(w io.Writer) error // in full, as text
	JSON  func() (any, error)
}
