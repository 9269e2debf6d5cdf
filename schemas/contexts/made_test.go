package contexts

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestMadeContexts(t *testing.T) {
	ctx := context.Background()
	for url, terms := range map[string]int{Padding(0, 0): 1, Padding(250, 3): 251, Scoping("flat"): 104, Scoping("property"): 59} {
		d, err := Embedded().Load(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Context map[string]any `json:"@context"`
		}
		if err := json.Unmarshal(d.Bytes, &doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.Context) != terms {
			t.Errorf("%s: %d entries, want %d", url, len(doc.Context), terms)
		}
		if scoped := strings.Count(string(d.Bytes), `"@context"`) > 1; scoped != (url == Scoping("property")) {
			t.Errorf("%s: scoped contexts: %v", url, scoped)
		}
	}
	if Scoping("type") != List(false)[4].URL {
		t.Error("the type-scoped compilation is not the published one")
	}
	var unknown *UnknownError
	for _, path := range []string{"", "padding/1", "padding/-1/0", "padding/01/0", "padding/100001/0", "open-badges-3.0.3/other"} {
		if _, err := Embedded().Load(ctx, madeHost+path); !errors.As(err, &unknown) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
