package sdjwt_test

import (
	"bytes"
	"testing"

	"canonscope/compare/claims/race"
	"canonscope/compare/sdjwt"
)

func BenchmarkExchange(b *testing.B) {
	race.Exchanges(b, sdjwt.NewFormat, now, func(issued []byte) []byte {
		return issued[:bytes.LastIndexByte(issued[:bytes.IndexByte(issued, '~')], '.')]
	})
}
