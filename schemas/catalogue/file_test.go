package catalogue

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a file discloses is named by pointers, in time that grows with the members: with their square it would be minutes.
func TestDisclosedOfFile(t *testing.T) {
	const n = 450_000
	var members strings.Builder
	for i := range n {
		fmt.Fprintf(&members, `,"k%d":0`, i)
	}
	start := time.Now()
	c, err := Parse([]byte(`{"type":"T","issuer":"u:i","credentialSubject":{"a/b~\u0063":0` + members.String() + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"/credentialSubject/a~1b~0c", "/credentialSubject/k0"}; len(c.Disclose) != (n+1)/4 || !slices.Equal(c.Disclose[:2], want) {
		t.Errorf("%d pointers: %q", len(c.Disclose), c.Disclose[:2])
	}
	if took := time.Since(start); took > 8*time.Second {
		t.Errorf("took %v", took)
	}
}
