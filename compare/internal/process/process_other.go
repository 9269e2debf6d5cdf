//go:build !linux

package process

// CPU is not available here.
func CPU(int) (int64, bool) { return 0, false }

// Tree is not available here.
func Tree(int) (int64, bool) { return 0, false }
