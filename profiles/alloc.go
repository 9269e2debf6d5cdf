package profiles

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/pprof"

	"github.com/google/pprof/profile"
)

// AllocRate is the mean number of bytes between two allocation samples. Recording every object would take
// ten times as long.
const AllocRate = 512

// StartAllocs begins to sample allocations, which slows them down. Call it once, in a process made for this
// pass: the runtime scales its samples by [runtime.MemProfileRate], which must not change until
// [ReadAllocs].
func StartAllocs() { runtime.MemProfileRate = AllocRate }

// ReadAllocs returns the allocations made inside [Do], by stack. Do must begin after StartAllocs. The
// sample values are alloc_objects and alloc_space. Goroutines that the operation starts do not pass through
// Do and are not included.
func ReadAllocs() (*profile.Profile, error) {
	runtime.GC() // twice: the profile is that of the collection before the last one
	runtime.GC()
	var b bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&b, 0); err != nil {
		return nil, fmt.Errorf("read allocation profile: %w", err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		return nil, fmt.Errorf("parse allocation profile: %w", err)
	}
	p.SampleType = p.SampleType[:2] // drop inuse_objects and inuse_space
	inside := p.Sample[:0]
	for _, s := range p.Sample {
		if s.Value = s.Value[:2]; passesDo(s) {
			inside = append(inside, s)
		}
	}
	p.Sample = inside
	return p.Compact(), nil
}
