package compare

// Fit is how much the machine disturbed a campaign.
type Fit string

const (
	Quiet Fit = "fit"   // all figures hold
	Noisy Fit = "noisy" // ratios inside the campaign hold, single times do not
	Unfit Fit = "unfit" // no figure is sure
)

// Reading is what one process saw of its machine. Canaries are loops of fixed work that allocate nothing,
// before and after what is timed: they verify a signature.
type Reading struct {
	CPUs       int     `json:"cpus"`                 // that it may run on
	Load       float64 `json:"load"`                 // of the last minute, as the process began
	Neighbours int     `json:"neighbours"`           // other runnable threads, at the least of several looks
	Steal      float64 `json:"steal"`                // share of the machine's time that its host took
	Switches   float64 `json:"involuntary_switches"` // a second of its CPU time
	Waiting    float64 `json:"wall_over_thread"`     // of the canaries
	Canary     float64 `json:"canary_ns"`            // thread time of the median canary
}

// Pair is one operation in two processes of one cell, one after the other: what differs is the machine.
type Pair struct {
	Place     int       `json:"place"` // 0 at the start, 1 in the middle, 2 at the end
	Operation Operation `json:"op"`
	Ratio     float64   `json:"ratio"` // of the second to the first
}

// Fitness is what the processes of a campaign saw of their machine, and what follows. The figures are medians
// over the processes.
type Fitness struct {
	State      Fit      `json:"state"`
	Reasons    []string `json:"reasons,omitempty"` // why it is not fit
	Pairs      []Pair   `json:"pairs,omitempty"`
	Processes  int      `json:"processes"` // that have a reading
	Disturbed  int      `json:"disturbed"` // of them, by the time that their canaries waited
	CPUs       int      `json:"cpus"`
	Load       float64  `json:"load"`
	Neighbours float64  `json:"neighbours"`
	Steal      float64  `json:"steal"` // mean
	Switches   float64  `json:"involuntary_switches"`
	Waiting    float64  `json:"wall_over_thread"`
	Spread     float64  `json:"canary_spread"` // of the canaries: 0.9 quantile over 0.1 quantile
}
