package catalogue

import "canonscope/schemas"

const clrSchema = "https://purl.imsglobal.org/spec/clr/v2p0/schema/json/clr_v2p0_clrcredential_schema.json"

func clr(name, about string, s shape) *generator {
	return &generator{name: name, base: name, about: about, shape: s, draw: drawCLR,
		axes: append([]string{"achievements", "associations", "topology"}, badgeAxes...)}
}

func clrSmall() *generator {
	return clr("clr-small", "CLR 2.0, small: 1 nested credential", shape{achievements: 1, associations: 1,
		languages: 1, blank: -1, identities: 1, prose: 1, plain: true, criteriaID: true, services: true,
		listed: true})
}

func clrMedium() *generator {
	return clr("clr-medium", "CLR 2.0, medium: 6 nested credentials", shape{achievements: 6, associations: 5,
		results: 0.2, resultDescriptions: 1, endorsements: 1, languages: 1, blank: -1, profile: 1,
		identities: 1, prose: 7, depth: 1})
}

func clrLarge() *generator {
	return clr("clr-large", "CLR 2.0, large: 62 nested, and a PDF", shape{
		achievements: 62, results: 1.18, resultDescriptions: 2.36, alignments: 0.9, tags: 2,
		languages: 1, blank: -1,
		embedded: 128_000,
		proofs:   1, profile: 1, identities: 2, prose: 1, plain: true, graded: true, pictured: true,
		services: true})
}

func drawCLR(d *drawer, s *shape) *schemas.Credential {
	b := newBadge(d, s)
	c := &schemas.Credential{
		Types:  []string{"VerifiableCredential", "ClrCredential"},
		Issuer: b.issuer,
		Disclose: []string{"/credentialSubject/id",
			"/credentialSubject/verifiableCredential/0/credentialSubject/achievement/name",
			"/credentialSubject/verifiableCredential/0/credentialSubject/achievement/criteria"},
		Mandatory: []string{"/issuer", "/validFrom"},
	}

	from := d.instant(2025)
	n := int(s.achievements)
	var ids []string
	var listed array
	nested := list(n, func(i int) object {
		a := b.achievement(i, endorsementsOf(i, n, int(s.endorsements)), 0)
		ids = append(ids, a.id)
		listed = append(listed, a.node)
		return b.nestedCredential(i, a)
	})

	var achievements any
	if s.listed {
		a := b.achievement(n, 0, 0)
		ids = append(ids, a.id)
		achievements = append(listed, a.node)
	}

	urls := b.contextURLs(credentialsV2, clr201)
	if urls[len(urls)-1] != openBadgesExts {
		urls = append(urls, openBadgesExts) // for the schema's type
	}

	doc := obj(
		"@context", append(urls, s.extra()...),
		"id", d.uuid(),
		"type", strs(c.Types...),
		"name", "Transcript of "+d.field,
		"evidence", b.transcript(),
		"issuer", b.institution(0),
		"validFrom", from,
		"credentialSchema", array{schemaRef(clrSchema)},
	)

	finish(c, doc, obj(
		"id", b.learner,
		"type", b.types("ClrSubject"),
		"association", list(int(s.associations), func(j int) object { return b.association(j, ids) }),
		"verifiableCredential", nested,
		"achievement", achievements,
	))

	return c
}

// endorsementsOf returns the share of achievement i if n achievements get total endorsements in turn.
func endorsementsOf(i, n, total int) int { return total/n + min(1, max(0, total%n-i)) }

// nestedCredential is the credential of achievement i, with its own contexts, institution and proof.
func (b *badge) nestedCredential(i int, a achieved) object {
	o := obj(
		"@context", b.nestedContexts(),
		"id", b.uuid(),
		"type", strs("VerifiableCredential", "AchievementCredential"),
		"name", "Degree of "+b.field,
		"evidence", list(int(b.evidence), b.evidenceOf),
		"issuer", b.institution(0),
		"validFrom", b.instant(2024),
		"credentialSubject", b.subject(i, a),
	)
	if b.services {
		o = append(o, member{"credentialSchema", array{schemaRef(achievementSchema)}})
	}
	return append(o, obj("proof", b.proof(b.issuer))...)
}

// transcript is the evidence that holds the embedded file, or nil.
func (b *badge) transcript() any {
	if b.embedded == 0 {
		return nil
	}
	return array{obj("id", "data:application/pdf;base64,"+b.file(b.shape.embedded),
		"type", b.types("Evidence"), "name", "Transcript as a document")}
}

// association draws association j between two achievements: a child and its parent in a tree of four
// children each, neighbours of a chain, or the next two of the smallest clique. If there are more
// associations than pairs, pairs repeat.
func (b *badge) association(j int, ids []string) object {
	links := max(1, len(ids)-1)
	kind := []string{"isChildOf", "isPeerOf", "precedes"}[j/links%3]
	source := 1 + j%links
	target := (source - 1) / 4
	switch b.topology {
	case 1:
		target = source - 1
	case 2:
		source, target = 1, j%max(1, len(ids)*links/2)
		for target >= source {
			target -= source
			source++
		}
	}
	return b.node("type", "Association", "associationType", kind, "sourceId", ids[source%len(ids)],
		"targetId", ids[target])
}
