//phase:caller
package vcdm

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/schemas/contexts"

	"github.com/mr-tron/base58"
)

// Hashes gives the recorded digest of a resource: algorithm is "sha256", "sha384", "sha512", or the code of another multihash.
// ok is false where none is recorded.
type Hashes func(url, algorithm string) (digest []byte, ok bool)

// HashesOf returns hashes over the bytes of resources, by URL, each made once: a document may name one as often as it likes.
func HashesOf(resources map[string][]byte) Hashes {
	type hash struct{ url, algorithm string }
	var mu sync.Mutex
	made := map[hash][]byte{}
	return func(url, algorithm string) ([]byte, bool) {
		b, ok := resources[url]
		if !ok {
			return nil, false
		}
		mu.Lock()
		defer mu.Unlock()
		h := hash{url, algorithm}
		if digest, ok := made[h]; ok {
			return digest, true
		}
		switch algorithm {
		case "sha256":
			d := sha256.Sum256(b)
			made[h] = d[:]
		case "sha384":
			d := sha512.Sum384(b)
			made[h] = d[:]
		case "sha512":
			d := sha512.Sum512(b)
			made[h] = d[:]
		}
		return made[h], made[h] != nil
	}
}

// ErrUnrecorded is the cause of an error about a digest that cannot be compared, because none is recorded for the
// resource and the hash function.
var ErrUnrecorded = errors.New("no digest is recorded to compare it with")

// checkRelated compares the digests of related resources with recorded ones (Verifiable Credentials Data Model 2.0 section
// 5.3), nil where none is recorded. A digest that differs is an error; so is one that cannot be compared, whose cause is
// [ErrUnrecorded].
func checkRelated(t *jsontape.Tape, list int, recorded Hashes) []error {
	r := &rules{tape: t}
	if r.related(0, ""); len(r.errs) > 0 {
		return r.errs
	}
	r.each(list, "/relatedResource", func(e int, at string) {
		url := string(t.Text(t.Get(e, "id")))
		for _, name := range []string{"digestSRI", "digestMultibase"} {
			d := t.Get(e, name)
			if d < 0 {
				continue
			}
			read := parseSRI
			if name == "digestMultibase" {
				read = parseMultihash
			}
			r.each(d, at+"/"+name, func(value int, place string) {
				if r.kind(value) != jsontape.String {
					r.fail(place, "must be a string")
				} else if err := compareDigest(string(t.Text(value)), url, read, recorded); err != nil {
					r.errs = append(r.errs, &Error{Type: MalformedValue, Where: place, Err: err})
				}
			})
		}
	})
	return r.errs
}

// CheckRelated compares the digests of a credential's relatedResource with recorded ones, as a [Verifier] with Resources
// does.
func CheckRelated(doc []byte, limits canon.Limits, recorded Hashes) error {
	var t jsontape.Tape
	if _, err := parseDocument(&t, doc, limits); err != nil {
		return err
	}
	if list := t.Get(0, "relatedResource"); list >= 0 {
		return errors.Join(checkRelated(&t, list, recorded)...)
	}
	return nil
}

func compareDigest(text, url string, read func(string) (string, []byte, error), recorded Hashes) error {
	algorithm, digest, err := read(text)
	if err != nil {
		return err
	}
	if recorded == nil {
		return fmt.Errorf("%s of %s: %w", algorithm, url, ErrUnrecorded)
	}
	want, ok := recorded(url, algorithm)
	switch {
	case !ok:
		return fmt.Errorf("%s of %s: %w", algorithm, url, ErrUnrecorded)
	case !bytes.Equal(digest, want):
		return fmt.Errorf("is not the digest of %s", url)
	}
	return nil
}

// parseSRI reads one digest of Subresource Integrity, a hash-expression: algorithm, hyphen, base64 of either alphabet.
//
//phase:parse
func parseSRI(text string) (algorithm string, digest []byte, err error) {
	algorithm, value, _ := strings.Cut(text, "-")
	if !slices.Contains(sriHashes, algorithm) {
		return "", nil, errors.New("must start with sha256-, sha384- or sha512-")
	}
	value = strings.TrimSuffix(strings.TrimSuffix(value, "="), "=")
	digest, err = base64.RawStdEncoding.Strict().DecodeString(urlToStd.Replace(value))
	if err != nil || value == "" {
		return "", nil, errors.New("is not base64 behind the hyphen")
	}
	return algorithm, digest, nil
}

var (
	sriHashes = []string{"sha256", "sha384", "sha512"}
	urlToStd  = strings.NewReplacer("-", "+", "_", "/")
)

// parseMultihash reads a multibase text of a multihash (Controlled Identifiers 2.4, 2.5). The text of a digest alone, which
// issuers write too, counts as that of the hash function of SHA-2 with its length.
//
//phase:parse
func parseMultihash(text string) (algorithm string, digest []byte, err error) {
	var b []byte
	switch {
	case strings.HasPrefix(text, "u"):
		b, err = multibase64.DecodeString(text[1:])
	case strings.HasPrefix(text, "z") && len(text) < 100:
		b, err = base58.Decode(text[1:])
	default:
		return "", nil, errors.New("must start with u (base64url) or z (base58-btc)")
	}
	if err != nil {
		return "", nil, errors.New("is no multibase text")
	}
	switch len(b) {
	case 32:
		return "sha256", b, nil
	case 48:
		return "sha384", b, nil
	case 64:
		return "sha512", b, nil
	}
	if len(b) < 3 || b[0] > 0x7f || int(b[1]) != len(b)-2 {
		return "", nil, errors.New("is no multihash")
	}
	switch {
	case b[0] == 0x12 && b[1] == 32:
		return "sha256", b[2:], nil
	case b[0] == 0x20 && b[1] == 48:
		return "sha384", b[2:], nil
	case b[0] == 0x13 && b[1] == 64:
		return "sha512", b[2:], nil
	}
	return fmt.Sprintf("multihash %#x", b[0]), b[2:], nil
}

