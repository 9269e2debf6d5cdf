package process

import "golang.org/x/sys/unix"

// CPU returns the CPU nanoseconds that a process has used, all its threads, if the system provides them.
func CPU(pid int) (int64, bool) {
	const sched = 2 // the clock of a process, all its threads: ~pid << 3 | CPUCLOCK_SCHED
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|sched), &t) != nil {
		return 0, false
	}
	return t.Nano(), true
}
