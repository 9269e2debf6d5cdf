package matrix_test

import (
	"slices"
	"strings"
	"testing"

	"canonscope/compare"
	"canonscope/compare/matrix"
)

// What flags do not name of an experiment keeps its default: naming one engine does not bring in every suite.
func TestExperimentDefaults(t *testing.T) {
	along := []compare.Experiment{{Points: []compare.Point{{Schema: "simple-5"}}}}
	for name, c := range map[string]struct {
		filter matrix.Filter
		want   []string // suite, engine, algorithm
	}{
		"nothing":   {matrix.Filter{}, []string{"eddsa-rdfc-2022 native EdDSA", "eddsa-rdfc-2022 stock EdDSA"}},
		"engine":    {matrix.Filter{Engines: []string{"native"}}, []string{"eddsa-rdfc-2022 native EdDSA"}},
		"suite":     {matrix.Filter{Suites: []string{"eddsa-jcs-2022"}}, []string{"eddsa-jcs-2022 native EdDSA", "eddsa-jcs-2022 stock EdDSA"}},
		"format":    {matrix.Filter{Formats: []string{"mdoc"}, Engines: []string{"native"}}, []string{"cose-sign1 native ES256", "cose-sign1 native ES384", "cose-sign1 native EdDSA"}},
		"algorithm": {matrix.Filter{Algorithms: []string{"EdDSA"}, Formats: []string{"sd-jwt-vc"}}, []string{"jws native EdDSA", "jws stock EdDSA"}},
		"canonize":  {matrix.Filter{Operations: []string{"canonize"}}, []string{"rdfc native none", "rdfc stock none"}},
		"both": {matrix.Filter{Operations: []string{"canonize", "verify"}, Engines: []string{"native"}},
			[]string{"eddsa-rdfc-2022 native EdDSA", "rdfc native none"}},
	} {
		s, err := matrix.SelectExperiments(along, c.filter, matrix.DefaultPolicy)
		if err != nil {
			t.Fatal(name, err)
		}
		var got []string
		for _, e := range s.Entries {
			got = append(got, strings.Join([]string{e.Cell.Suite, string(e.Cell.Engine), string(e.Cell.Algorithm)}, " "))
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
