package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
)

// Bench is what gating, timing and profiling of a cell need.
type Bench struct {
	Format    compare.Preparer
	Generator schemas.Generator
	Scenario  compare.Scenario // without the clock, the limits and the seed
	// Guard refuses a document that the engine is known to canonicalize incorrectly or with a loss; nil if
	// there is no such knowledge. The gate calls it for every document.
	Guard func(ctx context.Context, c *schemas.Credential) error
	// Check checks, outside the clock, that the canonical form of the unsigned document is not empty,
	// agrees with an oracle and has lost no data. It is nil if a format has no canonical form.
	//
	// canonized is what the engine made of the document in the measured operation, if that is canonize.
	Check func(ctx context.Context, c *schemas.Credential, canonized []byte) (Form, error)
	// Second is the format with another engine, which must accept what this one issues and presents; nil if
	// no other engine can. It makes the same keys of a seed.
	Second   compare.Preparer
	SecondBy string // the name of that engine
	// Elsewhere times operations in the process of another program; nil times them in this one. The gate goes
	// through Format all the same.
	Elsewhere Elsewhere
	// Tamper returns altered copies of a presentation, every one of which verify must refuse.
	Tamper func(c *schemas.Credential, presented []byte) ([]compare.Tampered, error)
}

// Form is the result of Check.
type Form struct {
	Quads   int    // lines of the canonical form; 0 without RDF
	Blank   int    // blank nodes of a document that is canonicalized
	NDegree int64  // its n-degree calls plus permutations
	Oracle  string // engine that it was compared with
	Alone   string // why no other engine can be trusted with the document; "" if one can
}

// Opener opens the Bench of a cell or exchange, which may need what the user gave.
type Opener func(compare.Cell, compare.Given) (*Bench, error)

// Now is the verifier's clock of benchmarks and examples: after the catalogue's validFrom, the same on every
// machine. A campaign has the clock of its [Plan].
var Now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// Limits of every operation that is measured, in run and in benchmarks: the defaults for libraries and
// services do not bound a campaign, whose children have a deadline and a limit of memory. Work has its
// default, since json-gold cannot use another.
var Limits = canon.Limits{Bytes: 64 << 20, Depth: 512, Context: 8 << 20, Memory: 4 << 30, Time: -1,
	Documents: 1000, Steps: -1, Signatures: 1 << 20}

// drawn is the prepared documents of a cell.
type drawn struct {
	bench       *Bench
	credentials []*schemas.Credential
	exchanges   []*compare.Exchange
	hashes      []string // of the documents
	scenario    compare.Scenario
	deadline    time.Duration // of canonize
}

// NotedError is an error with notes, each of which is shown on a separate line.
type NotedError struct {
	Err   error
	Notes []string
}

func (e *NotedError) Error() string { return e.Err.Error() }
func (e *NotedError) Unwrap() error { return e.Err }

// reasonOf is an error on one line, with its notes on the lines below, the innermost first.
func reasonOf(err error) string {
	var notes []string
	reason := printable.Line(err.Error())
	for n := (*NotedError)(nil); errors.As(err, &n); err = n.Err {
		notes = append(slices.Clone(n.Notes), notes...)
	}
	for _, n := range notes {
		reason += "\n" + printable.Line(n)
	}
	return reason
}

// yours reports whether the document is from the user; then all documents are the same.
func (d *drawn) yours() bool { return catalogue.IsFile(d.bench.Generator.Name()) }

// at adds to an error which document it is about, and the command that prints the document.
func (d *drawn) at(i int, err error) error {
	if d.yours() {
		return fmt.Errorf("your document: %w", err)
	}
	return &NotedError{fmt.Errorf("document %d: %w", i, err),
		[]string{fmt.Sprintf("canonscope schemas generate %s --seed %d --index %d prints the document",
			d.bench.Generator.Name(), d.scenario.Seed, i)}}
}

// draw prepares the documents of a seed.
func draw(b *Bench, job *Job) (*drawn, error) {
	d := &drawn{bench: b, deadline: seconds(job.Canonize)}
	s := b.Scenario
	s.Now, s.Limits, s.Seed, s.Deadline = job.Now, Limits, job.Seed, d.deadline
	d.scenario = s
	for i := range job.Documents {
		c, err := b.Generator.Document(job.Seed, i)
		if err != nil {
			return nil, d.at(i, err)
		}
		x, err := b.Format.Prepare(c, s)
		if err != nil {
			return nil, d.at(i, fmt.Errorf("prepare: %w", err))
		}
		d.credentials, d.exchanges = append(d.credentials, c), append(d.exchanges, x)
		d.hashes = append(d.hashes, hash(c.VCDM))
	}
	return d, nil
}

// counters returns the sum over all exchanges.
func (d *drawn) counters() compare.Counters {
	var sum compare.Counters
	seen := make(map[*compare.Counters]bool)
	for _, x := range d.exchanges {
		if !seen[x.Counters] {
			seen[x.Counters] = true
			sum.Add(*x.Counters)
		}
	}
	return sum
}

// step returns the function that performs one operation on document i and returns its result.
func (d *drawn) step(op compare.Operation, inputs [][]byte) (func(i int) ([]byte, error), error) {
	given := op != compare.Issue && op != compare.Canonize
	if given && len(inputs) != len(d.exchanges) {
		return nil, fmt.Errorf("%d inputs for %d documents", len(inputs), len(d.exchanges))
	}
	switch op {
	case compare.Canonize:
		return func(i int) ([]byte, error) { return d.exchanges[i].Canonize() }, nil
	case compare.Issue:
		return func(i int) ([]byte, error) { return d.exchanges[i].Issue() }, nil
	case compare.Present:
		return func(i int) ([]byte, error) { return d.exchanges[i].Present(inputs[i]) }, nil
	case compare.Verify, compare.VerifyPresented:
		return func(i int) ([]byte, error) { return nil, d.exchanges[i].Verify(inputs[i]) }, nil
	}
	return nil, fmt.Errorf("unknown operation %q", op)
}

func median[T int | int64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	s := slices.Clone(values)
	slices.Sort(s)
	return s[len(s)/2]
}
