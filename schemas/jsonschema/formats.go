//phase:validate
package jsonschema

import (
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/xeipuuv/gojsonschema"
)

// ownFormat is the prefix of our formats in gojsonschema.
const ownFormat = "canonscope:"

// formatCheckers are the formats that an engine gets wrong. The date-time of gojsonschema accepts a bare
// date and refuses a leap second, its email accepts characters beyond ASCII, and it has no duration; the
// email of the other engine accepts an empty local part.
var formatCheckers = map[string]func(string) bool{
	"date-time": isDateTime,
	"email":     isEmail,
	"duration":  isDuration,
}

func init() {
	for name, f := range formatCheckers {
		gojsonschema.FormatCheckers.Add(ownFormat+name, checker(f))
	}
}

type checker func(string) bool

func (c checker) IsFormat(v any) bool {
	s, ok := v.(string)
	return !ok || c(s)
}

var dateTime = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?` +
	`(?:[Zz]|([+-])(\d\d):(\d\d))$`)

// isDateTime reports whether a string is a date-time of RFC 3339 section 5.6. Second 60 is a leap second,
// allowed only in the last minute of a UTC day.
func isDateTime(s string) bool {
	m := dateTime.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	if _, err := time.Parse(time.DateOnly, m[1]); err != nil {
		return false
	}
	hour, minute, second := two(m[2]), two(m[3]), two(m[4])
	if hour > 23 || minute > 59 || second > 60 {
		return false
	}
	utc := hour*60 + minute
	if m[5] != "" {
		h, min := two(m[6]), two(m[7])
		if h > 23 || min > 59 {
			return false
		}
		if m[5] == "+" {
			utc -= h*60 + min
		} else {
			utc += h*60 + min
		}
	}
	return second < 60 || (utc+1440)%1440 == 1439
}

func two(s string) int { return int(s[0]-'0')*10 + int(s[1]-'0') }

var (
	dotAtom  = regexp.MustCompile("^[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+)*$")
	hostname = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?` +
		`(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`)
)

// isEmail reports whether a string is a Mailbox of RFC 5321 section 4.1.2 within the lengths of section
// 4.5.3.1, in ASCII.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if len(local) > 1 && local[0] == '"' && local[len(local)-1] == '"' {
		for _, c := range []byte(local[1 : len(local)-1]) {
			if c < ' ' || c > '~' || c == '"' || c == '\\' {
				return false
			}
		}
	} else if !dotAtom.MatchString(local) {
		return false
	}
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		v6, is6 := strings.CutPrefix(literal, "IPv6:")
		a, err := netip.ParseAddr(v6)
		return ok && err == nil && a.Is6() == is6 && a.Zone() == ""
	}
	return len(domain) <= 253 && hostname.MatchString(domain)
}

var duration = regexp.MustCompile(`^P(\d+W|(\d+D|\d+M(\d+D)?|\d+Y(\d+M(\d+D)?)?)` +
	`(T(\d+S|\d+M(\d+S)?|\d+H(\d+M(\d+S)?)?))?|T(\d+S|\d+M(\d+S)?|\d+H(\d+M(\d+S)?)?))$`)

// isDuration reports whether a string is a duration of RFC 3339 appendix A.
func isDuration(s string) bool { return duration.MatchString(s) }
