package catalogue

import "canonscope/schemas"

var badgeAxes = []string{"results", "result-descriptions", "rubric-levels", "alignments", "endorsements",
	"evidence", "tags", "languages", "embedded-bytes", "non-ascii", "blank", "identical", "depth", "contexts",
	"unused-terms", "scoping", "nested-contexts", "proofs"}

// complete is the shape of the complete example of Open Badges 3.0 (section A.2).
var complete = shape{results: 3, resultDescriptions: 3, rubricLevels: 2, alignments: 2, endorsements: 5,
	evidence: 2, tags: 2, depth: 1, languages: 1, blank: -1, profile: 2, identities: 2, prose: 1, full: true,
	aligned: true, lists: true, criteriaID: true, graded: true, pictured: true, services: true}

func ob(name, about string, s shape) *generator {
	return &generator{name: name, base: name, about: about, shape: s, axes: badgeAxes, draw: drawBadge}
}

// ob3 and obLarge are two names of one shape: ob3 is the name in campaigns, obLarge the name among the
// sizes.
func ob3() *generator {
	return ob("ob3", "Open Badges 3.0, the complete example", complete)
}

func obLarge() *generator {
	return ob("ob-large", "Open Badges 3.0, large: as ob3", complete)
}

func obSmall() *generator {
	return ob("ob-small", "Open Badges 3.0, small: criteria alone", shape{languages: 1, blank: -1, prose: 1})
}

func obMedium() *generator {
	return ob("ob-medium", "Open Badges 3.0, medium: results, a rubric",
		shape{results: 5, resultDescriptions: 3, rubricLevels: 3, alignments: 3, evidence: 1, tags: 3,
			languages: 1, blank: -1, profile: 1, identities: 2, prose: 1, lists: true, plain: true,
			graded: true, pictured: true, services: true})
}

func drawBadge(d *drawer, s *shape) *schemas.Credential {
	b := newBadge(d, s)
	c := &schemas.Credential{
		Types:  []string{"VerifiableCredential", "OpenBadgeCredential"},
		Issuer: b.issuer,
		Disclose: []string{"/credentialSubject/id", "/credentialSubject/achievement/name",
			"/credentialSubject/achievement/criteria"},
		Mandatory: []string{"/issuer", "/validFrom"},
	}

	from := d.instant(2025)
	if s.results >= 1 {
		c.Disclose = append(c.Disclose, "/credentialSubject/result/0")
	}

	// Endorsements are distributed in turn: creator, achievement, credential, issuer, creator again.
	var creator, achievement, credential, issuer int
	for e := range int(s.endorsements) {
		switch {
		case s.profile == 2 && (e%5 == 0 || e%5 == 4):
			creator++
		case s.profile == 2 && e%5 == 3:
			issuer++
		case e%5%2 == 1:
			achievement++
		default:
			credential++
		}
	}

	id := d.url("credentials")
	doc := obj("@context", append(b.contextURLs(credentialsV2), s.extra()...), "id", id,
		"type", strs(c.Types...), "name", "Degree of "+d.field+" awarded at "+d.town)
	if s.full {
		doc = append(doc, member{"description", d.sentence()})
	}

	switch {
	case s.embedded > 0:
		doc = append(doc, member{"image", obj("id", "data:image/png;base64,"+d.file(s.embedded),
			"type", "Image")})
	case s.full:
		doc = append(doc, member{"image", b.image("credentials", "Certificate of "+d.field)})
	}

	doc = append(doc, obj(
		"endorsement", list(credential, func(int) object { return b.endorsement(b.issuer) }),
		"evidence", list(int(s.evidence), b.evidenceOf),
		"issuer", b.institution(issuer),
		"validFrom", from)...)

	if s.full {
		doc = append(doc, member{"validUntil", d.instant(2035)})
	}
	if s.services {
		doc = withServices(append(doc, member{"credentialSchema", array{schemaRef(achievementSchema)}}), id)
	}

	finish(c, doc, b.subject(0, b.achievement(0, achievement, creator)))
	return c
}
