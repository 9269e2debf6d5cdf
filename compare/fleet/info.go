package fleet

import (
	"encoding/json"
	"errors"

	"canonscope/canon/printable"
)

// Info describes a worker and what it does.
type Info struct {
	Worker      string `json:"worker"`
	Environment string `json:"environment"`
	Version     int    `json:"version"`
	Binary      string `json:"binary"`
	Rules       string `json:"rules"`
	Campaign    string `json:"campaign,omitempty"` // of the batch under way
	Batch       string `json:"batch,omitempty"`
	Cell        string `json:"cell,omitempty"`
	Done        int    `json:"done"`           // batches
	Late        int    `json:"late,omitempty"` // batches that others had done by then
	Refused     int    `json:"refused,omitempty"`
	Drained     bool   `json:"drained,omitempty"`
	Trouble     string `json:"trouble,omitempty"` // why it gets no further
}

// Bounds of an Info.
const (
	maxInfo     = 8 << 10 // bytes
	mostName    = 64      // bytes of each of its texts
	mostTrouble = 200
)

// readInfo reads an Info of a worker, which is not trusted: each text is one line.
func readInfo(text []byte) (*Info, error) {
	if len(text) > maxInfo {
		return nil, errors.New("it is too long")
	}
	var i Info
	if err := json.Unmarshal(text, &i); err != nil {
		return nil, err
	}
	for _, s := range []*string{&i.Worker, &i.Environment, &i.Binary, &i.Rules, &i.Campaign, &i.Batch} {
		*s = printable.Short(printable.Line(*s), mostName)
	}
	i.Cell = printable.Short(printable.Line(i.Cell), maxInfo)
	i.Trouble = printable.Short(printable.Line(i.Trouble), mostTrouble)
	return &i, nil
}
