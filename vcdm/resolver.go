//phase:validate
package vcdm

import (
	"context"
	"slices"
	"strings"

	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
)

// Method is a verification method: a public key and whose it is (Controlled Identifiers 1.0 section 2.2).
type Method struct {
	ID         string
	Controller string // a URL: who may use the key
	Key        *keys.Public
}

// Resolver finds the verification method of a proof. It checks that the method's controller allows the
// purpose (Controlled Identifiers 3.3, Retrieve Verification Method) and returns an [*problem.Error] of a
// type of section 3.5 where it does not. Implementations are safe for concurrent use and touch the network
// only where their user asked for it.
type Resolver interface {
	Resolve(ctx context.Context, url, purpose string) (*Method, error)
}

// relationships are the verification relationships (Controlled Identifiers 1.0 section 2.3). A document may
// hold other lists, which allow a key nothing.
var relationships = []string{AssertionMethod, Authentication, "capabilityInvocation", "capabilityDelegation",
	"keyAgreement"}

// DIDKey resolves did:key URLs. The document of such an identifier is made from its key, and allows a key
// that signs every purpose but keyAgreement.
type DIDKey struct{}

// Resolve implements [Resolver].
func (DIDKey) Resolve(_ context.Context, url, purpose string) (*Method, error) {
	if !slices.Contains(relationships[:4], purpose) {
		return nil, notMeant(url, purpose)
	}
	key, err := keys.ParseMethod(url)
	if err == keys.ErrNotDIDKey {
		return nil, &problem.Error{Type: problem.InvalidMethodURL, Where: "/verificationMethod",
			Msg: url + " is not a did:key URL; give a resolver for others"}
	}
	if err != nil {
		return nil, &problem.Error{Type: problem.InvalidMethod, Where: "/verificationMethod", Err: err}
	}
	return &Method{ID: url, Controller: url[:strings.IndexByte(url, '#')], Key: key}, nil
}

// notMeant is the error of a method whose controller does not allow it a purpose.
//
//phase:caller
func notMeant(url, purpose string) error {
	return problem.New(problem.InvalidRelationship, "/verificationMethod", url+" is not meant for "+purpose)
}

// Parsed resolves verification methods to keys that were read before, for any purpose.
type Parsed map[string]*Method

// Resolve implements [Resolver].
func (p Parsed) Resolve(_ context.Context, url, _ string) (*Method, error) {
	if m := p[url]; m != nil {
		return m, nil
	}
	return nil, problem.New(problem.InvalidMethodURL, "/verificationMethod", url+" is not known")
}
