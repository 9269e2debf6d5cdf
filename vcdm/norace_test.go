//go:build !race

package vcdm

const Raced = false
