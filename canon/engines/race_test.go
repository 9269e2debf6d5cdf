//go:build race

package engines_test

const raced = true
