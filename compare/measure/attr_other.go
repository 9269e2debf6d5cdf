//go:build !linux

package measure

import (
	"errors"
	"syscall"
)

// childAttr keeps Ctrl-C for the parent, which stops its children itself.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// cpuOf cannot tell what another process has used.
func cpuOf(int) (int64, bool) { return 0, false }

// affinity is not known here.
func affinity() string { return Unavailable }

// pin is for Linux.
func pin(int) (func(), error) {
	return nil, errors.New("pin to a processor: this system does not allow it")
}
