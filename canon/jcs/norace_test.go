//go:build !race

package jcs_test

// raced reports whether the race detector is on: it makes sync.Pool drop values at random, so that calls
// allocate.
const raced = false
