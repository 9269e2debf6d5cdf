// Package stats judges measurements. The unit of replication is the process: [Mean], [Sum] and [Ratio]
// take one value a process and give t intervals on the log scale, [Difference] one on the scale of the
// values; processes of one block ran side by side, so sums, ratios and differences are paired by it.
// [DriftOf] is what the costs of a block have in common, which intervals of single costs have to hold.
// [NetRatio] is a ratio of what costs have above a floor, over several inputs; [Bootstrap] is for processes
// that nest in machines.
//
// [Paired] and [Unpaired] compare two costs and give a [Verdict], [Correct] allows for the number of
// comparisons in a table, [Detectable] and [Processes] plan. [Parts] compares shares of two costs, [Over]
// divides by a control. [Share], [Counted] and their like are for counted samples, [Laws] for growth,
// with [Crossover] of two, [Quantile] and [Outliers] for single operations.
package stats

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	moremath "github.com/aclements/go-moremath/stats"

	"canonscope/profiles"
)

const (
	Confidence = 0.95 // of every interval
	Fewest     = 3    // processes that an interval needs
)

// Estimate is a value with its interval. N is the number of values it rests on; if they are too few, Low
// and High are infinite.
type Estimate struct {
	Center, Low, High float64
	N                 int
}

// Bounded reports whether there is an interval.
func (e Estimate) Bounded() bool { return e.N > 0 && !math.IsInf(e.Low, 0) && !math.IsInf(e.High, 0) }

// open is an estimate without an interval.
func open(center float64, n int) Estimate { return Estimate{center, math.Inf(-1), math.Inf(1), n} }

