package jsontape_test

import (
	"fmt"
	"strings"
	"testing"
)

// Values are equal by what they say, not by how they are written.
func TestEqual(t *testing.T) {
	var many, turned []string
	for i := range 100 {
		many = append(many, fmt.Sprintf(`"k%d":%d`, i, i))
		turned = append([]string{fmt.Sprintf(`"\u006b%d":%d.0`, i, i)}, turned...)
	}
	large := "{" + strings.Join(many, ",") + "}"
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[true,null,"x"]}`, ` { "b" : [ true , null , "\u0078" ] , "a" : 1e0 } `, true},
		{large, "{" + strings.Join(turned, ",") + "}", true},
		{large, strings.Replace(large, `"k7":7`, `"k7":8`, 1), false},
		{large, strings.Replace(large, `"k7":`, `"other":`, 1), false},
		{`"\u00e9"`, `"é"`, true},
		{`"a"`, `"\u0062"`, false},
		{`"1"`, `1`, false},
		{`0.1`, `1e-1`, true},
		{`9007199254740993`, `9007199254740992`, true},
		{`1`, `2`, false},
		{`1e400`, `2e400`, false},
		{`[1,2]`, `[2,1]`, false},
		{`[1,[2]]`, `[[1],2]`, false},
		{`[1,2]`, `[1,2,3]`, false},
		{`[[1,2],3]`, `[[1],2,3]`, false},
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`{"a":1,"b":2}`, `{"a":1,"c":2}`, false},
		{`{"a":{"b":1}}`, `{"a":{"b":1.5}}`, false},
		{`true`, `false`, false},
		{`null`, ` null`, true},
		{`{}`, `[]`, false},
	} {
		x, y := scan(t, c.a), scan(t, c.b)
		if x.Equal(0, y, 0) != c.same || y.Equal(0, x, 0) != c.same {
			t.Errorf("%.60s and %.60s: want %v", c.a, c.b, c.same)
		}
		if !x.Equal(0, x, 0) {
			t.Errorf("%.60s is not itself", c.a)
		}
	}
}
