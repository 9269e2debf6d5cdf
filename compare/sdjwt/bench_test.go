package sdjwt_test

import (
	"bytes"
	"testing"

	"canonscope/compare/internal/claimstest"
	"canonscope/compare/sdjwt"
)

func BenchmarkExchange(b *testing.B) {
	claimstest.Race(b, sdjwt.NewFormat, func(issued []byte) []byte {
		return issued[:bytes.LastIndexByte(issued[:bytes.IndexByte(issued, '~')], '.')]
	})
}
