package vary

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"canonscope/canon/jsontape"
	"canonscope/schemas/charge"
)

// errNamed is the error of a document whose nodes all have names.
var errNamed = errors.New("the document has no unnamed node that could get an id")

// named is the document with ids for n percent of its unnamed nodes.
func named(ctx context.Context, t *jsontape.Tape, n int, opt charge.Options) ([]byte, error) {
	a, err := charge.Document(ctx, t.Src, opt)
	if err != nil {
		return nil, err
	}
	if doc, _ := Named(ctx, t, a, 100, opt); doc == nil {
		return nil, errNamed
	}
	if doc, _ := Named(ctx, t, a, n, opt); doc != nil {
		return doc, nil
	}
	return t.Src, nil // too few percent for one of them
}

// Named returns the document of a tape with ids for n percent of its unnamed nodes, evenly among them, and
// how many those are; a is its account. The ids are URNs that follow from the place of a node. The result is
// nil if no such id makes the blank nodes fewer.
func Named(
	ctx context.Context, t *jsontape.Tape, a *charge.Account, n int, opt charge.Options,
) (doc []byte, nodes int) {
	for _, key := range []string{"id", "@id"} {
		var out []byte
		from, seen, nodes := uint32(0), 0, 0
		for i := range a.Parts {
			p := &a.Parts[i]
			at := t.At(p.Pointer)
			if p.Own.Blank == 0 || t.Nodes[at].Kind != jsontape.Object || t.Get(at, "id") >= 0 ||
				t.Get(at, "@id") >= 0 {
				continue
			}
			if seen++; seen*n/100 == (seen-1)*n/100 {
				continue
			}
			nodes++
			inside := t.Nodes[at].Start + 1
			out = append(out, t.Src[from:inside]...)
			if from = inside; t.Len(at) > 0 {
				out = fmt.Appendf(out, `"%s":"urn:uuid:%s",`, key, UUID(p.Pointer))
			} else {
				out = fmt.Appendf(out, `"%s":"urn:uuid:%s"`, key, UUID(p.Pointer))
			}
		}

		doc := append(out, t.Src[from:]...)
		changed, err := charge.Document(ctx, doc, opt)
		if err == nil && len(changed.Losses) <= len(a.Losses) && changed.Total.Blank < a.Total.Blank {
			return doc, nodes
		}
	}
	return nil, 0
}

// UUID is made from text: the same text has the same.
func UUID(text string) string {
	sum := sha256.Sum256([]byte(text))
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-8" + h[13:16] + "-a" + h[17:20] + "-" + h[20:32]
}
