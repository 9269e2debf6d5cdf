package profiles

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/pprof"

	"github.com/google/pprof/profile"
)

// AllocRate is the mean number of bytes between two allocation samples.
const AllocRate = 4096

// Allocs is a running allocation profile.
type Allocs struct{ before *profile.Profile }

// StartAllocs begins to record allocations. Call it first thing in a process made for this pass: it sets
// [runtime.MemProfileRate], which must stay as it is until the profile is read, and slows allocation.
func StartAllocs() (*Allocs, error) {
	runtime.MemProfileRate = AllocRate
	p, err := snapshot()
	if err != nil {
		return nil, err
	}
	return &Allocs{before: p}, nil
}

// Stop returns what was allocated since StartAllocs, by stack; its values are alloc_objects and alloc_space.
func (a *Allocs) Stop() (*profile.Profile, error) {
	after, err := snapshot()
	if err != nil {
		return nil, err
	}
	a.before.Scale(-1)
	p, err := profile.Merge([]*profile.Profile{a.before, after})
	if err != nil {
		return nil, fmt.Errorf("subtract allocation profiles: %w", err)
	}
	keep := p.Sample[:0]
	for _, s := range p.Sample {
		if s.Value[0] > 0 {
			keep = append(keep, s)
		}
	}
	p.Sample = keep
	return p.Compact(), nil
}

// snapshot reads the allocations of the process so far. A profile shows what the second last collection saw.
func snapshot() (*profile.Profile, error) {
	runtime.GC()
	runtime.GC()
	var b bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&b, 0); err != nil {
		return nil, fmt.Errorf("read allocation profile: %w", err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		return nil, fmt.Errorf("parse allocation profile: %w", err)
	}
	return p, nil
}
