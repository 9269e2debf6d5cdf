//go:build !race

package vcdm_test

const raced = false
