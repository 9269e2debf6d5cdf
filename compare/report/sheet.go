package report

import (
	_ "embed"
	"html/template"
	"io"
	"sync"
)

//go:embed sheet.gohtml
var sheetText string

var sheetTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(parsePage().New("sheet").Parse(sheetText))
})

// Sheet is a page of tables of words beside results folders, in the form of their pages.
type Sheet struct {
	Title     string
	Facts     []string
	Sentences []string // the first that a reader sees
	Parts     []SheetPart
}

// SheetPart is a section: sentences, a table, or both. Without any it is left out.
type SheetPart struct {
	ID, Title string
	About     []string
	Head      []string
	Rows      [][]string
	To        []string // pages to which the first cells lead, "" for none
}

// Six are the numbers of the colours of lines.
func (*Sheet) Six() []int { return []int{0, 1, 2, 3, 4, 5} }

// Shown lists the parts that have something to show.
func (s *Sheet) Shown() (parts []SheetPart) {
	for _, p := range s.Parts {
		if len(p.Rows)+len(p.About) > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}

// Leads is the page to which the first cell of a row leads.
func (p SheetPart) Leads(row int) string {
	if row < len(p.To) {
		return p.To[row]
	}
	return ""
}

// HTML writes the page. It needs no script and asks for nothing else.
func (s *Sheet) HTML(w io.Writer) error { return sheetTemplate().Execute(w, s) }
