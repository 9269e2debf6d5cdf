package report

import (
	"io"
	"io/fs"

	"canonscope/compare"
)

// Report is all that is shown of a campaign.
type Report struct {
	Campaign *compare.Campaign
	Table    Table
	Growth   []Growth // of its experiments
}

// New makes the report of a campaign; the formats and against are those of [NewTable].
func New(c *compare.Campaign, formats []*compare.Definition, experiments []compare.Experiment,
	against ...string,
) *Report {
	r := &Report{Campaign: c, Table: NewTable(c, formats, against...)}
	for _, e := range experiments {
		r.Growth = append(r.Growth, NewGrowth(c, e, against...))
	}
	return r
}

// JSON writes the campaign with its table and experiments.
func (r *Report) JSON(w io.Writer) error {
	if r.Growth == nil {
		return JSON(w, r.Campaign, r.Table)
	}
	return GrowthJSON(w, r.Campaign, r.Table, r.Growth)
}

// Text writes the report as text for a terminal.
func (r *Report) Text(w io.Writer, colour bool) error {
	if r.Growth == nil {
		return Text(w, r.Campaign, r.Table, colour)
	}
	return GrowthText(w, r.Campaign, r.Table, r.Growth, colour)
}

// File is one of the files in which a report is written.
type File struct {
	Name    string
	Content func(io.Writer) error
}

// Files lists the files of a report, the smallest first, in case a disk is full. The page shows the flame
// graphs of a results folder.
func (r *Report) Files(folder fs.FS) []File {
	files := []File{
		{"table.md", func(w io.Writer) error { return Markdown(w, r.Campaign, r.Table) }},
		{"table.csv", func(w io.Writer) error { return CSV(w, r.Table) }},
		{"bench.txt", func(w io.Writer) error { return Bench(w, r.Campaign) }},
		{"results.json", r.JSON},
		{"report.html", func(w io.Writer) error { return r.HTML(w, folder) }},
	}
	if r.Growth != nil {
		files = append(files, File{"growth.txt", func(w io.Writer) error { return r.Text(w, false) }})
	}
	for i := range r.Growth {
		files = append(files, r.Growth[i].plotFiles(i+1)...)
	}
	return files
}
