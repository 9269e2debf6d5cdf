package catalogue

import (
	"fmt"

	"canonscope/schemas"
)

// ob3 is an Open Badges 3.0 AchievementCredential of the shape of the complete example of the specification (section
// A.2): results with result descriptions and rubric levels, alignments, evidence, and endorsements that are verifiable
// credentials with a proof.
func ob3() *generator {
	return &generator{"ob3", "Open Badges 3.0 of the shape of the specification's complete example: 3 results, 5 endorsements with proofs",
		func(d *drawer) *schemas.Credential {
			b := newBadge(d)
			c := &schemas.Credential{
				Types:     []string{"VerifiableCredential", "OpenBadgeCredential"},
				Issuer:    b.issuer,
				ValidFrom: d.instant(2025),
				Disclose: []string{
					"/credentialSubject/id", "/credentialSubject/achievement/name", "/credentialSubject/achievement/criteria",
					"/credentialSubject/result/0",
				},
				Mandatory: []string{"/issuer", "/validFrom"},
			}
			id := d.url("credentials")
			doc := obj(
				"@context", badgeContexts(),
				"id", id,
				"type", strs(c.Types...),
				"name", "Degree of "+d.field+" awarded at "+d.town,
				"description", d.sentence(),
				"image", b.image("credentials", "Certificate of "+d.field),
				"endorsement", array{b.endorsement(b.issuer)},
				"evidence", array{b.evidence(true), b.evidence(false)},
				"issuer", b.institution(1),
				"validFrom", c.ValidFrom,
				"validUntil", d.instant(2035),
				"credentialSchema", array{schemaRef(achievementSchema)},
				"credentialStatus", obj("id", id+"/revocations", "type", "1EdTechRevocationList"),
				"refreshService", obj("id", id+"/refresh", "type", "1EdTechCredentialRefresh"),
			)
			finish(c, doc, b.subject())
			return c
		}}
}

const (
	achievementSchema = "https://purl.imsglobal.org/spec/ob/v3p0/schema/json/ob_v3p0_achievementcredential_schema.json"
	endorsementSchema = "https://purl.imsglobal.org/spec/ob/v3p0/schema/json/ob_v3p0_endorsementcredential_schema.json"
)

func badgeContexts() array { return strs(credentialsV2, openBadges303, openBadgesExts) }

func schemaRef(id string) object { return obj("id", id, "type", "1EdTechJsonSchemaValidator2019") }

// badge draws the parts of one Open Badges credential; what several parts refer to is drawn once.
type badge struct {
	*drawer
	issuer    string // id of the awarding institution
	agency    string // id of the endorsing agency
	described []string
	levels    []string
}

func newBadge(d *drawer) *badge {
	b := &badge{drawer: d, issuer: d.url("issuers"), agency: "https://agency.example/issuers/" + d.digits(6)}
	for range 3 {
		b.described = append(b.described, d.uuid())
	}
	for range 2 {
		b.levels = append(b.levels, d.uuid())
	}
	return b
}

func (b *badge) subject() object {
	return obj(
		"id", "did:example:"+b.from("0123456789abcdef", 32),
		"type", strs("AchievementSubject"),
		"activityStartDate", b.instant(2023),
		"activityEndDate", b.instant(2024),
		"creditsEarned", 30+b.IntN(60),
		"licenseNumber", "L-"+b.digits(7),
		"role", "Member of the project team",
		"source", obj("id", b.url("schools"), "type", strs("Profile"), "name", "School of "+b.field),
		"term", pick(b.drawer, terms),
		"identifier", array{b.identity(), b.identity()},
		"image", b.image("credentials", "Certificate of "+b.field),
		"narrative", b.sentence()+" "+b.sentence(),
		"achievement", b.achievement(),
		"result", array{
			b.result(0, "value", pick(b.drawer, grades), true),
			b.result(1, "achievedLevel", b.levels[0], true),
			b.result(2, "status", "Completed", false),
		},
	)
}

var grades = []string{"A", "B", "C", "D"}

func (b *badge) result(described int, key, value string, aligned bool) object {
	var alignment any
	if aligned {
		alignment = array{b.alignment("CFItem")}
	}
	return obj("type", strs("Result"), key, value, "alignment", alignment, "resultDescription", b.described[described])
}

func (b *badge) achievement() object {
	id := b.url("achievements")
	return obj(
		"id", id,
		"type", strs("Achievement"),
		"alignment", array{b.alignment("CFItem"), b.alignment("CTDL")},
		"achievementType", "Degree",
		"creator", b.institution(2),
		"creditsAvailable", 90+b.IntN(10),
		"criteria", obj("id", id+"/criteria", "narrative", "# Requirements\n\n"+b.sentence()+" "+b.sentence()),
		"description", b.sentence(),
		"endorsement", array{b.endorsement(id)},
		"fieldOfStudy", b.field,
		"humanCode", "R"+b.digits(3),
		"image", b.image("achievements", "Degree of "+b.field),
		"name", "Degree of "+b.field,
		"otherIdentifier", array{b.identifier("identifier")},
		"resultDescription", array{b.gradeDescription(), b.rubricDescription(), b.statusDescription()},
		"specialization", "Research in "+b.field,
		"tag", strs(b.phrase(), b.phrase()),
	)
}

