//phase:caller
package lines

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon"
)

const (
	rdfFirst = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>"
	rdfRest  = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>"
)

// unnamed is a blank node of a skolemized document: a cell of a list, or the name of an embedded graph.
type unnamed struct {
	first, rest string          // of a cell: terms
	subject     string          // of the statement that leads to the list or the graph; "" for a later cell
	edge        string          // predicate of that statement
	graph       string          // graph of that statement
	head        string          // of a cell: label of the list's first cell
	subjects    map[string]bool // of a graph: terms that have statements in it
	objects     map[string]bool // of a graph: terms that its statements lead to
	digest      string          // of a list's first cell: hash of what the list holds, once it is asked for
	name        string
}

// ErrUnnamed is the error of a blank node that has no name.
var ErrUnnamed = errors.New("a blank node has no name to select it by")

// errTwins is the error of lists that have the same name.
var errTwins = errors.New("two equal lists are in one place, which selective disclosure cannot distinguish")

// blanks is the set of unnamed blank nodes of a document by label.
type blanks map[string]*unnamed

// Names names the blank nodes of a skolemized document so that they have the same name in the document and
// in any selection that holds them whole: a cell after the statement that leads to its list, the contents
// of the list and the place in it; a graph after the statement that leads to it and the node at its top.
//
//phase:select
func Names(lines [][]byte) (map[string][]byte, error) {
	all := blanks{}
	for _, l := range lines {
		if err := all.read(l); err != nil {
			return nil, err
		}
	}

	if len(all) == 0 {
		return nil, nil
	}

	labels := make([]string, 0, len(all))
	for label, b := range all {
		labels = append(labels, label)
		if b.first == "" || b.subject == "" {
			continue
		}
		for next, ok := label, true; ok; next, ok = strings.CutPrefix(all[next].rest, "_:") {
			if all[next] == nil || all[next].head != "" {
				return nil, ErrUnnamed
			}
			all[next].head = label
		}
	}

	slices.Sort(labels)
	taken := map[string]bool{}
	names := make(map[string][]byte, len(all))
	for _, label := range labels {
		if err := all.give(label, taken, 0); err != nil {
			return nil, err
		}
		names[label] = []byte(all[label].name)
	}

	return names, nil
}

// at returns the blank node with a label.
func (all blanks) at(label string) *unnamed {
	b := all[label]
	if b == nil {
		b = &unnamed{subjects: map[string]bool{}, objects: map[string]bool{}}
		all[label] = b
	}
	return b
}

func (all blanks) read(line []byte) error {
	s, p, o, graph := quadTerms(line)
	if label, ok := strings.CutPrefix(s, "_:"); ok {
		switch p {
		case rdfFirst:
			all.at(label).first = o
		case rdfRest:
			all.at(label).rest = o
		default:
			return ErrUnnamed
		}
	}
	if label, ok := strings.CutPrefix(o, "_:"); ok && p != rdfRest {
		b := all.at(label)
		if b.subject != "" {
			return ErrUnnamed
		}
		b.subject, b.edge, b.graph = s, p, graph
	}
	if label, ok := strings.CutPrefix(graph, "_:"); ok {
		b := all.at(label)
		b.subjects[s] = true
		b.objects[o] = true
	}
	return nil
}

// give names a blank node, and before it those it is in. A cell names its whole list.
func (all blanks) give(label string, taken map[string]bool, depth int) error {
	b := all[label]
	if b == nil || depth > canon.DefaultDepth {
		return ErrUnnamed
	}
	if b.name != "" {
		return nil
	}

	if b.first != "" {
		label = b.head
		if b = all[label]; b == nil {
			return ErrUnnamed
		}
	}

	if b.subject == "" {
		return ErrUnnamed
	}

	place := b.edge
	for _, term := range []string{b.subject, b.graph} {
		if outer, ok := strings.CutPrefix(term, "_:"); ok {
			if err := all.give(outer, taken, depth+1); err != nil {
				return err
			}
			term = all[outer].name
		}
		place += " " + term
	}

	contents := ""
	if b.first != "" {
		contents = all.list(label, 0)
	} else {
		for s := range b.subjects {
			if !b.objects[s] {
				if contents != "" {
					return ErrUnnamed // several nodes at its top
				}
				contents = s
			}
		}
	}

	id := fmt.Sprintf("n%x", sha256.Sum256([]byte(place+" "+contents)))
	if taken[id] {
		return errTwins
	}

	taken[id] = true
	if b.first == "" {
		b.name = id
		return nil
	}

	n := 0
	for next, ok := label, true; ok; next, ok = strings.CutPrefix(all[next].rest, "_:") {
		all[next].name = id + "x" + strconv.Itoa(n)
		n++
	}

	return nil
}

// list returns the terms of a list as text, with the hashes of lists inside it in brackets.
func (all blanks) list(head string, depth int) string {
	var text strings.Builder
	for label, ok := head, true; ok; label, ok = strings.CutPrefix(all[label].rest, "_:") {
		first := all[label].first
		if inner, ok := strings.CutPrefix(first, "_:"); ok && all[inner].first != "" &&
			depth < canon.DefaultDepth {
			b := all[inner]
			if b.digest == "" { // a list is in one place, and is asked for by each list around it
				b.digest = fmt.Sprintf("%x", sha256.Sum256([]byte(all.list(inner, depth+1))))
			}
			first = "[" + b.digest + "]"
		}
		text.WriteString(first + " ")
	}
	return text.String()
}

// quadTerms splits a statement; the graph is empty in the default graph.
func quadTerms(line []byte) (s, p, o, graph string) {
	var terms [4]string
	rest := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte(" ."))
	for i := 0; i < len(terms) && rest != nil; i++ {
		var term []byte
		term, rest = Cut(rest)
		terms[i] = string(term)
	}
	return terms[0], terms[1], terms[2], terms[3]
}
