package profiles

import (
	"fmt"
	"slices"
)

// Sampler is a way to take samples of CPU time.
type Sampler string

const (
	// Auto is Perf where the system allows it, and otherwise Signal.
	Auto Sampler = "auto"
	// Signal is SIGPROF by runtime/pprof. It works everywhere, Hz times in a second of CPU, and takes up
	// to 0.2 s to stop.
	Signal Sampler = "signal"
	// Perf is the CPU clock of perf_event_open (Linux on amd64 and arm64), PerfHz times in a second of
	// CPU, and stops at once.
	Perf Sampler = "perf"
)

// Samplers lists the samplers.
var Samplers = []Sampler{Auto, Signal, Perf}

// Sampling rates in a second of CPU. That of signals is the default of runtime/pprof: above the tick rate
// of the kernel, samples are lost without notice.
const (
	Hz     = 100
	PerfHz = 4000
)

// SamplerError says that the system does not allow a sampler.
type SamplerError struct {
	Sampler Sampler
	Reason  string
}

func (e *SamplerError) Error() string {
	return fmt.Sprintf("sampler %s is not available: %s", e.Sampler, e.Reason)
}

// Available returns nil if the sampler works in this process, and a *SamplerError if it does not.
func (s Sampler) Available() error {
	if s == Perf {
		return probePerf()
	}
	return s.known()
}

func (s Sampler) known() error {
	if !slices.Contains(Samplers, s) {
		return fmt.Errorf("unknown sampler %q: want auto, signal or perf", string(s))
	}
	return nil
}

// describe is the comment of a profile about how it was recorded.
func (r *Recording) describe() string {
	if r.Sampler == Signal {
		return fmt.Sprintf("sampler signal: SIGPROF, %d Hz", Hz)
	}
	text := fmt.Sprintf("sampler perf: cpu-clock, %d Hz, %d lost", PerfHz, r.Lost)
	if r.UserOnly {
		text += ", user time only"
	}
	return text
}
