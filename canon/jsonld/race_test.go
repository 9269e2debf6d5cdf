//go:build race

package jsonld_test

const raced = true
