package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Folder is a results folder, locked for this process while it is open.
type Folder struct {
	Path string
	lock *os.File
	runs *os.File
}

// ErrInUse says that another process holds the results folder.
var ErrInUse = errors.New("in use by another process")

// OpenFolder makes and locks a results folder. It refuses one that another process holds and one that is not empty.
func OpenFolder(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	lock, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("results folder %s is %w; name another one with --out", path, ErrInUse)
		}
		return nil, fmt.Errorf("lock results folder %s: %w", path, err)
	}
	if entries, err := lock.ReadDir(1); len(entries) > 0 {
		lock.Close()
		what := "is not empty"
		if _, err := os.Stat(filepath.Join(path, "runs.jsonl")); err == nil {
			what = "holds the results of an earlier campaign"
		}
		return nil, fmt.Errorf("results folder %s %s; name another one with --out", path, what)
	} else if err != nil && !errors.Is(err, io.EOF) {
		lock.Close()
		return nil, fmt.Errorf("results folder %s: %w", path, err)
	}
	runs, err := os.OpenFile(filepath.Join(path, "runs.jsonl"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("results folder %s: %w", path, err)
	}
	return &Folder{Path: path, lock: lock, runs: runs}, nil
}

// Append writes one line to runs.jsonl.
func (f *Folder) Append(record any) error {
	b, err := json.Marshal(record)
	if err != nil {
		return err
	}
	_, err = f.runs.Write(append(b, '\n'))
	return err
}

// Write writes a file of the folder in one piece: name may have subfolders.
func (f *Folder) Write(name string, content func(io.Writer) error) error {
	path := filepath.Join(f.Path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return err
	}
	err = errors.Join(content(tmp), tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// Close unlocks the folder.
func (f *Folder) Close() error { return errors.Join(f.runs.Close(), f.lock.Close()) }

// fileName makes a file name of a cell id: its values, joined.
func fileName(id string) string {
	var parts []string
	for p := range strings.SplitSeq(id, "/") {
		_, v, _ := strings.Cut(p, "=")
		parts = append(parts, v)
	}
	return strings.Join(parts, "_")
}
