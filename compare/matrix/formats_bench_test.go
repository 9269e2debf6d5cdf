package matrix_test

import (
	"testing"

	"canonscope/canon"
	"canonscope/canon/conform/race"
	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/vcdm/keys"
)

// exchanges makes those of a cell ready over 64 rotating documents.
func exchanges(b *testing.B, cell compare.Cell) []*compare.Exchange {
	b.Helper()
	bench, err := matrix.Open(cell)
	if err != nil {
		b.Fatal(err)
	}
	all := make([]*compare.Exchange, 64)
	for i := range all {
		c, err := bench.Generator.Document(1, i)
		if err != nil {
			b.Fatal(err)
		}
		s := compare.Scenario{Now: measure.Now, Limits: measure.Limits}
		if all[i], err = bench.Format.Prepare(c, s); err != nil {
			b.Fatal(err)
		}
	}
	return all
}

// presented issues and presents.
func presented(b *testing.B, x *compare.Exchange) []byte {
	issued, err := x.Issue()
	if err != nil {
		b.Fatal(err)
	}
	out, err := x.Present(issued)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

func verify(b testing.TB, x *compare.Exchange, presented []byte) {
	if err := x.Verify(presented); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkExchange compares whole exchanges of sd-jwt-vc and mdoc (issue, present 5 of 20, verify) with a
// signature and its verification, of a message about as long as theirs.
func BenchmarkExchange(b *testing.B) {
	message := make([]byte, 2<<10)
	for _, f := range matrix.Formats[1:] {
		for _, algorithm := range []compare.Algorithm{keys.EdDSA, keys.ES256} {
			b.Run(string(f.Name)+"/"+string(algorithm), func(b *testing.B) {
				key, _, err := claims.Keys(algorithm, compare.Scenario{})
				if err != nil {
					b.Fatal(err)
				}
				contenders := []race.Contender{{Name: "floor", Do: func(int) {
					if sig, err := key.Sign(message); err != nil || !key.Public().Verify(message, sig) {
						b.Fatal("signature")
					}
				}}}
				for _, engine := range []compare.Engine{canon.Native, canon.Stock} {
					all := exchanges(b, compare.Cell{Format: f.Name, Suite: f.Suites[0].Name, Engine: engine,
						Algorithm: algorithm, Schema: "simple-20", Contexts: compare.NoContexts})
					contenders = append(contenders, race.Contender{Name: string(engine), Do: func(i int) {
						x := all[i%len(all)]
						verify(b, x, presented(b, x))
					}})
				}
				race.Run(b, contenders...)
			})
		}
	}
}

// BenchmarkVerify compares the verification of presentations in each format, with the native engines and
// EdDSA.
func BenchmarkVerify(b *testing.B) {
	for _, schema := range []string{"simple-20", "ob3"} {
		b.Run(schema, func(b *testing.B) {
			var contenders []race.Contender
			for _, c := range []compare.Cell{
				{Format: compare.SDJWT, Suite: "jws", Contexts: compare.NoContexts},
				{Format: compare.Mdoc, Suite: "cose-sign1", Contexts: compare.NoContexts},
				{Format: compare.VCDM, Suite: "eddsa-jcs-2022", Contexts: compare.NoContexts},
				{Format: compare.VCDM, Suite: "eddsa-rdfc-2022", Contexts: compare.Warm},
			} {
				c.Engine, c.Algorithm, c.Schema = canon.Native, keys.EdDSA, schema
				all := exchanges(b, c)
				shown := make([][]byte, len(all))
				for i, x := range all {
					shown[i] = presented(b, x)
				}
				contenders = append(contenders, race.Contender{Name: c.Suite, Do: func(i int) {
					verify(b, all[i%len(all)], shown[i%len(all)])
				}})
			}
			race.Run(b, contenders...)
		})
	}
}
