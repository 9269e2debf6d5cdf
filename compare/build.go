package compare

import (
	"fmt"
	"regexp"
)

// Build is one of several binaries that a campaign compares. Its label is part of the ids of its cells.
type Build struct {
	Label    string            `json:"label"`
	SHA256   string            `json:"sha256"` // of the executable
	Version  string            `json:"version"`
	Revision string            `json:"revision"` // of the sources, or "unknown"
	Go       string            `json:"go"`
	Rules    string            `json:"rules"`             // hash of the frame rules that read its profiles
	Modules  map[string]string `json:"modules,omitempty"` // versions of those that all builds do not share
}

var label = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,15}$`)

// CheckLabel returns an error unless a text can be the label of a build.
func CheckLabel(text string) error {
	if !label.MatchString(text) {
		return fmt.Errorf("%q is not a label: want up to 16 letters, digits and . _ -, beginning with a "+
			"letter or digit", text)
	}
	return nil
}
