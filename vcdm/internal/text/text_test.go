package text

import (
	"testing"
	"time"
)

// A date is an XSD dateTimeStamp: with an offset, of a day that the month has.
func TestParseTime(t *testing.T) {
	for text, want := range map[string]string{
		"2024-02-29T00:00:00Z":               "2024-02-29T00:00:00Z",
		"2023-02-29T00:00:00Z":               "",
		"1900-02-29T00:00:00Z":               "",
		"2000-02-29T23:59:59+14:00":          "2000-02-29T09:59:59Z",
		"2026-04-31T00:00:00Z":               "",
		"2026-12-31T24:00:00Z":               "2027-01-01T00:00:00Z",
		"2026-12-31T24:00:00.000-01:30":      "2027-01-01T01:30:00Z",
		"2026-12-31T24:00:01Z":               "",
		"2026-01-31T12:00:00.5Z":             "2026-01-31T12:00:00.5Z",
		"2026-01-31T12:00:00.1234567891Z":    "2026-01-31T12:00:00.123456789Z",
		"2026-01-31T12:00:00.Z":              "",
		"2026-01-31T12:00:60Z":               "",
		"2026-00-31T12:00:00Z":               "",
		"2026-13-01T12:00:00Z":               "",
		"2026-01-00T12:00:00Z":               "",
		"2026-01-32T12:00:00Z":               "",
		"2026-01-31T12:00:00+14:01":          "",
		"2026-01-31T12:00:00+0100":           "",
		"2026-01-31t12:00:00Z":               "",
		"2026-01-31T12:00:00z":               "",
		"2026-01-31":                         "",
		"":                                   "",
		"-026-01-31T12:00:00Z":               "",
		"2026-01-31T12:00:00Z and much more": "",
		"0000-01-01T00:00:00Z":               "0000-01-01T00:00:00Z",
		"2026-12-31T23:59:59Z":               "2026-12-31T23:59:59Z",
		"2026-12-31T25:00:00Z":               "",
		"2026-12-31T24:01:00Z":               "",
		"2026-12-31T24:00:00.1Z":             "",
		"2026-01-31T12:60:00Z":               "",
		"2026-01-31T12:00:00.000000009Z":     "2026-01-31T12:00:00.000000009Z",
		"2026-01-31T12:00:00.250Z":           "2026-01-31T12:00:00.25Z",
		"2026-01-31T12:00:00.5/Z":            "",
		"2026-01-31T12:00:00.5:Z":            "",
		"2026-01-31T12:00:00+00:00":          "2026-01-31T12:00:00Z",
		"2026-01-31T12:00:00+00:59":          "2026-01-31T11:01:00Z",
		"2026-01-31T12:00:00-13:59":          "2026-02-01T01:59:00Z",
		"2026-01-31T12:00:00-14:00":          "2026-02-01T02:00:00Z",
		"2026-01-31T12:00:00+00:60":          "",
		"2026-01-31T12:00:00+15:00":          "",
		"2026-01-31T12:00:00 01:00":          "",
	} {
		got, err := ParseTime(text, false)
		if (err == nil) != (want != "") || err == nil && got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%q: %v, %v, want %q", text, got, err, want)
		}
	}

	const whole = "2026-01-31T12:00:00+01:00"
	for i := range whole {
		for _, c := range []string{"/", ":", ";", "x"} { // beside the digits, and no separator
			if text := whole[:i] + c + whole[i+1:]; text != whole {
				if _, err := ParseTime(text, true); err == nil {
					t.Errorf("%q is a date", text)
				}
			}
		}
	}

	const bare = "2026-01-31T12:00:00"
	if _, err := ParseTime(bare, false); err == nil {
		t.Errorf("%s is a date without offset", bare)
	}
	if _, err := ParseTime(bare[:len(bare)-1], true); err == nil {
		t.Error("a date without its last digit is a date")
	}
	if got, err := ParseTime([]byte(bare), true); err != nil || got.Format(time.RFC3339) != bare+"Z" {
		t.Errorf("%s in a received document: %v, %v", bare, got, err)
	}
}

// A URL has a scheme, something behind it, and no character that an IRI cannot have.
func TestIsURL(t *testing.T) {
	for text, want := range map[string]bool{
		"https://example.org/": true, "did:key:z6Mk": true, "urn:ü": true, "a+b-c.9:x": true,
		"": false, ":x": false, "x:": false, "example.org": false, "1a:x": false, "a b:x": false,
		"a:x y": false, "a:<x>": false, "a:x\n": false, "a:{x}": false,
		"az:x": true, "AZ:x": true, "a0:x": true, "a9:x": true, "a:!": true, "a::": true, "x:y": true,
		"a/:x": false, "a;:x": false, "@:x": false, "[:x": false, "`:x": false, "{:x": false, "0:x": false,
		"a: ": false, "a:\x1f": false, "a:x ": false, "x": false, "xy": false,
	} {
		if IsURL(text) != want {
			t.Errorf("%q is a URL: %v", text, !want)
		}
	}
}
