package matrix_test

import (
	"slices"
	"strings"
	"testing"

	"canonscope/compare"
	"canonscope/compare/matrix"
)

// A range is walked in whole numbers, each so many times the last; a number that would come twice comes once.
func TestRange(t *testing.T) {
	for axis, want := range map[string]string{
		"attributes=5..500":   "5 9 16 28 50 89 158 281 500",
		"attributes=5..500:3": "5 50 500",
		"attributes=1..4:9":   "1 2 3 4",
		"tags=0..16:4":        "0 1 4 16",
		"attributes=3,7,20":   "3 7 20",
	} {
		experiments, err := matrix.Along(t.Context(), compare.Given{}, nil, []string{axis}, 1)
		if err != nil {
			t.Fatalf("%s: %v", axis, err)
		}
		var got []string
		for _, p := range experiments[0].Points {
			got = append(got, p.Label)
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", axis, got, want)
		}
	}
	for axis, want := range map[string]string{"attributes=5..5": "rises", "attributes=-1..5": "rises", "attributes=1..9:51": "3 to 50",
		"attributes=a..5": "whole numbers", "attributes=1..5:x": "whole numbers", "attributes=1..5.5": "whole numbers",
		"attributes=1..99999999999999999999": "whole numbers"} {
		_, err := matrix.Along(t.Context(), compare.Given{}, nil, []string{axis}, 1)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--axis "+axis) {
			t.Errorf("%s: %v, want %q", axis, err, want)
		}
	}
}

// Rivals are one suite of each format and VCDM over JCS, and what flags name instead.
func TestRivals(t *testing.T) {
	along := []compare.Experiment{{Name: "attributes", Points: []compare.Point{{Schema: "simple-5"}}}}
	presented := []compare.Experiment{{Name: compare.DiscloseAxis, Points: []compare.Point{{Schema: "simple-5", Disclose: "1"}}}}
	for name, c := range map[string]struct {
		along      []compare.Experiment
		filter     matrix.Filter
		want       string // suite, engine, algorithm
		operations int
	}{
		"nothing": {along, matrix.Filter{}, "cose-sign1 native EdDSA, eddsa-jcs-2022 native EdDSA, eddsa-rdfc-2022 native EdDSA, jws native EdDSA", 2},
		"engine": {along, matrix.Filter{Engines: []string{"stock"}},
			"cose-sign1 stock EdDSA, eddsa-jcs-2022 stock EdDSA, eddsa-rdfc-2022 stock EdDSA, jws stock EdDSA", 2},
		"suites": {along, matrix.Filter{Suites: []string{"eddsa-rdfc-2022", "jws"}},
			"eddsa-rdfc-2022 native EdDSA, jws native EdDSA", 2},
		"format": {along, matrix.Filter{Formats: []string{"sd-jwt-vc"}}, "jws native EdDSA", 2},
		"unlike": {along, matrix.Filter{Suites: []string{"ecdsa-rdfc-2019", "jws"}}, "ecdsa-rdfc-2019 native ES256, " +
			"ecdsa-rdfc-2019 native ES384, jws native ES256, jws native ES384, jws native EdDSA", 2},
		"algorithm": {along, matrix.Filter{Suites: []string{"jws"}, Algorithms: []string{"ES256"}}, "jws native ES256", 2},
		"suite":     {along, matrix.Filter{Suites: []string{"ecdsa-sd-2023"}, Operations: []string{"present"}}, "ecdsa-sd-2023 native ES256", 1},
		"canonize":  {along, matrix.Filter{Operations: []string{"canonize"}}, "jcs native none, rdfc native none", 1},
		"disclose":  {presented, matrix.Filter{Formats: []string{"sd-jwt-vc"}, Algorithms: []string{"EdDSA"}}, "jws native EdDSA", 4},
	} {
		s, err := matrix.SelectRivals(c.along, c.filter, matrix.DefaultPolicy)
		if err != nil {
			t.Fatal(name, err)
		}
		var got []string
		for _, e := range s.Entries {
			got = append(got, strings.Join([]string{e.Cell.Suite, string(e.Cell.Engine), string(e.Cell.Algorithm)}, " "))
			if len(e.Operations) != c.operations {
				t.Errorf("%s: %v", name, e.Operations)
			}
		}
		slices.Sort(got)
		if list := strings.Join(got, ", "); list != c.want {
			t.Errorf("%s: %s, want %s", name, list, c.want)
		}
	}
	if err := matrix.By(along, "nodes"); err == nil {
		t.Error("laws are of nodes")
	}
	sizes, err := matrix.Along(t.Context(), compare.Given{}, nil, []string{"attributes=5..20:3"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []string{"attributes", compare.ByQuads, compare.ByBytes, compare.ByDisclosures} {
		if err := matrix.By(sizes, by); err != nil || sizes[0].By != by {
			t.Errorf("%v, %q, want %s", err, sizes[0].By, by)
		}
	}
	if err := matrix.By(sizes, compare.ByBlank); err == nil || !strings.Contains(err.Error(), "blank nodes: 1 different along attributes") {
		t.Errorf("%v", err)
	}
}
