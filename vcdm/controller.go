//phase:caller
package vcdm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/vcdm/internal/text"
	"canonscope/vcdm/internal/value"
	"canonscope/vcdm/keys"
	"canonscope/vcdm/problem"
)

// Documents resolves verification methods in controlled identifier documents (Controlled Identifiers 1.0
// section 3.3). did:key URLs need none, but one without fragment, which names a method only in a
// document that has a method of this id.
type Documents struct {
	// Document returns the controlled identifier document of a URL without fragment, as JSON. Nothing else
	// is asked for, and nothing is fetched unless this does.
	Document func(ctx context.Context, url string) ([]byte, error)
	Now      func() time.Time // clock for expires and revoked of a method; nil is time.Now
	Limits   canon.Limits     // zero fields take their defaults
}

// Resolve implements [Resolver].
func (r *Documents) Resolve(ctx context.Context, url, purpose string) (*Method, error) {
	base, fragment, ok := strings.Cut(url, "#")
	isKey := strings.HasPrefix(url, "did:key:")
	if isKey && ok {
		return DIDKey{}.Resolve(ctx, url, purpose)
	}

	because := func(t problem.Type, msg string, err error) (*Method, error) {
		return nil, &problem.Error{Type: t, Where: "/verificationMethod", Msg: msg, Err: err}
	}

	fail := func(t problem.Type, msg string) (*Method, error) { return because(t, msg, nil) }

	// 1 to 3
	if !isKey && fragment == "" || !text.IsURL(base) {
		return fail(problem.InvalidMethodURL, url+" is not a URL with a fragment")
	}

	// 4
	if r == nil || r.Document == nil {
		return fail(problem.InvalidControllerDocument, "no source of controller documents is given")
	}

	doc, err := r.Document(ctx, base)
	if err != nil {
		return because(problem.InvalidControllerDocument, base, err)
	}

	// 5
	var t jsontape.Tape
	if err := t.Scan(doc, jsontape.Options{Bytes: r.Limits.Bytes, Depth: r.Limits.Depth}); err != nil {
		if limit := (*canon.LimitError)(nil); errors.As(err, &limit) {
			return nil, err
		}
		return because(problem.InvalidControllerDocument, base, err)
	}

	if t.Nodes[0].Kind != jsontape.Object {
		return fail(problem.InvalidControllerDocument, base+" is not a JSON object")
	}

	// 6
	if !value.TextIs(&t, 0, "id", base) {
		return fail(problem.InvalidControllerDocumentID, "the document of "+base+" has another id")
	}

	// 7 to 9; an id that is a fragment alone is relative to the document's
	relative := url
	if !isKey {
		relative = "#" + fragment
	}

	node := -1
	for i := range t.Nodes {
		switch {
		case t.Nodes[i].Kind != jsontape.Object || i == 0:
		case !value.TextIs(&t, i, "id", url) && !value.TextIs(&t, i, "id", relative):
		case node == jsontape.None:
			node = i
		case !t.Equal(node, &t, i):
			return fail(problem.InvalidControllerDocument, base+" has several methods "+relative)
		}
	}

	if node == jsontape.None {
		return fail(problem.InvalidMethod, base+" has no method "+relative)
	}

	key, err := methodKey(&t, node)
	if err != nil {
		return because(problem.InvalidMethod, url, err)
	}

	if isKey && key.Contradicts(url) {
		return fail(problem.InvalidMethod, url+" is the name of another key than that of its document")
	}

	// 10
	if !value.TextIs(&t, node, "controller", base) {
		return fail(problem.InvalidMethod, url+" has another controller than its document")
	}

	if err := r.inTime(&t, node); err != nil {
		return because(problem.InvalidMethod, url, err)
	}

	// 11
	if !slices.Contains(relationships, purpose) || !related(&t, t.Get(0, purpose), node, url, relative) {
		return nil, notMeant(url, purpose)
	}

	return &Method{ID: url, Controller: base, Key: key}, nil
}

// related reports whether a verification relationship holds a method, by its URL or as an object.
func related(t *jsontape.Tape, list, node int, url, relative string) bool {
	if list == jsontape.None || t.Nodes[list].Kind != jsontape.Array {
		return false
	}
	return slices.ContainsFunc(slices.Collect(t.Elements(list)), func(e int) bool {
		return t.Nodes[e].Kind == jsontape.Object && t.Equal(e, t, node) ||
			t.Nodes[e].Kind == jsontape.String && (t.TextIs(e, url) || t.TextIs(e, relative))
	})
}

// methodKey reads the key of a verification method (Controlled Identifiers 2.2.2, 2.2.3).
func methodKey(t *jsontape.Tape, node int) (*keys.Public, error) {
	if t.Get(node, "secretKeyMultibase") != jsontape.None || t.Get(node, "secretKeyJwk") != jsontape.None {
		return nil, errors.New("a published method must not hold a secret key")
	}
	switch {
	case value.TextIs(t, node, "type", "Multikey"):
		v := t.Get(node, "publicKeyMultibase")
		if v == jsontape.None || t.Nodes[v].Kind != jsontape.String {
			return nil, errors.New("publicKeyMultibase is missing")
		}
		return keys.ParsePublic(string(t.Text(v)))
	case value.TextIs(t, node, "type", "JsonWebKey"):
		v := t.Get(node, "publicKeyJwk")
		if v == jsontape.None || t.Nodes[v].Kind != jsontape.Object {
			return nil, errors.New("publicKeyJwk is missing")
		}
		return keys.ParsePublicJWK(t.Raw(v))
	}
	return nil, errors.New("type is neither Multikey nor JsonWebKey")
}

// inTime compares expires and revoked of a method with the clock (Controlled Identifiers 2.2).
func (r *Documents) inTime(t *jsontape.Tape, node int) error {
	now := time.Now()
	if r.Now != nil {
		now = r.Now()
	}
	for _, name := range []string{"expires", "revoked"} {
		v := t.Get(node, name)
		if v == jsontape.None {
			continue
		}
		if t.Nodes[v].Kind != jsontape.String {
			return fmt.Errorf("%s is not a string", name)
		}
		end, err := text.ParseTime(string(t.Text(v)), true)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case !now.Before(end):
			return fmt.Errorf("%s is past", name)
		}
	}
	return nil
}
