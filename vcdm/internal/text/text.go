// Package text reads the texts of a document that have a syntax: dates and URLs.
//
//phase:caller
package text

import (
	"errors"
	"time"
)

// ErrTime is the error of a text that is not a date.
var ErrTime = errors.New("not an XSD dateTimeStamp")

// NotTime is the error of a member that must be a date.
const NotTime = "must be an XSD dateTimeStamp, such as 2026-01-31T12:00:00Z"

// Text is text of a document, or of a caller.
type Text interface{ string | []byte }

// ParseTime reads an XSD 1.1 dateTimeStamp (W3C XML Schema 1.1 Part 2 section 3.4.28): date, T, time with
// any number of fraction digits, and Z or an offset up to 14:00. Years have four digits, since no other is
// in use. If lenient, a text without offset is UTC (VC Data Integrity 2.1).
//
//phase:parse
func ParseTime[T Text](s T, lenient bool) (time.Time, error) {
	if len(s) < 19 || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return time.Time{}, ErrTime
	}

	year, month, day := digits(s[0:4]), digits(s[5:7]), digits(s[8:10])
	hour, minute, second := digits(s[11:13]), digits(s[14:16]), digits(s[17:19])
	if year < 0 || month < 1 || month > 12 || day < 1 || day > 31 ||
		hour < 0 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return time.Time{}, ErrTime
	}

	rest, nanos, allZero := s[19:], 0, true
	if len(rest) > 0 && rest[0] == '.' {
		n := 1
		for scale := 100_000_000; n < len(rest) && rest[n]-'0' <= 9; n++ {
			nanos += int(rest[n]-'0') * scale
			scale /= 10
			allZero = allZero && rest[n] == '0'
		}
		if n == 1 {
			return time.Time{}, ErrTime
		}
		rest = rest[n:]
	}

	if hour > 23 && (hour != 24 || minute != 0 || second != 0 || !allZero) { // 24:00:00 ends the day
		return time.Time{}, ErrTime
	}

	zone := time.UTC
	switch {
	case len(rest) == 1 && rest[0] == 'Z':
	case len(rest) == 0 && lenient:
	case len(rest) == 6 && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':':
		h, m := digits(rest[1:3]), digits(rest[4:6])
		if h < 0 || m < 0 || m > 59 || h > 14 || h == 14 && m != 0 {
			return time.Time{}, ErrTime
		}
		offset := h*3600 + m*60
		if rest[0] == '-' {
			offset = -offset
		}
		zone = time.FixedZone("", offset)
	default:
		return time.Time{}, ErrTime
	}

	if _, m, _ := time.Date(year, time.Month(month), day, 0, 0, 0, 0, zone).Date(); m != time.Month(month) {
		return time.Time{}, ErrTime // the month has fewer days
	}

	return time.Date(year, time.Month(month), day, hour, minute, second, nanos, zone), nil
}

// digits returns the number that s writes, or -1.
func digits[T Text](s T) int {
	n := 0
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// IsURL reports whether s is an absolute URL: a scheme, a colon and something after it, without the
// characters that no IRI holds (RFC 3987).
func IsURL[T Text](s T) bool {
	colon := 0
	for colon < len(s) && s[colon] != ':' {
		c := s[colon]
		if !isLetter(c) && (colon == 0 || c-'0' > 9 && c != '+' && c != '-' && c != '.') {
			return false
		}
		colon++
	}
	if colon == 0 || colon+1 >= len(s) {
		return false
	}
	bad := uint8(0)
	for i := colon + 1; i < len(s); i++ {
		bad |= noURL[s[i]]
	}
	return bad == 0
}

// noURL marks the bytes that no IRI holds.
var noURL = func() (t [256]uint8) {
	for c := range ' ' + 1 {
		t[c] = 1
	}
	for _, c := range "<>\"{}|\\^`" {
		t[c] = 1
	}
	return
}()

func isLetter(c byte) bool { return c|0x20-'a' < 26 }
