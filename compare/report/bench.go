package report

import (
	"io"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"canonscope/compare"
)

// policies are keys of a cell's id that are in the name of a benchmark only where they vary; elsewhere they
// are lines of configuration.
var policies = []string{"gc", "procs", "live-heap", "contexts", "validator", "binding", "disclose",
	"granularity", "build"}

// Bench writes Go benchmark text: a line for each process, process CPU as sec/op, so that benchstat compares
// processes. How present discloses a part is in every name of an exchange.
func Bench(w io.Writer, c *compare.Campaign) error {
	if c == nil {
		return errNoCampaign
	}

	values := make(map[string][]string) // of each policy
	for i := range c.Results {
		if r := &c.Results[i]; len(r.Runs) > 0 {
			_, policy := keysOf(r)
			for _, key := range policies {
				if !slices.Contains(values[key], policy[key]) {
					values[key] = append(values[key], policy[key])
				}
			}
		}
	}

	out := benchfmt.NewWriter(w)
	for i := range c.Results {
		r := &c.Results[i]
		name, policy := keysOf(r)
		config := make(map[string]string)
		for _, key := range []string{"goos", "goarch", "cpu", "go", "kernel"} {
			config[key] = c.Environment[key]
		}
		config["fitness"] = state(c)
		for _, key := range policies {
			if len(values[key]) == 1 {
				config[key] = policy[key]
			} else if policy[key] != "" {
				name = append(name, key+"="+policy[key])
			}
		}

		for _, run := range r.Runs {
			full := benchfmt.Name(strings.Join(name, "/"))
			res := &benchfmt.Result{Name: full, Iters: run.Ops}
			facts := []string{"goos", "goarch", "cpu", "go", "kernel", "fitness"}
			for _, key := range slices.Concat(facts, policies) {
				if v := config[key]; v != "" {
					res.SetConfig(key, v)
					res.Config[len(res.Config)-1].File = true
				}
			}
			res.Values = []benchfmt.Value{
				{Value: run.CPU / 1e9, Unit: "sec/op"},
				{Value: run.Wall / 1e9, Unit: "wall-sec/op"},
				{Value: run.Bytes, Unit: "B/op"},
				{Value: run.Allocs, Unit: "allocs/op"},
			}
			if run.Thread > 0 {
				res.Values = append(res.Values,
					benchfmt.Value{Value: run.Thread / 1e9, Unit: "thread-sec/op"})
			}
			if err := out.Write(res); err != nil {
				return err
			}
		}
	}

	return nil
}

// keysOf divides a cell's id into the name of what is measured and its policy. A document has neither a
// format nor an algorithm.
func keysOf(r *compare.Result) (name []string, policy map[string]string) {
	documents := r.Cell.Format == compare.Document
	name, policy = []string{"Exchange"}, make(map[string]string)
	if documents {
		name[0] = "Canonize"
	}
	for part := range strings.SplitSeq(r.ID, "/") {
		switch key, value, _ := strings.Cut(part, "="); {
		case slices.Contains(policies, key):
			policy[key] = value
		case key != "present" && !(documents && slices.Contains([]string{"format", "alg", "op"}, key)):
			name = append(name, part)
		}
	}
	if !documents && r.Cell.Format != compare.Floor {
		name = append(name, "present="+presents(r.Work.Reissued, handsOn(r)))
	}
	return name, policy
}

// presents describes how an exchange presents.
func presents(reissued, whole bool) string {
	switch {
	case reissued:
		return "resigns"
	case whole:
		return "whole"
	}
	return "derives"
}
