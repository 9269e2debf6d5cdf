//phase:jcs primitive
package jcs

import (
	"math"
	"strconv"
)

// AppendNumber appends f in the form of ECMAScript (RFC 8785 section 3.2.2.3, ECMA-262 Number::toString):
// the fewest digits that identify f, without an exponent between 1e-6 and 1e21, and -0 as 0. f must be
// finite.
func AppendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0')
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		if abs < 1<<53 && f == math.Trunc(f) {
			return strconv.AppendInt(dst, int64(f), 10)
		}
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-2] == '0' && dst[n-3] < '0' { // strconv writes two or more digits
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// smallInteger is the number of digits up to which every integer is a double and its own canonical form.
const smallInteger = 15

// canonical reports whether a JSON number is certainly canonical: an integer of few digits, other than -0.
func canonical(s []byte) bool {
	if len(s) > smallInteger || s[0] == '-' && s[1] == '0' {
		return false
	}
	for _, c := range s[1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// sameDigits reports whether two decimal numbers have the same significant digits.
func sameDigits(a, b []byte) bool {
	i, j := 0, 0
	x, i := digit(a, i)
	for x == '0' {
		x, i = digit(a, i)
	}
	y, j := digit(b, j)
	for y == '0' {
		y, j = digit(b, j)
	}
	for x == y && x != 0 {
		x, i = digit(a, i)
		y, j = digit(b, j)
	}
	for x == '0' { // zeros at the end of only one of them
		x, i = digit(a, i)
	}
	for y == '0' {
		y, j = digit(b, j)
	}
	return x == 0 && y == 0
}

// digit returns the first digit at or after i and the index after it, or 0 before the exponent or the end.
func digit(s []byte, i int) (byte, int) {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			return c, i + 1
		case c == 'e' || c == 'E':
			return 0, i
		}
	}
	return 0, i
}
