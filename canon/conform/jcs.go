package conform

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"canonscope/canon"
	"canonscope/canon/userfile"
)

// jcsBase is the base of the file names of the JCS vectors.
const jcsBase = "https://github.com/cyberphone/json-canonicalization/tree/master/testdata/"

// JCS runs the vectors in dir through an engine (RFC 8785 appendix B and its reference data): each file of
// the folder input against the file of the same name in the folder output, and each row "bits in
// hexadecimal,text" of numbers.csv. Either may be missing. The numbers are one result; its reason lists the
// first wrong ones.
func JCS(ctx context.Context, dir string, engine canon.Canonicalizer) ([]Result, error) {
	if engine == nil {
		return nil, errNoEngine
	}

	files, err := Files(filepath.Join(dir, "input"), "*")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}

	var results []Result
	for _, file := range files {
		id := "input/" + filepath.Base(file)
		err := jcsFile(ctx, file, filepath.Join(dir, "output", filepath.Base(file)), engine)
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
		results = append(results, Result{Test: jcsBase + id, Name: filepath.Base(file)}.judge(err))
	}

	numbers, err := userfile.Open(filepath.Join(dir, "numbers.csv"))
	switch {
	case err == nil:
		defer numbers.Close()
		count, err := jcsNumbers(ctx, numbers, engine)
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
		r := Result{Test: jcsBase + "numbers.csv", Name: fmt.Sprintf("numbers.csv, %d numbers", count)}
		results = append(results, r.judge(err))
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}

	if len(results) == 0 {
		return nil, fmt.Errorf("%s has neither a folder input nor numbers.csv", dir)
	}

	return results, nil
}

func jcsFile(ctx context.Context, in, out string, engine canon.Canonicalizer) error {
	doc, err := userfile.ReadAll(in)
	if err != nil {
		return err
	}
	want, err := userfile.ReadAll(out)
	if err != nil {
		return err
	}
	form, err := engine.Canonicalize(ctx, doc, canon.Options{Input: canon.JSON, Lossy: true})
	if err != nil {
		return err
	}
	for i, c := range form.Text {
		if i >= len(want) || c != want[i] {
			return fmt.Errorf("byte %d is %q, want %q", i, around(form.Text, i), around(want, i))
		}
	}
	if len(form.Text) < len(want) {
		return fmt.Errorf("ends after %d bytes, want %d", len(form.Text), len(want))
	}
	return nil
}

// around returns a few bytes starting at i.
func around(b []byte, i int) []byte { return b[min(i, len(b)):min(i+16, len(b))] }

func jcsNumbers(ctx context.Context, file *os.File, engine canon.Canonicalizer) (count int, err error) {
	var wrong []string
	var into canon.Form
	lines := bufio.NewScanner(file)
	for line := 1; lines.Scan(); line++ {
		bits, want, ok := strings.Cut(strings.TrimSpace(lines.Text()), ",")
		x, err := strconv.ParseUint(bits, 16, 64)
		if !ok || err != nil {
			return count, fmt.Errorf("line %d is not \"bits,text\"", line)
		}
		count++
		doc := strconv.AppendFloat(nil, math.Float64frombits(x), 'e', -1, 64)
		form, err := engine.Canonicalize(ctx, doc, canon.Options{Input: canon.JSON, Lossy: true, Into: &into})
		switch {
		case err != nil:
			wrong = append(wrong, fmt.Sprintf("line %d: %v", line, err))
		case !bytes.Equal(form.Text, []byte(want)):
			wrong = append(wrong, fmt.Sprintf("line %d: %s, want %s", line, form.Text, want))
		}
	}
	if err := lines.Err(); err != nil {
		return count, err
	}
	if n := len(wrong); n > 0 {
		return count, fmt.Errorf("%d of %d are wrong; %s", n, count, strings.Join(wrong[:min(n, 5)], "; "))
	}
	return count, nil
}