// CheckContexts validates the contexts of a verified document (VC Data Integrity 4.6), as a [Verifier] with Contexts does:
// every @context in it, that of the document and those of objects in it, has to be one of the known values, compared
// deeply. Known values are JSON texts, such as `["https://www.w3.org/ns/credentials/v2"]`. Unknown contexts are never
// compacted away.
//
// A signature says that the issuer signed certain statements; only known contexts say that the terms of the document
// mean what its reader thinks.
func CheckContexts(doc []byte, limits canon.Limits, known ...string) error {
	var t jsontape.Tape
	d, err := parseDocument(&t, doc, limits)
	if err != nil {
		return err
	}
	return d.checkContexts(known)
}

// knownContexts are values of @context.
type knownContexts []jsontape.Tape

func readContexts(texts []string) (knownContexts, error) {
	known := make(knownContexts, len(texts))
	for n, text := range texts {
		if err := known[n].Scan([]byte(text), jsontape.Options{}); err != nil {
			return nil, fmt.Errorf("known context %d: %w", n, err)
		}
	}
	return known, nil
}

// has reports whether a value is one of them.
func (k knownContexts) has(t *jsontape.Tape, context int) bool {
	for i := range k {
		if equalAcross(t, context, &k[i], 0) {
			return true
		}
	}
	return false
}

func (d *document) checkContexts(texts []string) error {
	known, err := readContexts(texts)
	if err != nil {
		return err
	}
	if d.context < 0 {
		return &Error{Type: MalformedValue, Where: "/@context", Msg: "is missing"}
	}
	for c := range d.contexts() {
		if !known.has(d.tape, c) {
			return &Error{Type: MalformedValue, Where: d.tape.Pointer(c), Msg: "is not a known one; name the whole value of each @context that is"}
		}
	}
	return nil
}

// contexts yields the value of every @context of the document, but not those that are parts of a context.
func (d *document) contexts() iter.Seq[int] {
	return func(yield func(int) bool) {
		nodes := d.tape.Nodes
		for i := 0; i < len(nodes); i++ {
			if nodes[i].Hash != contextHash || !d.tape.TextIs(i, "@context") {
				continue
			}
			if !yield(i + 1) {
				return
			}
			i = int(nodes[i+1].Next) - 1
		}
	}
}

var contextHash = jsontape.KeyHash("@context")

// UnknownContext is a context that is not built in: the reader of a document may not know what its terms mean.
type UnknownContext struct {
	Pointer string `json:"pointer"`       // where it stands in the document
	URL     string `json:"url,omitempty"` // "" for one that stands in the document itself
}

// UnknownContexts lists the contexts of the document, and of every object in it, that are inline or not built in, and not
// among those that the verifier was told.
func (r *Result) UnknownContexts() (unknown []UnknownContext) {
	var t jsontape.Tape
	d, err := parseDocument(&t, r.secured, canon.Limits{Bytes: len(r.secured) + 1})
	if err != nil {
		return nil
	}
	known, _ := readContexts(r.known)
	size := 0
	for c := range d.contexts() {
		if c != d.context && d.context >= 0 && equalValues(&t, c, d.context) || known.has(&t, c) { // the former is that of a JCS proof
			continue
		}
		for e := range valuesOf(&t, c) {
			url := ""
			if t.Nodes[e].Kind == jsontape.String {
				url = string(t.Text(e))
				if _, err := contexts.Find(url); err == nil {
					continue
				}
			}
			if len(unknown) == maxErrors || size > maxListed {
				return append(unknown, UnknownContext{Pointer: andMore})
			}
			at := t.Pointer(e)
			size += len(at)
			unknown = append(unknown, UnknownContext{at, url})
		}
	}
	return unknown
}

// andMore ends a list that would be too long: of more than maxErrors, or whose pointers have more bytes than maxListed.
const (
	andMore   = "(and more)"
	maxListed = 1 << 20
)

// Unchecked returns JSON pointers to what the verification did not look into: status, schemas, related resources whose
// digests nothing was compared with, and credentials inside a credential, whose own proofs are not checked.
func (r *Result) Unchecked() (pointers []string) {
	var t jsontape.Tape
	d, err := parseDocument(&t, r.secured, canon.Limits{Bytes: len(r.secured) + 1})
	if err != nil {
		return nil
	}
	for _, name := range []string{"credentialStatus", "credentialSchema"} {
		if t.Get(0, name) >= 0 {
			pointers = append(pointers, "/"+name)
		}
	}
	pointers = append(pointers, r.uncompared...)
	listed, size := -1, 0
	if d.isPresentation() {
		listed = t.Get(0, "verifiableCredential") // these have results of their own
	}
	for i := 1; i < len(t.Nodes); i++ {
		if i == listed {
			i = int(t.Nodes[i].Next) - 1
		} else if t.Nodes[i].Kind == jsontape.Object && hasText(&t, t.Get(i, "type"), "VerifiableCredential") {
			if len(pointers) >= maxErrors || size > maxListed {
				return append(pointers, andMore)
			}
			at := t.Pointer(i)
			size += len(at)
			pointers = append(pointers, at)
			i = int(t.Nodes[i].Next) - 1
		}
	}
	return pointers
}
