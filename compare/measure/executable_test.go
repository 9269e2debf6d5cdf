package measure

import (
	"os"
	"path/filepath"
	"testing"
)

// A child believes the hash of a file only if it runs that file, as it was.
func TestKnownHashIsOfTheRunningFile(t *testing.T) {
	same, err := fileAt(running())
	if err != nil {
		t.Fatal(err)
	}
	same.SHA256 = "known"
	if got := same.binary(); got != "known" {
		t.Errorf("the same file: %s", got)
	}
	if got := (*File)(nil).binary(); got != BinaryHash() || len(got) != 64 {
		t.Errorf("no file: %s", got)
	}
	for name, change := range map[string]func(*File){
		"device":  func(f *File) { f.Device++ },
		"inode":   func(f *File) { f.Inode++ },
		"bytes":   func(f *File) { f.Bytes++ },
		"changed": func(f *File) { f.Changed++ },
	} {
		other := same
		change(&other)
		if got := other.binary(); got != BinaryHash() {
			t.Errorf("another %s: %s", name, got)
		}
	}
}

// A file that is written again, or has another put in its place, is not the one that was hashed, even if its
// length and the time of writing are.
func TestExchangedFileIsSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	write := func(to, text string) File {
		if err := os.WriteFile(to, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		f, err := fileAt(to)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	was := write(path, "one")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}

	write(path+".new", "two")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	now, err := fileAt(path)
	if err != nil || now == was {
		t.Errorf("exchanged: %+v, %v", now, err)
	}
}
