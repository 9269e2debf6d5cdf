package catalogue

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"canonscope/schemas/contexts"
)

// shape holds the numbers of parts of a document. Counts of parts are per achievement and may be fractions:
// at 1.2 results an achievement, 5 achievements have 6.
type shape struct {
	attributes                                         float64
	achievements, parts, outcomes                      float64 // parts and outcomes: ELM
	results, resultDescriptions, rubricLevels          float64
	alignments, evidence, tags                         float64
	endorsements, associations, depth, languages, maps float64 // in all
	embedded                                           float64 // bytes of the embedded file; 0 none
	nonASCII, blank, identical                         float64 // percent; blank < 0: as in the specification
	contexts, padding                                  float64 // further contexts, and terms of each

	scoping, nested, proofs, topology int  // index of a word of the axis
	profile                           int  // profile: 0 name, 1 with an address, 2 all
	identities                        int  // identity objects of the subject
	prose                             int  // sentences of a description and of criteria
	full                              bool // every optional property of Open Badges
	plain                             bool // types are strings, not arrays
	aligned                           bool // results and their descriptions have alignments
	lists                             bool // result descriptions have lists of allowed values
	criteriaID                        bool // criteria have an id
	graded                            bool // achievements have a field of study and a code
	pictured                          bool // achievements have an image
	services                          bool // credentials have a schema, a status and a refresh service
	listed                            bool // CLR: the subject lists achievements beside its credentials
	terse                             bool // ELM: a node is written out only once
	vcdm2                             bool // ELM: with the VCDM v2 context, which contradicts it
}

// Axis is one property of a shape that can be varied while the others stay the same.
type Axis struct {
	Name     string
	About    string
	Min, Max float64  // of a number
	Words    []string // the values of an axis that is not a number
	number   func(*shape) *float64
	word     func(*shape) *int
}

var axes = []*Axis{
	{Name: "attributes", About: "attributes of a simple credential", Min: 1, Max: MaxAttributes,
		number: func(s *shape) *float64 { return &s.attributes }},
	{Name: "achievements", About: "nested credentials of a CLR, claims of an ELM credential", Min: 1,
		Max: 2000, number: func(s *shape) *float64 { return &s.achievements }},
	{Name: "results", About: "results of an achievement", Max: 100,
		number: func(s *shape) *float64 { return &s.results }},
	{Name: "result-descriptions", About: "result descriptions of an achievement", Max: 100,
		number: func(s *shape) *float64 { return &s.resultDescriptions }},
	{Name: "rubric-levels", About: "levels of a rubric", Max: 100,
		number: func(s *shape) *float64 { return &s.rubricLevels }},
	{Name: "alignments", About: "alignments of an achievement", Max: 1000,
		number: func(s *shape) *float64 { return &s.alignments }},
	{Name: "associations", About: "associations between the achievements of a CLR, in all", Max: 10000,
		number: func(s *shape) *float64 { return &s.associations }},
	{Name: "topology",
		About: "achievements that associations link: a tree of 4 children, a chain, or all of the first few",
		Words: []string{"tree", "chain", "clique"}, word: func(s *shape) *int { return &s.topology }},
	{Name: "endorsements", About: "endorsement credentials, in all", Max: 1000,
		number: func(s *shape) *float64 { return &s.endorsements }},
	{Name: "evidence", About: "pieces of evidence of a credential", Max: 1000,
		number: func(s *shape) *float64 { return &s.evidence }},
	{Name: "tags", About: "tags of an achievement", Max: 1000,
		number: func(s *shape) *float64 { return &s.tags }},
	{Name: "languages",
		About: "languages of each language map (ELM) or of related achievements (Open Badges)",
		Min:   1, Max: 24, number: func(s *shape) *float64 { return &s.languages }},
	{Name: "language-maps", About: "notes of an ELM credential, each one language map", Max: 10000,
		number: func(s *shape) *float64 { return &s.maps }},
	{Name: "embedded-bytes", About: "size of the embedded file (an image or a PDF as base64)", Max: 16 << 20,
		number: func(s *shape) *float64 { return &s.embedded }},
	{Name: "non-ascii", About: "percent of the free texts that are Japanese", Max: 100,
		number: func(s *shape) *float64 { return &s.nonASCII }},
	{Name: "blank", About: "percent of the nodes with an optional id that have none, at equal quads",
		Max: 100, number: func(s *shape) *float64 { return &s.blank }},
	{Name: "identical", About: "percent of sibling alignments and identifiers that are copies of the first",
		Max: 100, number: func(s *shape) *float64 { return &s.identical }},
	{Name: "depth", About: "length of the chain of parent organisations, or of parts within parts in ELM",
		Max: 100, number: func(s *shape) *float64 { return &s.depth }},
	{Name: "contexts", About: "further contexts that the document does not need", Max: 100,
		number: func(s *shape) *float64 { return &s.contexts }},
	{Name: "unused-terms", About: "terms of each further context; alone it means one context",
		Max: contexts.MaxPadding, number: func(s *shape) *float64 { return &s.padding }},
	{Name: "scoping", About: "how the Open Badges terms are scoped, at equal quads", Words: contexts.Scopings,
		word: func(s *shape) *int { return &s.scoping }},
	{Name: "nested-contexts",
		About: "@context of a nested credential: the same URLs, none, or also an equal inline object",
		Words: []string{"url", "none", "inline"}, word: func(s *shape) *int { return &s.nested }},
	{Name: "proofs", About: "proofs of nested credentials: kept or removed",
		Words: []string{"kept", "removed"}, word: func(s *shape) *int { return &s.proofs }},
}

