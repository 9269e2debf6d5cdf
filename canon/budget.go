//phase:caller
package canon

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

// Budget counts what the steps of one operation use, in all packages, and holds their [Limits]. Every loop
// that an input can lengthen asks it. An operation makes its budget from its limits; [WithBudget] lets
// several operations share one. A Budget is safe for concurrent use.
type Budget struct {
	limits     Limits
	end        atomic.Int64 // in nanoseconds since 1970; 0 until the first call of Alive
	memory     atomic.Int64
	documents  atomic.Int64
	work       atomic.Int64
	signatures atomic.Int64
	steps      atomic.Int64
}

type budgetKey struct{}

// WithBudget returns a context whose budget is shared by all operations called with it.
func WithBudget(ctx context.Context, l Limits) context.Context {
	b := new(Budget)
	b.Reset(l)
	return context.WithValue(ctx, budgetKey{}, b)
}

// BudgetOf returns given if it is not nil, else the budget of ctx, else own, reset to the limits.
func BudgetOf(ctx context.Context, given, own *Budget, l Limits) *Budget {
	if given != nil {
		return given
	}
	if b, ok := ctx.Value(budgetKey{}).(*Budget); ok {
		return b
	}
	own.Reset(l)
	return own
}

// Reset makes b the budget of a new operation.
func (b *Budget) Reset(l Limits) {
	b.limits = l
	b.limits.fill()
	for _, n := range [...]*atomic.Int64{&b.end, &b.memory, &b.documents, &b.work, &b.signatures, &b.steps} {
		if n.Load() != 0 { // a load costs less than a store that all processors see
			n.Store(0)
		}
	}
}

// Limits returns the limits of the operation.
func (b *Budget) Limits() *Limits { return &b.limits }

// Alive returns a *LimitError once ctx has ended or the time of the operation is used up. Time counts from
// the first call of Alive, which every long operation makes.
func (b *Budget) Alive(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &LimitError{Limit: "time", Err: err}
	}
	if b.limits.Time < 0 {
		return nil
	}
	now := time.Now().UnixNano()
	if b.end.CompareAndSwap(0, now+int64(b.limits.Time)) {
		return nil
	}
	if over := now - b.end.Load(); over > 0 {
		return &LimitError{Limit: "time", Max: int64(b.limits.Time), Done: int64(b.limits.Time) + over}
	}
	return nil
}

// Use counts bytes of working memory, and returns a *LimitError if they are too many. A negative number
// gives bytes back.
func (b *Budget) Use(bytes int) error {
	if used := b.memory.Add(int64(bytes)); used > b.limits.Memory {
		return &LimitError{Limit: "memory", Max: b.limits.Memory, Done: used}
	}
	return nil
}

// Left returns the bytes of working memory that are left.
func (b *Budget) Left() int64 { return max(0, b.limits.Memory-b.memory.Load()) }

// Work counts n-degree work, and returns how much of it is left.
func (b *Budget) Work(steps int64) int64 {
	if steps == 0 { // mostly
		return max(0, b.limits.Work-b.work.Load())
	}
	return max(0, b.limits.Work-b.work.Add(steps))
}

// Document counts a context document that is loaded.
func (b *Budget) Document(url string) error {
	if n := b.documents.Add(1); n > int64(b.limits.Documents) {
		return &LimitError{Limit: "documents", Max: int64(b.limits.Documents), Done: n, Where: url}
	}
	return nil
}

// stepsTogether times the limit of steps is what all calls of a library in one operation may take.
const stepsTogether = 3

// Steps counts the estimated steps of a library that does not count them.
func (b *Budget) Steps(n int64) error {
	most := stepsTogether * min(b.limits.Steps, math.MaxInt64/stepsTogether)
	if done := b.steps.Add(n); most >= 0 && done > most {
		return &LimitError{Limit: "steps", Max: most, Done: done, Where: "all documents together"}
	}
	return nil
}

// Signatures counts signatures before they are made or checked; where is the place in the document.
func (b *Budget) Signatures(n int, where string) error {
	if done := b.signatures.Add(int64(n)); done > int64(b.limits.Signatures) {
		return &LimitError{Limit: "signatures", Max: int64(b.limits.Signatures), Done: done, Where: where}
	}
	return nil
}
