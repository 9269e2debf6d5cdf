//phase:caller
package mdoc

import (
	"strings"
	"time"

	"canonscope/compare/internal/baseline"
)

// mso holds the parts of a MobileSecurityObject that the rules need.
type mso struct {
	version, digestAlgorithm, docType string
	deviceKey                         []byte
	status                            bool   // the MSO has a status reference
	signed, from, until               string // texts of tdates; "" if missing or not a tdate
}

// checkMSO applies ISO/IEC 18013-5 section 9.3.1. around is the docType of the Document, or "" if there is
// none.
//
//phase:validate
func (v *Verifier) checkMSO(m *mso, around string) (*Document, error) {
	const where = "MSO"
	if m.version != "1.0" {
		return nil, invalid(where, ruleIssue, "version is %q, want \"1.0\"", m.version)
	}
	if _, err := hashOf(m.digestAlgorithm); err != nil {
		return nil, err
	}
	if around != "" && around != m.docType {
		return nil, invalid(where, ruleCheck, "docType is %q, the document says %q", m.docType, around)
	}
	if v.DocType != "" && v.DocType != m.docType {
		return nil, invalid(where, ruleCheck, "docType is %q, want %q", m.docType, v.DocType)
	}

	d := &Document{DocType: m.docType, DeviceKey: m.deviceKey}
	var err error
	if d.Signed, err = v.date("signed", m.signed); err != nil {
		return nil, err
	}
	if d.ValidFrom, err = v.date("validFrom", m.from); err != nil {
		return nil, err
	}
	if d.ValidUntil, err = v.date("validUntil", m.until); err != nil {
		return nil, err
	}

	switch now := baseline.Now(v.Now); {
	case d.ValidFrom.Before(d.Signed):
		return nil, invalid(where, ruleCheck, "validFrom %s is before signed %s", m.from, m.signed)
	case d.ValidUntil.Before(d.ValidFrom):
		return nil, invalid(where, ruleCheck, "validUntil %s is before validFrom %s", m.until, m.from)
	case now.Add(v.Leeway).Before(d.ValidFrom):
		return nil, unless("Now", where, ruleCheck, "not valid before %s", m.from)
	case now.Add(-v.Leeway).After(d.ValidUntil):
		return nil, unless("Now", where, ruleCheck, "not valid after %s", m.until)
	}

	return d, nil
}

// date reads a tdate: RFC 3339 in UTC, without a fraction of a second (ISO/IEC 18013-5 section 7.2.1).
func (v *Verifier) date(name, text string) (time.Time, error) {
	const rule = "ISO/IEC 18013-5 section 7.2.1"
	if text == "" {
		return time.Time{}, invalid("MSO", rule, "%s is missing or not in tag 0", name)
	}
	t, err := time.Parse(time.RFC3339, text)
	const want = "%s is %q, want a time in UTC without a fraction of a second"
	switch {
	case err != nil || !strings.HasSuffix(text, "Z"):
		return time.Time{}, invalid("MSO", rule, want, name, text)
	case len(text) != len("2006-01-02T15:04:05Z") && !v.Lenient:
		return time.Time{}, unless("Lenient", "MSO", rule, want, name, text)
	}
	return t, nil
}
