package conform

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"canonscope/canon/userfile"
)

// Part is one kind of file in the folder of a suite. Run returns the results of a file, or none if it holds
// no tests.
type Part struct {
	Files string // pattern of the file names for filepath.Match
	Run   func(file string) ([]Result, error)
}

// Parts runs the files of dir that belong to a suite, part by part. A suite without results is an error.
func Parts(dir string, parts []Part) ([]Result, error) {
	var results []Result
	var patterns []string
	for _, p := range parts {
		patterns = append(patterns, p.Files)
		files, err := Files(dir, p.Files)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			r, err := p.Run(f)
			if err != nil {
				return nil, err
			}
			results = append(results, r...)
		}
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("%s has no tests in %s", dir, strings.Join(patterns, ", "))
	}
	return results, nil
}

// Files returns the files of dir whose names match a pattern of filepath.Match, in the order of their
// names. Unlike with filepath.Glob, the name of dir is not part of the pattern.
func Files(dir, pattern string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		switch ok, err := filepath.Match(pattern, e.Name()); {
		case err != nil:
			return nil, err
		case ok:
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}

// ReadJSON decodes the file at a path, given as its elements.
func ReadJSON(v any, path ...string) error {
	file := filepath.Join(path...)
	b, err := userfile.ReadAll(file)
	if err != nil {
		return err
	}
	var wrong *json.UnmarshalTypeError // its message names Go types
	switch err := json.Unmarshal(b, v); {
	case errors.As(err, &wrong):
		return fmt.Errorf("%s is not a file of the suite: %s cannot be a JSON %s", file,
			cmp.Or(wrong.Field, "the document"), wrong.Value)
	case err != nil:
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
