// Package userfile opens the files that a user names: regular ones alone, because opening a named pipe waits
// until another program writes to it, and reading a device may never end.
//
//phase:caller
package userfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"canonscope/canon"
)

// KindError is the error of what is not a regular file.
type KindError struct {
	Path string
	Mode fs.FileMode
}

// Folder reports whether it is a folder, with files that can be named.
func (e *KindError) Folder() bool { return e.Mode.IsDir() }

func (e *KindError) Error() string {
	if e.Folder() {
		return e.Path + " is a folder; name a file in it"
	}
	return e.Path + " is a pipe or a device; name a regular file"
}

// Open opens a file for reading. A descriptor that a shell has opened, as /dev/stdin or that of <(...), need
// not be a regular file: it has a writer.
func Open(path string) (*os.File, error) {
	// A pipe is opened without waiting for its writer. Regular files do not know the difference.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && (info.IsDir() || !descriptor(path)) {
		err = &KindError{path, info.Mode()}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// OpenRoot opens a folder. os.OpenRoot would wait for the writer of a pipe.
func OpenRoot(path string) (*os.Root, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", path)
	}
	return os.OpenRoot(path)
}

// descriptor reports whether a path names what the shell has opened.
func descriptor(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") ||
		strings.HasPrefix(path, "/proc/self/fd/")
}

// Read returns the bytes of a file: one more than the limit of a longer file.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadUpTo(f, limit)
}

// ReadUpTo returns the bytes of a reader: one more than the limit if there are more.
func ReadUpTo(r io.Reader, limit int64) ([]byte, error) {
	return io.ReadAll(&io.LimitedReader{R: r, N: max(limit, limit+1)})
}

// Most is the size of the files that [ReadAll] reads: keys, certificates, contexts and parts of test suites.
const Most = 64 << 20

// ReadAll returns the bytes of a file. One of more than [Most] is a *canon.LimitError.
func ReadAll(path string) ([]byte, error) {
	b, err := Read(path, Most)
	if err == nil && len(b) > Most {
		return nil, &canon.LimitError{Limit: "bytes of a file", Max: Most, Done: Most + 1, Where: path}
	}
	return b, err
}
