package catalogue

import (
	"fmt"

	"canonscope/schemas"
)

var elmAxes = []string{"achievements", "languages", "language-maps", "embedded-bytes", "depth", "contexts",
	"unused-terms"}

func elm(name, about string, s shape) *generator {
	s.blank = -1
	return &generator{name: name, base: name, about: about, shape: s, axes: elmAxes, draw: drawELM}
}

func elmSmall() *generator {
	return elm("elm-small", "ELM 3.1, small: one claim, 2 languages", shape{achievements: 1, languages: 2,
		maps: 2})
}

func elmMedium() *generator {
	return elm("elm-medium", "ELM 3.1, medium: two images", shape{achievements: 1, languages: 1,
		outcomes: 4, embedded: 42_000, full: true})
}

func elmLarge() *generator {
	return elm("elm-large", "ELM 3.1, large: transcript, 3 languages", shape{achievements: 4, parts: 2,
		depth: 1, languages: 3, outcomes: 12, maps: 12, full: true, terse: true})
}

// elmVCDM2 is the negative case: the ELM context redefines description, which VCDM v2 protects, so it needs
// VCDM 1.1.
func elmVCDM2() *generator {
	g := elmSmall()
	g.name, g.about = "elm-vcdm2", "refused: ELM redefines a term of VCDM v2"
	g.base, g.shape.vcdm2 = g.name, true
	return g
}

// EU vocabularies: the namespace of concepts.
const (
	euAuthority = "http://publications.europa.eu/resource/authority/"
	euSNB       = "http://data.europa.eu/snb/"
)

// learning draws the parts of an ELM credential. Every node has an id. A node that several refer to is
// written out each time, as issuing services do; a terse shape has only its required members after the
// first time.
type learning struct {
	*drawer
	*shape
	place object
	body  object // the awarding body
	seen  map[string]bool
}

func drawELM(d *drawer, s *shape) *schemas.Credential {
	l := &learning{drawer: d, shape: s, seen: map[string]bool{}}
	l.place = obj("id", d.uuid(), "type", "Location", "address", obj("id", d.uuid(), "type", "Address",
		"countryCode", l.concept(euAuthority+"country", "ZZZ", "Nowhere")))
	l.body = l.organisation()
	if s.full {
		l.body = l.detailed(l.body)
	}

	c := &schemas.Credential{
		Types: []string{"VerifiableCredential", "VerifiableAttestation", "EuropeanDigitalCredential"},
		Disclose: []string{"/credentialSubject/id", "/credentialSubject/hasClaim/0/title/en",
			"/credentialSubject/hasClaim/0/awardedBy/awardingDate"},
		Mandatory: []string{"/issuer", "/validFrom"},
	}

	from := d.instant(2025)
	model := credentialsV1
	if s.vcdm2 {
		model = credentialsV2
	}

	issuer := l.organisation()
	c.Issuer = issuer[0].value.(string)

	doc := obj(
		// The proof terms come from the Data Integrity context, since VCDM 1.1 has none for
		// DataIntegrityProof.
		"@context", append(array{model, elmEDC, dataIntegrity2,
			obj("VerifiableAttestation", vocabulary+"VerifiableAttestation")}, s.extra()...),
		"id", d.uuid(),
		"type", strs(c.Types...),
		"credentialProfiles", l.concept(euSNB+"credential", "e34929035b", "Generic"),
		"displayParameter", l.display(),
		"credentialSchema", obj("id", euSNB+"model/ap/edc-generic-full", "type", "ShaclValidator2017"),
		"issuer", issuer,
		"issuanceDate", from,
		"issued", from,
		"validFrom", from,
	)

	if s.full {
		doc = append(doc, obj("expirationDate", d.instant(2035),
			"identifier", l.identifier("Certificate number"))...)
	}

	var contact any
	if s.terse { // the one blank node
		contact = obj("type", "ContactPoint", "emailAddress",
			obj("id", "mailto:learner"+d.digits(5)+"@"+d.host, "type", "Mailbox"))
	}

	finish(c, doc, obj(
		"id", d.person(),
		"type", "Person",
		"fullName", obj("en", "Learner "+d.digits(5)),
		"contactPoint", contact,
		"hasClaim", list(int(s.achievements), func(i int) object { return l.achievement(i, int(s.depth)) }),
	))

	return c
}

