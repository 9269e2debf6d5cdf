package profiles

import (
	"cmp"
	"slices"

	"github.com/google/pprof/profile"

	"canonscope/canon/phase"
)

// called is what the calls of a function cost together; of calls inside calls the outermost counts.
type called struct {
	name                      string
	self, selfOwn, value, own int64 // own is what costs operations
	selfSamples, samples      int64
	phases                    Counts
}

// functions adds up a tree that is not inverted, the dearest by their own code first. Frames that are not
// functions are left out.
func functions(root *node) []*called {
	index := map[string]*called{}
	depth := map[string]int{}
	var walk func(n *node)
	walk = func(n *node) {
		f := index[n.name]
		if f == nil {
			f = &called{name: n.name}
			index[n.name] = f
		}
		f.self += n.self
		below := int64(0)
		own := n.own
		for _, c := range n.children {
			below += c.samples
			own -= c.own
		}
		f.selfOwn += own
		f.selfSamples += n.samples - below
		if depth[n.name] == 0 {
			f.value += n.value
			f.own += n.own
			f.samples += n.samples
			f.phases.add(&n.phases)
		}

		depth[n.name]++
		for _, c := range n.children {
			walk(c)
		}
		depth[n.name]--
	}

	for _, c := range root.children {
		walk(c)
	}
	delete(index, backgroundFrame)
	delete(index, cutFrame)

	out := make([]*called, 0, len(index))
	for _, f := range index {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *called) int {
		return cmp.Or(cmp.Compare(b.self, a.self), cmp.Compare(b.value, a.value), cmp.Compare(a.name, b.name))
	})
	return out
}

// mainPhase names the phase that most of a function is charged to.
func (f *called) mainPhase() string {
	best := phase.Unattributed
	for i, c := range f.phases {
		if c.Value > f.phases[best].Value {
			best = phase.Phase(i)
		}
	}
	return best.String()
}

// Function is what a function costs: shares of the time that operations cost, in its own code and with what
// it calls.
type Function struct {
	Name        string
	Phase       string // that most of it is charged to
	Self, Total float64
	Samples     int64 // of Self
}

// Functions returns the functions of a profile, the dearest by their own code first.
func Functions(p *profile.Profile, r Rules) []Function {
	if valueIndex(p) < 0 {
		return nil
	}
	root, _ := tree(p, r, View{}, true)
	var out []Function
	for _, f := range functions(root) {
		out = append(out, Function{Name: f.name, Phase: f.mainPhase(),
			Self: float64(f.selfOwn) / float64(root.own), Total: float64(f.own) / float64(root.own),
			Samples: f.selfSamples})
	}
	return out
}

// Stack is a call path with what it calls: a share of the time that operations cost.
type Stack struct {
	Share float64
	Path  []string // the callee first
}

// leastStack is the share below which a call path is a part of its caller's.
const leastStack = 0.03

// Stacks returns the call paths of a profile that are dear and call none that is, the dearest first.
func Stacks(p *profile.Profile, r Rules) []Stack {
	if valueIndex(p) < 0 {
		return nil
	}
	root, _ := tree(p, r, View{}, true)
	dear := func(n *node) bool { return float64(n.own) >= leastStack*float64(max(1, root.own)) }
	var out []Stack
	var walk func(n *node, path []string)
	walk = func(n *node, path []string) {
		last := true
		for _, c := range n.children {
			if dear(c) {
				last = false
				walk(c, append(path, c.name))
			}
		}
		if last && len(path) > 0 {
			calls := slices.Clone(path)
			slices.Reverse(calls)
			out = append(out, Stack{float64(n.own) / float64(root.own), calls})
		}
	}
	walk(root, nil)
	slices.SortStableFunc(out, func(a, b Stack) int { return cmp.Compare(b.Share, a.Share) })
	return out
}
