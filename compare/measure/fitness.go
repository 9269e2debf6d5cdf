package measure

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"canonscope/compare"
	"canonscope/compare/stats"
)

// Canaries of a process, before what is timed and again after it.
const (
	canaries     = 4
	canaryRounds = 20 // about a millisecond
)

// observer reads what the machine does to its process.
type observer struct {
	started      ticks
	reading      compare.Reading
	switches     int64
	cpu          int64
	wall, thread int64 // of the canaries
	took         []float64
}

// ticks are times of the machine, all processors together.
type ticks struct{ steal, all uint64 }

func observe() *observer {
	o := &observer{started: machineTicks(), switches: switches(), cpu: processCPU()}
	o.reading = compare.Reading{CPUs: runtime.NumCPU(), Neighbours: math.MaxInt}
	o.reading.Load, _ = loadavg()
	o.canary()
	return o
}

// canary does work whose time depends on the machine alone: it verifies a signature, as every format does. A
// chain of shifts, which this was, took 4 % longer while a neighbour on the host slowed signatures by 40 %.
func (o *observer) canary() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	verify := verifier()
	verify()
	for range canaries {
		wall, thread := time.Now(), threadCPU()
		for range canaryRounds {
			verify()
		}
		took := threadCPU() - thread
		o.wall, o.thread = o.wall+int64(time.Since(wall)), o.thread+took
		o.took = append(o.took, float64(took))
		if _, running := loadavg(); running > 0 {
			o.reading.Neighbours = min(o.reading.Neighbours, running-1)
		}
	}
}

// verifier makes a function that verifies the same signature each time, and allocates nothing.
var verifier = sync.OnceValue(func() func() {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public, message := key.Public().(ed25519.PublicKey), make([]byte, 64)
	signature := ed25519.Sign(key, message)
	return func() { _ = ed25519.Verify(public, message, signature) }
})

// end returns the reading, or nil if this machine provides none.
func (o *observer) end() *compare.Reading {
	o.canary()
	r := &o.reading
	now := machineTicks()
	if o.thread <= 0 || r.Neighbours == math.MaxInt {
		return nil
	}
	r.Steal = now.stolen(o.started)
	if cpu := processCPU() - o.cpu; cpu > 0 {
		r.Switches = float64(switches()-o.switches) / (float64(cpu) / 1e9)
	}
	r.Waiting = float64(o.wall) / float64(o.thread)
	r.Canary = stats.Quantile(o.took, 0.5)[0]
	return r
}

// switches counts how often this process lost a processor although it could go on.
func switches() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return int64(u.Nivcsw)
}

// loadavg returns the load of the last minute and how many threads are runnable, this one among them; zeros
// if the machine does not provide them.
func loadavg() (load float64, running int) {
	fields := strings.Fields(fileLine("/proc/loadavg"))
	if len(fields) < 4 {
		return 0, 0
	}
	load, _ = strconv.ParseFloat(fields[0], 64)
	of, _, _ := strings.Cut(fields[3], "/")
	running, _ = strconv.Atoi(of)
	return load, running
}

// stolen is the part of the time since then that others had.
func (t ticks) stolen(then ticks) float64 {
	return float64(t.steal-then.steal) / max(1, float64(t.all-then.all))
}

func machineTicks() (t ticks) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return t
	}
	line, _, _ := strings.Cut(string(b), "\n")
	const steal, guest = 7, 8 // guest time is in that of users
	for i, f := range strings.Fields(strings.TrimPrefix(line, "cpu ")) {
		n, _ := strconv.ParseUint(f, 10, 64)
		if i < guest {
			t.all += n
		}
		if i == steal {
			t.steal = n
		}
	}
	return t
}

// fitness collects what the records of a campaign say of the machine.
type fitness struct {
	processes int
	readings  []compare.Reading
	first     map[string]map[compare.Operation]*compare.Run // of the controls, by their place and cell
	pairs     []compare.Pair
}

