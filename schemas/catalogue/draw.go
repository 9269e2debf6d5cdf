package catalogue

import (
	"fmt"
	"math/rand/v2"
)

// drawer draws the values of one document. Whatever it draws has the same length in every document, so that documents
// of one shape also agree in their bytes.
type drawer struct {
	*rand.Rand
	town  string // the institution
	field string // its field of study
	host  string // its host name
}

func newDrawer(seed uint64, i int) *drawer {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
	d.town = pick(d, towns)
	d.field = pick(d, fields)
	d.host = fmt.Sprintf("edu%s.example", d.digits(4))
	return d
}

// The entries of each list have one length in bytes.
var (
	towns      = []string{"Nordhaven", "Eastfield", "Lindbrook", "Marlowick", "Osterfeld", "Silvermer", "Westerlin", "Kirchtown"}
	fields     = []string{"Computer Science", "Marine Chemistry", "Urban Management", "Applied Robotics", "Modern Languages", "Rural Governance", "Medical Genetics", "Textile Heritage"}
	terms      = []string{"Spring", "Autumn", "Winter", "Summer"}
	verbs      = []string{"explain", "compare", "examine", "improve", "develop", "analyse"}
	adjectives = []string{"complex", "digital", "organic", "current", "general", "applied"}
	nouns      = []string{"methods", "systems", "designs", "results", "sources", "theorem"}
)

func pick(d *drawer, list []string) string { return list[d.IntN(len(list))] }

// from draws n characters of an alphabet.
func (d *drawer) from(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[d.IntN(len(alphabet))]
	}
	return string(b)
}

func (d *drawer) digits(n int) string { return d.from("0123456789", n) }

// code draws letters and digits.
func (d *drawer) code(n int) string {
	return d.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", n)
}

// uuid draws a urn:uuid of version 4.
func (d *drawer) uuid() string {
	const hex = "0123456789abcdef"
	return "urn:uuid:" + d.from(hex, 8) + "-" + d.from(hex, 4) + "-4" + d.from(hex, 3) + "-" + d.from("89ab", 1) + d.from(hex, 3) +
		"-" + d.from(hex, 12)
}

// base58 draws a multibase string of n characters.
func (d *drawer) base58(n int) string {
	return "z" + d.from("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", n-1)
}

// instant draws a moment of the year, RFC 3339 in UTC.
func (d *drawer) instant(year int) string {
	return fmt.Sprintf("%sT%02d:%02d:%02dZ", d.date(year), d.IntN(24), d.IntN(60), d.IntN(60))
}

func (d *drawer) date(year int) string {
	return fmt.Sprintf("%04d-%02d-%02d", year, 1+d.IntN(12), 1+d.IntN(28))
}

// url draws an address on the institution's host: a path and a number.
func (d *drawer) url(path string) string {
	return "https://" + d.host + "/" + path + "/" + d.digits(6)
}

// phrase draws a short noun phrase; sentence a sentence of one length.
func (d *drawer) phrase() string { return pick(d, adjectives) + " " + pick(d, nouns) }

func (d *drawer) sentence() string {
	return fmt.Sprintf("Learners %s %s and %s %s.", pick(d, verbs), d.phrase(), pick(d, verbs), d.phrase())
}
