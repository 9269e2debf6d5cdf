package claims_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"canonscope/compare"
	"canonscope/compare/internal/claims"
	"canonscope/vcdm/problem"
)

// credential is one of the user, with more members.
func credential(members string) []byte {
	return []byte(`{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential","A"],"issuer":"https://i.example"` + members +
		`,"credentialSubject":{"a":1}}`)
}

var readNow = time.Date(2026, 6, 1, 0, 0, 0, 1, time.UTC)

// Finding: a credential of version 1.1, or with fewer dates, got an end of validity that nobody had named.
func TestReadKeepsTheValidity(t *testing.T) {
	at := func(text string) int64 {
		d, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return d.Unix()
	}
	june, forever := at("2026-06-01T00:00:00Z"), at("9999-12-31T23:59:59Z")
	for members, want := range map[string][4]int64{ // nbf and exp of sd-jwt-vc, of mdoc; 0 is none
		``:                                    {0, 0, june, forever},
		`,"validFrom":"2026-01-01T00:00:00Z"`: {at("2026-01-01T00:00:00Z"), 0, at("2026-01-01T00:00:00Z"), forever},
		`,"validUntil":"2027-01-01T02:00:00+02:00"`:                                        {0, at("2027-01-01T00:00:00Z"), june, at("2027-01-01T00:00:00Z")},
		`,"issuanceDate":"2020-01-01T00:00:00Z","expirationDate":"2021-01-01T00:00:00Z"`:   {at("2020-01-01T00:00:00Z"), at("2021-01-01T00:00:00Z"), at("2020-01-01T00:00:00Z"), at("2021-01-01T00:00:00Z")},
		`,"validUntil":"2029-01-01T00:00:00Z","expirationDate":"2028-01-01T00:00:00Z"`:     {0, at("2028-01-01T00:00:00Z"), june, at("2028-01-01T00:00:00Z")},
		`,"expirationDate":"2029-01-01T00:00:00Z","validUntil":"2028-01-01T00:00:00Z"`:     {0, at("2028-01-01T00:00:00Z"), june, at("2028-01-01T00:00:00Z")},
		`,"validFrom":"2026-01-01T00:00:00Z","issuanceDate":"2026-02-01T00:00:00Z"`:        {at("2026-02-01T00:00:00Z"), 0, at("2026-02-01T00:00:00Z"), forever},
		`,"validFrom":"2026-01-01T00:00:00.001Z","validUnt\u0069l":"2026-12-31T24:00:00Z"`: {at("2026-01-01T00:00:01Z"), at("2027-01-01T00:00:00Z"), at("2026-01-01T00:00:01Z"), at("2027-01-01T00:00:00Z")},
		`,"validFrom":"0001-01-01T00:00:00Z","validUntil":"0001-01-01T00:00:00Z"`:          {-62135596800, -62135596800, -62135596800, -62135596800},
	} {
		for i, mdoc := range []bool{false, true} {
			d, err := claims.Read(credential(members), claims.Request{Lossy: true, Bare: mdoc, Now: readNow})
			if err != nil {
				t.Errorf("%s: %v", members, err)
				continue
			}
			var got claims.Input
			if err := json.Unmarshal(d.JSON, &got); err != nil {
				t.Fatal(err)
			}
			if want := want[2*i:]; want[1] != 0 && (got.From != want[0] || got.Until != want[1]) || !mdoc && strings.Contains(string(d.JSON), `"exp"`) != (want[1] != 0) {
				t.Errorf("%s, mdoc %v: %s, want %d and %d", members, mdoc, d.JSON, want[0], want[1])
			}
			if said := fmt.Sprint(d.Chosen); strings.Contains(said, "the end of validity") != (mdoc && !strings.Contains(members, "Unt") && !strings.Contains(members, "expir")) {
				t.Errorf("%s, mdoc %v: says %s", members, mdoc, said)
			}
		}
	}

	if d, err := claims.Read(credential(`,"validUntil":"2026-05-31T00:00:00Z"`), claims.Request{Lossy: true, Bare: true, Now: readNow}); err == nil {
		t.Errorf("an mdoc ends before it begins: %s", d.JSON)
	}
	for _, members := range []string{`,"validUntil":"2027-01-01T00:00:00"`, `,"expirationDate":"2027-01-01"`, `,"expirationDate":null`, `,"validUntil":1`,
		`,"issuanceDate":["2026-01-01T00:00:00Z"]`, `,"validFrom":{"@value":"2026-01-01T00:00:00Z"}`, `,"validUntil":""`,
		`,"validFrom":"2027-01-01T00:00:00Z","expirationDate":"2026-01-01T00:00:00Z"`} {
		for _, mdoc := range []bool{false, true} {
			var wrong *problem.Error
			if d, err := claims.Read(credential(members), claims.Request{Lossy: true, Bare: mdoc, Now: readNow}); !errors.As(err, &wrong) {
				t.Errorf("%s: %v %v", members, d, err)
			}
		}
	}
}

