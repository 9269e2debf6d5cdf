package measure

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// childAttr keeps Ctrl-C from the child, which the parent stops, and ends the child with its parent.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// affinity is the processors that this process may run on: "0-1", or "0,2-3".
func affinity() string {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return Unavailable
	}
	const most = 64 * len(set)
	var ranges []string
	for i := 0; i < most; i++ {
		if !set.IsSet(i) {
			continue
		}
		first := i
		for set.IsSet(i + 1) { // not beyond the last
			i++
		}
		if r := fmt.Sprint(first); i == first {
			ranges = append(ranges, r)
		} else {
			ranges = append(ranges, fmt.Sprintf("%s-%d", r, i))
		}
	}
	return strings.Join(ranges, ",")
}

// CheckCPU returns an error unless there is a processor of this number that processes can be pinned to.
func CheckCPU(cpu int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if cpu < 0 {
		return fmt.Errorf("it must be the number of a processor: %s", affinity())
	}
	restore, err := pin(cpu)
	if errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("it must be the number of a processor: %s", affinity())
	}
	if err == nil {
		restore()
	}
	return err
}

// pin restricts the calling thread, and processes that it starts, to one processor until restored.
func pin(cpu int) (restore func(), err error) {
	var was, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &was); err != nil {
		return nil, fmt.Errorf("read the processors of this process: %w", err)
	}
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return nil, fmt.Errorf("pin to processor %d of %s: %w", cpu, affinity(), err)
	}
	return func() { _ = unix.SchedSetaffinity(0, &was) }, nil
}
