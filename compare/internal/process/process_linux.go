package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns the CPU nanoseconds that a process has used, all its threads, if the system provides them.
func CPU(pid int) (int64, bool) {
	const sched = 2 // the clock of a process, all its threads: ~pid << 3 | CPUCLOCK_SCHED
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|sched), &t) != nil {
		return 0, false
	}
	return t.Nano(), true
}

// Tree is CPU of a process and of all that it started, those that have ended included if their parents have
// waited for them.
func Tree(pid int) (int64, bool) {
	total, ok := CPU(pid)
	if !ok {
		return 0, false
	}
	total += waited(pid)
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread may have ended
		for _, field := range bytes.Fields(text) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				used, _ := Tree(child)
				total += used
			}
		}
	}
	return total, true
}

// waited is the CPU time of the children of a process that have ended, in steps of a hundredth of a second.
func waited(pid int) int64 {
	const cutime, cstime = 13, 14 // among the fields after the name, which may hold anything
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= cstime {
		return 0
	}
	user, _ := strconv.ParseInt(string(fields[cutime]), 10, 64)
	system, _ := strconv.ParseInt(string(fields[cstime]), 10, 64)
	return (user + system) * int64(time.Second/100)
}
