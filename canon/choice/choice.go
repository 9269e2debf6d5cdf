// Package choice makes errors for unknown names, which suggest the nearest known name. Start with [Check].
package choice

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Error is the error of a name that is not one of the known names.
type Error struct {
	Kind, Name string
	Known      []string
}

// Unknown returns an *Error about a name of a kind, such as "engine", with the known names.
func Unknown(kind, name string, known ...string) error {
	return &Error{kind, name, known}
}

// Check returns an *Error unless a name is one of the known names.
func Check[T ~string](kind string, name T, known []T) error {
	if slices.Contains(known, name) {
		return nil
	}
	return Unknown(kind, string(name), Names(known)...)
}

// Names converts typed names to text.
func Names[T ~string](typed []T) []string {
	names := make([]string, len(typed))
	for i, t := range typed {
		names[i] = string(t)
	}
	return names
}

func (e *Error) Error() string {
	return fmt.Sprintf("unknown %s %q; %s", e.Kind, e.Name, Hint(e.Name, e.Known))
}

// Hint suggests the nearest known name, or lists all names if none is near.
func Hint(name string, known []string) string {
	if near := Nearest(name, slices.Values(known)); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "choose " + List(known)
}

// List joins names as alternatives: a, b or c.
func List(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// maxLength is the length in bytes above which names are not compared: the time grows with the square of
// the length.
const maxLength = 128

// Nearest returns the first of the known names nearest to a name, ignoring case, or "" if none is near. A
// near name differs in at most a quarter of the letters, rounded, and in at most two.
func Nearest(name string, known iter.Seq[string]) string {
	if name == "" || len(name) > maxLength {
		return ""
	}
	name = strings.ToLower(name)
	nearest, least := "", min(2, (len(name)+2)/4)+1
	for k := range known {
		if len(k) > maxLength || max(len(k)-len(name), len(name)-len(k)) >= least {
			continue
		}
		d := 1
		if lower := strings.ToLower(k); !swapped(name, lower) {
			d = levenshtein.ComputeDistance(name, lower)
		}
		if d < least && d < len(k) {
			nearest, least = k, d
		}
	}
	return nearest
}

// swapped reports whether two names differ only in the order of two adjacent letters, which counts as one
// mistake.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}
