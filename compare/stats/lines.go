package stats

import "math"

// At returns the cost of x.
func (l *Law) At(x float64) float64 {
	if len(l.terms) == 0 {
		return l.values[0] * math.Pow(x, l.values[1])
	}
	cost := 0.0
	for i, t := range l.terms {
		cost += l.values[i] * t.at(x)
	}
	return cost
}

// Cost returns the cost of x with the interval of the law there.
func (l *Law) Cost(x float64) Estimate {
	own := uncertain{l.quadratic(l.gradient(x)), l.df}
	return exponential(around(math.Log(l.At(x)), l.samples(), own, l.level()))
}

// Further returns what one more x costs at x, with its interval.
func (l *Law) Further(x float64) Estimate {
	weights := make([]float64, len(l.values))
	slope := 0.0
	if len(l.terms) == 0 {
		a, b := l.values[0], l.values[1]
		slope = a * b * math.Pow(x, b-1)
		weights[0], weights[1] = slope/a, slope*math.Log(x)
		if b != 0 {
			weights[1] += slope / b
		}
	}
	for i, t := range l.terms {
		weights[i] = t.slope(x)
		slope += l.values[i] * weights[i]
	}
	level := l.level()
	level.variance *= slope * slope
	return around(slope, l.samples(), uncertain{l.quadratic(weights), l.df}, level)
}

// Exponent returns the power of x that the law is like near x.
func (l *Law) Exponent(x float64) float64 { return x * l.Further(x).Center / l.At(x) }

// parameter returns a parameter with its interval.
func (l *Law) parameter(i int) Estimate {
	weights := make([]float64, len(l.values))
	weights[i] = 1
	level := l.level()
	level.variance *= l.values[i] * l.values[i]
	if len(l.terms) == 0 && i == 1 {
		level.variance = 0
	}
	return around(l.values[i], l.samples(), uncertain{l.quadratic(weights), l.df}, level)
}

// samples is the number of processes, 1 where a profile is all.
func (l *Law) samples() int { return max(1, len(l.blocks)) }

// level is the variance of the logarithm of all costs together.
func (l *Law) level() uncertain {
	if l.blocks == nil {
		return uncertain{0, l.df}
	}
	return meanOf(l.blocks)
}

// meanOf is the variance of the mean of some values.
func meanOf(s Sample) uncertain {
	_, variance := moments(s.Values())
	n := float64(len(s))
	return uncertain{variance / n, n - 1}
}

// uncertain is an estimated variance with its degrees of freedom.
type uncertain struct{ variance, df float64 }

// together adds variances up; the degrees of freedom are Welch's and Satterthwaite's.
func together(parts ...uncertain) uncertain {
	sum, below := uncertain{}, 0.0
	for _, p := range parts {
		sum.variance += p.variance
		if p.variance > 0 {
			below += p.variance * p.variance / p.df
		}
	}
	sum.df = mostProcesses + 1
	if below > 0 {
		sum.df = min(sum.df, sum.variance*sum.variance/below)
	}
	return sum
}

// half is the half-width of an interval.
func (u uncertain) half() float64 { return tQuantile(1-alpha/2, u.df) * math.Sqrt(u.variance) }

// around is an estimate of n processes with its t interval.
func around(center float64, n int, parts ...uncertain) Estimate {
	half := together(parts...).half()
	return Estimate{center, center - half, center + half, n}
}

// Against returns the ratio of the costs of two laws at x. The processes of a block ran side by side, so what
// they have in common cancels.
func Against(a, b *Law, x float64) Estimate {
	level := uncertain{0, 1}
	if a.blocks != nil && b.blocks != nil {
		differences := make(Sample)
		for block, v := range a.blocks {
			if w, ok := b.blocks[block]; ok {
				differences[block] = v - w
			}
		}
		if len(differences) < Fewest {
			return Estimate{}
		}
		level = meanOf(differences)
	}
	return exponential(around(math.Log(a.At(x)/b.At(x)), a.samples(),
		uncertain{a.quadratic(a.gradient(x)), a.df}, uncertain{b.quadratic(b.gradient(x)), b.df}, level))
}

// Crossover returns the first x in a range at which two laws cost the same, with the interval in which they
// cannot be distinguished; none if they do not cross there. A bound outside of the range is infinite.
func Crossover(a, b *Law, from, to float64) Estimate {
	return crossing(from, to, a.samples(), func(x float64) Estimate { return Against(a, b, x) })
}

// Takeover returns the x in a range from which on the last term of a law is more than all others together.
func (l *Law) Takeover(from, to float64) Estimate {
	last := len(l.terms) - 1
	if last < 1 {
		return Estimate{}
	}
	return crossing(from, to, l.samples(), func(x float64) Estimate {
		part := l.values[last] * l.terms[last].at(x)
		rest := l.At(x) - part
		weights := make([]float64, len(l.values))
		for i, t := range l.terms[:last] {
			weights[i] = -t.at(x) / rest
		}
		weights[last] = 1 / l.values[last]
		return exponential(around(math.Log(part/rest), l.samples(), uncertain{l.quadratic(weights), l.df}))
	})
}

// crossing finds the first x at which a ratio is 1, and how far from there its interval holds 1.
func crossing(from, to float64, n int, ratio func(x float64) Estimate) Estimate {
	const steps = 128
	from = max(from, to*1e-6)
	var xs []float64
	var ratios []Estimate
	for i := range steps + 1 {
		xs = append(xs, from*math.Pow(to/from, float64(i)/steps))
		ratios = append(ratios, ratio(xs[i]))
		if ratios[i].N == 0 {
			return Estimate{}
		}
	}
	below := func(e Estimate) bool { return e.Center < 1 }
	near := func(x float64) bool { e := ratio(x); return e.Low <= 1 && 1 <= e.High }

	for i := range steps {
		first := below(ratios[i])
		if below(ratios[i+1]) == first || ratios[i].Center == 1 && ratios[i+1].Center == 1 {
			continue
		}
		root := edge(xs[i], xs[i+1], func(x float64) bool { return below(ratio(x)) == first })
		out := open(root, n)
		for j := i; j >= 0; j-- {
			if e := ratios[j]; e.Low > 1 || e.High < 1 {
				out.Low = edge(min(root, xs[j+1]), xs[j], near)
				break
			}
		}
		for j := i + 1; j <= steps; j++ {
			if e := ratios[j]; e.Low > 1 || e.High < 1 {
				out.High = edge(max(root, xs[j-1]), xs[j], near)
				break
			}
		}
		return out
	}
	return Estimate{}
}

// edge returns how far, from a value that is so to one that is not, values are so.
func edge(is, not float64, so func(x float64) bool) float64 {
	for range 40 {
		if middle := (is + not) / 2; so(middle) {
			is = middle
		} else {
			not = middle
		}
	}
	return is
}
