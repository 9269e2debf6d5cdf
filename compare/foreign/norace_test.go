//go:build !race

package foreign_test

// raced says that the race detector is on: it makes sync.Pool forget at random, which then allocates.
const raced = false
