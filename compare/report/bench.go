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
var policies = []string{"gc", "procs", "live-heap", "contexts", "validator", "binding"}

// Bench writes Go benchmark text: a line for each process, process CPU as sec/op, so that benchstat compares
// processes. How present discloses a part is in every name.
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
		name = append(name, "present="+presents(r))
		config := make(map[string]string)
		for _, key := range []string{"goos", "goarch", "cpu", "go", "kernel"} {
			config[key] = c.Environment[key]
		}
		for _, key := range policies {
			if len(values[key]) == 1 {
				config[key] = policy[key]
			} else if policy[key] != "" {
				name = append(name, key+"="+policy[key])
			}
		}
		for _, run := range r.Runs {
			full := benchfmt.Name("Exchange/" + strings.Join(name, "/"))
			res := &benchfmt.Result{Name: full, Iters: run.Ops}
			for _, key := range slices.Concat([]string{"goos", "goarch", "cpu", "go", "kernel"}, policies) {
				if v := config[key]; v != "" {
					res.SetConfig(key, v)
					res.Config[len(res.Config)-1].File = true
				}
			}
			res.Values = []benchfmt.Value{
				{Value: run.CPU / 1e9, Unit: "sec/op"},
				{Value: run.Wall / 1e9, Unit: "wall-sec/op"},
				{Value: run.Thread / 1e9, Unit: "thread-sec/op"},
				{Value: run.Bytes, Unit: "B/op"},
				{Value: run.Allocs, Unit: "allocs/op"},
			}
			if err := out.Write(res); err != nil {
				return err
			}
		}
	}
	return nil
}

// keysOf divides a cell's id into what is measured and its policy.
func keysOf(r *compare.Result) (name []string, policy map[string]string) {
	policy = make(map[string]string)
	for part := range strings.SplitSeq(r.ID, "/") {
		key, value, _ := strings.Cut(part, "=")
		if slices.Contains(policies, key) {
			policy[key] = value
		} else {
			name = append(name, part)
		}
	}
	return name, policy
}

// presents describes how an exchange presents.
func presents(r *compare.Result) string {
	switch {
	case r.Work.Whole:
		return "whole"
	case r.Work.Reissued:
		return "resigns"
	}
	return "derives"
}
