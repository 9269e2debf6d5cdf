package jsonschema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"testing"

	"canonscope/canon/conform/official"
)

var patterns = map[string]*regexp.Regexp{}

func match(pattern, s string) bool {
	re := patterns[pattern]
	if re == nil {
		re = regexp.MustCompile(pattern)
		patterns[pattern] = re
	}
	return re.MatchString(s)
}

// Valid documents, each changed in one place, 500 for the five schemas together: the valid official
// examples, and documents generated from the official schema.
func TestOurSchemasAgreeOnMutations(t *testing.T) {
	dir := official.Dir(t, "education")
	files := examples(t, dir)
	for _, format := range []bool{false, true} {
		total, verdicts := 0, map[string]map[bool]int{}
		for _, name := range slices.Sorted(maps.Keys(pairs)) {
			p := pairOf(t, dir, name, format)
			var docs [][]byte
			for _, f := range files {
				doc, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				if r, err := p.theirs.Validate(doc); err == nil && r.Valid {
					docs = append(docs, doc)
				}
			}
			for i := uint64(0); len(docs) < 20 && i < 2000; i++ {
				s := &sampler{rng: rand.New(rand.NewPCG(i, 6)), root: p.their}
				doc, err := json.Marshal(s.value(p.their, 6))
				if err != nil {
					t.Fatal(err)
				}
				if r, err := p.theirs.Validate(doc); err == nil && r.Valid {
					docs = append(docs, doc)
				}
			}
			if len(docs) < 10 {
				t.Fatalf("%s: only %d valid documents to change", name, len(docs))
			}
			verdicts[name] = map[bool]int{}
			for i := range 100 {
				rng := rand.New(rand.NewPCG(uint64(i), 7))
				var doc any
				if err := json.Unmarshal(docs[i%len(docs)], &doc); err != nil {
					t.Fatal(err)
				}
				what := mutate(rng, &doc)
				b, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				verdicts[name][p.agree(t, fmt.Sprintf("mutation %d, %s", i, what), b)]++
				total++
			}
			if verdicts[name][true] < 10 || verdicts[name][false] < 10 {
				t.Errorf("%s: the mutations test little: %v", name, verdicts[name])
			}
		}
		t.Logf("format %v: %d mutations, verdicts %v", format, total, verdicts)
		if total < 500 {
			t.Errorf("only %d mutations", total)
		}
	}
}

// mutate changes one random place of a document and describes the change.
func mutate(rng *rand.Rand, doc *any) string {
	type spot struct {
		path string
		get  any
		set  func(any)
		del  func()
	}
	var spots []spot
	var walk func(path string, v any, set func(any), del func())
	walk = func(path string, v any, set func(any), del func()) {
		spots = append(spots, spot{path, v, set, del})
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(path+"/"+k, v[k], func(x any) { v[k] = x }, func() { delete(v, k) })
			}
		case []any:
			for i, x := range v {
				walk(fmt.Sprintf("%s/%d", path, i), x, func(x any) { v[i] = x }, func() { set(slices.Delete(v, i, i+1)) })
			}
		}
	}
	walk("", *doc, func(x any) { *doc = x }, func() { *doc = nil })
	s := spots[rng.IntN(len(spots))]
	switch op := rng.IntN(8); op {
	case 0, 1:
		s.del()
		return "delete " + s.path
	case 2:
		s.set([]any{s.get})
		return "wrap " + s.path
	case 3:
		if a, ok := s.get.([]any); ok && len(a) > 0 {
			s.set(a[0])
			return "unwrap " + s.path
		}
		s.set(map[string]any{"en": s.get})
		return "by language " + s.path
	case 4:
		if m, ok := s.get.(map[string]any); ok {
			m["unknownProperty"] = "x"
			return "add to " + s.path
		}
		if a, ok := s.get.([]any); ok && len(a) > 0 {
			s.set(append(a, a[0]))
			return "repeat in " + s.path
		}
		fallthrough
	default:
		v := junkValues[rng.IntN(len(junkValues))]
		s.set(v)
		return fmt.Sprintf("set %s to %v", s.path, v)
	}
}
