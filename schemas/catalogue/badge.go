package catalogue

import (
	"fmt"

	"canonscope/schemas/contexts"
)

const (
	achievementSchema = "https://purl.imsglobal.org/spec/ob/v3p0/schema/json/ob_v3p0_achievementcredential_schema.json"
	endorsementSchema = "https://purl.imsglobal.org/spec/ob/v3p0/schema/json/ob_v3p0_endorsementcredential_schema.json"
)

// badge draws the parts of Open Badges credentials. Values that several parts refer to are drawn once.
type badge struct {
	*drawer
	*shape
	issuer  string // id of the awarding institution
	agency  string // id of the endorsing agency
	learner string

	// Parts of the institution and the learner that every credential repeats.
	seal, address object
	phone, about  string
	parent        any
	identities    []object
}

func newBadge(d *drawer, s *shape) *badge {
	b := &badge{drawer: d, shape: s, issuer: d.url("issuers"),
		agency: "https://agency.example/issuers/" + d.digits(6), learner: d.person()}
	b.seal = b.image("brand", "Seal of the university")
	b.parent = b.parents(int(s.depth))
	b.address = obj("type", b.types("Address"),
		"addressCountry", "Nowhere",
		"addressCountryCode", "ZZ",
		"addressRegion", "North Shore",
		"addressLocality", b.town,
		"streetAddress", b.digits(2)+" Harbour Road")
	if s.profile == 2 {
		b.phone, b.about = "+00 555 "+b.digits(6), b.sentence()
		b.address = append(b.address, obj("postOfficeBoxNumber", b.digits(3), "postalCode", b.digits(5))...)
	}
	for range s.identities {
		b.identities = append(b.identities, obj("type", "IdentityObject", "hashed", false,
			"identityHash", "learner"+b.digits(6)+"@"+b.host, "identityType", "emailAddress",
			"salt", "not-used"))
	}
	return b
}

// types is the value of a type property: an array, or a string in a plain shape.
func (b *badge) types(name string) any {
	if b.plain {
		return name
	}
	return strs(name)
}

// contextURLs of an Open Badges credential.
func (b *badge) contextURLs(first ...string) array {
	urls := append(strs(first...), contexts.Scoping(contexts.Scopings[b.scoping]))
	if b.services || b.endorsements > 0 {
		urls = append(urls, openBadgesExts)
	}
	return urls
}

// nestedContexts is the @context of a credential inside another.
func (b *badge) nestedContexts() any {
	switch b.nested {
	case 1:
		return nil
	case 2:
		return append(b.contextURLs(credentialsV2),
			obj("nestedNote", "https://vocab.example/terms#nestedNote"))
	}
	return b.contextURLs(credentialsV2)
}

func schemaRef(id string) object { return obj("id", id, "type", "1EdTechJsonSchemaValidator2019") }

// withServices adds the status and refresh services of a credential.
func withServices(o object, id string) object {
	return append(o, obj(
		"credentialStatus", obj("id", id+"/revocations", "type", "1EdTechRevocationList"),
		"refreshService", obj("id", id+"/refresh", "type", "1EdTechCredentialRefresh"))...)
}

// achieved is one achievement and the parts that its results refer to.
type achieved struct {
	id        string
	described []description
	node      object
}

type description struct {
	id, kind string
	levels   []string
}

// subject draws the subject of achievement i.
func (b *badge) subject(i int, a achieved) object {
	o := obj("id", b.learner, "type", b.types("AchievementSubject"))
	if b.full {
		o = append(o, obj(
			"activityStartDate", b.instant(2023),
			"activityEndDate", b.instant(2024),
			"creditsEarned", 30+b.IntN(60),
			"licenseNumber", "L-"+b.digits(7),
			"role", "Member of the project team",
			"source", obj("id", b.url("schools"), "type", b.types("Profile"), "name", "School of "+b.field),
			"term", pick(b.drawer, terms))...)
	}
	o = append(o, obj("identifier",
		b.siblings(b.shape.identities, func(k int) object { return b.withID(b.identities[k]) }))...)
	if b.full {
		o = append(o, obj("image", b.image("credentials", "Certificate of "+b.field),
			"narrative", b.sentences(2))...)
	}
	o = append(o, member{"achievement", a.node})
	return append(o, obj(
		"result", list(spread(b.results, i), func(k int) object { return b.result(k, a) }))...)
}

var grades = []string{"A", "B", "C", "D"}