// text is a language map in the languages of the shape.
func (l *learning) text(in func(language) string) object {
	o := make(object, int(l.languages))
	for i := range o {
		o[i] = member{languages[i].tag, in(languages[i])}
	}
	return o
}

// numbered is a text with a number, the same in each language.
func (l *learning) numbered(in func(language) string) object {
	n := l.digits(5)
	return l.text(func(g language) string { return in(g) + " " + n })
}

func outcome(g language) string  { return g.outcome }
func module(g language) string   { return g.module }
func exam(g language) string     { return g.exam }
func sentence(g language) string { return g.sentence }

// concept is a term of a controlled vocabulary; its label may be empty.
func (l *learning) concept(scheme, code, label string) object {
	id := scheme + "/" + code
	o := obj("id", id, "type", "Concept")
	if l.terse && l.seen[id] {
		return o
	}
	l.seen[id] = true
	o = append(o, member{"inScheme", obj("id", scheme, "type", "ConceptScheme")})
	if label != "" && l.full {
		o = append(o, member{"prefLabel", l.text(func(language) string { return label })})
	}
	return o
}

func (l *learning) language(i int) object {
	return l.concept(euAuthority+"language", languages[i].authority, languages[i].tag)
}

func (l *learning) identifier(scheme string) object {
	o := obj("id", l.uuid(), "type", "Identifier", "schemeName", scheme, "notation", l.code(10))
	if l.terse {
		o = append(o, obj("schemeVersion", "3."+l.digits(1), "dateIssued", l.instant(2024))...)
	}
	return o
}

func (l *learning) legal() object {
	return obj("id", l.uuid(), "type", "LegalIdentifier", "notation", l.digits(8),
		"spatial", l.concept(euAuthority+"country", "ZZZ", "Nowhere"))
}

func (l *learning) organisation() object {
	return obj("id", l.uuid(), "type", "Organisation",
		"legalName", l.text(func(language) string { return "University of " + l.town }),
		"location", l.place,
		"eIDASIdentifier", l.legal())
}

// detailed adds the optional members of an organisation.
func (l *learning) detailed(o object) object {
	return append(o, obj(
		"altLabel", l.text(func(language) string { return "U " + l.town }),
		"identifier", l.identifier("Register of universities"),
		"registration", l.legal(),
		"vatIdentifier", l.legal(),
		"homepage", l.page(),
		"groupMemberOf", obj("id", l.uuid(), "type", "Group",
			"prefLabel", l.text(func(language) string { return "Alliance of " + l.town }),
			"contactPoint", obj("id", l.uuid(), "type", "ContactPoint",
				"emailAddress", obj("id", "mailto:office@"+l.host, "type", "Mailbox"))))...)
}

// awarding is the awarding body for a node that refers to it.
func (l *learning) awarding() object {
	if l.terse && l.seen["body"] {
		return l.body[:4] // what the JSON Schema requires
	}
	l.seen["body"] = true
	return l.body
}

func (l *learning) page() object {
	return obj("id", l.uuid(), "type", "WebResource",
		"contentURL", "https://"+l.host+"/documents/"+l.digits(5))
}

// picture is an image as base64.
func (l *learning) picture() object {
	return obj("id", l.uuid(), "type", "MediaObject",
		"content", l.file(l.embedded),
		"contentEncoding", l.concept(euSNB+"encoding", "6146cde7dd", "base64"),
		"contentType", l.concept(euAuthority+"file-type", "JPEG", "JPEG"))
}

func (l *learning) display() object {
	pages := 1
	if l.full {
		pages = 2
	}
	return obj("id", l.uuid(), "type", "DisplayParameter",
		"title", l.numbered(func(g language) string { return g.programme }),
		"primaryLanguage", l.language(0),
		"language", list(int(l.languages), l.language),
		"individualDisplay", obj("id", l.uuid(), "type", "IndividualDisplay",
			"language", l.language(0),
			"displayDetail", list(pages, func(i int) object {
				return obj("id", l.uuid(), "type", "DisplayDetail", "image", l.picture(), "page", i+1)
			})))
}

// awarded is an awarding process with its body written out.
func (l *learning) awarded() object {
	return obj("id", l.uuid(), "type", "AwardingProcess", "awardingBody", l.awarding(),
		"awardingDate", l.instant(2024))
}

