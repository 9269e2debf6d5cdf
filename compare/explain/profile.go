package explain

import (
	"io"

	"github.com/google/pprof/profile"

	"canonscope/canon/printable"
)

// maxFrame is the bytes of a token of a pointer in a profile.
const maxFrame = 200

// Profile writes a pprof profile whose stacks are the JSON pointers of parts. Its values are quads, bytes and
// hashes, and of each measured engine the nanoseconds of a part beyond those of its parts that were measured.
func Profile(w io.Writer, r *Report) error {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "quads", Unit: "count"},
		{Type: "bytes", Unit: "bytes"}, {Type: "hashes", Unit: "count"}}, DefaultSampleType: "quads"}
	for i := range r.Costs {
		p.SampleType = append(p.SampleType,
			&profile.ValueType{Type: string(r.Costs[i].Engine), Unit: "nanoseconds"})
	}

	functions := make(map[string]*profile.Location)
	location := func(name string) *profile.Location {
		if l := functions[name]; l != nil {
			return l
		}
		f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name, SystemName: name}
		l := &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, l)
		functions[name] = l
		return l
	}

	for i := range r.Parts {
		part := &r.Parts[i]
		values := []int64{int64(part.Own.Quads), int64(part.Own.Bytes), int64(part.Own.Hashes())}
		for j := range r.Costs {
			values = append(values, r.Costs[j].self(part.Pointer))
		}
		if !anySet(values) {
			continue
		}
		s := &profile.Sample{Value: values}
		for at := i; at >= 0; at = r.Parts[at].Up {
			name := printable.Line(printable.Short(r.Parts[at].Token, maxFrame))
			switch {
			case r.Parts[at].Up < 0:
				name = "document"
			case r.Parts[at].Index:
				name = "[" + name + "]"
			}
			s.Location = append(s.Location, location(name))
		}
		p.Sample = append(p.Sample, s)
	}

	if err := p.CheckValid(); err != nil {
		return err
	}
	return p.Write(w)
}

func anySet(values []int64) bool {
	for _, v := range values {
		if v != 0 {
			return true
		}
	}
	return false
}
