package profiles

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/pprof"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/pprof/profile"
)

// Capture is a running CPU profile. Only one can run in a process.
type Capture struct {
	buf      bytes.Buffer // what runtime/pprof writes
	perf     *perfCapture // instead of it
	fallback string
	cpu      time.Duration
	start    time.Time
}

// Recording is a finished CPU profile.
type Recording struct {
	Profile  *profile.Profile
	Sampler  Sampler       // Signal or Perf
	Fallback string        // why Auto is Signal
	Lost     int64         // samples of Perf that found no room
	UserOnly bool          // Perf may not sample the time in the kernel
	CPU      time.Duration // process CPU over the same span, by getrusage
	Wall     time.Duration
}

var (
	capturing atomic.Bool
	perfNow   atomic.Pointer[perfCapture] // that samples now
)

var errCapturing = errors.New("start CPU profile: one is running already")

// Start begins a CPU profile of the whole process. It fails if one is running. That a sampler is not
// available is a *SamplerError.
func Start(s Sampler) (*Capture, error) {
	if err := s.known(); err != nil {
		return nil, err
	}
	if !capturing.CompareAndSwap(false, true) {
		return nil, errCapturing
	}
	c := &Capture{}
	if err := c.begin(s); err != nil {
		capturing.Store(false)
		return nil, err
	}
	perfNow.Store(c.perf)
	c.cpu, c.start = processCPU(), time.Now()
	return c, nil
}

func (c *Capture) begin(s Sampler) (err error) {
	if s != Signal {
		if c.perf, err = startPerf(); err == nil || s == Perf {
			return err
		}
		c.perf, c.fallback = nil, err.Error()
	}
	if err := pprof.StartCPUProfile(&c.buf); err != nil {
		return fmt.Errorf("start CPU profile: %w", err)
	}
	return nil
}

// Stop ends the profile and returns it. With signals, stopping takes up to 0.2 s.
func (c *Capture) Stop() (*Recording, error) {
	r := &Recording{Sampler: Signal, Fallback: c.fallback, CPU: processCPU() - c.cpu,
		Wall: time.Since(c.start)}
	if c.start.IsZero() {
		return nil, errors.New("stop CPU profile: it has not started")
	}
	defer capturing.Store(false)

	var err error
	if c.perf != nil {
		perfNow.Store(nil)
		c.perf.halt()
		r.Sampler = Perf
		err = c.perf.finish(r)
		c.perf = nil
	} else {
		pprof.StopCPUProfile()
		r.Profile, err = profile.Parse(&c.buf)
	}

	c.start = time.Time{}
	if err != nil {
		return nil, fmt.Errorf("read CPU profile: %w", err)
	}
	r.Profile.Comments = append(r.Profile.Comments, r.describe())
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
		if out.Sampler != "" && out.Sampler != r.Sampler {
			return nil, errors.New("merge profiles: their samplers differ")
		}
		out.Sampler, out.Fallback, out.UserOnly = r.Sampler, r.Fallback, out.UserOnly || r.UserOnly
		out.Lost += r.Lost
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
		if r.UserOnly && c < MinCoverage && c > 0 {
			return fmt.Sprintf("samples cover %.2f of the CPU time (accepted: %.1f to %.1f): "+
				"the system does not let time in the kernel be sampled", c, MinCoverage, MaxCoverage)
		}
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
