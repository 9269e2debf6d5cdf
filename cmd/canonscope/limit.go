package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"
)

// limitFlag is a flag --max-*: a limit that is at least 1. Zero means the value without the flag, and a
// negative one, which could be taken for no limit, is a mistake.
type limitFlag[T int | int64] struct {
	to     *T
	preset T
	none   bool // takes noLimit, which is -1 in the library
}

const noLimit = "none"

// addLimit adds a flag for a limit; a preset of 0 leaves the default to the library.
func addLimit[T int | int64](flags *pflag.FlagSet, to *T, name string, preset T, usage string) {
	*to = preset
	flags.Var(&limitFlag[T]{to: to, preset: preset}, name, usage)
}

// String, Set and Type implement pflag.Value.
func (l *limitFlag[T]) String() string {
	if l.to == nil {
		return "0"
	}
	if *l.to < 0 {
		return noLimit
	}
	return strconv.FormatInt(int64(*l.to), 10)
}

func (l *limitFlag[T]) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case l.none && text == noLimit:
		*l.to = -1
		return nil
	case err != nil || int64(T(n)) != n:
		return fmt.Errorf("want a whole number")
	case n < 0:
		return fmt.Errorf("a limit must not be negative; 0 means its default")
	}
	if *l.to = T(n); n == 0 {
		*l.to = l.preset
	}
	return nil
}

func (l *limitFlag[T]) Type() string { return "int" }
