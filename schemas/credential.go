package schemas

// Credential is one drawn document with what an exchange needs to know about it. It is format-neutral: vcdm signs VCDM,
// sd-jwt-vc and mdoc take Subject and map every leaf under it to one disclosure or one element.
type Credential struct {
	Schema    string   // catalogue name, e.g. "simple-20"
	Index     int      // which of the seeded documents
	VCDM      []byte   // the unsigned VCDM credential, JSON
	Subject   []byte   // the value of credentialSubject, JSON, the very bytes that stand in VCDM
	Types     []string // the credential's types, outermost last, e.g. VerifiableCredential, OpenBadgeCredential
	Issuer    string   // issuer URL or DID
	ValidFrom string   // RFC 3339
	Disclose  []string // JSON pointers into VCDM that present discloses, e.g. /credentialSubject/attr00
	Mandatory []string // JSON pointers that every presentation discloses, e.g. /issuer
}

// Generator draws documents of one shape. Document(seed, i) is deterministic: the same on every machine.
type Generator interface {
	Name() string     // catalogue name
	Describe() string // one line for people
	Document(seed uint64, i int) (*Credential, error)
}
