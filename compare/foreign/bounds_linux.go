package foreign

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// surrounding is a way to start a child.
type surrounding struct {
	attr    *syscall.SysProcAttr
	network string // "denied", or why it is not
}

// surroundings lists the ways to start a child, the strictest first: with namespaces for the network and
// for processes, so that nothing that it starts outlives it; the same for a user who may only make them
// inside a namespace for users; a process group alone.
func surroundings() []surrounding {
	attr := func(flags uintptr) *syscall.SysProcAttr {
		return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: flags}
	}
	const flags = syscall.CLONE_NEWNET | syscall.CLONE_NEWPID
	inside := attr(flags | syscall.CLONE_NEWUSER)
	inside.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	inside.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	return []surrounding{{attr(flags), denied}, {inside, denied},
		{attr(0), "not denied: the system lets this user make no namespace"}}
}

const denied = "denied"

// endedText is about a child that mostly is process 1, in its namespace.
const endedText = "exit status 0; a signal that it sent itself would not have ended it"

// limitMemory limits the data of a process.
func limitMemory(pid int, bytes int64) string {
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	var was unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_DATA, nil, &was) == nil && was.Max < limit.Max {
		limit = unix.Rlimit{Cur: was.Max, Max: was.Max}
	}
	if err := unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil); err != nil {
		return fmt.Sprintf("not limited: %v", err)
	}
	return fmt.Sprintf("%d MiB", limit.Cur>>20)
}

// reap waits until the child has ended, and kills what it started before its id is free again.
func (c *Child) reap() error {
	for unix.Waitid(unix.P_PID, c.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	c.killAll()
	return c.cmd.Wait()
}
