package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// hostLock is the file whose lock is that of the machine: its holder measures.
func hostLock() string { return filepath.Join(os.TempDir(), "canonscope-machine.lock") }

// errLocked is the error of a lock that another process holds.
var errLocked = errors.New("is in use by another process")

// lockFile takes the lock of a file, and makes the file if it is not there. The lock ends with the process.
func lockFile(path string) (*os.File, error) {
	const flags = os.O_RDONLY | unix.O_NOFOLLOW
	f, err := os.OpenFile(path, flags, 0) // that of another user cannot be opened to be made
	if errors.Is(err, os.ErrNotExist) {
		f, err = os.OpenFile(path, flags|os.O_CREATE, 0o644)
	}
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = errLocked
		}
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return f, nil
}

// alone waits for the machine whose lock this is.
func alone(ctx context.Context, host string) (*os.File, error) {
	for {
		f, err := lockFile(host)
		if !errors.Is(err, errLocked) {
			return f, err
		}
		if err := wait(ctx, lockWait); err != nil {
			return nil, err
		}
	}
}

const lockWait = 50 * time.Millisecond

// wait waits until a time has passed, or ctx has ended.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
