//go:build race

package jcs_test

const raced = true