// result draws result k of an achievement; it refers to the descriptions in turn.
func (b *badge) result(k int, a achieved) object {
	o := obj("type", b.types("Result"))
	if len(a.described) == 0 {
		return b.withID(append(o, member{"value", pick(b.drawer, grades)}))
	}
	r := a.described[k%len(a.described)]
	switch r.kind {
	case "RubricCriterionLevel":
		o = append(o, member{"achievedLevel", r.levels[0]})
	case "Status":
		o = append(o, member{"status", "Completed"})
	default:
		o = append(o, member{"value", pick(b.drawer, grades)})
	}
	if b.aligned && r.kind != "Status" {
		o = append(o, member{"alignment", array{b.alignment("CFItem")}})
	}
	return b.withID(append(o, member{"resultDescription", r.id}))
}

// achievement draws achievement i of its credential with e endorsements, and c endorsements of its creator
// if the profile is full.
func (b *badge) achievement(i, e, c int) achieved {
	a := achieved{id: b.url("achievements")}
	for k := range spread(b.resultDescriptions, i) {
		r := description{id: b.uuid(), kind: "LetterGrade"}
		switch {
		case k%3 == 1 && b.rubricLevels >= 1:
			r.kind = "RubricCriterionLevel"
			for range int(b.rubricLevels) {
				r.levels = append(r.levels, b.uuid())
			}
		case k%3 == 2:
			r.kind = "Status"
		}
		a.described = append(a.described, r)
	}

	kind := "Course"
	if i == 0 {
		kind = "Degree"
	}

	o := obj("id", a.id, "type", b.types("Achievement"),
		"alignment", b.siblings(spread(b.alignments, i),
			func(k int) object { return b.alignment([]string{"CFItem", "CTDL"}[k%2]) }), "achievementType",
		kind)

	switch {
	case b.profile == 2:
		o = append(o, member{"creator", b.institution(c)})
	case b.profile == 1:
		o = append(o, member{"creator", obj("id", b.issuer, "type", b.types("Profile"))})
	}

	if b.full {
		o = append(o, member{"creditsAvailable", 90 + b.IntN(10)})
	}

	o = append(o, obj(
		"criteria", b.criteria(a.id),
		"description", b.sentences(b.prose),
		"endorsement", list(e, func(int) object { return b.endorsement(a.id) }))...)

	if b.graded {
		o = append(o, obj("fieldOfStudy", b.drawer.field, "humanCode", "R"+b.digits(3))...)
	}
	if b.pictured {
		o = append(o, member{"image", b.image("achievements", "Degree of "+b.field)})
	}

	o = append(o, member{"name", "Degree of " + b.field})
	if b.full {
		o = append(o, member{"otherIdentifier", array{b.identifier("identifier")}})
	}

	o = append(o, obj(
		"related", list(int(b.languages)-1, func(k int) object { return b.related(a.id, k+1) }),
		"resultDescription", list(len(a.described),
			func(k int) object { return b.describe(a.described[k]) }))...)

	if b.full {
		o = append(o, member{"specialization", "Research in " + b.field})
	}

	a.node = append(o, obj("tag",
		list(spread(b.tags, i), func(k int) string { return fmt.Sprintf("%s %02d", b.phrase(), k+1) }))...)
	return a
}

func (b *badge) criteria(achievement string) object {
	if b.criteriaID {
		return obj("id", achievement+"/criteria", "narrative", "# Requirements\n\n"+b.sentences(b.prose))
	}
	return b.node("narrative", b.sentences(b.prose))
}

// related refers to the achievement in another language.
func (b *badge) related(id string, k int) object {
	return obj("id", id+"/"+languages[k].tag, "type", b.types("Related"), "inLanguage", languages[k].tag)
}

func (b *badge) describe(r description) object {
	o := obj("id", r.id, "type", b.types("ResultDescription"))
	if r.kind == "Status" {
		return append(o, obj("name", "Status of the project", "resultType", r.kind)...)
	}
	if b.aligned {
		o = append(o, member{"alignment", array{b.alignment("CFItem")}})
	}
	if r.kind == "RubricCriterionLevel" {
		if b.lists {
			o = append(o, member{"allowedValue", strs("4", "3", "2", "1")})
		}
		return append(o, obj(
			"name", "Level of the final project",
			"requiredLevel", r.levels[len(r.levels)-1],
			"resultType", r.kind,
			"rubricCriterionLevel",
			list(len(r.levels), func(k int) object { return b.level(r.levels[k], k) }))...)
	}
	if b.lists {
		o = append(o, member{"allowedValue", strs("D", "C", "B", "A")})
	}
	return append(o, obj("name", "Grade of the final project", "requiredValue", "C", "resultType", r.kind)...)
}

