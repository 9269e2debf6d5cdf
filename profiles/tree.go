package profiles

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"canonscope/canon/phase"
)

// Names of frames that are not functions.
const (
	backgroundFrame = "(background)"
	cutFrame        = "(root cut by the sampler)"
)

// samplerDepth is the number of frames, counted from the leaf, that runtime/pprof keeps of a CPU stack.
// Inlined calls come on top of it.
const samplerDepth = 64

// By is what the frames of a picture are.
type By string

const (
	ByFunction By = "function"
	ByPackage  By = "package" // calls inside a package are one frame
	ByPhase    By = "phase"   // functions below the phase that they are charged to
)

// Bys lists what frames can be.
var Bys = []By{ByFunction, ByPackage, ByPhase}

// View is how stacks become frames. The zero value has a frame for each function, callers first.
type View struct {
	By     By
	Invert bool // the leaf first, then its caller, and so on

	// Callers begins each stack, with Invert, at the functions whose names contain it, in place of the
	// leaf. Stacks without such a function are left out.
	Callers string
}

// frames returns the frames of a stack, leaf first, as the view shows them: the root of the picture first.
func (v View) frames(stack []string, ph phase.Phase) []string {
	if v.Invert && v.Callers != "" {
		at := len(stack) - 1
		for at >= 0 && !strings.Contains(stack[at], v.Callers) {
			at--
		}
		if at < 0 {
			return nil
		}
		stack = stack[at:]
	}

	var out []string
	if v.By == ByPhase {
		out = append(out, ph.String())
	}
	for i := range stack {
		name := stack[i]
		if !v.Invert {
			name = stack[len(stack)-1-i]
		}
		if v.By == ByPackage {
			if name = packageOf(name); len(out) > 0 && out[len(out)-1] == name {
				continue
			}
		}
		out = append(out, name)
	}
	return out
}

// packageOf returns the package of a function: "a/b" for "a/b.(*T).Name". A generic function's type
// arguments may hold slashes.
func packageOf(name string) string {
	if name == cutFrame {
		return name
	}
	plain, _, _ := strings.Cut(name, "[")
	slash := strings.LastIndexByte(plain, '/') + 1
	pkg, _, _ := strings.Cut(plain[slash:], ".")
	return plain[:slash] + pkg
}

// node is a call path in a tree of samples.
type node struct {
	name     string
	phase    phase.Phase // of a sample whose leaf is here; Unattributed if callees differ
	value    int64       // with callees
	self     int64
	own      int64 // of value, what costs operations: all but the unattributed background
	samples  int64
	children []*node // by name
	index    map[string]*node
	phases   Counts
}

// tree builds the call tree of a profile that has values. The harness is cut off at the root, and samples
// outside the measured operation are gathered under one frame. The root's children are the frames of the
// foreground, then the background. With own it has only the samples that cost operations.
func tree(p *profile.Profile, r Rules, v View, own bool) (root *node, unit string) {
	c := r.classifier()
	vi := valueIndex(p)
	root, unit = &node{name: "root", phase: phase.Unattributed}, p.SampleType[vi].Unit
	var buf []string
	cut := isPerOperation(p)
	for _, s := range samples(p) {
		if s.Value[vi] == 0 {
			continue
		}
		buf = stack(s, buf)
		st, ph := buf, c.phaseOf(buf)
		fg := c.foreground(s, buf)
		costs := fg || ph != phase.Unattributed
		if own && !costs {
			continue
		}

		if fg && !cut {
			st = c.cutHarness(buf)
		}
		path := v.frames(st, ph)
		if path == nil && v.Callers != "" {
			continue
		}
		at := root
		at.add(s, vi, ph, costs)
		if !fg {
			at = at.child(backgroundFrame)
			at.add(s, vi, ph, costs)
		}
		for i, name := range path {
			at = at.child(name)
			if at.samples == 0 && !v.Invert && (v.By == "" || v.By == ByFunction) && name != cutFrame {
				at.phase = c.phaseOf(st[len(st)-1-i:])
			}
			at.add(s, vi, ph, costs)
		}

		at.self += s.Value[vi]
	}

	root.finish()
	return root, unit
}

// cutHarness returns the part of a foreground stack below the measuring code. A stack that the sampler cut
// before that code gets a root that marks the cut.
func (c *classifier) cutHarness(st []string) []string {
	for i, name := range st {
		if r, ok := c.match(name, ""); ok && r.Kind == Harness {
			return st[:i]
		}
	}
	if len(st) < samplerDepth {
		return st // on the stack of the scheduler
	}
	return append(st, cutFrame)
}

func (n *node) add(s *profile.Sample, vi int, ph phase.Phase, costs bool) {
	n.value += s.Value[vi]
	if costs {
		n.own += s.Value[vi]
	}
	n.samples += s.Value[0]
	n.phases[ph].Samples += s.Value[0]
	n.phases[ph].Value += s.Value[vi]
}

func (n *node) child(name string) *node {
	if c := n.index[name]; c != nil {
		return c
	}
	c := &node{name: name, phase: phase.Unattributed}
	if n.index == nil {
		n.index = map[string]*node{}
	}
	n.index[name] = c
	n.children = append(n.children, c)
	return c
}

// finish sorts children by name, background last. A node without a rule, or with hardly a sample of its
// phase, gets the phase of its samples if they all have the same one.
func (n *node) finish() {
	slices.SortFunc(n.children, func(a, b *node) int {
		if (a.name == backgroundFrame) != (b.name == backgroundFrame) {
			if a.name == backgroundFrame {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.name, b.name)
	})
	if own := n.phases[n.phase].Value; own < n.value/20 {
		n.phase = phase.Unattributed // it would look like what its callees are
	}
	if n.phase == phase.Unattributed {
		if p, ok := n.onlyPhase(); ok {
			n.phase = p
		}
	}
	n.index = nil
	for _, c := range n.children {
		c.finish()
	}
}

// onlyPhase returns the phase that all samples of a node share, if they do.
func (n *node) onlyPhase() (phase.Phase, bool) {
	found, only := 0, phase.Unattributed
	for i, v := range n.phases {
		if v.Value != 0 {
			found++
			only = phase.Phase(i)
		}
	}
	return only, found == 1
}

// amount prints a value in its unit.
func amount(v int64, unit string) string {
	switch unit {
	case "nanoseconds":
		return seconds(v)
	case "bytes":
		return byteSize(v)
	}
	return grouped(v)
}

func seconds(ns int64) string {
	s := time.Duration(ns).Seconds()
	if s < 10 {
		return fmt.Sprintf("%.2f s", s)
	}
	return fmt.Sprintf("%.1f s", s)
}
