package agree

import (
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"canonscope/canon"
)

// Known is the right answer to an input, and where it is from.
type Known struct {
	IRI     string   // names the input in reports
	Source  string   // the step that decides, in the words of this project
	Forms   []string // the right forms; several if the specification leaves it open
	Refuse  string   // "must" be refused, "may" be refused because data are lost, or ""
	Differs []string // libraries that are known to answer otherwise
}

// verdict judges the answer of a group: open without a known one, and for an engine that gives none.
func (k *Known) verdict(g *Group) Verdict {
	switch {
	case k == nil, g.Outcome == Limited, g.Outcome == Unsupported:
		return Open
	case g.Outcome == Refused && k.Refuse != "",
		g.Outcome == Form && slices.Contains(k.Forms, string(g.text)):
		return Right
	}
	return Wrong
}

// corpusIRI is the base of the names of the corpus.
const corpusIRI = "urn:canonscope:agree:"

//go:embed testdata/corpus.json
var corpusText []byte

// entry is one input of the corpus.
type entry struct {
	Name    string       `json:"name"`
	Method  canon.Method `json:"method"`
	Syntax  canon.Input  `json:"input"`
	Doc     string       `json:"doc"`
	Hex     string       `json:"hex"`   // instead of doc, if it is not UTF-8
	Right   [][]string   `json:"right"` // lines of each right form
	Refuse  string       `json:"refuse"`
	Source  string       `json:"source"`
	Differs []string     `json:"differs"`
}

// Corpus returns the project's own inputs that engines are known to disagree about, or easily could, with
// their right answers.
func Corpus() ([]Input, error) {
	var entries []entry
	if err := json.Unmarshal(corpusText, &entries); err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}

	inputs := make([]Input, len(entries))
	for i, e := range entries {
		doc := []byte(e.Doc)
		if e.Hex != "" {
			var err error
			if doc, err = hex.DecodeString(e.Hex); err != nil {
				return nil, fmt.Errorf("corpus: %s: %w", e.Name, err)
			}
		}

		known := &Known{IRI: corpusIRI + e.Name, Source: e.Source, Refuse: e.Refuse, Differs: e.Differs}
		end := ""
		if e.Method == canon.RDFC {
			end = "\n"
		}
		for _, lines := range e.Right {
			form := ""
			for _, l := range lines {
				form += l + end
			}
			known.Forms = append(known.Forms, form)
		}

		inputs[i] = Input{Name: e.Name, Method: e.Method, Syntax: e.Syntax, Doc: doc, Known: known}
	}

	return inputs, nil
}

// String lists the engines of a group.
func (g *Group) String() string { return strings.Join(g.Engines, ", ") }