// add takes a record of a timing or a control.
func (f *fitness) add(rec *Record) {
	if rec.State != compare.Measured {
		return
	}
	f.processes++
	if rec.Reading != nil {
		f.readings = append(f.readings, *rec.Reading)
	}
	if rec.Kind != Control {
		return
	}
	place := rec.Block / 2
	pair := fmt.Sprint(place, rec.Cell) // a resumed campaign may choose another cell
	first, ok := f.first[pair]
	if !ok {
		if f.first == nil {
			f.first = make(map[string]map[compare.Operation]*compare.Run)
		}
		f.first[pair] = rec.Runs
		return
	}
	for _, op := range compare.Operations {
		if a, b := first[op], rec.Runs[op]; a != nil && b != nil && a.CPU > 0 {
			f.pairs = append(f.pairs, compare.Pair{Place: place, Operation: op, Ratio: b.CPU / a.CPU})
		}
	}
	delete(f.first, pair)
}

// judge derives the fitness of a campaign from what was collected: with several machines, that of the one
// which disturbed it most.
func (l *ledger) judge() *compare.Fitness {
	if f := l.fitness[""]; f != nil {
		return Judge(f.readings, f.pairs)
	}
	states := []compare.Fit{compare.Quiet, compare.Noisy, compare.Unfit}
	var worst *compare.Fitness
	for _, m := range l.machines() {
		f := m.Fitness
		if f == nil || worst != nil && slices.Index(states, f.State) <= slices.Index(states, worst.State) {
			continue
		}
		if worst = f; len(l.workers) > 1 {
			for i := range f.Reasons {
				f.Reasons[i] = m.Worker + ": " + f.Reasons[i]
			}
		}
	}
	return worst
}

// machines lists the other machines that measured.
func (l *ledger) machines() []compare.Machine {
	var all []compare.Machine
	for _, w := range l.workers {
		m := compare.Machine{Worker: w}
		if f := l.fitness[w]; f != nil {
			m.Processes, m.Fitness = f.processes, Judge(f.readings, f.pairs)
		}
		all = append(all, m)
	}
	return all
}

// fault is the text of a record of one.
func fault(rec *Record) string {
	if rec.Worker == "" {
		return rec.Reason
	}
	return rec.Worker + ": " + rec.Reason
}

// Bounds of fitness. Where there are two, the first makes a campaign noisy, the second unfit. At a load of 3
// to 4 on two CPUs no pair of ratios of the same work was apart, so that is noisy; at 15 times were 15 % too
// low to 25 % too high.
const (
	waited      = 1.02 // wall over thread time of a canary; without other work 1.002 to 1.01 was measured
	waitedLong  = 4.0  // two CPUs give a process 1/2.5 beside four loops, 1/6.5 beside twelve
	neighbours  = 3    // other runnable threads a CPU that make a campaign unfit; one in all makes it noisy
	someStole   = 0.01
	muchStolen  = 0.05
	manyTorn    = 400  // involuntary switches a second of CPU: collectors cause 50 to 200
	agree       = 0.10 // that pairs must agree within
	speeds      = 1.10 // of the canaries; at a load of 10 and more 1.15 to 1.5 were measured
	partWaits   = 4    // a campaign is noisy if one process in so many is disturbed
	loadPerCPU  = 2    // the harness and its collector are part of the load
	leastJudged = 3    // processes
)

