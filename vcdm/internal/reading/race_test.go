//go:build race

package reading

const raced = true
