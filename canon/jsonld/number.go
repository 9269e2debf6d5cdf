//phase:caller
package jsonld

import (
	"errors"
	"math"
	"strconv"
)

// parseNumber reads a JSON number as the nearest IEEE 754 double, the value space that I-JSON (RFC 7493)
// gives numbers.
func parseNumber(raw []byte) (float64, error) {
	v, err := strconv.ParseFloat(string(raw), 64)
	if errors.Is(err, strconv.ErrRange) && math.Abs(v) < 1 {
		err = nil // underflow
	}
	return v, err
}

// isInteger reports whether a number takes the canonical form of xsd:integer (JSON-LD API section 8.6).
func isInteger(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < 1e21 }

// appendInteger appends the canonical form of an xsd:integer.
func appendInteger(dst []byte, v float64) []byte {
	if v == 0 {
		return append(dst, '0') // also for -0
	}
	return strconv.AppendFloat(dst, v, 'f', 0, 64)
}

// appendDouble appends the canonical form of an xsd:double: a mantissa of at most 15 digits after the
// point, and an exponent (JSON-LD API section 8.6, "%1.15E" without trailing zeros).
func appendDouble(dst []byte, v float64) []byte {
	if v == 0 {
		return append(dst, "0.0E0"...)
	}
	dst = strconv.AppendFloat(dst, v, 'E', 15, 64) // [-]d.ddddddddddddddd E±xx
	e := len(dst) - 1
	for dst[e] != 'E' {
		e--
	}
	exponent, _ := strconv.Atoi(string(dst[e+1:]))
	end := e
	for dst[end-1] == '0' && dst[end-2] != '.' {
		end--
	}
	return strconv.AppendInt(append(dst[:end], 'E'), int64(exponent), 10)
}

// keepsNumber reports whether the canonical form of a number has the value of its JSON text: an integer
// beyond 2^53 may not be a double, a small number may become 0, and a double may need more digits than the
// canonical form has.
func keepsNumber(raw, canonical []byte, v float64) bool {
	back, err := strconv.ParseFloat(string(canonical), 64)
	if err != nil || back != v {
		return false
	}
	if v == 0 {
		for _, c := range raw {
			switch {
			case c == 'e' || c == 'E':
				return true
			case c >= '1' && c <= '9': // it has underflowed
				return false
			}
		}
		return true
	}
	if math.Abs(v) < 1<<53 {
		return true
	}
	for _, c := range raw { // an integer as written, digit by digit
		if c == '.' || c == 'e' || c == 'E' {
			return true
		}
	}
	return string(raw) == string(canonical)
}
