package schemas

import (
	"net/url"
	"strings"

	"canonscope/canon"
)

// Kind is the kind of a schema's documents.
type Kind string

const (
	Claims Kind = "credential" // the claims of a credential, which every format exchanges
	JSONLD Kind = "jsonld"     // a JSON-LD document that is not a credential
	NQuads Kind = "nquads"     // an RDF dataset in N-Quads
	JSON   Kind = "json"       // JSON without a context
)

// Input returns the syntax of the documents: RDFC-1.0 reads all but JSON.
func (k Kind) Input() canon.Input {
	switch k {
	case NQuads:
		return canon.NQuads
	case JSON:
		return canon.JSON
	}
	return canon.JSONLD
}

// Exchangeable returns nil for credentials. The documents of another kind are only canonicalized: the error
// names their schema and what to do.
func (k Kind) Exchangeable(schema string) *canon.UnsupportedError {
	var what string
	switch k {
	case JSONLD:
		what = "a JSON-LD document without the type, issuer and credentialSubject of a credential"
	case NQuads:
		what = "an RDF dataset in N-Quads"
	case JSON:
		what = "JSON without a context, an issuer and a credentialSubject"
	default:
		return nil
	}
	title, _ := FileTitle(schema)
	return &canon.UnsupportedError{Engine: "schema " + title,
		What: "issue, present and verify, since it is " + what +
			"; canonicalize it, or name a schema of credentials such as simple-20"}
}

// FilePrefix marks the schema of a user's file. The rest is the last part of its path, escaped so that there
// is no slash, and the first digits of the SHA-256 of its bytes.
const FilePrefix = "file:"

// FileTitle is the schema as text: of a user's file the last part of its path and the digits of its hash. ok
// is false for other schemas.
func FileTitle(schema string) (title string, ok bool) {
	escaped, ok := strings.CutPrefix(schema, FilePrefix)
	if !ok {
		return schema, false
	}
	title, err := url.PathUnescape(escaped)
	if err != nil {
		return schema, false
	}
	return title, true
}

// Credential is one generated document with the facts that an exchange needs. It is format-neutral: the
// format vcdm signs VCDM; sd-jwt-vc and mdoc take Subject and map every leaf below it, or a coarser part, to
// one disclosure or one element. The fields below VCDM are empty for a document that is not a credential.
type Credential struct {
	Schema    string   // catalogue name, e.g. "simple-20"
	Index     int      // which of the seeded documents
	Kind      Kind     // of VCDM; "" is Claims
	VCDM      []byte   // the unsigned VCDM credential, JSON, or the document of another kind
	Subject   []byte   // credentialSubject byte for byte as in VCDM: an object or a list of objects
	Types     []string // the most specific last, e.g. VerifiableCredential, OpenBadgeCredential
	Issuer    string   // issuer URL or DID
	Disclose  []string // JSON pointers into VCDM that a holder discloses, e.g. /credentialSubject/attr00
	Mandatory []string // JSON pointers that every presentation discloses, e.g. /issuer
}

// Generator makes documents of one shape. Document(seed, i) is deterministic and the same on every machine.
type Generator interface {
	Name() string     // catalogue name
	Kind() Kind       // of all its documents
	Describe() string // one line of text
	Document(seed uint64, i int) (*Credential, error)
}
