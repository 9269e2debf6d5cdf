package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon"
)

const (
	defaultTimeout = 30 * time.Second

	// grace is the time for work to end, and to report how far it came, after its limit. json-gold ignores
	// cancellation.
	grace = time.Second
)

// timeLimit is --timeout. It bounds the work on a document, not reading and printing, which may wait for
// other programs.
type timeLimit time.Duration

func (l *timeLimit) add(cmd *cobra.Command) {
	cmd.Flags().DurationVar((*time.Duration)(l), "timeout", defaultTimeout,
		"limit of the `TIME` of the work, such as 2m; 0 for none")
}

// run does work until the limit, or until the command is interrupted; work that does not end with its
// context is abandoned.
func (l timeLimit) run(cmd *cobra.Command, work func(ctx context.Context) error) error {
	ctx := cmd.Context()
	switch limit := time.Duration(l); {
	case limit < 0:
		return fmt.Errorf("--timeout is %v; it must not be negative", limit)
	case limit > 0:
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-time.After(grace):
			err = ctx.Err()
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && errors.Is(err, context.DeadlineExceeded) {
		return &timeoutError{time.Duration(l), err}
	}
	return err
}

// timeoutError reports that --timeout was reached.
type timeoutError struct {
	limit time.Duration
	err   error
}

func (e *timeoutError) Unwrap() error { return e.err }

func (e *timeoutError) Error() string {
	steps := ""
	var limit *canon.LimitError
	if errors.As(e.err, &limit) {
		steps = fmt.Sprintf(", %d steps of labelling done", limit.Done)
	}
	return fmt.Sprintf("stopped by --timeout %v%s; raise it if the input is trusted, 0 for none", e.limit,
		steps)
}
