package schemas

// Credential is one generated document with the facts that an exchange needs. It is format-neutral: the
// format vcdm signs VCDM; sd-jwt-vc and mdoc take Subject and map every leaf below it to one disclosure or
// one element.
type Credential struct {
	Schema    string   // catalogue name, e.g. "simple-20"
	Index     int      // which of the seeded documents
	VCDM      []byte   // the unsigned VCDM credential, JSON
	Subject   []byte   // the value of credentialSubject, byte for byte as in VCDM
	Types     []string // the most specific last, e.g. VerifiableCredential, OpenBadgeCredential
	Issuer    string   // issuer URL or DID
	ValidFrom string   // RFC 3339
	Disclose  []string // JSON pointers into VCDM that a holder discloses, e.g. /credentialSubject/attr00
	Mandatory []string // JSON pointers that every presentation discloses, e.g. /issuer
}

// Generator makes documents of one shape. Document(seed, i) is deterministic and the same on every machine.
type Generator interface {
	Name() string     // catalogue name
	Describe() string // one line of text
	Document(seed uint64, i int) (*Credential, error)
}
