//go:build race

package foreign_test

const raced = true
