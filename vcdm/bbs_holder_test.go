package vcdm_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"canonscope/vcdm"
)

// A holder's file says all that it holds, what the issuer gets says no secret, and neither is read if a number
// lacks, is of another size or is too many.
func TestBBSHolderFile(t *testing.T) {
	for f := vcdm.HolderBinding; f <= vcdm.BindingPseudonym; f++ {
		h, err := vcdm.CommitBBS(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []*vcdm.BBSHolder{h, h.Public()} {
			text, err := json.Marshal(v)
			got := new(vcdm.BBSHolder)
			if err := json.Unmarshal(text, got); err != nil || !reflect.DeepEqual(got, v) {
				t.Errorf("%s: %v: %+v, want %+v", text, err, got, v)
			}
			public := v != h
			if has := strings.Contains(string(text), `"blind"`); err != nil || has == public {
				t.Errorf("public %v: %s", public, text)
			}

			var members map[string]any
			if err := json.Unmarshal(text, &members); err != nil {
				t.Fatal(err)
			}
			refuse := func(name string, value any) {
				t.Helper()
				was, had := members[name]
				if members[name] = value; value == nil {
					delete(members, name)
				}
				changed, err := json.Marshal(members)
				if err != nil {
					t.Fatal(err)
				}
				if json.Unmarshal(changed, new(vcdm.BBSHolder)) == nil {
					t.Errorf("%s is read", changed)
				}
				if members[name] = was; !had {
					delete(members, name)
				}
			}
			for name, value := range members {
				refuse(name, "uAAAA")
				refuse(name, "z"+value.(string)[1:])
				if name != "feature" && !public || name == "commitment" {
					refuse(name, nil)
				}
			}
			for _, name := range []string{"secret", "pseudonymSecret"} {
				if members[name] == nil {
					refuse(name, "u"+strings.Repeat("A", 43))
				}
			}
			refuse("feature", "baseline")
		}
	}
	if _, err := vcdm.CommitBBS(vcdm.Baseline); err == nil {
		t.Error("the baseline has secrets of a holder")
	}
}
