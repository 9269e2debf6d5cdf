package measure

import "syscall"

// childAttr keeps Ctrl-C for the parent, which stops its children itself, and lets no child outlive it.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
