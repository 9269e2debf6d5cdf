package compare

import (
	"errors"
	"fmt"
	"io"
	"time"

	"canonscope/canon"
	"canonscope/schemas"
)

// Operation is one step of an exchange.
type Operation string

const (
	Issue   Operation = "issue"
	Present Operation = "present"
	Verify  Operation = "verify"
)

// Operations in the order of an exchange.
var Operations = []Operation{Issue, Present, Verify}

// Scenario says what an exchange does beyond the credential itself.
type Scenario struct {
	Disclose []string     // JSON pointers; empty means the credential's own Disclose
	Binding  Binding      // whether the holder signs what it presents
	Now      time.Time    // the verifier's clock
	Limits   canon.Limits // of each operation
	Seed     uint64       // derives the issuer's and the holder's keys: one seed, one set of keys, in every process
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

// Exchange is one credential made ready for timing: keys parsed, everything else inside the three operations, bytes in
// and bytes out. It is used by one goroutine.
type Exchange struct {
	issue   func() ([]byte, error)
	present func(issued []byte) ([]byte, error)
	verify  func(presented []byte) error

	// Reissued is true where present signs again with the issuer's key: no selective disclosure (shown as †).
	Reissued bool
	// Counters is where the operations count their work; never nil.
	Counters *Counters
	// Checks says which checks run inside verify, for people: "signature, digests, validity period".
	Checks string
}

// Deriving makes an exchange whose present derives from the issued bytes alone; it has no way to see the issuer's key.
// Without counters it makes some.
func Deriving(c *Counters, checks string, issue func() ([]byte, error), present func(issued []byte) ([]byte, error), verify func(presented []byte) error) *Exchange {
	if c == nil {
		c = new(Counters)
	}
	return &Exchange{issue: issue, present: present, verify: verify, Counters: c, Checks: checks}
}

// Reissuing makes an exchange whose present signs the subset with the issuer's key, which it is given.
func Reissuing[K any](c *Counters, checks string, key K, issue func() ([]byte, error), present func(issued []byte, issuer K) ([]byte, error), verify func(presented []byte) error) *Exchange {
	e := Deriving(c, checks, issue, nil, verify)
	if e.Reissued = true; present != nil {
		e.present = func(b []byte) ([]byte, error) { return present(b, key) }
	}
	return e
}

// Checking returns the exchange with further checks inside its clock: one before issue signs, one of what verify has
// accepted; nil checks nothing. What says what verify checks then, for people.
func (e *Exchange) Checking(what string, before func() error, after func(presented []byte) error) *Exchange {
	c := *e
	c.Checks += ", " + what
	c.issue = func() ([]byte, error) {
		if before != nil {
			if err := before(); err != nil {
				return nil, err
			}
		}
		return e.Issue()
	}
	c.verify = func(presented []byte) error {
		if err := e.Verify(presented); err != nil || after == nil {
			return err
		}
		return after(presented)
	}
	return &c
}

var errNotMade = errors.New("compare: the Exchange was not made with Deriving or Reissuing, of three functions")

// Issue returns the issued credential.
func (e *Exchange) Issue() ([]byte, error) {
	if e.issue == nil {
		return nil, errNotMade
	}
	return e.issue()
}

// Present returns the presentation of an issued credential.
func (e *Exchange) Present(issued []byte) ([]byte, error) {
	if e.present == nil {
		return nil, errNotMade
	}
	return e.present(issued)
}

// Verify returns nil if the presented bytes verify.
func (e *Exchange) Verify(presented []byte) error {
	if e.verify == nil {
		return errNotMade
	}
	return e.verify(presented)
}

// InvalidError says why a credential or presentation of a format other than VCDM is refused.
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
	Print func(w io.Writer) error // at length, for people
	JSON  func() (any, error)
}