// Finding: the end that somebody chooses may be earlier than the credential's, and never later.
func TestReadDoesNotProlong(t *testing.T) {
	const dated = `,"validFrom":"2026-01-01T00:00:00Z","expirationDate":"2027-01-01T00:00:00Z"`
	for _, mdoc := range []bool{false, true} {
		for until, ok := range map[string]bool{"2027-01-01T00:00:00Z": true, "2026-02-01T00:00:00Z": true, "2027-01-01T00:00:01Z": false, "2025-12-31T00:00:00Z": false} {
			end, err := time.Parse(time.RFC3339, until)
			if err != nil {
				t.Fatal(err)
			}
			d, err := claims.Read(credential(dated), claims.Request{Lossy: true, Bare: mdoc, Until: &end, Now: readNow})
			if (err == nil) != ok || ok && !strings.Contains(string(d.JSON), fmt.Sprintf(`"exp":%d`, end.Unix())) {
				t.Errorf("until %s: %v %v", until, d, err)
			}
			if d, err = claims.Read(credential(``), claims.Request{Until: &end}); err != nil || !strings.Contains(string(d.JSON), fmt.Sprintf(`"exp":%d`, end.Unix())) {
				t.Errorf("no dates, until %s: %v %v", until, d, err)
			}
		}
	}
}

// Finding: status, schema and whatever else a format has no place for was dropped without a word.
func TestReadNamesWhatIsLost(t *testing.T) {
	for members, want := range map[string]string{ // of sd-jwt-vc
		``: "",
		`,"credentialStatus":{"type":"X"},"credentialSchema":[],"termsOfUse":{},"evidence":null,"refreshService":{},"relatedResource":[]`: "/credentialStatus /credentialSchema /termsOfUse /evidence /refreshService /relatedResource",
		`,"name":"x","proof":{"type":"DataIntegrityProof"},"~/":1,"@type":"B","iss":"x","exp":1`:                                          "/name /proof /~0~1 /@type /iss /exp",
		`,"id":{"a":1}`: "/id",
		`,"https://www.w3.org/2018/credentials#validUntil":{"@value":"2020-01-01T00:00:00Z"}`: "/https:~1~1www.w3.org~12018~1credentials#validUntil",
		`,"@graph":[],"@included":{},"validuntil":"2020-01-01T00:00:00Z"`:                     "/@graph /@included /validuntil",
	} {
		for _, mdoc := range []bool{false, true} {
			d, err := claims.Read(credential(members), claims.Request{Lossy: true, Bare: mdoc, Now: readNow})
			if err != nil {
				t.Fatal(members, err)
			}
			if got := lost(d); got != want {
				t.Errorf("%s: lost %q, want %q", members, got, want)
			}
			if said := fmt.Sprint(d.Chosen); !strings.Contains(said, "is A, as /type") || !strings.Contains(said, "/@context") {
				t.Errorf("says %s", said)
			}
		}
	}

	for doc, want := range map[string][2]string{ // of sd-jwt-vc, of mdoc
		`{"type":["VerifiableCredential","A","B","A"],"issuer":{"id":"u:i","name":"x","url":1},"credentialSubject":{"a":1}}`: {"/type/2 /issuer/name /issuer/url", "/type/2 /issuer/name /issuer/url"},
		`{"id":"u:c","type":["A",{},"VerifiableCredential"],"issuer":"u:i","credentialSubject":{"a":1}}`:                     {"/type/1", "/id /type/1"},
		`{"type":"A","issuer":{"id":"u:i"},"credentialSubject":{"a":1}}`:                                                     {},
	} {
		for i, mdoc := range []bool{false, true} {
			d, err := claims.Read([]byte(doc), claims.Request{Lossy: true, Bare: mdoc, Now: readNow})
			if err != nil {
				t.Fatal(doc, err)
			}
			if got := lost(d); got != want[i] || !strings.Contains(string(d.JSON), `"vct":"A"`) || d.Issuer != "u:i" {
				t.Errorf("%s: lost %q, want %q, and says %s", doc, got, want[i], d.JSON)
			}
			if strings.Contains(string(d.JSON), `"jti":"u:c"`) != (!mdoc && strings.Contains(doc, "u:c")) {
				t.Errorf("%s: says %s", doc, d.JSON)
			}
		}
	}
	for _, doc := range []string{``, `[]`, `{}`, `{"type":"A","issuer":"u:i","credentialSubject":[{"a":1},{}]}`, `{"type":"A","type":"B","issuer":"u:i","credentialSubject":{"a":1}}`} {
		if d, err := claims.Read([]byte(doc), claims.Request{Lossy: true}); err == nil {
			t.Errorf("%s: %s", doc, d.JSON)
		}
	}
}

func lost(d *compare.Draft) string {
	var pointers []string
	for _, l := range d.Losses {
		pointers = append(pointers, l.Pointer)
	}
	return strings.Join(pointers, " ")
}

// An mdoc holds integers of 64 bits and doubles; a number that is neither would be another, which is named.
func TestReadNamesRoundedNumbers(t *testing.T) {
	for number, lost := range map[string]bool{"1e-400": true, "0.1234567890123456789": true, "100000000000000000000000.5": true,
		"0.1": false, "1.50": false, "9007199254740993": false, "-9223372036854775808": false, "18446744073709551615": false} {
		doc := `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"issuer":"https://i.example/","credentialSubject":{"n":` + number + `}}`
		for _, mdoc := range []bool{true, false} {
			d, err := claims.Read([]byte(doc), claims.Request{Lossy: true, Bare: mdoc, Now: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(d.Losses) == 1 && d.Losses[0].Pointer == "/credentialSubject/n"; got != (lost && mdoc) {
				t.Errorf("%s, mdoc %v: %v", number, mdoc, d.Losses)
			}
		}
	}
}
