package catalogue

import (
	"fmt"

	"canonscope/schemas"
)

// The documents that the 2026 study canonicalizes, with other values: the same members, and so the same
// quads, blank nodes and contexts.

const (
	vcVocabulary = "https://www.w3.org/2018/credentials#"
	openBadges   = "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"
)

// kitSimple has 5 quads and 1 blank node.
func kitSimple() *generator {
	return &generator{name: "kit-simple", base: "kit-simple", draw: drawKitSimple,
		about: "the study's simple credential: VCDM 1.1, one inline context"}
}

func drawKitSimple(d *drawer, _ *shape) *schemas.Credential {
	c := &schemas.Credential{
		Types:     []string{"VerifiableCredential"},
		Issuer:    d.url("issuers"),
		Disclose:  []string{"/credentialSubject/name"},
		Mandatory: []string{"/issuer", "/issuanceDate"},
	}
	from := d.instant(2025)
	context := obj(
		"@version", decimal("1.1"),
		"id", "@id",
		"type", "@type",
		"VerifiableCredential", vcVocabulary+"VerifiableCredential",
		"issuer", obj("@id", vcVocabulary+"issuer", "@type", "@id"),
		"issuanceDate", obj("@id", vcVocabulary+"issuanceDate",
			"@type", "http://www.w3.org/2001/XMLSchema#dateTime"),
		"credentialSubject", vcVocabulary+"credentialSubject",
		"name", "http://schema.org/name")
	finish(c, obj("@context", array{context}, "type", c.Types[0], "issuer", c.Issuer, "issuanceDate", from),
		obj("id", d.person(), "name", "Learner "+d.digits(4)))
	return c
}

// kitOB3 has 32 quads and 4 blank nodes: criteria, two alignments, a result.
func kitOB3() *generator {
	return &generator{name: "kit-ob3", base: "kit-ob3", shape: shape{blank: -1}, draw: drawKitOB3,
		about: "the study's Open Badges 3.0 credential: two alignments, a result"}
}

func drawKitOB3(d *drawer, _ *shape) *schemas.Credential {
	issuer := obj("id", d.url("issuers"), "type", strs("Profile"), "name", "University of "+d.town,
		"url", "https://"+d.host, "email", "registrar@"+d.host)
	alignment := func(kind string) object {
		return obj("type", strs("Alignment"), "targetName", "Module on "+d.phrase(),
			"targetUrl", d.url("modules"), "targetType", kind)
	}
	return kitBadge(d, issuer, obj(
		"id", d.person(),
		"type", strs("AchievementSubject"),
		"achievement", obj(
			"id", d.url("achievements"),
			"type", strs("Achievement"),
			"name", "Degree of "+d.field,
			"description", d.sentence(),
			"criteria", obj("type", "Criteria", "narrative", d.sentence()),
			"alignment", array{alignment("CTDL"), alignment("CFItem")}),
		"result", array{obj("type", strs("Result"), "value", "3."+d.digits(1), "status", "Completed")}))
}

// kitDCC has 21 quads and 2 blank nodes: the subject and the criteria.
func kitDCC() *generator {
	return &generator{name: "kit-dcc", base: "kit-dcc", shape: shape{blank: -1}, draw: drawKitDCC,
		about: "the study's credential of a DCC issuer: Open Badges 3.0"}
}

func drawKitDCC(d *drawer, _ *shape) *schemas.Credential {
	issuer := obj("id", "did:key:"+d.base58(48), "type", strs("Profile"), "name", "University of "+d.town,
		"url", "https://"+d.host, "image", obj("id", d.url("brand"), "type", "Image"))
	return kitBadge(d, issuer, obj(
		"type", strs("AchievementSubject"),
		"name", "Learner "+d.digits(4),
		"achievement", obj(
			"id", d.uuid(),
			"type", strs("Achievement"),
			"achievementType", "Diploma",
			"name", "Degree of "+d.field,
			"description", d.sentence(),
			"criteria", obj("type", "Criteria", "narrative", d.sentence()))))
}

// kitBadge is the credential around an issuer and a subject.
func kitBadge(d *drawer, issuer, subject object) *schemas.Credential {
	c := &schemas.Credential{
		Types:     []string{"VerifiableCredential", "OpenBadgeCredential"},
		Issuer:    issuer[0].value.(string),
		Disclose:  []string{"/credentialSubject/achievement/name"},
		Mandatory: []string{"/issuer", "/validFrom"},
	}
	from := d.instant(2025)
	finish(c, obj("@context", strs(credentialsV2, openBadges), "id", d.uuid(), "type", strs(c.Types...),
		"issuer", issuer, "validFrom", from, "name", "Degree of "+d.field), subject)
	return c
}

// synthetic is a credential whose subject has n pieces of evidence without an id, defined by @vocab: 4n+3
// quads, n blank nodes. A quarter of the pieces is disclosed.
func synthetic(n int) *generator {
	name := fmt.Sprintf("synth-bn-%d", n)
	return &generator{name: name, base: name, shape: shape{evidence: float64(n)}, draw: drawSynthetic,
		about: fmt.Sprintf("the study's synthetic credential: %d pieces of evidence without an id", n)}
}

func drawSynthetic(d *drawer, s *shape) *schemas.Credential {
	c := &schemas.Credential{Types: []string{"VerifiableCredential"}, Issuer: d.person(),
		Mandatory: []string{"/issuer"}}
	n := int(s.evidence)
	for k := range max(1, n/4) {
		c.Disclose = append(c.Disclose, fmt.Sprintf("/credentialSubject/evidence/%d", k))
	}
	context := obj(
		"@version", decimal("1.1"),
		"id", "@id",
		"type", "@type",
		"@vocab", vocabulary,
		"VerifiableCredential", vcVocabulary+"VerifiableCredential",
		"issuer", obj("@id", vcVocabulary+"issuer", "@type", "@id"),
		"credentialSubject", vcVocabulary+"credentialSubject")
	finish(c, obj("@context", array{context}, "id", d.uuid(), "type", c.Types[0], "issuer", c.Issuer), obj(
		"id", d.person(),
		"evidence", list(n, func(k int) object {
			return obj("type", "Evidence", "narrative", "evidence item "+d.digits(4), "weight", fmt.Sprint(k))
		})))
	return c
}
