//go:build unix

package userfile_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"canonscope/canon/userfile"
)

// What is not a regular file is refused at once, also behind a link: nothing waits for the writer of a pipe.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := syscall.Mkfifo(at("pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := errors.Join(os.WriteFile(at("regular"), []byte("text"), 0o666),
		os.Symlink(at("pipe"), at("link")), os.Symlink(at("regular"), at("good"))); err != nil {
		t.Fatal(err)
	}

	for _, path := range []string{at("pipe"), at("link"), at("socket"), "/dev/null", "/dev/zero", dir} {
		done := make(chan error, 1)
		go func() {
			_, err := userfile.Read(path, 10)
			done <- err
		}()
		select {
		case err := <-done:
			var kind *userfile.KindError
			if !errors.As(err, &kind) && path != at("socket") || err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", path, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: still waiting", path)
		}
	}
	for _, path := range []string{at("regular"), at("good")} {
		for _, limit := range []int64{3, 4, math.MaxInt64} {
			b, err := userfile.Read(path, limit)
			if err != nil || string(b) != "text" {
				t.Errorf("%s: %q, %v", path, b, err)
			}
		}
	}
	if b, err := userfile.Read(at("regular"), 2); err != nil || len(b) != 3 {
		t.Errorf("beyond the limit: %q, %v", b, err)
	}
	if _, err := userfile.Read(at("missing"), 2); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

// A descriptor that a shell has opened is read whatever it is.
func TestDescriptors(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		io.WriteString(w, "text")
		w.Close()
	}()
	name := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	if b, err := userfile.Read(name, 10); err != nil || string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
}
