package vary_test

import (
	"context"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/schemas/charge"
	"canonscope/schemas/contexts"
	"canonscope/schemas/vary"
)

const doc = `{
  "@context": [{"@vocab": "urn:v#", "id": "@id"}, "https://www.w3.org/ns/credentials/v2"],
  "list": [ {"id": "urn:1", "see": "urn:2", "by": {"id": "urn:2"}}, {"id": "urn:3", "of": {"id": "urn:9"}} ],
  "one": {"type": "long-name-of-a-type", "a": "short", "b": "longer text", "n": 1},
  "empty": [],
  "other": {"id": "urn:9"},
  "all": ["x", {"c": 5}]
}`

func set(t *testing.T, axis, value string) (string, error) {
	t.Helper()
	a, ok := vary.Parse(axis)
	if !ok {
		t.Fatalf("%s is no axis", axis)
	}
	got, err := a.Set(context.Background(), []byte(doc), value, charge.Options{Loader: contexts.Embedded()})
	return string(got), err
}

// A value is repeated or removed, and all other bytes stay: copies of named nodes have new ids, as do the nodes in
// them that nothing else refers to, with the references to these; copies of others have a new text.
func TestRepeat(t *testing.T) {
	for _, c := range []struct{ axis, value, from, to string }{
		{"/list", "1", `, {"id": "urn:3", "of": {"id": "urn:9"}} ]`, `]`},
		{"/list", "2", "", ""},
		{"/list", "4", `"urn:9"}} ]`, `"urn:9"}},{"id": "urn:1-2", "see": "urn:2-2", "by": {"id": "urn:2-2"}},{"id": "urn:3-2", "of": {"id": "urn:9"}}]`},
		{"/list/1", "2", `{"id": "urn:3", "of": {"id": "urn:9"}}`, `{"id": "urn:3", "of": {"id": "urn:9"}},{"id": "urn:3-2", "of": {"id": "urn:9"}}`},
		{"/list/0", "0", `{"id": "urn:1", "see": "urn:2", "by": {"id": "urn:2"}}, `, ""},
		{"/one", "0", "\n  \"one\": {\"type\": \"long-name-of-a-type\", \"a\": \"short\", \"b\": \"longer text\", \"n\": 1},", ""},
		{"/one", "2", `"n": 1}`, `"n": 1},{"type": "long-name-of-a-type", "a": "short", "b": "longer text-2", "n": 1}]`},
		{"/other", "2", `{"id": "urn:9"},` + "\n  \"all", `[{"id": "urn:9"},{"id": "urn:9-2"}],` + "\n  \"all"},
		{"/all/0", "3", `"x"`, `"x","x-2","x-3"`},
		{"pad:/all/0", "2", `"x"`, `"xxx"`},
		{"pad:/all/0", "0", "", ""},
		{"/@context/1", "urn:c", "https://www.w3.org/ns/credentials/v2", "urn:c"},
		{"/@context/1", vary.Unchanged, "", ""},
	} {
		got, err := set(t, c.axis, c.value)
		want := strings.Replace(doc, c.from, c.to, 1)
		if c.axis == "/one" && c.value == "2" {
			want = strings.Replace(want, `"one": {`, `"one": [{`, 1)
		}
		if squeeze(got) != squeeze(want) || err != nil {
			t.Errorf("%s=%s: %v\n%s\nwant\n%s", c.axis, c.value, err, got, want)
		}
	}
}

// squeeze omits the white space between elements that are cut or put together anew.
func squeeze(text string) string {
	return strings.NewReplacer("[ {", "[{", "} ]", "}]", "}, {", "},{", ", \n", "\n").Replace(text)
}

// Ids are given to a share of the unnamed nodes, and the more have one the fewer are blank.
func TestIDs(t *testing.T) {
	for value, want := range map[string]int{"0": 0, "10": 0, "34": 1, "67": 2, "100": 3} {
		got, err := set(t, "ids", value)
		if n := strings.Count(got, `"id":"urn:uuid:`); n != want || err != nil {
			t.Errorf("ids=%s: %d ids, want %d: %v\n%s", value, n, want, err, got)
		}
	}
	a, _ := vary.Parse("ids")
	named := []byte(`{"@context": {"@vocab": "urn:v#"}, "@id": "urn:1", "a": "b"}`)
	if _, err := a.Set(context.Background(), named, "100", charge.Options{}); err == nil {
		t.Error("a document without unnamed nodes got ids")
	}
}

// What cannot be is an error that names the place, also what would be too large.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ axis, value, want string }{
		{"/none", "1", "/none"}, {"/list/7", "1", "/list/7"}, {"pad:/none", "1", "/none"},
		{"/empty", "2", "/empty is an empty list"}, {"pad:/one", "1", "/one is an object"},
		{"/list", "-1", `"-1"`}, {"/list", "x", `"x"`}, {"/list", "10001", `"10001"`}, {"ids", "101", `"101"`},
	} {
		if _, err := set(t, c.axis, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, want %s", c.axis, c.value, err, c.want)
		}
	}

	a, _ := vary.Parse("/a")
	large := []byte(`{"a": {"b": "` + strings.Repeat("x", 1<<20) + `"}}`)
	_, err := a.Set(context.Background(), large, "10000", charge.Options{})
	if limit, ok := err.(*canon.LimitError); !ok || limit.Where != "/a" {
		t.Errorf("a document of 10 GB: %v", err)
	}
	for _, name := range []string{"attributes", "disclose", "pad:x", "pad:", "", "id", "/a~2b"} {
		if _, ok := vary.Parse(name); ok {
			t.Errorf("%q is an axis of documents", name)
		}
	}
}

// A document is named by the axis and the last word of its pointer.
func TestShort(t *testing.T) {
	for axis, want := range map[string]string{"/a/b~1c": "b/c", "pad:/a/b": "pad:b", "ids": "ids", "/a/b/0": "b", "/@context/1": "@context", "/0": "0"} {
		if a, _ := vary.Parse(axis); a.Short() != want {
			t.Errorf("%s is %s in names, want %s", axis, a.Short(), want)
		}
	}
}
