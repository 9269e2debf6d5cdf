package agree

import (
	"bytes"
	"context"
	"slices"
	"unicode/utf8"

	"canonscope/canon"
	"canonscope/canon/jsontape"
)

// attempts bounds how often Reduce asks the engines.
const attempts = 3000

// Reduce returns a shorter input that the same engines disagree about in the same way, and its row: no
// line, JSON value or run of characters can be left out. It gives up after a number of attempts.
func (c *Comparer) Reduce(ctx context.Context, in *Input, row *Row) (*Input, *Row, error) {
	left := attempts
	try := func(doc []byte) (bool, error) {
		if left--; left < 0 || len(doc) >= len(in.Doc) {
			return false, nil
		}
		shorter := &Input{Name: in.Name, Method: in.Method, Syntax: in.Syntax, Doc: doc}
		r, err := c.Add(ctx, shorter)
		if err != nil || r.kind() != row.kind() {
			return false, err
		}
		in, row = shorter, r
		return true, nil
	}

	for again := true; again && left > 0; {
		again = false
		for _, cuts := range []func(*Input, func([]byte) (bool, error)) (bool, error){cutParts, cutText} {
			done, err := cuts(in, try)
			if err != nil {
				return nil, nil, err
			}
			again = again || done
		}
	}

	return in, row, nil
}

// cutParts leaves out lines, or JSON values, or puts a part of a value in its place, until nothing more can
// be left out.
func cutParts(in *Input, try func([]byte) (bool, error)) (bool, error) {
	doc, any := in.Doc, false
	for {
		done := false
		for shorter := range parts(in.Syntax, doc) {
			ok, err := try(shorter)
			if err != nil {
				return any, err
			}
			if ok {
				doc, done, any = shorter, true, true
				break
			}
		}
		if !done {
			return any, nil
		}
	}
}

// parts yields a document without one of its parts, for each part, the largest first where it is easy.
func parts(syntax canon.Input, doc []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		if syntax == canon.NQuads {
			lines := slices.Collect(bytes.Lines(doc))
			for i := range lines {
				if !yield(bytes.Join(slices.Delete(slices.Clone(lines), i, i+1), nil)) {
					return
				}
			}
			return
		}

		var t jsontape.Tape
		if t.Scan(doc, jsontape.Options{}) != nil {
			return
		}
		for i := range t.Nodes {
			switch t.Nodes[i].Kind {
			case jsontape.Array:
				for e := range t.Elements(i) {
					if !yield(t.AppendWithout(nil, i, e)) || !yield(t.AppendReplaced(nil, i, t.Raw(e))) {
						return
					}
				}
			case jsontape.Object:
				for k, v := range t.Members(i) {
					if !yield(t.AppendWithout(nil, i, k)) || !yield(t.AppendReplaced(nil, i, t.Raw(v))) ||
						!yield(t.AppendReplaced(nil, i, t.Raw(k))) {
						return
					}
				}
			}
		}
	}
}

// cutText leaves out runs of characters, longer ones first.
func cutText(in *Input, try func([]byte) (bool, error)) (bool, error) {
	doc, any := in.Doc, false
	for size := 64; size > 0; size /= 2 {
		for at := 0; at < len(doc); {
			end := min(at+size, len(doc))
			for end < len(doc) && !utf8.RuneStart(doc[end]) {
				end++
			}
			shorter := slices.Concat(doc[:at], doc[end:])
			ok, err := try(shorter)
			switch {
			case err != nil:
				return any, err
			case ok:
				doc, any = shorter, true
			default:
				at++
				for at < len(doc) && !utf8.RuneStart(doc[at]) {
					at++
				}
			}
		}
	}
	return any, nil
}
