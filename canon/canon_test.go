package canon

import (
	"context"
	"errors"
	"testing"
)

func TestErrorTexts(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&LimitError{Limit: "depth", Max: 512, Done: 513, Where: "line 1 column 513"},
			"limit reached at line 1 column 513: depth 513 of at most 512; raise the limit if the input is trusted"},
		{&LimitError{Limit: "time", Done: 7, Err: context.Canceled}, "stopped with 7 steps of work done: context canceled"},
		{&UnsupportedError{Engine: "e", What: "hash md5"}, "e does not support hash md5"},
		{&UnsupportedError{Engine: "e", What: "x", Where: "/a"}, "e does not support x at /a"},
		{&SyntaxError{Format: "JSON", Line: 2, Column: 3, Msg: "m"}, "JSON line 2 column 3: m"},
		{&LossError{Losses: []Loss{{"/a", "undefined term"}}}, `data would be lost at "/a": undefined term`},
		{&LossError{Losses: []Loss{{"/a", "r"}, {"/b", "r"}, {"/c", "r"}}}, `data would be lost at "/a": r (and 2 more)`},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	if !errors.Is(&LimitError{Err: context.DeadlineExceeded}, context.DeadlineExceeded) {
		t.Error("a limit hides the context's error")
	}
}

func TestWithDefaults(t *testing.T) {
	if got := (Limits{}).WithDefaults(); got != (Limits{DefaultBytes, DefaultDepth, DefaultContext, DefaultWork, DefaultMemory, DefaultTime, DefaultDocuments, DefaultProofs, DefaultSteps, DefaultSignatures}) {
		t.Errorf("%+v", got)
	}
	none := Limits{Time: -1, Steps: -1}.WithDefaults()
	if got := (Limits{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1}).WithDefaults(); got != none || got.Time > 0 || got.Steps > 0 {
		t.Errorf("negative: %+v", got)
	}
	if set := (Limits{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}); set.WithDefaults() != set {
		t.Errorf("%+v", set.WithDefaults())
	}
}

// A form that is used again holds nothing of before but its memory.
func TestTarget(t *testing.T) {
	text := make([]byte, 4, 64)
	f := &Form{Text: text, Lines: 3, Issued: map[string]string{"a": "c14n0"}, Losses: []Loss{{"/a", "r"}}}
	got := (&Options{Into: f}).Target()
	if got != f || len(f.Text)+f.Lines+len(f.Issued)+len(f.Losses) != 0 || cap(f.Text) != 64 {
		t.Errorf("%+v", f)
	}
	if fresh := new(Options).Target(); fresh == nil || fresh == f {
		t.Error("no form of its own")
	}
}
