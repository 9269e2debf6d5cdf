package vcdm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/vcdm"
	"canonscope/vcdm/problem"
)

const achievement = `{"@context":["https://www.w3.org/ns/credentials/v2"],"id":"urn:x:1","type":["A","B"],"issuer":"urn:x:2",
 "credentialSubject":{"id":"_:b0","type":"S","achievement":{"name":"n","criteria":{"type":"C","narrative":"t"}},
  "result":[{"id":"urn:r:0","type":"R","value":"0"},{"type":"R","value":"1"},{"value":"2"}],"a/b":1,"~1":2,"0":3,"01":4,"":5}}`

func TestSelect(t *testing.T) {
	const head = `{"@context":["https://www.w3.org/ns/credentials/v2"],"id":"urn:x:1","type":["A","B"]`
	const subject = head + `,"credentialSubject":{"type":"S"`
	for _, c := range []struct {
		name     string
		pointers []string
		want     string
	}{
		{"a member", []string{"/issuer"}, head + `,"issuer":"urn:x:2"}`},
		{"what is always selected stays whole", []string{"/type/0", "/id"}, head + "}"},
		{"a subtree (G11)", []string{"/credentialSubject/achievement"}, subject +
			`,"achievement":{"name":"n","criteria":{"type":"C","narrative":"t"}}}}`},
		{"inside an object (G12)", []string{"/credentialSubject/achievement/criteria/narrative"}, subject +
			`,"achievement":{"criteria":{"type":"C","narrative":"t"}}}}`},
		{"a whole array (G11)", []string{"/credentialSubject/result"}, subject +
			`,"result":[{"id":"urn:r:0","type":"R","value":"0"},{"type":"R","value":"1"},{"value":"2"}]}}`},
		{"elements close up and keep their order (H07)", []string{"/credentialSubject/result/2",
			"/credentialSubject/result/0/value"}, subject +
			`,"result":[{"id":"urn:r:0","type":"R","value":"0"},{"value":"2"}]}}`},
		{"escapes (G13)", []string{"/credentialSubject/a~1b", "/credentialSubject/~01",
			"/credentialSubject/0", "/credentialSubject/01", "/credentialSubject/"}, subject +
			`,"a/b":1,"~1":2,"0":3,"01":4,"":5}}`},
		{"the whole subject keeps its blank id", []string{"/credentialSubject/0", "/credentialSubject"}, head + `,"credentialSubject":` + `{"id":"_:b0","type":"S","achievement":{"name":"n","criteria":{"type":"C","narrative":"t"}},
  "result":[{"id":"urn:r:0","type":"R","value":"0"},{"type":"R","value":"1"},{"value":"2"}],"a/b":1,"~1":2,"0":3,"01":4,"":5}}`},
		{"overlapping and repeated (G14)", []string{"/credentialSubject/achievement/criteria/narrative",
			"/credentialSubject/achievement/criteria", "/credentialSubject/achievement/criteria"}, subject +
			`,"achievement":{"criteria":{"type":"C","narrative":"t"}}}}`},
		{"the whole document (G10)", []string{""}, achievement},
	} {
		got, err := vcdm.Selector{}.Select(context.Background(), []byte(achievement), c.pointers)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if string(got) != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
	}
	for _, p := range []string{"issuer", "#/issuer", "/a~2b", "/a~", "/credentialSubject/nope", "/type/2",
		"/type/9", "/type/01", "/type/-", "/type/+1",
		"/type/", "/issuer/id", "/credentialSubject/0/1", "/credentialSubject/result/99999999999999999999",
		"/issuer/"} {
		_, err := vcdm.Selector{}.Select(context.Background(), []byte(achievement), []string{"/issuer", p})
		var e *problem.Error
		if !errors.As(err, &e) || e.Type != problem.ProofGenerationError {
			t.Errorf("%q: %v, want a PROOF_GENERATION_ERROR (G08, G09)", p, err)
		}
	}
	if _, err := (vcdm.Selector{}).Select(context.Background(), []byte(achievement), nil); err == nil {
		t.Error("no pointers: accepted (H04)")
	}
}

// Many pointers are looked up with an index of what they go through; the error is about the first that
// fails, and the time and memory of the operation hold.
func TestSelectMany(t *testing.T) {
	doc := []byte(`{"@context":[],"list":[` + strings.Repeat("0,", 5000) + `0],"map":{` +
		strings.Repeat(" ", 40))
	var pointers []string
	for i := range 2000 {
		doc = fmt.Appendf(doc, `"k%d":%d,`, i, i)
		pointers = append(pointers, fmt.Sprintf("/list/%d", 5000-i), fmt.Sprintf("/map/k%d", 1999-i))
	}
	doc = append(doc, `"":0}}`...)
	one, err := vcdm.Selector{}.Select(context.Background(), doc, append([]string{"/list/1"}, pointers...))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Count(string(one), "0,") + 1; !strings.Contains(string(one), `"k0":0,"k1":1,`) ||
		want < 2001 {
		t.Errorf("%d elements in %.100s", want, one)
	}
	for _, bad := range []string{"/list/5001", "/map/k2000", "/list/01", "/map/k~2", "/map/k1/x", "map"} {
		_, alone := vcdm.Selector{}.Select(context.Background(), doc, []string{bad})
		_, many := vcdm.Selector{}.Select(context.Background(), doc,
			append(slices.Insert(slices.Clone(pointers), 3000, bad), "/nothing"))
		if alone == nil || many == nil || alone.Error() != many.Error() {
			t.Errorf("%s: %v alone, %v among many", bad, alone, many)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var limit *canon.LimitError
	if _, err := (vcdm.Selector{}).Select(ctx, doc, pointers); !errors.As(err, &limit) ||
		limit.Limit != "time" {
		t.Errorf("after the context has ended: %v", err)
	}
}
