//go:build race

package matrix_test

const raced = true
