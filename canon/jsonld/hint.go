//phase:caller
package jsonld

import (
	"fmt"
	"iter"
	"unicode"

	"canonscope/canon/choice"
)

// Bounds of the work to find the nearest terms: there may be many terms and losses.
const (
	maxHints     = 8
	maxHintTerms = 5_000
)

// hint suggests the term of a context that is nearest to an undefined key, or returns "".
func (r *run) hint(ctx *activeContext, key []byte) string {
	if len(r.losses) >= maxHints || ctx.terms.count > maxHintTerms {
		return ""
	}
	near := choice.Nearest(string(key), ctx.terms.properties())
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// properties yields the names of terms that are not keywords and, by their first letter, not types.
func (t *table) properties() iter.Seq[string] {
	return func(yield func(string) bool) {
		for ; t != nil; t = t.below {
			for _, s := range t.slots {
				if s.term != nil && s.term.kw == 0 && s.term.name != "" &&
					!unicode.IsUpper(rune(s.term.name[0])) && !yield(s.term.name) {
					return
				}
			}
		}
	}
}