// MarshalJSON writes an infinite bound as null.
func (e Estimate) MarshalJSON() ([]byte, error) {
	bound := func(v float64) *float64 {
		if math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	return json.Marshal(struct {
		Center float64  `json:"center"`
		Low    *float64 `json:"low"`
		High   *float64 `json:"high"`
		N      int      `json:"n"`
	}{e.Center, bound(e.Low), bound(e.High), e.N})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Estimate) UnmarshalJSON(b []byte) error {
	var v struct {
		Center    float64
		Low, High *float64
		N         int
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*e = open(v.Center, v.N)
	if v.Low != nil {
		e.Low = *v.Low
	}
	if v.High != nil {
		e.High = *v.High
	}
	return nil
}

// Sample holds what each process of a cell measured, by the index of its block. Lost processes are not in
// it.
type Sample map[int]float64

// Values returns what the processes measured in the order of the blocks: sums of floats depend on it.
func (s Sample) Values() []float64 {
	values := make([]float64, 0, len(s))
	for _, block := range slices.Sorted(maps.Keys(s)) {
		values = append(values, s[block])
	}
	return values
}

// Mean returns the geometric mean over the processes.
func Mean(s Sample) Estimate { return Sum([]Sample{s}) }

// Sum returns the cost of several cells together: the geometric mean over the blocks that have all of them.
func Sum(cells []Sample) Estimate { return ofLogs(sums(cells)) }

// Ratio returns the cost of the cells of num divided by that of den: the geometric mean over the blocks
// that have all of them. Effects of a block on both cancel.
func Ratio(num, den []Sample) Estimate {
	return ofLogs(Quotients(num, den))
}

// Quotients divides the costs of the cells of num by those of den, block by block.
func Quotients(num, den []Sample) Sample {
	above, below := sums(num), sums(den)
	out := make(Sample)
	for block, v := range above {
		if d, ok := below[block]; ok {
			out[block] = v / d
		}
	}
	return out
}

// Difference returns by how much the cells of from cost more than those of less: the mean over the blocks
// that have all of both. It may be negative, so it is arithmetic.
func Difference(from, less []Sample) Estimate {
	above, below := sums(from), sums(less)
	differences := make(Sample)
	for block, v := range above {
		if d, ok := below[block]; ok {
			differences[block] = v - d
		}
	}
	return student(differences)
}

// sums adds up the cells, block by block, where all have a value.
func sums(cells []Sample) Sample {
	return joined(cells, func(values []float64) (float64, bool) {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum, true
	})
}

// joined makes one value of those of each block in which all cells have one, unless of says that there is
// none.
func joined(cells []Sample, of func(values []float64) (float64, bool)) Sample {
	out := make(Sample)
	if len(cells) == 0 {
		return out
	}
	values := make([]float64, len(cells))
	for block := range cells[0] {
		all := true
		for i, s := range cells {
			v, ok := s[block]
			values[i], all = v, all && ok
		}
		if v, ok := of(values); all && ok {
			out[block] = v
		}
	}
	return out
}

// ofLogs is the interval of the mean logarithm, converted back. If a cost is 0 or not a number, it has no
// logarithm, and there is no estimate.
func ofLogs(s Sample) Estimate {
	logs, ok := logarithms(s)
	if !ok {
		return Estimate{}
	}
	return exponential(student(logs))
}

// logarithms reports whether all values have one.
func logarithms(s Sample) (logs Sample, ok bool) {
	logs = make(Sample, len(s))
	for block, v := range s {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, false
		}
		logs[block] = math.Log(v)
	}
	return logs, true
}

// exponential converts an estimate of a logarithm back.
func exponential(e Estimate) Estimate {
	if e.N > 0 {
		e.Center = math.Exp(e.Center)
	}
	if e.Bounded() {
		e.Low, e.High = math.Exp(e.Low), math.Exp(e.High)
	}
	return e
}

// student is the mean with its t interval.
func student(s Sample) Estimate {
	if len(s) == 0 {
		return Estimate{}
	}
	mean, variance := moments(s.Values())
	if len(s) < Fewest {
		return open(mean, len(s))
	}
	n := float64(len(s))
	half := tQuantile(1-alpha/2, n-1) * math.Sqrt(variance/n)
	return Estimate{mean, mean - half, mean + half, len(s)}
}

// Varies is the relative standard deviation of one process; 0 where it is unknown.
func Varies(s Sample) float64 {
	logs, ok := logarithms(s)
	if !ok || len(logs) < 2 {
		return 0
	}
	_, variance := moments(logs.Values())
	return math.Sqrt(variance)
}

// moments returns the mean and the variance.
func moments(values []float64) (mean, variance float64) {
	return moremath.Mean(values), moremath.Variance(values)
}

// Share is a proportion of samples with its Wilson interval. The samples need not be whole: see
// [Effective].
func Share(share, samples float64) Estimate {
	if samples <= 0 {
		return Estimate{}
	}
	low, high := profiles.Wilson(share*samples, samples)
	// Rounding may make them cross.
	return Estimate{share, min(low, share), max(high, share), int(math.Round(samples))}
}

// Effective is the effective number of samples of a weighted mean over several populations (Kish): as many
// samples of one population would have the same uncertainty. It is 0 if a population with a weight has no
// sample.
func Effective(weights []float64, samples []int64) float64 {
	sum, variance := 0.0, 0.0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		sum += w
		variance += w * w / float64(samples[i])
	}
	if variance == 0 {
		return 0
	}
	return sum * sum / variance
}

// Quantile returns the quantiles of values for the fractions, in that order; nil without values.
func Quantile(values []float64, fractions ...float64) []float64 {
	if len(values) == 0 {
		return nil
	}
	s := sorted(values)
	out := make([]float64, len(fractions))
	for i, f := range fractions {
		out[i] = s.Quantile(f)
	}
	return out
}

// Outliers counts values that lie more than 1.5 times the interquartile range outside of the quartiles
// (Tukey).
func Outliers(values []float64) int {
	if len(values) == 0 {
		return 0
	}
	s := sorted(values)
	low, high := s.Quantile(0.25), s.Quantile(0.75)
	fence, n := 1.5*(high-low), 0
	for _, v := range values {
		if v < low-fence || v > high+fence {
			n++
		}
	}
	return n
}

func sorted(values []float64) moremath.Sample {
	s := moremath.Sample{Xs: slices.Clone(values)}
	s.Sort()
	return s
}