func (b *badge) level(id string, k int) object {
	name := fmt.Sprintf("Level %02d", k+1)
	o := obj("id", id, "type", b.types("RubricCriterionLevel"))
	if b.aligned {
		o = append(o, member{"alignment", array{b.alignment("CFRubricCriterionLevel")}})
	}
	return append(o, obj("description", b.sentence(), "level", name, "name", name,
		"points", fmt.Sprint(k+1))...)
}

func (b *badge) alignment(kind string) object {
	code := b.digits(6)
	return b.node("type", b.types("Alignment"),
		"targetCode", code,
		"targetDescription", b.sentence(),
		"targetName", "Module on "+b.phrase(),
		"targetFramework", "Catalogue of programmes and courses at "+b.town,
		"targetType", kind,
		"targetUrl", "https://"+b.host+"/catalogue/modules/"+code)
}

// evidenceOf draws evidence k; the first has a narrative.
func (b *badge) evidenceOf(k int) object {
	o := obj("id", b.url("evidence"), "type", b.types("Evidence"), "name", "Report on "+b.phrase(),
		"description", b.sentence())
	if k == 0 {
		o = append(o, member{"narrative", "# Report\n\n" + b.sentence()})
	}
	return append(o, obj("genre", "Research", "audience", "Department")...)
}

func (b *badge) identifier(kind string) object {
	return b.node("type", "IdentifierEntry", "identifier", b.digits(8), "identifierType", kind)
}

func (b *badge) image(path, caption string) object {
	return obj("id", b.url(path)+"/image.png", "type", "Image", "caption", caption)
}

// institution is the profile of the awarding institution, in the detail that the shape has.
func (b *badge) institution(endorsements int) object {
	o := obj("id", b.issuer, "type", b.types("Profile"), "name", "University of "+b.town)
	if b.profile == 0 {
		return o
	}
	o = append(o, member{"url", "https://" + b.host})
	if b.profile == 2 {
		o = append(o, obj(
			"phone", b.phone,
			"description", b.about,
			"endorsement", list(endorsements, func(int) object { return b.endorsement(b.issuer) }),
			"image", b.seal,
			"email", "registrar@"+b.host)...)
	}
	address := b.address
	if b.profile == 2 {
		address = append(address[:len(address):len(address)],
			member{"geo", b.node("type", "GeoCoordinates", "latitude", 10+b.IntN(80),
				"longitude", 10+b.IntN(80))})
	}
	o = append(o, member{"address", b.withID(address)})
	if b.profile == 2 {
		o = append(o, obj(
			"otherIdentifier", array{b.identifier("sourcedId"), b.identifier("nationalIdentityNumber")},
			"official", "Office of the Registrar")...)
	}
	return append(o, obj("parentOrg", b.parent)...)
}

// parents is a chain of n parent organisations, or nil.
func (b *badge) parents(n int) any {
	if n == 0 {
		return nil
	}
	return obj("id", "did:example:"+b.digits(9), "type", b.types("Profile"), "name", "Union of Universities",
		"parentOrg", b.parents(n-1))
}

// endorsement is a verifiable credential of the agency about an id.
func (b *badge) endorsement(about string) object {
	b.urls++
	number := fmt.Sprintf("%s%05d", b.digits(3), b.urls) // comments must differ
	id := "https://agency.example/endorsements/" + number
	o := withServices(obj(
		"@context", b.nestedContexts(),
		"id", id,
		"type", strs("VerifiableCredential", "EndorsementCredential"),
		"name", "Endorsement by the agency",
		"issuer", obj("id", b.agency, "type", b.types("Profile"),
			"name", "Agency for Quality in Higher Education"),
		"validFrom", b.instant(2024),
		"validUntil", b.instant(2034),
		"credentialSubject", obj("id", about, "type", b.types("EndorsementSubject"),
			"endorsementComment", b.sentence()+" ("+number+")"),
		"credentialSchema", array{schemaRef(endorsementSchema),
			schemaRef("https://agency.example/schemas/endorsement.json")},
	), id)
	return append(o, obj("proof", b.proof(b.agency))...)
}

// proof has the form of an eddsa-rdfc-2022 proof; its value is random and does not verify. It is nil if
// proofs are removed.
func (b *badge) proof(controller string) any {
	if b.proofs == 1 {
		return nil
	}
	return array{b.node("type", "DataIntegrityProof",
		"cryptosuite", "eddsa-rdfc-2022",
		"created", b.instant(2024),
		"verificationMethod", controller+"#"+b.base58(48),
		"proofPurpose", "assertionMethod",
		"proofValue", b.base58(89))}
}