// achievement draws achievement i with depth levels of parts.
func (l *learning) achievement(i, depth int) object {
	o := obj("id", l.uuid(), "type", "LearningAchievement",
		"title", l.numbered(module),
		"additionalNote", list(spread(l.maps/l.achievements, i),
			func(int) object { return l.note(sentence) }),
		"awardedBy", l.awarded())
	if !l.full {
		return o
	}
	o = append(o, obj(
		"description", l.text(sentence),
		"identifier", l.identifier("Course code"),
		"supplementaryDocument", list(int(l.languages), func(int) object { return l.page() }),
		"creditReceived", l.credit(),
		"provenBy", l.assessment(),
		"influencedBy", l.activity(),
		"specifiedBy", l.specification())...)
	if depth > 0 {
		o = append(o, obj(
			"hasPart", list(max(1, int(l.parts)), func(int) object { return l.achievement(0, depth-1) }))...)
	}
	return o
}

func (l *learning) note(in func(language) string) object {
	return obj("id", l.uuid(), "type", "Note", "noteLiteral", l.numbered(in))
}

func (l *learning) credit() object {
	return obj("id", l.uuid(), "type", "CreditPoint",
		"framework", l.concept(euSNB+"education-credit", "6fcec5c5af", "European Credit Transfer System"),
		"point", l.digits(2))
}

func (l *learning) assessment() object {
	return obj("id", l.uuid(), "type", "LearningAssessment",
		"title", l.numbered(exam),
		"identifier", l.identifier("Examination"),
		"dateIssued", l.instant(2024),
		"grade", obj("id", l.uuid(), "type", "Note",
			"noteLiteral", l.text(func(g language) string { return g.passed })),
		"shortenedGrading", obj("id", l.uuid(), "type", "ShortenedGrading",
			"percentageLower", 10+l.IntN(40), "percentageEqual", 10+l.IntN(10),
			"percentageHigher", 10+l.IntN(40)),
		"assessedBy", l.awarding(),
		"idVerification", l.concept(euSNB+"supervision-verification", "c598449d64",
			"Supervised with identity check"),
		"awardedBy", l.awarded(),
		"specifiedBy", obj("id", l.uuid(), "type", "LearningAssessmentSpecification",
			"title", l.numbered(exam),
			"mode", l.concept(euSNB+"learning-assessment", "920fbb3cbe", "Online"),
			"language", l.language(0),
			"gradingScheme", obj("id", l.uuid(), "type", "GradingScheme", "title",
				l.text(func(g language) string { return g.passed }), "description", l.text(sentence))))
}

func (l *learning) activity() object {
	return obj("id", l.uuid(), "type", "LearningActivity",
		"title", l.numbered(module),
		"temporal", obj("id", l.uuid(), "type", "PeriodOfTime", "startDate", l.instant(2023),
			"endDate", l.instant(2024)),
		"directedBy", l.awarding(),
		"workload", "PT"+l.digits(2)+"H",
		"awardedBy", l.awarded(),
		"specifiedBy", obj("id", l.uuid(), "type", "LearningActivitySpecification",
			"title", l.numbered(module),
			"mode", l.concept(euSNB+"learning-assessment", "e92d221e4d", "Blended"),
			"volumeOfLearning", "PT"+l.digits(3)+"H",
			"language", l.language(0),
			"dcType", l.concept(euSNB+"learning-activity", "bf2e3a7bae", "Coursework")))
}

func (l *learning) specification() object {
	return obj("id", l.uuid(), "type", "Qualification",
		"title", l.numbered(func(g language) string { return g.programme }),
		"eqfLevel", l.concept(euSNB+"eqf", "6", "Level 6"),
		"thematicArea", array{l.concept(euSNB+"isced-f", "0688", "Programmes across fields"),
			l.concept(euSNB+"isced-f", "003", "Personal skills")},
		"creditPoint", l.credit(),
		"language", l.language(0),
		"learningOutcome", list(int(l.outcomes), func(int) object {
			code := l.code(12)
			return obj("id", l.uuid(), "type", "LearningOutcome",
				"title", l.numbered(outcome),
				"identifier", l.identifier("Outcome"),
				"reusabilityLevel", l.concept(euSNB+"skill-reusability", "3", "Specific to a sector"),
				"relatedESCOSkill", l.concept("http://data.europa.eu/esco/skill", code,
					fmt.Sprintf("Skill %s", code)))
		}))
}
