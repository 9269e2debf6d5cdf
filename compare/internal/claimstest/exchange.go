package claimstest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"canonscope/canon"
	"canonscope/compare"
	"canonscope/schemas"
	"canonscope/vcdm/keys"
)

// Run prepares an exchange of a credential at [Now], and issues and presents.
func Run(
	t testing.TB, f compare.Preparer, c *schemas.Credential, s compare.Scenario,
) (x *compare.Exchange, issued, presented []byte) {
	t.Helper()
	s.Now = Now
	x, err := f.Prepare(c, s)
	if err != nil {
		t.Fatal(err)
	}
	if issued, err = x.Issue(); err != nil {
		t.Fatal(err)
	}
	if presented, err = x.Present(issued); err != nil {
		t.Fatal(err)
	}
	return x, issued, presented
}

// Exchange tests an exchange of 5 of 20 claims with each engine and algorithm, bound to the holder and not.
// digests is how many an engine must count: 21 to issue, those of its holder, and 5 to verify.
func Exchange(t *testing.T, f NewFormat, digests map[compare.Engine]int) {
	for _, engine := range Engines {
		for _, algorithm := range keys.Algorithms {
			for _, binding := range []compare.Binding{compare.NoBinding, compare.HolderBinding} {
				t.Run(fmt.Sprintf("%s/%s/%s", engine, algorithm, binding), func(t *testing.T) {
					x, _, presented := Run(t, f(engine, algorithm), Simple(20),
						compare.Scenario{Binding: binding})
					if err := x.Verify(presented); err != nil {
						t.Fatal(err)
					}
					want := compare.Counters{Salts: 21, Digests: digests[engine], Signatures: 1,
						Verifications: 1}
					if binding == compare.HolderBinding {
						want.Signatures, want.Verifications = 2, 2
					}
					if *x.Counters != want {
						t.Errorf("counters %+v, want %+v", *x.Counters, want)
					}
					if x.Reissued {
						t.Error("present must derive")
					}
				})
			}
		}
	}
}

// Tamper changes every byte of a presentation in turn, and also truncates the presentation there. None of
// these may verify, except what a holder may cut an unbound presentation down to, which right reports.
func Tamper(t *testing.T, f NewFormat, right func(cut []byte) bool) {
	// The stock engine is slow.
	flips := map[compare.Engine][]byte{canon.Native: {1, 2, 4, 0x20, 0x80}, canon.Stock: {1}}
	for _, engine := range Engines {
		for _, binding := range []compare.Binding{compare.NoBinding, compare.HolderBinding} {
			t.Run(fmt.Sprintf("%s/%s", engine, binding), func(t *testing.T) {
				x, _, presented := Run(t, f(engine, "EdDSA"), Simple(20), compare.Scenario{Binding: binding})
				for i := range presented {
					for _, flip := range flips[engine] {
						b := bytes.Clone(presented)
						b[i] ^= flip
						if x.Verify(b) == nil {
							t.Fatalf("byte %d of %d changed from %#x to %#x and still verifies", i, len(b),
								presented[i], b[i])
						}
					}
					if cut := presented[:i]; x.Verify(cut) == nil && (binding != compare.NoBinding ||
						!right(cut)) {
						t.Fatalf("the first %d of %d bytes verify", i, len(presented))
					}
				}
			})
		}
	}
}

// Tampers tests the altered copies that the gate of a format makes of a presentation: what was altered in
// each, and that each has the length of the presentation or is cut, and does not verify.
func Tampers(
	t *testing.T, f NewFormat,
	tamper func(c *schemas.Credential, presented []byte, bound bool) ([]compare.Tampered, error),
	want map[compare.Binding][]string,
) {
	for binding, want := range want {
		c, bound := Simple(20), binding == compare.HolderBinding
		c.VCDM = fmt.Appendf(nil, `{"validFrom":"2026-01-01T00:00:00Z","credentialSubject":%s}`, c.Subject)
		x, _, presented := Run(t, f(canon.Native, "EdDSA"), c, compare.Scenario{Binding: binding})
		copies, err := tamper(c, presented, bound)
		if err != nil {
			t.Fatal(err)
		}

		var got []string
		for _, altered := range copies {
			got = append(got, altered.What)
			cut := len(presented) - len(altered.Bytes)
			if cut < 0 || cut > 0 != strings.Contains(altered.What, "leaving it out") {
				t.Errorf("%s: %s is %d bytes shorter", binding, altered.What, cut)
			}
			if x.Verify(altered.Bytes) == nil {
				t.Errorf("%s: %s is altered and still verifies", binding, altered.What)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", binding, got, want)
		}

		c.Disclose = []string{"/credentialSubject/attr01"} // which the presentation does not hold
		if _, err := tamper(c, presented, bound); err == nil {
			t.Errorf("%s: what is not disclosed is altered", binding)
		}
	}
}

// UnknownNames tests that no exchange is prepared with an engine, an algorithm or a claim that is not there.
func UnknownNames(t *testing.T, f NewFormat) {
	if _, err := f("fast", "EdDSA").Prepare(Simple(20), compare.Scenario{}); err == nil ||
		!strings.Contains(err.Error(), `unknown engine "fast"`) {
		t.Error(err)
	}
	if _, err := f(canon.Stock, "RS256").Prepare(Simple(20), compare.Scenario{}); err == nil {
		t.Error("RS256 is no algorithm here")
	}
	if _, err := f(canon.Stock, "EdDSA").Prepare(Simple(20),
		compare.Scenario{Disclose: []string{"/credentialSubject/none"}}); err == nil {
		t.Error("a pointer to nothing must be an error")
	}
}
