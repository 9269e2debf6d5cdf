package profiles

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// Folded writes one sorted line for each call path, "root;caller;leaf value", the input of many flame graph
// tools. Values are nanoseconds or bytes.
func Folded(w io.Writer, p *profile.Profile, r Rules) error {
	if valueIndex(p) < 0 {
		return errNoProfile
	}
	root, _ := tree(p, r, View{}, false)
	bw := bufio.NewWriter(w)
	root.paths(nil, func(path []*node, self int64) {
		for i, n := range path {
			if i > 0 {
				bw.WriteByte(';')
			}
			bw.WriteString(foldedName.Replace(n.name))
		}
		fmt.Fprintf(bw, " %d\n", self)
	})
	return bw.Flush()
}

// foldedName replaces the separators of the format in a name.
var foldedName = strings.NewReplacer(";", ":", "\n", " ")

// Speedscope writes the profile in the "sampled" file format of speedscope, with one sample for each call
// path.
func Speedscope(w io.Writer, p *profile.Profile, r Rules, name string) error {
	if valueIndex(p) < 0 {
		return errNoProfile
	}
	root, unit := tree(p, r, View{}, false)
	f := newScope()
	f.add(root, name, unit, 1)
	return f.write(w, name)
}

// scope is a file of speedscope.
type scope struct {
	frames   []scopeFrame
	index    map[string]int
	profiles []scopeProfile
}

type scopeFrame struct {
	Name string `json:"name"`
}

type scopeProfile struct {
	Type       string  `json:"type"`
	Name       string  `json:"name"`
	Unit       string  `json:"unit"`
	StartValue int64   `json:"startValue"`
	EndValue   int64   `json:"endValue"`
	Samples    [][]int `json:"samples"`
	Weights    []int64 `json:"weights"`
}

func newScope() *scope { return &scope{index: map[string]int{}} }

// add adds a tree whose values are scaled.
func (f *scope) add(root *node, name, unit string, scale float64) {
	s := scopeProfile{Type: "sampled", Name: name, Unit: unit, Samples: [][]int{}, Weights: []int64{}}
	if unit != "nanoseconds" && unit != "bytes" {
		s.Unit = "none"
	}

	root.paths(nil, func(path []*node, self int64) {
		ids := make([]int, len(path))
		for i, n := range path {
			id, ok := f.index[n.name]
			if !ok {
				id = len(f.frames)
				f.index[n.name] = id
				f.frames = append(f.frames, scopeFrame{n.name})
			}
			ids[i] = id
		}
		weight := int64(math.Round(float64(self) * scale))
		s.Samples = append(s.Samples, ids)
		s.Weights = append(s.Weights, weight)
		s.EndValue += weight
	})

	f.profiles = append(f.profiles, s)
}

func (f *scope) write(w io.Writer, name string) error {
	return json.NewEncoder(w).Encode(map[string]any{
		"$schema":            "https://www.speedscope.app/file-format-schema.json",
		"exporter":           "canonscope",
		"name":               name,
		"activeProfileIndex": 0,
		"shared":             map[string]any{"frames": slices.Clip(f.frames)},
		"profiles":           f.profiles,
	})
}

// paths calls f for every path whose last function has samples, callers first, in the order of the tree.
func (n *node) paths(path []*node, f func(path []*node, self int64)) {
	for _, c := range n.children {
		p := append(path, c)
		if c.self != 0 {
			f(p, c.self)
		}
		c.paths(p, f)
	}
}
