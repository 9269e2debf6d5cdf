package catalogue

import (
	"fmt"
	"math/rand/v2"
)

// drawer draws the values of one document. Each value has the same length in every document, so that
// documents of one shape have the same length.
type drawer struct {
	*rand.Rand
	shape *shape
	town  string // the institution
	field string // its field of study
	host  string // its host name
	texts int    // free texts drawn
	urls  int    // addresses drawn
	nodes int    // nodes drawn that may go without an id
}

func newDrawer(seed uint64, i int, s *shape) *drawer {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, uint64(i))), shape: s}
	d.town = pick(d, towns)
	d.field = pick(d, fields)
	d.host = fmt.Sprintf("edu%s.example", d.digits(4))
	return d
}

// All entries of a list have the same length in bytes.
var (
	towns = []string{"Nordhaven", "Eastfield", "Lindbrook", "Marlowick", "Osterfeld", "Silvermer",
		"Westerlin", "Kirchtown"}
	fields = []string{"Computer Science", "Marine Chemistry", "Urban Management", "Applied Robotics",
		"Modern Languages", "Rural Governance", "Medical Genetics", "Textile Heritage"}
	terms      = []string{"Spring", "Autumn", "Winter", "Summer"}
	verbs      = []string{"explain", "compare", "examine", "improve", "develop", "analyse"}
	adjectives = []string{"complex", "digital", "organic", "current", "general", "applied"}
	nouns      = []string{"methods", "systems", "designs", "results", "sources", "theorem"}
	japanese   = []string{"学生は実験の方法を説明し、結果を比較する。", "学生は設計の手順を検討し、資料を改善する。", "学生は言語の構造を分析し、用例を整理する。"}
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

// file draws n bytes of base64 text.
func (d *drawer) file(n float64) string {
	return d.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", int(n))
}

// uuid draws a urn:uuid of version 4.
func (d *drawer) uuid() string {
	const hex = "0123456789abcdef"
	return "urn:uuid:" + d.from(hex, 8) + "-" + d.from(hex, 4) + "-4" + d.from(hex, 3) + "-" +
		d.from("89ab", 1) + d.from(hex, 3) + "-" + d.from(hex, 12)
}

// person draws the id of a learner.
func (d *drawer) person() string { return "did:example:" + d.from("0123456789abcdef", 32) }

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

// url draws an address on the institution's host that is unique in the document.
func (d *drawer) url(path string) string {
	d.urls++
	return fmt.Sprintf("https://%s/%s/%s%05d", d.host, path, d.digits(3), d.urls)
}

// phrase draws a short noun phrase.
func (d *drawer) phrase() string { return pick(d, adjectives) + " " + pick(d, nouns) }

// sentence draws a free text: one sentence, in Japanese for the share of texts that the shape asks for.
func (d *drawer) sentence() string {
	d.texts++
	if chosen(d.texts, d.shape.nonASCII) {
		return pick(d, japanese)
	}
	return fmt.Sprintf("Learners %s %s and %s %s.", pick(d, verbs), d.phrase(), pick(d, verbs), d.phrase())
}

func (d *drawer) sentences(n int) string {
	s := d.sentence()
	for range n - 1 {
		s += " " + d.sentence()
	}
	return s
}

// node makes a node that the specification's examples leave without an id. The shape may give it one.
func (d *drawer) node(keysAndValues ...any) object { return d.withID(obj(keysAndValues...)) }

func (d *drawer) withID(o object) object {
	d.nodes++
	if d.shape.blank < 0 || chosen(d.nodes, d.shape.blank) {
		return o
	}
	return append(object{{"id", d.uuid()}}, o...)
}

// chosen reports whether the n-th of a series, from 1, belongs to an evenly spread share in percent.
func chosen(n int, percent float64) bool {
	p := int(percent*1000 + 0.5)
	return n*p/100_000 > (n-1)*p/100_000
}

// siblings draws n nodes, with the shape's percentage of copies of the first; nil if n is 0.
func (d *drawer) siblings(n int, draw func(i int) object) any {
	var first object
	return list(n, func(i int) object {
		if i > 0 && chosen(i, d.shape.identical) {
			return first
		}
		o := draw(i)
		if i == 0 {
			first = o
		}
		return o
	})
}
