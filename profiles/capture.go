package profiles

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/google/pprof/profile"
)

// Hz is the sampling rate, the default of runtime/pprof. Above the kernel's tick rate, samples are lost
// without notice.
const Hz = 100

// Capture is a running CPU profile. Only one can run in a process.
type Capture struct {
	buf   bytes.Buffer
	cpu   time.Duration
	start time.Time
}

// Recording is a finished CPU profile.
type Recording struct {
	Profile *profile.Profile
	CPU     time.Duration // process CPU over the same span, by getrusage
	Wall    time.Duration
}

// Start begins a CPU profile of the whole process. It fails if one is running.
func Start() (*Capture, error) {
	c := &Capture{}
	if err := pprof.StartCPUProfile(&c.buf); err != nil {
		return nil, fmt.Errorf("start CPU profile: %w", err)
	}
	c.cpu, c.start = processCPU(), time.Now()
	return c, nil
}

// Stop ends the profile and parses it. Stopping takes up to 0.2 s.
func (c *Capture) Stop() (*Recording, error) {
	r := &Recording{CPU: processCPU() - c.cpu, Wall: time.Since(c.start)}
	pprof.StopCPUProfile()
	p, err := profile.Parse(&c.buf)
	if err != nil {
		return nil, fmt.Errorf("parse CPU profile: %w", err)
	}
	r.Profile = p
	return r, nil
}

// Merge pools recordings. The first expiry of the sampling timer is random, so short profiles add up
// without bias.
func Merge(recs ...*Recording) (*Recording, error) {
	out := &Recording{}
	var ps []*profile.Profile
	for _, r := range recs {
		if r == nil || r.Profile == nil {
			return nil, errNoProfile
		}
		out.CPU += r.CPU
		out.Wall += r.Wall
		ps = append(ps, r.Profile)
	}
	p, err := profile.Merge(ps)
	if err != nil {
		return nil, fmt.Errorf("merge profiles: %w", err)
	}
	out.Profile = p
	return out, nil
}

// Coverage returns the CPU time of the samples divided by the CPU time that the kernel charged.
func (r *Recording) Coverage() float64 {
	if r.CPU <= 0 {
		return 0
	}
	var sum int64
	vi := valueIndex(r.Profile)
	for _, s := range r.Profile.Sample {
		sum += s.Value[vi]
	}
	return float64(sum) / float64(r.CPU)
}

// Limits of an acceptable Coverage.
const (
	MinCoverage = 0.9
	MaxCoverage = 1.1
)

// Warning describes in one line what is wrong with the recording. It is empty if nothing is.
func (r *Recording) Warning() string {
	if c := r.Coverage(); c < MinCoverage || c > MaxCoverage {
		return fmt.Sprintf("samples cover %.2f of the CPU time (accepted: %.1f to %.1f): "+
			"the machine lost samples or the pass was too short", c, MinCoverage, MaxCoverage)
	}
	return ""
}

func processCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
