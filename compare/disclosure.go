package compare

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"canonscope/canon/choice"
	"canonscope/canon/jsontape"
)

// Granularity is the size of one disclosure of sd-jwt-vc and one element of mdoc. Cells and JSON
// leave Leaf out.
type Granularity string

const (
	Leaf   Granularity = ""       // a value that is not an object or an array, or is an empty one
	Branch Granularity = "branch" // a member or an element of a member, or a leaf above
	Claim  Granularity = "claim"  // a member of the subject
)

// Granularities lists the names that [ParseGranularity] reads.
var Granularities = []string{Leaf.String(), Branch.String(), Claim.String()}

// String returns the name: "leaf" of Leaf.
func (g Granularity) String() string {
	if g == Leaf {
		return "leaf"
	}
	return string(g)
}

// ParseGranularity reads what String wrote.
func ParseGranularity(name string) (Granularity, error) {
	if name == Leaf.String() {
		return Leaf, nil
	}
	return Granularity(name), choice.Check("granularity", name, Granularities)
}

// Disclosure is the part of a credential that is presented: a number of elements, [Everything], or JSON
// pointers, each escaped as a segment of a path, with commas between them. "" is what the credential's own
// Disclose names.
type Disclosure string

// Everything is the Disclosure of all elements.
const Everything Disclosure = "all"

// ParseDisclosure reads a number, "all", or JSON pointers.
func ParseDisclosure(words ...string) (Disclosure, error) {
	if len(words) == 1 {
		n, err := strconv.Atoi(words[0])
		if words[0] == string(Everything) || err == nil && n > 0 && strconv.Itoa(n) == words[0] {
			return Disclosure(words[0]), nil
		}
	}
	escaped := make([]string, len(words))
	for i, w := range words {
		if !strings.HasPrefix(w, "/") || !jsontape.IsPointer(w) {
			return "", fmt.Errorf("%q cannot be disclosed: want a number of elements, all, or JSON pointers "+
				"such as /credentialSubject/name", w)
		}
		escaped[i] = url.PathEscape(w)
	}
	return Disclosure(strings.Join(escaped, ",")), nil
}

// Count returns the number of elements that d asks for; 0 where it is not a number.
func (d Disclosure) Count() int {
	n, err := strconv.Atoi(string(d))
	if err != nil {
		return 0
	}
	return n
}

// Pointers returns the JSON pointers of a Disclosure that lists them; none of another.
func (d Disclosure) Pointers() ([]string, error) {
	if d == "" || d == Everything || d.Count() > 0 {
		return nil, nil
	}
	var pointers []string
	for word := range strings.SplitSeq(string(d), ",") {
		p, err := url.PathUnescape(word)
		if err != nil {
			return nil, fmt.Errorf("disclosure %q: %w", d, err)
		}
		pointers = append(pointers, p)
	}
	return pointers, nil
}

// Disclosed is what is presented of the credentials of a schema.
type Disclosed struct {
	Schema      string      `json:"schema"`
	Disclose    Disclosure  `json:"disclose,omitempty"`
	Granularity Granularity `json:"granularity,omitempty"`
	Elements    int         `json:"elements"` // that are presented
	Of          int         `json:"of"`       // that there are
}
