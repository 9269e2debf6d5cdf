//go:build !linux

package measure

import (
	"errors"
	"syscall"
)

// childAttr keeps Ctrl-C from the child, which the parent stops.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// affinity is not available here.
func affinity() string { return Unavailable }

// CheckCPU returns the error of pinning.
func CheckCPU(cpu int) error {
	_, err := pin(cpu)
	return err
}

// pin is only available on Linux.
func pin(int) (func(), error) {
	return nil, errors.New("pin to a processor: this system does not allow it")
}
