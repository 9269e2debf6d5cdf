package measure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"canonscope/canon/printable"
	"canonscope/canon/userfile"
)

// Folder is a results folder, locked for this process while it is open. Nothing is written through a
// symbolic link inside it. Its methods may be called by several goroutines.
type Folder struct {
	Path string
	root *os.Root
	lock *os.File // the folder itself
	runs *os.File

	mu   sync.Mutex
	kept map[string]int64 // size of each file that was written
}

// ErrInUse is the error of a results folder that another process holds.
var ErrInUse = errors.New("in use by another process")

// Names in a results folder.
const (
	planFile   = "plan.json"
	envFile    = "env.json"
	runsFile   = "runs.jsonl"
	profileDir = "profiles"
	flameDir   = "flame"
	rawDir     = "raw"
	partPrefix = ".part-" // of a file that is not complete yet
)

// OpenFolder makes and locks a results folder. It refuses one that another process holds and one that is
// not empty.
func OpenFolder(path string) (_ *Folder, err error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}

	f, err := lock(path)
	if errors.Is(err, ErrInUse) {
		return nil, fmt.Errorf("%w; name another one with --out", err)
	} else if err != nil {
		return nil, err
	}

	defer func() {
		if err != nil {
			f.Close()
		}
	}()

	f.kept[runsFile] = 0
	if entries, err := f.lock.ReadDir(1); len(entries) > 0 {
		what := "is not empty"
		if _, err := f.root.Lstat(runsFile); err == nil {
			what = "holds the results of an earlier campaign"
			f.clean() // that may have been killed
		}
		return nil, fmt.Errorf("results folder %s %s; name another one with --out", path, what)
	} else if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("results folder %s: %w", path, err)
	}

	// O_APPEND writes each line at the end, so that a truncated file gets no hole.
	f.runs, err = f.root.OpenFile(runsFile, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("results folder %s: %w", path, err)
	}

	return f, nil
}

// Reopen locks the folder of a campaign that is over, so that files can be written beside its raw data, which
// are not opened. It refuses one that another process holds.
func Reopen(path string) (*Folder, error) { return lock(path) }

// lock locks a folder.
func lock(path string) (_ *Folder, err error) {
	f := &Folder{Path: path, kept: make(map[string]int64)}
	if f.root, err = userfile.OpenRoot(path); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}

	defer func() {
		if err != nil {
			f.Close()
		}
	}()

	if f.lock, err = f.root.Open("."); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}

	if err := unix.Flock(int(f.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("results folder %s is %w", path, ErrInUse)
		}
		return nil, fmt.Errorf("lock results folder %s: %w", path, err)
	}

	return f, nil
}

// ReportFolder makes and locks a folder for reports alone. It refuses one that another process holds and one
// that is not empty.
func ReportFolder(path string) (_ *Folder, err error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("folder of the report: %w", err)
	}
	f, err := lock(path)
	if err != nil {
		return nil, err
	}
	if entries, err := f.lock.ReadDir(1); len(entries) > 0 || err != nil && !errors.Is(err, io.EOF) {
		f.Close()
		return nil, fmt.Errorf("folder %s is not empty; name another one with --out", path)
	}
	return f, nil
}

// FS is the folder to read from; nothing outside of it is reached through a link.
func (f *Folder) FS() fs.FS { return f.root.FS() }

// NewFolder makes and opens a results folder with a name that no folder has: path, or else path-2, path-3 and
// so on.
func NewFolder(path string) (*Folder, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	name := path
	for n := 2; ; n++ {
		err := os.Mkdir(name, 0o777)
		if err == nil {
			return OpenFolder(name)
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("results folder: %w", err)
		}
		name = fmt.Sprintf("%s-%d", path, n)
	}
}

// clean removes the files that are not complete.
func (f *Folder) clean() {
	for _, dir := range []string{".", profileDir, flameDir, rawDir} {
		d, err := f.root.Open(dir)
		if err != nil {
			continue
		}
		names, _ := d.Readdirnames(-1)
		d.Close()
		for _, name := range names {
			if strings.HasPrefix(name, partPrefix) {
				f.root.Remove(path.Join(dir, name))
			}
		}
	}
}

