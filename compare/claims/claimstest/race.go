package claimstest

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/compare/claims"
	"canonscope/schemas/catalogue"
	"canonscope/vcdm/keys"
)

// Race runs whole exchanges of a baseline over 64 rotating documents (issue, present 5 of 20, verify) with its engines
// native and stock, and beside them only the signature and the verification of such a message, in turn. One loop is 64
// exchanges of each. It reports ratios of medians. signed returns the bytes that the signature of an issued credential
// covers.
func Race(b *testing.B, f NewFormat, signed func(issued []byte) []byte) {
	for _, algorithm := range []compare.Algorithm{keys.EdDSA, keys.ES256} {
		b.Run(string(algorithm), func(b *testing.B) {
			const documents = 64
			g, err := catalogue.Get("simple-20")
			if err != nil {
				b.Fatal(err)
			}
			exchanges := map[compare.Engine][]*compare.Exchange{}
			for i := range documents {
				c, err := g.Document(1, i)
				if err != nil {
					b.Fatal(err)
				}
				for _, engine := range Engines {
					x, err := f(engine, algorithm).Prepare(c, compare.Scenario{Now: Now})
					if err != nil {
						b.Fatal(err)
					}
					exchanges[engine] = append(exchanges[engine], x)
				}
			}
			key, _, err := claims.Keys(algorithm, compare.Scenario{})
			if err != nil {
				b.Fatal(err)
			}
			issued, err := exchanges[canon.Native][0].Issue()
			if err != nil {
				b.Fatal(err)
			}
			message := signed(issued)

			m := samples{}
			for b.Loop() {
				runtime.GC() // what one engine leaves behind is not another's to collect
				for range documents {
					start := time.Now()
					sig, err := key.Sign(message)
					if err != nil || !key.Public().Verify(message, sig) {
						b.Fatal("signature")
					}
					m.add("floor", time.Since(start))
				}
				for _, engine := range Engines {
					runtime.GC()
					for _, x := range exchanges[engine] {
						m.exchange(b, string(engine), x)
					}
				}
			}
			m.report(b)
		})
	}
}

// samples are the durations of what was timed, by name. Medians stand for them: other load on the machine makes means useless.
type samples map[string][]time.Duration

func (m samples) add(name string, d time.Duration) { m[name] = append(m[name], d) }

func (m samples) median(name string) float64 {
	s := slices.Clone(m[name])
	slices.Sort(s)
	return float64(s[len(s)/2].Nanoseconds()) / 1e3
}

func (m samples) exchange(b *testing.B, engine string, x *compare.Exchange) {
	start := time.Now()
	issued, err := x.Issue()
	issue := time.Now()
	if err != nil {
		b.Fatal(err)
	}
	presented, err := x.Present(issued)
	present := time.Now()
	if err != nil {
		b.Fatal(err)
	}
	if err := x.Verify(presented); err != nil {
		b.Fatal(err)
	}
	end := time.Now()
	m.add(engine, end.Sub(start))
	m.add(engine+"-issue", issue.Sub(start))
	m.add(engine+"-present", present.Sub(issue))
	m.add(engine+"-verify", end.Sub(present))
}

func (m samples) report(b *testing.B) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(m.median(string(canon.Native))/m.median("floor"), "native/floor")
	b.ReportMetric(m.median(string(canon.Stock))/m.median(string(canon.Native)), "stock/native")
	for name := range m {
		b.ReportMetric(m.median(name), name+"-µs")
	}
}
