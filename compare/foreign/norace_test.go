//go:build !race

package foreign_test

// raced says that the race detector is on, which reserves many terabytes of memory.
const raced = false
