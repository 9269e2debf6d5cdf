package stats

import "math"

// Net is two costs of the same input above their floors: Num less NumLess, and Den less DenLess. A floor
// may be empty, and both may be the same.
type Net struct{ Num, NumLess, Den, DenLess []Sample }

// NetRatio returns the geometric mean over several inputs of the ratio of two costs above their floors.
// Costs above a floor may be small and noisy, so each is a mean over the blocks that have all before it is
// divided. The interval is that of the first-order terms of the logarithm, block by block (delta method),
// so whatever a block does to several costs stays together. There is none if a cost is not above its floor
// beyond doubt.
func NetRatio(inputs []Net) Estimate {
	terms := make([][2]Sample, len(inputs)) // above and below
	common := make(map[int]int)
	for i, in := range inputs {
		terms[i] = [2]Sample{less(in.Num, in.NumLess), less(in.Den, in.DenLess)}
		for block := range terms[i][0] {
			if _, ok := terms[i][1][block]; ok {
				common[block]++
			}
		}
	}

	first := make(Sample) // the first-order terms
	for block, n := range common {
		if n == len(inputs) {
			first[block] = 0
		}
	}
	center, sure := 0.0, true
	for _, t := range terms {
		for side, sign := range []float64{1, -1} {
			costs := make(Sample)
			for block := range first {
				costs[block] = t[side][block]
			}
			e := student(costs)
			if !(e.Center > 0) || math.IsInf(e.Center, 1) {
				return Estimate{}
			}
			sure = sure && e.Low > 0
			weight := sign / float64(len(inputs))
			center += weight * math.Log(e.Center)
			for block, v := range costs {
				first[block] += weight * v / e.Center
			}
		}
	}

	e := student(first)
	if !sure {
		e = open(e.Center, e.N)
	}
	e.Low, e.Center, e.High = center+e.Low, center, center+e.High // the mean of the terms is 0
	return exponential(e)
}

// less subtracts a floor, if there is one, block by block.
func less(cells, floor []Sample) Sample {
	out := sums(cells)
	if len(floor) == 0 {
		return out
	}
	below := sums(floor)
	for block, v := range out {
		if f, ok := below[block]; ok {
			out[block] = v - f
		} else {
			delete(out, block)
		}
	}
	return out
}