// Axes lists the axes of a catalogue name, or of all families for "".
func Axes(name string) ([]*Axis, error) {
	if name == "" {
		return slices.Clone(axes), nil
	}
	base, _, _ := strings.Cut(name, ":")
	g, err := find(base)
	if err != nil {
		return nil, err
	}
	var list []*Axis
	for _, a := range axes {
		if slices.Contains(g.axes, a.Name) {
			list = append(list, a)
		}
	}
	return list, nil
}

// Value returns the value that a name has on this axis, in the form that Get reads.
func (a *Axis) Value(name string) (string, error) {
	got, err := Get(name)
	if err != nil {
		return "", err
	}
	g, ok := got.(*generator)
	if !ok || !slices.Contains(g.axes, a.Name) {
		return "", fmt.Errorf("schema %s has no axis %q", name, a.Name)
	}
	if a.word != nil {
		return a.Words[*a.word(&g.shape)], nil
	}
	if v := *a.number(&g.shape); v >= a.Min {
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	return "as published", nil
}

func axisNamed(name string) *Axis {
	return axes[slices.IndexFunc(axes, func(a *Axis) bool { return a.Name == name })]
}

func (a *Axis) set(s *shape, value string) error {
	if a.word != nil {
		i := slices.Index(a.Words, value)
		if i < 0 {
			return fmt.Errorf("axis %s=%s: choose one of %s", a.Name, value, strings.Join(a.Words, ", "))
		}
		*a.word(s) = i
		return nil
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(a.Min <= v && v <= a.Max) {
		return fmt.Errorf("axis %s=%s: the value must be a number from %g to %g", a.Name, value, a.Min, a.Max)
	}
	*a.number(s) = v
	return nil
}

// extra returns the URLs of the further contexts.
func (s *shape) extra() array {
	n := int(s.contexts)
	if n == 0 && s.padding > 0 {
		n = 1
	}
	var urls array
	for k := range n {
		urls = append(urls, contexts.Padding(int(s.padding), k))
	}
	return urls
}

// spread returns how many parts achievement i has for an average: for 1.2, four achievements have 1 and the
// fifth has 2.
func spread(average float64, i int) int {
	const ppm = 1_000_000 // integers give the same result on every machine
	a := int(average*ppm + 0.5)
	return (i+1)*a/ppm - i*a/ppm
}
