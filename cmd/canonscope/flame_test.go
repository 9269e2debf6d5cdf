package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"testing"

	"canonscope/canon"
)

// A small file that decompresses to a large one ends at a limit.
func TestProfileBomb(t *testing.T) {
	var file bytes.Buffer
	w := gzip.NewWriter(&file)
	if _, err := w.Write(make([]byte, 1001)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for most, limited := range map[int64]bool{1000: true, 1001: false} {
		var limit *canon.LimitError
		if _, err := parseProfile(bytes.NewReader(file.Bytes()), most); errors.As(err, &limit) != limited {
			t.Errorf("%d bytes: %v", most, err)
		}
	}
}
