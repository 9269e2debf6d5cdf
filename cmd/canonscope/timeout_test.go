package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon"
)

func TestTimeLimit(t *testing.T) {
	failed := errors.New("failed")
	stops := func(ctx context.Context) error {
		<-ctx.Done()
		return &canon.LimitError{Limit: "time", Done: 7, Err: ctx.Err()}
	}
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		limit  time.Duration
		ctx    context.Context
		work   func(context.Context) error
		status int
		text   string // in the error; "" is none
	}{
		"done":               {time.Hour, context.Background(), func(context.Context) error { return nil }, statusDone, ""},
		"done without limit": {0, context.Background(), func(ctx context.Context) error { return ctx.Err() }, statusDone, ""},
		"failed":             {time.Hour, context.Background(), func(context.Context) error { return failed }, statusUsage, "failed"},
		"a limit of others":  {time.Hour, context.Background(), func(context.Context) error { return context.DeadlineExceeded }, statusLimit, "context deadline exceeded"},
		"negative":           {-1, context.Background(), stops, statusUsage, "--timeout is -1ns; it must not be negative"},
		"stops":              {time.Millisecond, context.Background(), stops, statusLimit, "stopped by --timeout 1ms, 7 steps of labelling done; raise it"},
		"does not stop":      {time.Millisecond, context.Background(), func(context.Context) error { select {} }, statusLimit, "stopped by --timeout 1ms; raise it"},
		"interrupted":        {0, interrupted, func(context.Context) error { select {} }, statusUsage, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cmd cobra.Command
			cmd.SetContext(c.ctx)
			err := timeLimit(c.limit).run(&cmd, c.work)
			if got := status(err); got != c.status {
				t.Errorf("status %d, want %d", got, c.status)
			}
			if (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v, want %q", err, c.text)
			}
		})
	}
}
