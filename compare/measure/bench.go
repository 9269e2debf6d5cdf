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

// Bench is what a cell needs to be gated, timed and profiled.
type Bench struct {
	Format    compare.Preparer
	Generator schemas.Generator
	Scenario  compare.Scenario // but for the clock, the limits and the seed
	// Guard refuses a document that the engine is known to get wrong or to lose data of; nil where nothing is known. The gate
	// asks it for every document.
	Guard func(ctx context.Context, c *schemas.Credential) error
	// Check looks behind the exchange, outside the clock: the canonical form of the unsigned document is not empty, agrees
	// with an oracle and has lost no data. Nil where a format has no canonical form.
	Check func(ctx context.Context, c *schemas.Credential) (Form, error)
	// Tamper returns altered copies of a presentation, every one of which verify must refuse.
	Tamper func(c *schemas.Credential, presented []byte) ([]compare.Tampered, error)
}

// Form is what Check found.
type Form struct {
	Quads   int    // lines of the canonical form; 0 without RDF
	Blank   int    // blank nodes of a document that is canonicalized
	NDegree int64  // its n-degree calls plus permutations
	Oracle  string // engine that it was compared with
}

// Opener opens the Bench of a cell or exchange.
type Opener func(compare.Cell) (*Bench, error)

// Now is the verifier's clock in every measurement: after the catalogue's validFrom, the same on every machine.
var Now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// Limits of every operation that is measured, in run and in benchmarks: what a library or a service allows by default does not
// bound a campaign, whose children have a deadline and a limit of memory. Work stays at its default: json-gold takes no other.
var Limits = canon.Limits{Bytes: 64 << 20, Depth: 512, Context: 8 << 20, Memory: 4 << 30, Time: -1, Documents: 1000, Steps: -1, Signatures: 1 << 20}

// drawn is a cell's documents, made ready.
type drawn struct {
	bench       *Bench
	credentials []*schemas.Credential
	exchanges   []*compare.Exchange
	hashes      []string // of the documents
	seed        uint64
	deadline    time.Duration // of canonize
}

// NotedError is an error with lines that say more, each of which is shown on a line of its own.
type NotedError struct {
	Err   error
	Notes []string
}

func (e *NotedError) Error() string { return e.Err.Error() }
func (e *NotedError) Unwrap() error { return e.Err }

// reasonOf is an error with its notes below it, those that say the most about it first. No other lines are in it.
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

// yours reports whether the user brought the documents, which are then all one.
func (d *drawn) yours() bool { return catalogue.IsFile(d.bench.Generator.Name()) }

// at says which document an error is about, and what prints it.
func (d *drawn) at(i int, err error) error {
	if d.yours() {
		return fmt.Errorf("your document: %w", err)
	}
	return &NotedError{fmt.Errorf("document %d: %w", i, err),
		[]string{fmt.Sprintf("canonscope schemas generate %s --seed %d --index %d prints the document", d.bench.Generator.Name(), d.seed, i)}}
}

// draw makes the documents of a seed ready.
func draw(b *Bench, job *Job) (*drawn, error) {
	d := &drawn{bench: b, seed: job.Seed, deadline: seconds(job.Canonize)}
	s := b.Scenario
	s.Now, s.Limits, s.Seed, s.Deadline = Now, Limits, job.Seed, d.deadline
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

// step returns the function that performs one operation on document i and gives what it returned.
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
