package jsonschema

import (
	"strings"
	"testing"
)

func TestNotationErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a = b":                              "a uses b, which is not defined",
		"a = string\na = number":             "line 2: a is defined twice",
		"a string":                           "line 1: want NAME = EXPR",
		"# note\n\nobject A\n    string b":   "line 3: A: want EXPR: properties",
		"object A\n    string: b b":          "A: property b is listed twice",
		"object A\n    string: b\n    x(: c": "unexpected text",
		"a = [string, ":                      "want an expression",
		"a = [string number]":                "want ,",
		"a = (string":                        "want )",
		"a = `x":                             "missing closing `",
		`a = {"type": }`:                     "JSON:",
		"a = string number":                  "unexpected text",
		"a = typed(X|)":                      "want an expression",
	} {
		if _, err := parseNotation(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestNotationMeaning(t *testing.T) {
	for text, by := range map[string]map[bool][]string{
		"a*":                   {true: {`"x"`, `["x"]`, `[]`}, false: {`1`, `[1]`}},
		"a+":                   {true: {`"x"`, `["x"]`}, false: {`[]`}},
		"[`^x`, number, ...a]": {true: {`["xy",1]`, `["xy",1,"z","z"]`}, false: {`["yx",1]`, `["xy"]`, `["xy",1,2]`, `"xy"`}},
		`"x" "y"`:              {true: {`"y"`}, false: {`"z"`, `["x"]`}},
		"a | number":           {true: {`"x"`, `1`}, false: {`true`}},
		"localized(a)":         {true: {`"x"`, `{"en":"x"}`, `{"de-AT":"x"}`}, false: {`{"english":"x"}`, `{"en":1}`}},
		"typed(X|Y, Z)":        {true: {`["X","Z"]`, `["Z","other","Y"]`, `"anything"`}, false: {`["X"]`, `["Z"]`, `[]`, `["X","Z",1]`}},
		"N":                    {true: {`{}`, `{"id":"urn:x","type":"N","b":"x"}`}, false: {`{"type":"M"}`, `{"c":1}`, `{"b":1}`}},
		"O":                    {true: {`{"b":"x","c":1}`}, false: {`{}`, `{"b":1}`}},
	} {
		n, err := parseNotation("root r = " + text + "\na = string\nnode N\n    a: b\nobject O\n    a: b!\n")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, e := range Engines {
			v, err := Compile(n.schema("r"), Options{Engine: e})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			for want, docs := range by {
				for _, d := range docs {
					if r, err := v.Validate([]byte(d)); err != nil || r.Valid != want {
						t.Errorf("%s, %s on %s: %+v, %v", e, text, d, r, err)
					}
				}
			}
		}
	}
}

func TestShapesParse(t *testing.T) {
	if n := len(catalogue()); n != 5 {
		t.Errorf("%d schemas", n)
	}
}
