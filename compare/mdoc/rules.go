//phase:caller
package mdoc

import (
	"time"

	"canonscope/compare/internal/baseline"
)

// mso holds the parts of a MobileSecurityObject that the rules need.
type mso struct {
	version, digestAlgorithm, docType string
	deviceKey                         []byte
	status                            bool   // the MSO has a status reference
	signed, from, until               []byte // texts of tdates; empty if missing or not a tdate
}

// checkMSO applies ISO/IEC 18013-5 section 9.3.1, and sets the fields of a document that the MSO holds.
// around is the docType of the Document, or "" if there is none.
//
//phase:validate
func (v *Verifier) checkMSO(d *Document, m *mso, around string) (err error) {
	const where = "MSO"
	if m.version != "1.0" {
		return invalid(where, ruleIssue, "version is %q, want \"1.0\"", m.version)
	}
	if _, err := hashOf(m.digestAlgorithm); err != nil {
		return err
	}
	if around != "" && around != m.docType {
		return invalid(where, ruleCheck, "docType is %q, the document says %q", m.docType, around)
	}
	if v.DocType != "" && v.DocType != m.docType {
		return invalid(where, ruleCheck, "docType is %q, want %q", m.docType, v.DocType)
	}

	d.DocType, d.DeviceKey = m.docType, m.deviceKey
	if d.Signed, err = v.date("signed", m.signed); err != nil {
		return err
	}
	if d.ValidFrom, err = v.date("validFrom", m.from); err != nil {
		return err
	}
	if d.ValidUntil, err = v.date("validUntil", m.until); err != nil {
		return err
	}

	switch now := baseline.Now(v.Now); {
	case d.ValidFrom.Before(d.Signed):
		return invalid(where, ruleCheck, "validFrom %s is before signed %s", m.from, m.signed)
	case d.ValidUntil.Before(d.ValidFrom):
		return invalid(where, ruleCheck, "validUntil %s is before validFrom %s", m.until, m.from)
	case now.Add(v.Leeway).Before(d.ValidFrom):
		return unless("Now", where, ruleCheck, "not valid before %s", m.from)
	case now.Add(-v.Leeway).After(d.ValidUntil):
		return unless("Now", where, ruleCheck, "not valid after %s", m.until)
	}

	return nil
}

// date reads a tdate: RFC 3339 in UTC, without a fraction of a second (ISO/IEC 18013-5 section 7.2.1).
func (v *Verifier) date(name string, text []byte) (time.Time, error) {
	const rule = "ISO/IEC 18013-5 section 7.2.1"
	if len(text) == 0 {
		return time.Time{}, invalid("MSO", rule, "%s is missing or not in tag 0", name)
	}
	t, err := time.Parse(time.RFC3339, string(text))
	const want = "%s is %q, want a time in UTC without a fraction of a second"
	switch {
	case err != nil || text[len(text)-1] != 'Z':
		return time.Time{}, invalid("MSO", rule, want, name, text)
	case len(text) != len("2006-01-02T15:04:05Z") && !v.Lenient:
		return time.Time{}, unless("Lenient", "MSO", rule, want, name, text)
	}
	return t, nil
}
