//go:build !linux

// Package process reads what the system knows about another process. Call [CPU].
package process

// CPU is not available here.
func CPU(int) (int64, bool) { return 0, false }
