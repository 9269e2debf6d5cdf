package stats_test

import (
	"fmt"

	"canonscope/compare/stats"
)

func ExampleMean() {
	m := stats.Mean(stats.Sample{0: 101, 1: 99, 2: 100, 3: 104, 4: 98}) // a value of each process
	fmt.Printf("%.1f from %.1f to %.1f\n", m.Center, m.Low, m.High)
	// Output: 100.4 from 97.6 to 103.3
}

func ExamplePaired() {
	before := stats.Sample{0: 100, 1: 110, 2: 95, 3: 104, 4: 99}
	after := stats.Sample{0: 82, 1: 89, 2: 77, 3: 85, 4: 80}
	c := stats.Paired([]stats.Sample{after}, []stats.Sample{before}, stats.Band)
	fmt.Printf("%s: %.2f ±%.0f %%\n", c.Verdict, c.Ratio.Center, 100*c.Half())
	// Output: faster: 0.81 ±1 %
}

// What five blocks can show, if the ratio varies by 2 % between them.
func ExampleDetectable() {
	fmt.Printf("%.1f %%\n", 100*stats.Detectable(0.02, 5))
	fmt.Printf("5 %% is found with a probability of %.2f\n", stats.Power(1.05, 0.02, 5))
	// Output:
	// 3.4 %
	// 5 % is found with a probability of 0.98
}
