//phase:caller
package rules

// BaseContext is the URL of the context that every document of the data model starts with (Verifiable
// Credentials Data Model 2.0 section 4.3).
const BaseContext = "https://www.w3.org/ns/credentials/v2"

// baseContext1 is that of version 1.1.
const baseContext1 = "https://www.w3.org/2018/credentials/v1"

// Vocabulary is that of the data model (Verifiable Credentials Data Model 2.0 appendix B).
const Vocabulary = "https://www.w3.org/2018/credentials#"

// Security is the vocabulary of proofs, and RDFType the predicate that leads to a type.
const (
	Security = "https://w3id.org/security#"
	RDFType  = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
)

// Meanings are what verification reads: members of a document, of an element of relatedResource, and types
// of documents.
var Meanings = [...]struct {
	Name, IRI string
	Is        Kind
}{
	{"issuer", Vocabulary + "issuer", Nodes},
	{"holder", Vocabulary + "holder", Nodes},
	{"validFrom", Vocabulary + "validFrom", Literals},
	{"validUntil", Vocabulary + "validUntil", Literals},
	{"issuanceDate", Vocabulary + "issuanceDate", Literals},
	{"expirationDate", Vocabulary + "expirationDate", Literals},
	{"credentialSubject", Vocabulary + "credentialSubject", Nodes},
	{"credentialStatus", Vocabulary + "credentialStatus", Nodes},
	{"credentialSchema", Vocabulary + "credentialSchema", Nodes},
	{"relatedResource", Vocabulary + "relatedResource", Nodes},
	{"termsOfUse", Vocabulary + "termsOfUse", Nodes},
	{"verifiableCredential", Vocabulary + "verifiableCredential", Graphs},
	{"proof", Security + "proof", Proofs},
	{"digestSRI", Vocabulary + "digestSRI", Digests},
	{"digestMultibase", Security + "digestMultibase", Digests},
	{"VerifiableCredential", Vocabulary + "VerifiableCredential", DocumentType},
	{"VerifiablePresentation", Vocabulary + "VerifiablePresentation", DocumentType},
	{"EnvelopedVerifiableCredential", Vocabulary + "EnvelopedVerifiableCredential", DocumentType},
	{"EnvelopedVerifiablePresentation", Vocabulary + "EnvelopedVerifiablePresentation", DocumentType},
}

// Places in Meanings.
const (
	IssuerMeaning    = 0
	ResourcesMeaning = 9
)

// Kind is what a meaning is, and what its values are.
type Kind uint8

const (
	Nodes        Kind = iota // a member whose values are nodes
	Literals                 // a member whose values are texts
	Graphs                   // a member whose values are graphs, whatever they are called
	Proofs                   // the proofs that the statements hold beside the document
	Digests                  // a member of a related resource, a text
	DocumentType             // not a member
)

// MeaningOf returns the place of an IRI in Meanings, or -1.
func MeaningOf(iri []byte) int {
	for i := range Meanings {
		if Meanings[i].IRI == string(iri) {
			return i
		}
	}
	return -1
}
