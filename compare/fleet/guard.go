package fleet

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"golang.org/x/sys/unix"
)

// reserve is what the disk must have free for a server to store more. It needs some to remove messages.
const reserve = 64 << 20

// guardTime is the time between looks at the disk.
const guardTime = 200 * time.Millisecond

// StorageError says that a server ended because its folder could not be written. What was stored is there
// when it starts again.
type StorageError struct{ Dir, Why string }

func (e *StorageError) Error() string {
	return fmt.Sprintf("folder %s cannot be written: %s; mend that, and start the server again", e.Dir, e.Why)
}

// Wait returns nil when ctx ends, or the error of a folder that can no longer be written.
func (s *Server) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case why := <-s.log.broken:
		return &StorageError{s.dir, why}
	}
}

// unwritten is in what a server logs of a stream that takes nothing until the server starts again.
var unwritten = regexp.MustCompile(`(?i)critical write error|disabling JetStream`)

// guard refuses messages while the disk has less free than the reserve. Their senders get an error; a message
// that was taken and could not be written would have no answer.
func (s *Server) guard(free func(dir string) (int64, error)) {
	limits, full := s.limits(), false
	look := func() {
		n, err := free(s.dir)
		if err != nil || n < reserve == full {
			return
		}
		full = !full
		if full {
			s.log.say("folder %s has %d MB free, less than %d: nothing is stored until it has more",
				[]any{s.dir, n >> 20, reserve >> 20})
		} else {
			s.log.say("folder %s has %d MB free again", []any{s.dir, n >> 20})
		}
		for a, l := range limits {
			if full {
				l.MaxStore = 0
			}
			_ = a.UpdateJetStreamLimits(map[string]server.JetStreamAccountLimits{"": l})
		}
	}

	look()
	go func() {
		for wait(s.open, guardTime) == nil {
			look()
		}
	}()
}

// limits are those of the accounts that store.
func (s *Server) limits() map[*server.Account]server.JetStreamAccountLimits {
	limits := make(map[*server.Account]server.JetStreamAccountLimits)
	for _, name := range s.accounts {
		a, err := s.server.LookupAccount(name)
		if err != nil {
			continue
		}
		if usage := a.JetStreamUsage(); a.JetStreamEnabled() && usage.Tiers == nil {
			limits[a] = usage.Limits
		}
	}
	return limits
}

// freeOf returns the bytes that the disk of a folder has free.
func freeOf(dir string) (int64, error) {
	var s unix.Statfs_t
	err := unix.Statfs(dir, &s)
	return int64(s.Bavail) * int64(s.Bsize), err
}
