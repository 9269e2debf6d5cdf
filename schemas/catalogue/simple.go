package catalogue

import (
	"fmt"

	"canonscope/schemas"
)

// Context URLs that the generators use.
const (
	credentialsV1  = "https://www.w3.org/2018/credentials/v1"
	credentialsV2  = "https://www.w3.org/ns/credentials/v2"
	dataIntegrity2 = "https://w3id.org/security/data-integrity/v2"
	clr201         = "https://purl.imsglobal.org/spec/clr/v2p0/context-2.0.1.json"
	openBadgesExts = "https://purl.imsglobal.org/spec/ob/v3p0/extensions.json"
	elmEDC         = "http://data.europa.eu/snb/model/context/edc-ap"
)

const vocabulary = "https://vocab.example/terms#"

// simple is a credential of n attributes of 24 characters. Its subject has no id, so that the leaves under
// credentialSubject are exactly the n attributes. A quarter of them, at least one, is disclosed: 5 of 20.
//
// With the VCDM v2 context an inline context defines the attributes one by one. The inline shape is that of
// the 2026 study: a single inline context, with @vocab for the attributes, and no date.
func simple(n int, inline bool) *generator {
	g := &generator{shape: shape{attributes: float64(n), blank: -1}, axes: []string{"attributes", "contexts",
		"unused-terms"}}
	if inline {
		g.name, g.draw = fmt.Sprintf("simple-inline-%d", n), drawSimpleInline
		g.about = fmt.Sprintf("%d attributes, one inline context alone", n)
	} else {
		g.name, g.draw = fmt.Sprintf("simple-%d", n), drawSimple
		g.about = fmt.Sprintf("VCDM 2.0, %d attributes of 24 characters", n)
	}
	g.base = g.name
	return g
}

func drawSimple(d *drawer, s *shape) *schemas.Credential {
	c := &schemas.Credential{
		Types:     []string{"VerifiableCredential", "SimpleCredential"},
		Issuer:    d.url("issuers"),
		Mandatory: []string{"/issuer", "/validFrom"},
	}
	from := d.instant(2025)
	id := d.uuid()
	subject := attributes(d, s, c)
	terms := object{{"SimpleCredential", vocabulary + "SimpleCredential"}}
	for _, m := range subject {
		terms = append(terms, member{m.key, vocabulary + m.key})
	}
	finish(c, obj("@context", append(array{credentialsV2, terms}, s.extra()...), "id", id,
		"type", strs(c.Types...), "issuer", c.Issuer, "validFrom", from), subject)
	return c
}

func drawSimpleInline(d *drawer, s *shape) *schemas.Credential {
	c := &schemas.Credential{Types: []string{"VerifiableCredential"}, Issuer: d.url("issuers"),
		Mandatory: []string{"/issuer"}}
	id := d.uuid()
	subject := attributes(d, s, c)
	var context any = inlineContext
	if extra := s.extra(); extra != nil {
		context = append(array{context}, extra...)
	}
	finish(c, obj("@context", context, "id", id, "type", strs(c.Types...), "issuer", c.Issuer), subject)
	return c
}

// attributes draws the subject and fills c.Disclose.
func attributes(d *drawer, s *shape, c *schemas.Credential) object {
	n := int(s.attributes)
	width := max(2, len(fmt.Sprint(n-1)))
	var subject object
	for i := range n {
		attr := fmt.Sprintf("attr%0*d", width, i)
		subject = append(subject, member{attr, d.code(24)})
		if i%4 == 0 && len(c.Disclose) < max(1, n/4) {
			c.Disclose = append(c.Disclose, "/credentialSubject/"+attr)
		}
	}
	return subject
}

// inlineContext defines the terms of the study's shape and, without scopes, those of a Data Integrity
// proof, so that the same context processes an added proof.
var inlineContext = obj(
	"@vocab", vocabulary,
	"id", "@id",
	"type", "@type",
	"VerifiableCredential", "https://www.w3.org/2018/credentials#VerifiableCredential",
	"issuer", obj("@id", "https://www.w3.org/2018/credentials#issuer", "@type", "@id"),
	"credentialSubject", obj("@id", "https://www.w3.org/2018/credentials#credentialSubject", "@type", "@id"),
	"proof", obj("@id", "https://w3id.org/security#proof", "@type", "@id", "@container", "@graph"),
	"DataIntegrityProof", "https://w3id.org/security#DataIntegrityProof",
	"cryptosuite", obj("@id", "https://w3id.org/security#cryptosuite",
		"@type", "https://w3id.org/security#cryptosuiteString"),
	"created", obj("@id", "http://purl.org/dc/terms/created",
		"@type", "http://www.w3.org/2001/XMLSchema#dateTime"),
	"verificationMethod", obj("@id", "https://w3id.org/security#verificationMethod", "@type", "@id"),
	"proofPurpose", obj("@id", "https://w3id.org/security#proofPurpose", "@type", "@vocab"),
	"assertionMethod", "https://w3id.org/security#assertionMethod",
	"proofValue", obj("@id", "https://w3id.org/security#proofValue",
		"@type", "https://w3id.org/security#multibase"),
)

// finish writes the document, with its subject as the last member.
func finish(c *schemas.Credential, doc, subject object) {
	c.Subject = appendJSON(nil, subject)
	c.VCDM = appendJSON(nil, append(doc, member{"credentialSubject", subject}))
}
