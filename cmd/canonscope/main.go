// Command canonscope measures and explains the cost of canonicalizing W3C verifiable credentials.
//
// Each subcommand stands in a file of its own, holds flags and printing only, and is added in root.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"canonscope/canon"
	"canonscope/canon/printable"
)

// Exit statuses of every subcommand.
const (
	statusDone  = 0 // done; the answer is yes
	statusNo    = 1 // the answer is no: a test failed, a proof does not verify, a gate refused
	statusUsage = 2 // usage or input error
	statusLimit = 3 // a limit was reached
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes one command line and returns its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	for _, e := range parts(err) {
		if e.Error() != "" {
			fmt.Fprintf(stderr, "canonscope: %s\n", printable.Line(e.Error()))
		}
	}
	return status(err)
}

// parts returns the errors that are joined in err, each of which has a line of its own.
func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// noError is the answer no. A subcommand that has printed its answer returns one; an empty text prints nothing more.
type noError struct{ text string }

func (e *noError) Error() string { return e.text }

// status maps an error to the exit status of the command.
func status(err error) int {
	var no *noError
	var limit *canon.LimitError
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &no):
		return statusNo
	case errors.As(err, &limit), errors.Is(err, context.DeadlineExceeded):
		return statusLimit
	}
	return statusUsage
}
