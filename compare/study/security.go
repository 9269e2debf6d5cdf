package study

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"canonscope/canon"
	"canonscope/canon/engines"
	"canonscope/compare"
	"canonscope/compare/mdoc"
	"canonscope/compare/measure"
	"canonscope/compare/sdjwt"
	"canonscope/schemas/contexts"
	"canonscope/vcdm"
	"canonscope/vcdm/keys"
)

// Check is the answer of a verifier to an attack, or to the unaltered credential.
type Check struct {
	Attack   string `json:"attack"`
	Format   string `json:"format"`
	Engine   string `json:"engine"`
	Accepted bool   `json:"accepted"`
	Wanted   bool   `json:"wanted"` // to be accepted
	Why      string `json:"why,omitempty"`
}

// Right reports whether the answer is the one that is wanted.
func (c *Check) Right() bool { return c.Accepted == c.Wanted }

// Attacks, as the claims name them.
const (
	genuine       = "none: as issued"
	algNone       = "alg none"
	algConfusion  = "HS256 with the public key as secret"
	elementAlter  = "an element is altered"
	headerAlter   = "the protected header is altered"
	termOverride  = "a term is overridden inline"
	termsExchange = "terms exchanged, same statements"
	reachability  = "a context on this machine"
)

// verifiedAt is the clock of the checks.
var verifiedAt = measure.Now

// security lets the verifiers of each format and engine answer the attacks.
func security(ctx context.Context, e *evidence) error {
	key, err := keys.Generate(keys.ES256)
	if err != nil {
		return err
	}
	for _, engine := range []compare.Engine{canon.Stock, canon.Native} {
		for _, of := range []func(context.Context, compare.Engine, *keys.Secret) ([]Check, error){
			tokens, elements, statements} {
			checks, err := of(ctx, engine, key)
			if err != nil {
				return err
			}
			e.checks = append(e.checks, checks...)
		}
	}
	return nil
}

// answered makes a Check of the error of a verifier.
func answered(attack string, format compare.Format, engine compare.Engine, wanted bool, err error) Check {
	c := Check{Attack: attack, Format: string(format), Engine: string(engine), Accepted: err == nil,
		Wanted: wanted}
	if err != nil {
		c.Why = err.Error()
	}
	return c
}

// claimSet is a small credential for the baselines.
func claimSet() []byte {
	return fmt.Appendf(nil, `{"iss":"https://issuer.example","vct":"org.example.degree","nbf":%d,"exp":%d,`+
		`"credentialSubject":{"name":"value_000","grade":"value_001"}}`,
		verifiedAt.Add(-time.Hour).Unix(), verifiedAt.Add(time.Hour).Unix())
}

// tokens attacks the header of an SD-JWT.
func tokens(_ context.Context, engine compare.Engine, key *keys.Secret) ([]Check, error) {
	issuer := sdjwt.Issuer{Engine: engine, Key: key}
	token, err := issuer.Issue(claimSet(), sdjwt.Disclosable{Leaves: "/credentialSubject"})
	if err != nil {
		return nil, err
	}
	verifier := sdjwt.Verifier{Engine: engine, Key: key.Public(), Now: verifiedAt}
	verify := func(attack string, wanted bool, b []byte) Check {
		_, err := verifier.Verify(b)
		return answered(attack, compare.SDJWT, engine, wanted, err)
	}

	jwt, disclosures, _ := bytes.Cut(token, []byte("~"))
	parts := bytes.Split(jwt, []byte("."))
	text := base64.RawURLEncoding
	with := func(header string, mac func(input []byte) []byte) []byte {
		input := text.EncodeToString([]byte(header)) + "." + string(parts[1])
		signature := ""
		if mac != nil {
			signature = text.EncodeToString(mac([]byte(input)))
		}
		return []byte(input + "." + signature + "~" + string(disclosures))
	}
	hs256 := func(input []byte) []byte {
		h := hmac.New(sha256.New, key.Public().JWK())
		h.Write(input)
		return h.Sum(nil)
	}

	return []Check{
		verify(genuine, true, token),
		verify(algNone, false, with(`{"alg":"none","typ":"dc+sd-jwt"}`, nil)),
		verify(algConfusion, false, with(`{"alg":"HS256","typ":"dc+sd-jwt"}`, hs256)),
	}, nil
}

