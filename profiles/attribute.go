package profiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/google/pprof/profile"

	"canonscope/canon/phase"
)

// Count is the sum of the samples of one phase.
type Count struct {
	Samples int64 `json:"samples"`
	Value   int64 `json:"value"` // nanoseconds of CPU, or bytes allocated
}

// Counts holds a Count per phase. Its JSON is an object of phase names; phases without samples are left
// out, except unattributed.
type Counts [phase.Count]Count

// Total returns the sum over all phases.
func (c *Counts) Total() Count {
	var t Count
	for _, n := range c {
		t.Samples += n.Samples
		t.Value += n.Value
	}
	return t
}

func (c *Counts) add(o *Counts) {
	for i := range c {
		c[i].Samples += o[i].Samples
		c[i].Value += o[i].Value
	}
}

// MarshalJSON writes the phases in their order.
func (c Counts) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, n := range c {
		if p := phase.Phase(i); n != (Count{}) || p == phase.Unattributed {
			b = fmt.Appendf(b, "%q:{\"samples\":%d,\"value\":%d},", p, n.Samples, n.Value)
		}
	}
	b[len(b)-1] = '}'
	return b, nil
}

// UnmarshalJSON reads the output of MarshalJSON. An unknown phase is an error.
func (c *Counts) UnmarshalJSON(b []byte) error {
	var m map[string]Count
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return err
	}
	*c = Counts{}
	for name, n := range m {
		p, ok := phase.ByName(name)
		if !ok {
			return fmt.Errorf("unknown phase %q", name)
		}
		c[p] = n
	}
	return nil
}

// Attribution is a profile charged to phases. Foreground is the measured operation (see [Do]), including
// the allocations and collector assists of its goroutines. Background is the rest of the process:
// collector, scheduler, profiler.
type Attribution struct {
	Rules      string `json:"rules"` // Rules.Hash
	Foreground Counts `json:"foreground"`
	Background Counts `json:"background"`
}

// Attribute charges the samples of a CPU profile (value: nanoseconds) or of an allocation profile (value:
// bytes) to phases. A nil profile has no samples.
func Attribute(p *profile.Profile, r Rules) Attribution {
	a := Attribution{Rules: r.hash}
	c := r.classifier()
	vi := valueIndex(p)
	var buf []string
	for _, s := range samples(p) {
		buf = stack(s, buf)
		into := &a.Background
		if c.foreground(s, buf) {
			into = &a.Foreground
		}
		n := &into[c.phaseOf(buf)]
		n.Samples += s.Value[0]
		n.Value += s.Value[vi]
	}
	return a
}

// samples returns the samples of a profile. A nil profile, or one that does not declare its sample types,
// has none.
func samples(p *profile.Profile) []*profile.Sample {
	if p == nil || len(p.SampleType) == 0 {
		return nil
	}
	return p.Sample
}

var errNoProfile = errors.New("the profile is missing or does not declare its sample types")

// valueIndex returns the column of a profile that is charged: CPU time or bytes allocated. Column 0 counts
// samples.
func valueIndex(p *profile.Profile) int {
	if p == nil {
		return -1
	}
	for i, t := range p.SampleType {
		if t.Type == "cpu" || t.Type == "alloc_space" {
			return i
		}
	}
	return len(p.SampleType) - 1
}

// Add adds another attribution to a. It panics if the two were made by different rules.
func (a *Attribution) Add(o Attribution) {
	if a.Rules == "" {
		a.Rules = o.Rules
	}
	if a.Rules != o.Rules {
		panic("profiles: adding attributions made by different rules")
	}
	a.Foreground.add(&o.Foreground)
	a.Background.add(&o.Background)
}

// Share is a share of the foreground samples with its 95 % Wilson interval.
type Share struct {
	Phase            phase.Phase
	Samples, Of      int64
	Value            int64
	Share, Low, High float64 // 0..1
}

// FewSamples is the number of samples below which a share is too coarse to compare. Reports grey such
// shares out.
const FewSamples = 30

// Shares returns the foreground by phase, in the order of the phases. Phases without samples are left out,
// but unattributed is always present and last.
func (a *Attribution) Shares() []Share {
	t := a.Foreground.Total()
	var out []Share
	for i, n := range a.Foreground {
		if p := phase.Phase(i); n.Samples != 0 || p == phase.Unattributed {
			out = append(out, share(p, n, t))
		}
	}
	return out
}

