//go:build race

package main

const raced = true // memory and time are those of the race detector
