package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"canonscope/profiles"
)

// These bound a profile that a child wrote: the nodes of its call tree, the locations of its stacks, and the
// time between two samples in microseconds.
const (
	maxNodes     = 1 << 20
	maxLocations = 1 << 24
	maxDelta     = int64(time.Hour / time.Microsecond)
)

// Pprof converts a .cpuprofile of V8 to a gzipped profile of pprof. A function is named after its package and
// file: "js:jsonld/lib/expand.js:expand". Samples of what the engine was asked to do are foreground; the
// collector and what V8 cannot name are background, and waiting is left out.
func Pprof(cpuprofile []byte) ([]byte, error) {
	var in struct {
		Nodes []struct {
			ID        int64
			CallFrame struct {
				FunctionName, URL string
				LineNumber        int64
			}
			Children []int64
		}
		Samples    []int64
		TimeDeltas []int64 // microseconds before each sample
	}
	if err := json.Unmarshal(cpuprofile, &in); err != nil {
		return nil, err
	}
	if len(in.Nodes) == 0 || len(in.Nodes) > maxNodes || len(in.Samples) != len(in.TimeDeltas) {
		return nil, errors.New("it is not a .cpuprofile")
	}

	out := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"},
		{Type: "cpu", Unit: "nanoseconds"}}, PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}}
	parent, locations := make(map[int64]int64), make(map[int64]*profile.Location)
	functions := make(map[string]*profile.Function)
	for _, n := range in.Nodes {
		for _, child := range n.Children {
			if _, twice := parent[child]; twice || child == n.ID {
				return nil, fmt.Errorf("its node %d has two parents", child)
			}
			parent[child] = n.ID
		}
		name := frameName(n.CallFrame.FunctionName, n.CallFrame.URL)
		f := functions[name]
		if f == nil {
			f = &profile.Function{ID: uint64(len(functions) + 1), Name: name, Filename: n.CallFrame.URL}
			functions[name], out.Function = f, append(out.Function, f)
		}
		l := &profile.Location{ID: uint64(len(out.Location) + 1),
			Line: []profile.Line{{Function: f, Line: n.CallFrame.LineNumber + 1}}}
		locations[n.ID], out.Location = l, append(out.Location, l)
	}

	samples, kept := make(map[int64]*profile.Sample), 0
	for i, id := range in.Samples {
		l := locations[id]
		if l == nil || l.Line[0].Function.Name == "js:(idle)" {
			continue
		}
		s := samples[id]
		if s == nil {
			s = &profile.Sample{Value: []int64{0, 0}}
			if locations[id] != nil && !beside(locations[id].Line[0].Function.Name) {
				s.Label = map[string][]string{profiles.CellLabel: {"engine"}}
			}
			for at, depth := id, 0; locations[at] != nil; depth++ {
				if depth > len(in.Nodes) {
					return nil, errors.New("its nodes are a cycle")
				}
				if kept++; kept > maxLocations {
					return nil, fmt.Errorf("its stacks have more than %d locations", maxLocations)
				}
				s.Location = append(s.Location, locations[at])
				at = parent[at]
			}
			samples[id], out.Sample = s, append(out.Sample, s)
		}
		if in.TimeDeltas[i] > maxDelta {
			return nil, fmt.Errorf("a sample of %d µs", in.TimeDeltas[i])
		}
		s.Value[0]++
		s.Value[1] += max(0, in.TimeDeltas[i]) * 1000
	}

	var b bytes.Buffer
	err := out.Write(&b)
	return b.Bytes(), err
}

// beside reports whether a frame is none of the operations: the collector, or what V8 has no name for.
func beside(frame string) bool {
	return strings.HasPrefix(frame, "js:(garbage") || strings.HasPrefix(frame, "js:(program") ||
		strings.HasPrefix(frame, "js:(idle") || frame == "js:(root)"
}

// frameName is the name of a function with the package or file that it is from.
func frameName(function, url string) string {
	if function == "" {
		function = "(anonymous)"
	}
	if i := strings.LastIndex(url, "node_modules/"); i >= 0 {
		url = url[i+len("node_modules/"):]
	} else if i := strings.LastIndexByte(url, '/'); i >= 0 {
		url = url[i+1:]
	}
	if url == "" {
		return "js:" + function
	}
	return "js:" + url + ":" + function
}
