package reading

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/lines"
	"canonscope/vcdm/rules"
)

// What compares parts of a document with one another takes time in proportion to it: eight times the parts
// take about eight times as long, and 64 times where each is compared with each. A bound lies between, and
// the processor time of the best of three runs counts, without collections, so that a busy machine does not
// matter.
func TestLinear(t *testing.T) {
	if raced {
		t.Skip("the race detector reads slices that are only compared by their lengths")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))

	scan := func(doc string) *jsontape.Tape {
		tape := new(jsontape.Tape)
		if err := tape.Scan([]byte(doc), jsontape.Options{}); err != nil {
			t.Fatal(err)
		}
		return tape
	}
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "%", fmt.Sprint(i)))
		}
		return b.String()
	}
	const tick = 10 * time.Millisecond // of the clock of cpu
	cpu := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano())
	}

	grows := func(what string, n, most int, f func(n int)) {
		t.Helper()
		best := func(n int) time.Duration {
			least := time.Duration(math.MaxInt64)
			for range 3 {
				runtime.GC()
				start := cpu()
				f(n)
				least = min(least, cpu()-start)
			}
			return least
		}
		if few, all := max(tick, best(n/8)), best(n); all > time.Duration(most)*few {
			t.Errorf("%s: %v for an eighth, %v for all, more than %d times", what, few, all, most)
		}
	}

	tape := scan(`{"id":"u:root","issuer":"u:issuer"}`)
	grows("many credentials in one of many subjects", 60_000, 24, func(n int) {
		credentials := many(n, "<u:c%> <"+rules.RDFType+"> <"+rules.Vocabulary+
			"VerifiableCredential> .\n<u:e> <u:of> <u:c%> .\n") + "<u:e> <u:of> <u:root> .\n"
		subjects := many(n, "<u:root> <"+rules.Vocabulary+"credentialSubject> <u:s%> .\n") + "<u:root> <" +
			rules.Vocabulary + "issuer> <u:issuer> .\n" +
			"<u:root> <" + rules.RDFType + "> <" + rules.Vocabulary + "VerifiableCredential> .\n"
		r := Reading{tape: tape}
		r.collect([]byte(credentials + subjects))
		if root, err := r.root(); err != nil || string(root) != "<u:root>" {
			t.Errorf("%s: %v", root, err)
		}
	})

	grows("many issuers of one node", 60_000, 24, func(n int) {
		text := []byte(many(n, "<u:c> <"+rules.Vocabulary+"issuer> <u:i%> .\n") + "<u:root> <" +
			rules.Vocabulary + "issuer> <u:issuer> .\n")
		if err := new(Reading).CheckPart(tape, lines.Split(text), lines.Split(text), 0); err != nil {
			t.Error(err)
		}
	})

	grows("many small objects and a large one", 60_000, 24, func(n int) {
		contexts := scan(`[{` + strings.TrimSuffix(many(n, `"t%":0,`), ",") + `}` +
			strings.Repeat(`,{"t":0}`, n) + `]`)
		for e := range contexts.Elements(0) {
			if same := contexts.Equal(e, contexts, 1); same != (e == 1) {
				t.Errorf("node %d is equal: %v", e, same)
			}
		}
	})

	// The long text is most of the work at any depth, unless each list copies it.
	grows("lists in lists", 480, 4, func(depth int) {
		const first, rest = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>"
		var lists strings.Builder
		fmt.Fprintf(&lists, "<u:s> <u:p> _:l0 .\n")
		for i := range depth {
			fmt.Fprintf(&lists, "_:l%d %s _:l%d .\n_:l%d %s <u:nil> .\n", i, first, i+1, i, rest)
		}
		fmt.Fprintf(&lists, "_:l%d %s %q .\n_:l%d %s <u:nil> .\n", depth, first, strings.Repeat("x", 1<<20),
			depth, rest)
		if names, err := lines.Names(lines.Split([]byte(lists.String()))); err != nil || len(names) != depth+
			1 {
			t.Errorf("%d names: %v", len(names), err)
		}
	})
}
