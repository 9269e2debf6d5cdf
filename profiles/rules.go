package profiles

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon/phase"
)

// Kind is the role of a rule in attribution.
type Kind string

const (
	Owner     Kind = "owner"     // the first owner from leaf to root decides the phase
	Primitive Kind = "primitive" // the outermost one decides if the stack has no owner
	Fallback  Kind = "fallback"  // the first from leaf to root decides if the stack has neither of these
	Runtime   Kind = "runtime"   // decides if the stack holds only the language runtime and the harness
	Harness   Kind = "harness"   // the measuring code: the search for an owner ends here
	Caller    Kind = "caller"    // skipped like a function without a rule: its callers are charged
)

// Rule charges functions to a phase.
type Rule struct {
	Phase  phase.Phase
	Kind   Kind
	Symbol string // prefix of the function's full name
	Caller string // prefix of the name of its direct caller; empty for any
}

func (r Rule) String() string {
	s := fmt.Sprintf("%s %s %s", r.Phase, r.Kind, r.Symbol)
	if r.Caller != "" {
		s += " < " + r.Caller
	}
	return s
}

// Rules is an ordered set of rules. It is safe for concurrent use.
type Rules struct {
	Version int
	List    []Rule
	hash    string
}

//go:embed rules.txt
var embedded []byte

// LoadRules returns the rules of the language, its standard library and well-known libraries.
func LoadRules() Rules {
	r, err := ParseRules(embedded)
	if err != nil {
		panic("profiles: embedded rules: " + err.Error()) // a test parses them
	}
	return r
}

// With returns the rules joined with others, which replace rules of the same symbol and caller.
func (r Rules) With(others Rules) Rules {
	all := Rules{Version: max(r.Version, others.Version)}
	for _, rule := range r.List {
		same := func(o Rule) bool { return o.Symbol == rule.Symbol && o.Caller == rule.Caller }
		if !slices.ContainsFunc(others.List, same) {
			all.List = append(all.List, rule)
		}
	}
	all.List = append(all.List, others.List...)
	sum := sha256.Sum256([]byte(r.hash + others.hash))
	all.hash = hex.EncodeToString(sum[:])
	return all
}

// Hash returns the SHA-256 of the rules, without comments and spacing, as 64 hexadecimal digits.
func (r Rules) Hash() string { return r.hash }

// ParseRules reads a rule list. The first line is "version N", and each further line is a rule:
//
//	PHASE KIND SYMBOL [< CALLER]
//
// PHASE is the name of a [phase.Phase]; harness and caller rules have "-" instead. Empty lines and comments
// after # are skipped. Errors name the line.
func ParseRules(text []byte) (Rules, error) {
	var r Rules
	sum := sha256.New()
	seen := map[[2]string]bool{}
	sc := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; sc.Scan(); n++ {
		f := strings.Fields(sc.Text())
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		fmt.Fprintln(sum, strings.Join(f, " "))
		if r.Version == 0 {
			v := 0
			if len(f) == 2 && f[0] == "version" {
				v, _ = strconv.Atoi(f[1])
			}
			if v <= 0 {
				return Rules{}, fmt.Errorf("line %d: want \"version N\" with N >= 1 before the rules", n)
			}
			r.Version = v
			continue
		}

		rule, err := parseRule(f)
		if err != nil {
			return Rules{}, fmt.Errorf("line %d: %w", n, err)
		}
		key := [2]string{rule.Symbol, rule.Caller}
		if seen[key] {
			return Rules{}, fmt.Errorf("line %d: %s already has a rule", n, rule.Symbol)
		}
		seen[key] = true
		r.List = append(r.List, rule)
	}

	if err := sc.Err(); err != nil {
		return Rules{}, err
	}
	if len(r.List) == 0 {
		return Rules{}, fmt.Errorf("no rules")
	}

	r.hash = hex.EncodeToString(sum.Sum(nil))
	return r, nil
}

func parseRule(f []string) (Rule, error) {
	if len(f) != 3 && !(len(f) == 5 && f[3] == "<") {
		return Rule{}, fmt.Errorf("want PHASE KIND SYMBOL [< CALLER], got %q", strings.Join(f, " "))
	}
	rule := Rule{Phase: phase.Unattributed, Kind: Kind(f[1]), Symbol: f[2]}
	if len(f) == 5 {
		rule.Caller = f[4]
	}
	switch rule.Kind {
	case Harness, Caller:
		if f[0] != "-" {
			return Rule{}, fmt.Errorf("a %s rule must have - as its phase, got %q", rule.Kind, f[0])
		}
		return rule, nil
	case Owner, Primitive, Fallback, Runtime:
	default:
		return Rule{}, fmt.Errorf(
			"unknown kind %q: want owner, primitive, fallback, runtime, harness or caller",
			f[1])
	}
	p, ok := phase.ByName(f[0])
	if !ok || p == phase.Unattributed {
		return Rule{}, fmt.Errorf("unknown phase %q", f[0])
	}
	rule.Phase = p
	return rule, nil
}

// classifier applies rules and remembers which rules can match a function name.
type classifier struct {
	rules []Rule
	memo  map[string][]Rule
}

func (r Rules) classifier() *classifier {
	return &classifier{rules: r.List, memo: map[string][]Rule{}}
}

// match returns the rule of a function. A rule that also names the caller comes before others, then the
// rule with the longest symbol.
func (c *classifier) match(name, caller string) (Rule, bool) {
	candidates, ok := c.memo[name]
	if !ok {
		for _, r := range c.rules {
			if strings.HasPrefix(name, r.Symbol) {
				candidates = append(candidates, r)
			}
		}
		c.memo[name] = candidates
	}
	var best Rule
	found := false
	for _, r := range candidates {
		if r.Caller != "" && !strings.HasPrefix(caller, r.Caller) {
			continue
		}
		if !found || (r.Caller != "") != (best.Caller != "") && r.Caller != "" ||
			(r.Caller != "") == (best.Caller != "") && len(r.Symbol) > len(best.Symbol) {
			best, found = r, true
		}
	}
	return best, found
}

// phaseOf returns the phase of a stack, leaf first.
func (c *classifier) phaseOf(stack []string) phase.Phase {
	outer, fallback := phase.Unattributed, phase.Unattributed
	run := phase.Unattributed
	onlyRuntime := true
walk:
	for i, name := range stack {
		caller := ""
		if i+1 < len(stack) {
			caller = stack[i+1]
		}
		r, ok := c.match(name, caller)
		if !ok {
			// Assembly helpers of the runtime have no package in their name.
			onlyRuntime = onlyRuntime && !strings.Contains(name, ".")
			continue
		}
		switch r.Kind {
		case Owner:
			return r.Phase
		case Primitive:
			outer = r.Phase
			onlyRuntime = false
		case Fallback:
			if fallback == phase.Unattributed {
				fallback = r.Phase
			}
			onlyRuntime = false
		case Runtime:
			if run == phase.Unattributed || r.Phase == phase.GC {
				run = r.Phase
			}
		case Caller:
			onlyRuntime = false
		case Harness:
			break walk
		}
	}

	switch {
	case outer != phase.Unattributed:
		return outer
	case fallback != phase.Unattributed:
		return fallback
	case onlyRuntime || run == phase.GC:
		return run
	}

	return phase.Unattributed
}
