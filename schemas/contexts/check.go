package contexts

import "slices"

// Comparison compares one file of a folder with the embedded facts of its URL.
type Comparison struct {
	URL         string
	File        string
	Primary     bool         // the folder serves it
	Name        string       // the embedded context
	Variant     string       // of the content equal to the file
	Equal       bool         // some embedded content has the value of the file
	Official    bool         // the file has the recorded SHA-256 of that content
	Differences []Difference // between the primary embedded content, which is first, and the file
}

// Check compares by value every file of the folder whose URL is embedded with the facts, and returns the
// names of the embedded contexts that the folder lacks. The facts of a URL are proven if its primary file
// is equal to the primary content.
func (f *Folder) Check() ([]Comparison, []string, error) {
	var all []Comparison
	var absent []string
	for _, t := range load() {
		found := false
		for _, e := range f.Entries {
			if e.URL != t.Contents[0].URL {
				continue
			}
			found = true
			c := Comparison{URL: e.URL, File: e.File, Primary: e.Primary, Name: t.Contents[0].Name}
			for i, content := range t.Contents {
				diff, err := Differences(content.JSON, e.Bytes)
				if err != nil {
					return nil, nil, err
				}
				if i == 0 {
					c.Differences = diff
				}
				if len(diff) == 0 {
					c.Equal, c.Variant = true, content.Variant
					c.Official = e.SHA256 == content.SHA256
					break
				}
			}
			all = append(all, c)
		}

		if !found {
			absent = append(absent, t.Contents[0].Name)
		}
	}

	return all, absent, nil
}

// Proven reports whether no comparison contradicts the facts.
func Proven(all []Comparison) bool {
	return !slices.ContainsFunc(all, func(c Comparison) bool { return c.Primary && len(c.Differences) > 0 })
}
