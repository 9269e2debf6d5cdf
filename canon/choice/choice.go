// Package choice says what somebody meant who mistyped a name. Start with [Check].
package choice

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Error says that a name is not among those that are known.
type Error struct {
	Kind, Name string
	Known      []string
}

// Unknown returns an *Error about a name of a kind, such as engine, with the names that there are.
func Unknown(kind, name string, known ...string) error {
	return &Error{kind, name, known}
}

// Check returns an *Error unless a name is among those that are known.
func Check[T ~string](kind string, name T, known []T) error {
	if slices.Contains(known, name) {
		return nil
	}
	return Unknown(kind, string(name), Names(known)...)
}

// Names returns names of a type as text.
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

// Hint asks whether the nearest name was meant, or lists all where none is near.
func Hint(name string, known []string) string {
	if near := Nearest(name, slices.Values(known)); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "choose " + List(known)
}

// List writes names as a choice: a, b or c.
func List(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// maxLength bounds the names that are compared, in bytes: the time of a comparison grows with its square.
const maxLength = 128

// Nearest returns the known name that is nearest to a name without regard to case, or "" if none is near: a quarter of
// its letters may be others, and at most two. Of several the first is returned.
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

// swapped reports whether two names differ in the order of two letters that are side by side, which is one mistake.
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