// mainShare is the share from which on Wide looks at a phase.
const mainShare = 0.05

// Wide returns the phases above 5 % whose interval reaches further than half from its middle.
func (a *Attribution) Wide(half float64) []Share {
	return slices.DeleteFunc(a.Shares(), func(s Share) bool {
		return s.Share <= mainShare || (s.High-s.Low)/2 <= half
	})
}

// Attributed returns the share of foreground samples that have a phase.
func (a *Attribution) Attributed() Share {
	t := a.Foreground.Total()
	n, u := t, a.Foreground[phase.Unattributed]
	n.Samples -= u.Samples
	n.Value -= u.Value
	return share(phase.Unattributed, n, t)
}

func share(p phase.Phase, n, of Count) Share {
	s := Share{Phase: p, Samples: n.Samples, Of: of.Samples, Value: n.Value}
	if of.Value != 0 {
		s.Share = float64(n.Value) / float64(of.Value)
	}
	s.Low, s.High = Wilson(float64(n.Samples), float64(of.Samples))
	return s
}

// Wilson returns the 95 % score interval of the proportion k/n (Wilson 1927); counts pooled by weights need
// not be whole. It assumes independent samples; timer samples are independent as long as the work does not
// run in step with the timer. If n is 0, it returns 0 and 1.
func Wilson(k, n float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	p := min(1, k/n)
	center := p + z*z/(2*n)
	spread := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	d := 1 + z*z/n
	return max(0, (center-spread)/d), min(1, (center+spread)/d)
}

// Costs returns the CPU nanoseconds of each phase: foreground and background together, without the
// unattributed background, which is mostly the profiler.
func (a *Attribution) Costs() [phase.Count]float64 {
	var out [phase.Count]float64
	for i := range out {
		out[i] = float64(a.Foreground[i].Value)
		if phase.Phase(i) != phase.Unattributed {
			out[i] += float64(a.Background[i].Value)
		}
	}
	return out
}

// Charged returns Costs with the background collector and scheduler charged to phases in proportion to the
// bytes that each phase allocated; alloc is the attribution of an allocation profile of the same operation.
// The scheduler mostly serves the collector's threads: with GOGC=off it has almost no samples. The result
// is a model: the cost of marking follows live bytes rather than allocated ones. If nothing was allocated,
// Charged returns Costs.
func (a *Attribution) Charged(alloc *Attribution) [phase.Count]float64 {
	out := a.Costs()
	bytes := float64(alloc.Foreground.Total().Value)
	if bytes == 0 {
		return out
	}
	gc, run := float64(a.Background[phase.GC].Value), float64(a.Background[phase.Runtime].Value)
	out[phase.GC] -= gc
	out[phase.Runtime] -= run
	for i := range out {
		out[i] += (gc + run) * float64(alloc.Foreground[i].Value) / bytes
	}
	return out
}

// WriteText prints a CPU attribution as a table: phase, share, interval, samples and CPU time.
func (a *Attribution) WriteText(w io.Writer) error {
	t, bg := a.Foreground.Total(), a.Background.Total()
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "phase\tshare\t95 % interval\tsamples\tCPU\t")
	for _, s := range a.Shares() {
		few := ""
		if s.Samples < FewSamples {
			few = " few"
		}
		fmt.Fprintf(tw, "%s\t%.1f %%\t%.1f-%.1f %%\t%d\t%s\t%s\n", s.Phase, 100*s.Share, 100*s.Low,
			100*s.High, s.Samples, seconds(s.Value), few)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	at := a.Attributed()
	gc, run := a.Background[phase.GC].Samples, a.Background[phase.Runtime].Samples
	_, err := fmt.Fprintf(w, "attributed %.1f %% (%.1f-%.1f %%) of %d foreground samples, %s\n"+
		"background %d samples, %s: gc %d, runtime %d, other %d\n",
		100*at.Share, 100*at.Low, 100*at.High, t.Samples, seconds(t.Value),
		bg.Samples, seconds(bg.Value), gc, run, bg.Samples-gc-run)
	return err
}

// Annotate sets the label "phase" on every sample, so that "go tool pprof -tagroot=phase" groups by it.
func Annotate(p *profile.Profile, r Rules) {
	c := r.classifier()
	var buf []string
	for _, s := range samples(p) {
		buf = stack(s, buf)
		if s.Label == nil {
			s.Label = map[string][]string{}
		}
		s.Label[PhaseLabel] = []string{c.phaseOf(buf).String()}
	}
}
