//go:build !linux

package foreign

import "syscall"

type surrounding struct {
	attr    *syscall.SysProcAttr
	network string
}

const denied = "denied"

const endedText = "exit status 0"

// surroundings is a process group alone.
func surroundings() []surrounding {
	return []surrounding{{&syscall.SysProcAttr{Setpgid: true}, "not denied: this system has no way to do so"}}
}

func limitMemory(int, int64) string { return "not limited: this system has no way to do so" }

// reap waits until the child has ended, and kills what it started.
func (c *Child) reap() error {
	err := c.cmd.Wait()
	c.killAll()
	return err
}