func (b *badge) gradeDescription() object {
	return obj("id", b.described[0], "type", strs("ResultDescription"),
		"alignment", array{b.alignment("CFItem")},
		"allowedValue", strs("D", "C", "B", "A"),
		"name", "Grade of the final project",
		"requiredValue", "C",
		"resultType", "LetterGrade")
}

func (b *badge) rubricDescription() object {
	return obj("id", b.described[1], "type", strs("ResultDescription"),
		"alignment", array{b.alignment("CFItem")},
		"allowedValue", strs("4", "3", "2", "1"),
		"name", "Level of the final project",
		"requiredLevel", b.levels[1],
		"resultType", "RubricCriterionLevel",
		"rubricCriterionLevel", array{b.level(0, "Mastered", "4"), b.level(1, "Advanced", "3")})
}

func (b *badge) statusDescription() object {
	return obj("id", b.described[2], "type", strs("ResultDescription"), "name", "Status of the project", "resultType", "Status")
}

func (b *badge) level(i int, name, points string) object {
	return obj("id", b.levels[i], "type", strs("RubricCriterionLevel"),
		"alignment", array{b.alignment("CFRubricCriterionLevel")},
		"description", b.sentence(),
		"level", name,
		"name", name,
		"points", points)
}

func (b *badge) alignment(kind string) object {
	code := b.digits(6)
	return obj("type", strs("Alignment"),
		"targetCode", code,
		"targetDescription", b.sentence(),
		"targetName", "Module on "+b.phrase(),
		"targetFramework", "Catalogue of programmes and courses at "+b.town,
		"targetType", kind,
		"targetUrl", "https://"+b.host+"/catalogue/modules/"+code)
}

func (b *badge) evidence(narrative bool) object {
	var text any
	if narrative {
		text = "# Report\n\n" + b.sentence()
	}
	return obj("id", b.url("evidence"), "type", strs("Evidence"),
		"name", "Report on "+b.phrase(),
		"description", b.sentence(),
		"narrative", text,
		"genre", "Research",
		"audience", "Department")
}

func (b *badge) identity() object {
	return obj("type", "IdentityObject", "hashed", false, "identityHash", "learner"+b.digits(6)+"@"+b.host,
		"identityType", "emailAddress", "salt", "not-used")
}

func (b *badge) identifier(kind string) object {
	return obj("type", "IdentifierEntry", "identifier", b.digits(8), "identifierType", kind)
}

func (b *badge) image(path, caption string) object {
	return obj("id", b.url(path)+"/image.png", "type", "Image", "caption", caption)
}

// institution is the profile of the awarding institution.
func (b *badge) institution(endorsements int) object {
	return obj(
		"id", b.issuer,
		"type", strs("Profile"),
		"name", "University of "+b.town,
		"url", "https://"+b.host,
		"phone", "+00 555 "+b.digits(6),
		"description", b.sentence(),
		"endorsement", list(endorsements, func(int) object { return b.endorsement(b.issuer) }),
		"image", b.image("brand", "Seal of the university"),
		"email", "registrar@"+b.host,
		"address", obj("type", strs("Address"),
			"addressCountry", "Nowhere",
			"addressCountryCode", "ZZ",
			"addressRegion", "North Shore",
			"addressLocality", b.town,
			"streetAddress", b.digits(2)+" Harbour Road",
			"postOfficeBoxNumber", b.digits(3),
			"postalCode", b.digits(5),
			"geo", obj("type", "GeoCoordinates", "latitude", 10+b.IntN(80), "longitude", 10+b.IntN(80))),
		"otherIdentifier", array{b.identifier("sourcedId"), b.identifier("nationalIdentityNumber")},
		"official", "Office of the Registrar",
		"parentOrg", obj("id", "did:example:"+b.digits(9), "type", strs("Profile"), "name", "Union of Universities"),
	)
}

// endorsement is a verifiable credential of the agency about an id, with its contexts and its proof.
func (b *badge) endorsement(about string) object {
	id := fmt.Sprintf("https://agency.example/endorsements/%s", b.digits(6))
	return obj(
		"@context", badgeContexts(),
		"id", id,
		"type", strs("VerifiableCredential", "EndorsementCredential"),
		"name", "Endorsement by the agency",
		"issuer", obj("id", b.agency, "type", strs("Profile"), "name", "Agency for Quality in Higher Education"),
		"validFrom", b.instant(2024),
		"validUntil", b.instant(2034),
		"credentialSubject", obj("id", about, "type", strs("EndorsementSubject"), "endorsementComment", b.sentence()),
		"credentialSchema", array{schemaRef(endorsementSchema), schemaRef("https://agency.example/schemas/endorsement.json")},
		"credentialStatus", obj("id", id+"/revocations", "type", "1EdTechRevocationList"),
		"refreshService", obj("id", id+"/refresh", "type", "1EdTechCredentialRefresh"),
		"proof", array{b.proof(b.agency)},
	)
}

// proof has the form of an eddsa-rdfc-2022 proof; its value is drawn and verifies nothing.
func (b *badge) proof(controller string) object {
	return obj("type", "DataIntegrityProof",
		"cryptosuite", "eddsa-rdfc-2022",
		"created", b.instant(2024),
		"verificationMethod", controller+"#"+b.base58(48),
		"proofPurpose", "assertionMethod",
		"proofValue", b.base58(89))
}