// Append writes one line to runs.jsonl. It returns an error if the line, or those before it, could not be
// kept.
func (f *Folder) Append(record any) error {
	b, err := json.Marshal(record)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.runs.WriteString(printable.Line(string(b)) + "\n")
	if err != nil {
		if info, statErr := f.runs.Stat(); statErr == nil && n > 0 {
			f.runs.Truncate(info.Size() - int64(n)) // no half line
		}
		return f.failed(runsFile, err)
	}
	if err := f.runs.Sync(); err != nil { // so that a line outlives a power loss
		return f.failed(runsFile, err)
	}
	f.kept[runsFile] += int64(n)
	return f.check(runsFile)
}

// Write writes a file of the folder in one piece: name may have a subfolder.
func (f *Folder) Write(name string, content func(io.Writer) error) error {
	dir := path.Dir(name)
	err := f.mkdir(dir)
	if err != nil {
		return f.failed(dir, err)
	}

	var b bytes.Buffer
	if err := content(&b); err != nil {
		return f.failed(name, err)
	}

	part := path.Join(dir, partPrefix+path.Base(name))
	f.root.Remove(part) // never write to an existing file or through a symbolic link
	file, err := f.root.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return f.failed(name, err)
	}

	size := int64(b.Len())
	_, err = b.WriteTo(file)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = f.root.Rename(part, name)
	}

	if err != nil {
		f.root.Remove(part)
		return f.failed(name, err)
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept[name] = size
	return nil
}

// mkdir makes a subfolder, if it is not there yet.
func (f *Folder) mkdir(dir string) error {
	if dir == "." {
		return nil
	}
	if err := f.root.Mkdir(dir, 0o777); !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := f.root.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("a file or a symbolic link has been put there; nothing is written through it")
	}
	return err
}

// failed returns why a file could not be written, or that the folder is no longer there.
func (f *Folder) failed(name string, err error) error {
	if gone := f.gone(); gone != nil {
		return gone
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err // the path is that of the .part- file
	}
	return fmt.Errorf("%s: %w", path.Join(f.Path, name), err)
}

// gone returns an error if the folder is no longer in its place.
func (f *Folder) gone() error {
	was, err := f.lock.Stat()
	if err != nil {
		return err
	}
	if is, err := os.Stat(f.Path); err != nil || !os.SameFile(is, was) {
		return fmt.Errorf("results folder %s was removed or replaced", f.Path)
	}
	return nil
}

// check returns an error if a file is no longer as it was written.
func (f *Folder) check(name string) error {
	if err := f.gone(); err != nil {
		return err
	}
	is, err := f.root.Lstat(name)
	if name == runsFile && err == nil {
		if was, statErr := f.runs.Stat(); statErr != nil || !os.SameFile(is, was) {
			err = fs.ErrNotExist
		}
	}
	switch {
	case err != nil || !is.Mode().IsRegular():
		return fmt.Errorf("%s was removed or replaced", path.Join(f.Path, name))
	case is.Size() < f.kept[name]:
		return fmt.Errorf("%s was cut short: %d bytes of %d are left", path.Join(f.Path, name), is.Size(),
			f.kept[name])
	}
	return nil
}

// Kept lists the files and subfolders of the folder that hold what was written; the errors name files that
// do not.
func (f *Folder) Kept() (names []string, lost []error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(f.kept)) {
		top, _, _ := strings.Cut(name, "/")
		if err := f.check(name); err != nil {
			lost = appendNew(lost, err)
		} else if !slices.Contains(names, top) {
			names = append(names, top)
		}
	}
	return names, lost
}

// Close unlocks the folder.
func (f *Folder) Close() error {
	var err error
	if f.runs != nil {
		f.clean()
		err = f.runs.Close()
	}
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return errors.Join(err, f.root.Close())
}

// appendNew adds an error unless the list has one with the same text.
func appendNew(all []error, err error) []error {
	if slices.ContainsFunc(all, func(e error) bool { return e.Error() == err.Error() }) {
		return all
	}
	return append(all, err)
}

// maxFileName, with a prefix and an extension, is below the limits of file systems, also encrypted ones.
const maxFileName = 120

// fileName makes a file name of a cell id: its values, joined. One that is too long ends in a hash of the
// id instead.
func fileName(id string) string {
	var parts []string
	for p := range strings.SplitSeq(id, "/") {
		_, v, _ := strings.Cut(p, "=")
		parts = append(parts, v)
	}
	name := strings.Join(parts, "_")
	if len(name) > maxFileName {
		sum := hash([]byte(id))[:32]
		name = name[:maxFileName-len(sum)-1] + "_" + sum
	}
	return name
}
