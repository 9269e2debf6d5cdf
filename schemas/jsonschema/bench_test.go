package jsonschema_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"canonscope/canon/conform/official"
	"canonscope/schemas/jsonschema"
)

// BenchmarkEngines validates the valid official examples with both engines in alternating turns, so that
// other load slows both. The result is the ratio.
func BenchmarkEngines(b *testing.B) {
	dir := official.Dir(b, "education")
	for name, example := range map[string]string{"ob3-achievement": "spec-fullOpenBadge.json", "vcdm2": "spec-fullOpenBadge.json",
		"clr2": "spec-linked-data-proof-clr.json"} {
		b.Run(name, func(b *testing.B) {
			doc, err := os.ReadFile(filepath.Join(dir, "examples", example))
			if err != nil {
				b.Fatal(err)
			}
			schema, err := jsonschema.Schema(name)
			if err != nil {
				b.Fatal(err)
			}
			var took [2]time.Duration
			var v [2]jsonschema.Validator
			for i, e := range jsonschema.Engines {
				v[i] = compile(b, string(schema), jsonschema.Options{Engine: e})
			}
			for b.Loop() {
				for i := range v {
					start := time.Now()
					if r, err := v[i].Validate(doc); err != nil || !r.Valid {
						b.Fatal(r, err)
					}
					took[i] += time.Since(start)
				}
			}
			b.SetBytes(int64(2 * len(doc)))
			b.ReportMetric(float64(took[1])/float64(took[0]), string(jsonschema.GoJSONSchema)+"/"+string(jsonschema.SanthoshTekuri))
		})
	}
}
