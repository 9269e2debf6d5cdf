package report

import (
	"fmt"
	"io"

	"golang.org/x/perf/benchfmt"

	"canonscope/compare"
)

// Bench writes Go benchmark text: a line for each block, process CPU as sec/op. The run is a key of the name, to be
// ignored with "benchstat -ignore /run".
func Bench(w io.Writer, c *compare.Campaign) error {
	if c == nil {
		return errNoCampaign
	}
	out := benchfmt.NewWriter(w)
	for _, r := range c.Results {
		for _, b := range r.Blocks {
			n := float64(b.Ops)
			res := &benchfmt.Result{Name: benchfmt.Name(fmt.Sprintf("Exchange/%s/run=%d", r.ID, b.Run)), Iters: b.Ops}
			for _, key := range []string{"goos", "goarch", "cpu", "go", "kernel"} {
				if v := c.Environment[key]; v != "" {
					res.SetConfig(key, v)
					res.Config[len(res.Config)-1].File = true
				}
			}
			res.Values = []benchfmt.Value{
				{Value: float64(b.CPU) / n / 1e9, Unit: "sec/op"},
				{Value: float64(b.Wall) / n / 1e9, Unit: "wall-sec/op"},
				{Value: float64(b.Thread) / n / 1e9, Unit: "thread-sec/op"},
				{Value: float64(b.Bytes) / n, Unit: "B/op"},
				{Value: float64(b.Allocs) / n, Unit: "allocs/op"},
			}
			if err := out.Write(res); err != nil {
				return err
			}
		}
	}
	return nil
}
