package profiles_test

import (
	"fmt"

	"github.com/google/pprof/profile"

	"canonscope/profiles"
)

func ExampleAttribute() {
	rules, err := profiles.ParseRules([]byte(`version 1
sign    owner     example.org/wallet.Sign
digest  primitive crypto/sha256.
`))
	if err != nil {
		panic(err)
	}
	// Three samples of an operation, as a capture around Do makes them. Hashing inside Sign belongs to sign.
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	for _, stack := range [][]string{
		{"crypto/sha256.Sum256", "example.org/wallet.Sign", "example.org/wallet.Issue"},
		{"crypto/sha256.Sum256", "example.org/wallet.Issue"},
		{"example.org/wallet.Issue"},
	} {
		s := &profile.Sample{Value: []int64{1, 10_000_000}, Label: map[string][]string{profiles.CellLabel: {"issue"}}}
		for _, name := range stack {
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
		}
		p.Sample = append(p.Sample, s)
	}
	attribution := profiles.Attribute(p, rules)
	for _, share := range attribution.Shares() {
		fmt.Printf("%s: %d sample, %.0f %%\n", share.Phase, share.Samples, 100*share.Share)
	}
	// Output:
	// digest: 1 sample, 33 %
	// sign: 1 sample, 33 %
	// unattributed: 1 sample, 33 %
}
