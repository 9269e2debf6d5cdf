package matrix_test

import (
	"runtime"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/compare"
	"canonscope/compare/di"
	"canonscope/compare/mdoc"
	"canonscope/compare/measure"
	"canonscope/compare/sdjwt"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/contexts"
)

// BenchmarkVerify verifies presentations of 64 rotating documents in each format with the native engines and EdDSA, in
// turn. One loop is 64 verifications of each. It reports medians, and the ratio of eddsa-rdfc-2022 to SD-JWT VC.
func BenchmarkVerify(b *testing.B) {
	vcdm := func(suite string, method canon.Method) compare.Preparer {
		c, err := engines.New(canon.Native, method, engines.Config{Loader: contexts.Embedded()})
		if err != nil {
			b.Fatal(err)
		}
		f, err := di.NewFormat(suite, c, "EdDSA")
		if err != nil {
			b.Fatal(err)
		}
		return f
	}
	formats := []struct {
		name string
		compare.Preparer
	}{
		{"rdfc", vcdm("eddsa-rdfc-2022", canon.RDFC)},
		{"jcs", vcdm("eddsa-jcs-2022", canon.JCS)},
		{"sd-jwt-vc", sdjwt.NewFormat(canon.Native, "EdDSA")},
		{"mdoc", mdoc.NewFormat(canon.Native, "EdDSA")},
	}
	for _, schema := range []string{"simple-20", "ob3"} {
		b.Run(schema, func(b *testing.B) {
			type made struct {
				exchange  *compare.Exchange
				presented []byte
			}
			all := map[string][]made{}
			g, err := catalogue.Get(schema)
			if err != nil {
				b.Fatal(err)
			}
			for i := range 64 {
				c, err := g.Document(1, i)
				if err != nil {
					b.Fatal(err)
				}
				for _, f := range formats {
					x, err := f.Prepare(c, compare.Scenario{Now: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), Limits: measure.Limits})
					if err != nil {
						b.Fatal(err)
					}
					issued, err := x.Issue()
					if err != nil {
						b.Fatal(err)
					}
					presented, err := x.Present(issued)
					if err != nil {
						b.Fatal(err)
					}
					all[f.name] = append(all[f.name], made{x, presented})
				}
			}
			times := map[string][]float64{} // in microseconds
			for b.Loop() {
				for _, f := range formats {
					runtime.GC()
					for _, m := range all[f.name] {
						start := time.Now()
						if err := m.exchange.Verify(m.presented); err != nil {
							b.Fatal(err)
						}
						times[f.name] = append(times[f.name], float64(time.Since(start).Nanoseconds())/1e3)
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			for _, f := range formats {
				b.ReportMetric(median(times[f.name]), f.name+"-µs")
			}
			b.ReportMetric(median(times["rdfc"])/median(times["sd-jwt-vc"]), "rdfc/sd-jwt-vc")
		})
	}
}