// Judge derives the fitness of a campaign from what its processes saw; nil if too few saw anything.
func Judge(readings []compare.Reading, pairs []compare.Pair) *compare.Fitness {
	if len(readings) < leastJudged {
		return nil
	}
	n := len(readings)
	column := func(of func(compare.Reading) float64) (values []float64) {
		for _, r := range readings {
			values = append(values, of(r))
		}
		return values
	}
	median := func(of func(compare.Reading) float64) float64 { return stats.Quantile(column(of), 0.5)[0] }

	f := &compare.Fitness{State: compare.Quiet, Pairs: pairs, Processes: n, CPUs: readings[0].CPUs,
		Load:       median(func(r compare.Reading) float64 { return r.Load }),
		Neighbours: median(func(r compare.Reading) float64 { return float64(r.Neighbours) }),
		Switches:   median(func(r compare.Reading) float64 { return r.Switches }),
		Waiting:    median(func(r compare.Reading) float64 { return r.Waiting })}
	for _, r := range readings {
		f.Steal += r.Steal / float64(n)
		if r.Waiting > waited {
			f.Disturbed++
		}
	}
	speed := stats.Quantile(column(func(r compare.Reading) float64 { return r.Canary }), 0.1, 0.9)
	f.Spread = speed[1] / speed[0]

	because := func(state compare.Fit, is bool, format string, args ...any) bool {
		if is {
			f.Reasons = append(f.Reasons, fmt.Sprintf(format, args...))
			if f.State != compare.Unfit {
				f.State = state
			}
		}
		return is
	}

	const others = "%.2g other threads were runnable beside the process that was timed, on %d CPUs"
	_ = because(compare.Unfit, f.Neighbours >= neighbours*float64(f.CPUs), others, f.Neighbours, f.CPUs) ||
		because(compare.Noisy, f.Neighbours >= 1, others, f.Neighbours, f.CPUs)

	const waits = "a loop that allocates nothing took %.2f times its CPU time"
	_ = because(compare.Unfit, f.Waiting > waitedLong, waits, f.Waiting) ||
		because(compare.Noisy, f.Waiting > waited, waits, f.Waiting) ||
		because(compare.Noisy, f.Disturbed*partWaits >= n, "%d of %d processes had to wait for a CPU",
			f.Disturbed, n)

	const stolen = "the host took %.1f %% of the time (steal)"
	_ = because(compare.Unfit, f.Steal > muchStolen, stolen, 100*f.Steal) ||
		because(compare.Noisy, f.Steal > someStole, stolen, 100*f.Steal)
	because(compare.Noisy, f.Switches > manyTorn, "%.0f times a second of CPU the process lost its CPU",
		f.Switches)
	because(compare.Noisy, f.Load > loadPerCPU*float64(f.CPUs), "the load was %.1f on %d CPUs",
		f.Load, f.CPUs)
	because(compare.Noisy, f.Spread > speeds,
		"fixed work took up to %.2f times as long as in other processes", f.Spread)

	aa := Agreement(pairs)
	const differ = "two runs of one cell differ by a factor of %.2f"
	_ = because(compare.Unfit, aa.N > 0 && outside(aa.Center), differ, aa.Center) ||
		because(compare.Noisy, aa.Bounded() && (outside(aa.Low) || outside(aa.High)),
			"two runs of one cell differ by a factor of %.2f to %.2f, by their 95 %% interval",
			aa.Low, aa.High)
	return f
}

// outside reports whether pairs with such a ratio do not agree.
func outside(ratio float64) bool { return math.Abs(math.Log(ratio)) > math.Log1p(agree) }

// Agreement is the ratio of the second to the first process of pairs, over places and operations.
func Agreement(pairs []compare.Pair) stats.Estimate {
	s := make(stats.Sample)
	for i, p := range pairs {
		s[i] = p.Ratio
	}
	return stats.Mean(s)
}

// controls are the places of pairs in a campaign.
var controls = []string{"start", "middle", "end"}

// mostControl is what a pair may take of a budget.
const mostControl = time.Second

// control times the cheapest cell in two processes, one after the other, for the fitness alone.
func (c *campaign) control(ctx context.Context, place int) {
	x := c.controlled
	if x == nil || len(c.open(x)) == 0 {
		return
	}
	for i := range 2 {
		if ctx.Err() != nil {
			return
		}
		c.say(Step{Stage: "fitness", Part: controls[place], Done: i, Total: 2, Cell: x.id}, 0)
		job := c.jobOf(Control, x, c.open(x))
		job.Block, job.Window = 2*place+i, c.plan.Window
		_ = c.job(ctx, x, job, c.expected(x), i) // the record has all
	}
}

// cheapest is the exchange that takes least time, for [campaign.control]; nil if the plan has no pairs, if
// none is open, or if a pair of it takes too much of the budget.
func (c *campaign) cheapest() *exchange {
	exchanges := c.with(c.open)
	if !c.plan.Fitness || len(exchanges) == 0 {
		return nil
	}
	out := slices.MinFunc(exchanges, func(a, b *exchange) int {
		return cmp.Compare(c.foretold(a), c.foretold(b))
	})
	if c.plan.Budget > 0 && 2*c.foretold(out) > mostControl {
		return nil
	}
	return out
}