// elements attacks the elements and the protected header of an mdoc.
func elements(_ context.Context, engine compare.Engine, key *keys.Secret) ([]Check, error) {
	certificate, err := mdoc.Certificate(key.Public(), "Issuer")
	if err != nil {
		return nil, err
	}
	issuer := mdoc.Issuer{Engine: engine, Key: key, Chain: [][]byte{certificate}, Device: key.Public()}
	issued, err := issuer.Issue(claimSet())
	if err != nil {
		return nil, err
	}
	verifier := mdoc.Verifier{Engine: engine, Key: key.Public(), Now: verifiedAt}
	verify := func(attack string, wanted bool, b []byte) Check {
		_, err := verifier.Verify(b)
		return answered(attack, compare.Mdoc, engine, wanted, err)
	}

	es256, ed25519 := []byte{0x43, 0xa1, 0x01, 0x26}, []byte{0x43, 0xa1, 0x01, 0x27} // alg in CBOR
	element := bytes.Replace(issued, []byte("value_000"), []byte("value_00x"), 1)
	header := bytes.Replace(issued, es256, ed25519, 1)
	if bytes.Equal(element, issued) || bytes.Equal(header, issued) {
		return nil, errors.New("the mdoc has no element or header to alter")
	}
	return []Check{
		verify(genuine, true, issued),
		verify(elementAlter, false, element),
		verify(headerAlter, false, header),
	}, nil
}

// statements attacks the contexts of a credential with a Data Integrity proof.
func statements(ctx context.Context, engine compare.Engine, key *keys.Secret) ([]Check, error) {
	c, err := engines.New(engine, canon.RDFC, engines.Config{Loader: contexts.Embedded()})
	if err != nil {
		return nil, err
	}
	suite := vcdm.ECDSARDFC2019(c)
	const known = `["https://www.w3.org/ns/credentials/v2",{"role":"urn:x:role","rank":"urn:x:rank"}]`
	doc := func(context string) string {
		return `{"@context":` + context + `,"type":["VerifiableCredential"],"issuer":"` + key.Public().DID() +
			`","credentialSubject":{"id":"did:example:subject","role":"student","rank":"dean"}}`
	}
	options := vcdm.Options{Method: key.Public().Method(), Purpose: vcdm.AssertionMethod}
	signer := vcdm.Signer{Suite: suite, Key: key}
	issued, err := signer.Add(ctx, []byte(doc(known)), options.AppendJSON(nil, suite.Name()))
	if err != nil {
		return nil, err
	}
	verify := func(attack string, wanted bool, b []byte, contexts ...string) Check {
		v := vcdm.Verifier{Suites: []vcdm.Suite{suite}, Contexts: contexts,
			Now: func() time.Time { return verifiedAt }}
		return answered(attack, compare.VCDM, engine, wanted, v.Verify(ctx, b).Err())
	}

	replaced := func(context string) []byte {
		return bytes.Replace(issued, []byte(known), []byte(context), 1)
	}
	override := replaced(strings.Replace(known, `"role":"urn:x:role"`, `"role":"urn:x:other"`, 1))
	exchanged := replaced(strings.NewReplacer("urn:x:role", "urn:x:rank", "urn:x:rank",
		"urn:x:role").Replace(known))
	exchanged = bytes.Replace(exchanged, []byte(`"role":"student","rank":"dean"`),
		[]byte(`"role":"dean","rank":"student"`), 1)

	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, `{"@context":{}}`)
	}))
	defer server.Close()
	reached := verify(reachability, false, replaced(strings.TrimSuffix(known,
		"]")+`,"`+server.URL+`/context"]`))
	if asked.Load() > 0 {
		reached.Accepted, reached.Why = true, "the server was asked"
	}

	return []Check{
		verify(genuine, true, issued),
		verify(termOverride, false, override),
		verify(termsExchange+", contexts known", false, exchanged, known),
		verify(termsExchange, true, exchanged), // RDFC-1.0 signs statements
		reached,
	}, nil
}

// refused judges a claim by the answers to an attack.
func refused(attack string) judge {
	return func(e *evidence) answer {
		if e.checks == nil {
			return notRun("security")
		}
		right, wrong := 0, ""
		for i := range e.checks {
			if c := &e.checks[i]; strings.HasPrefix(c.Attack, attack) && !c.Wanted {
				if c.Right() {
					right++
				} else {
					wrong = c.Format + ", " + c.Engine
				}
			}
		}
		if wrong != "" {
			return answer{Differs, "accepted: " + wrong, "a verifier here does not refuse it"}
		}
		return answer{Agrees, fmt.Sprintf("refused by %d of %d verifiers", right, right),
			"every engine of the format refuses it, and accepts the unaltered credential"}
	}
}

// controls reports whether the unaltered credentials were accepted.
func (e *evidence) controls() bool {
	n := 0
	for i := range e.checks {
		c := &e.checks[i]
		if !c.Right() {
			return false
		}
		if c.Attack == genuine {
			n++
		}
	}
	return n > 0
}
