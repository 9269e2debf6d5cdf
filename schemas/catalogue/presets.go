package catalogue

import (
	"canonscope/canon/choice"
)

// Preset is a natural experiment: schemas that differ in one property, to be measured together.
type Preset struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Schemas []string `json:"schemas"` // names for Get
	Labels  []string `json:"labels"`  // their names in the experiment
}

// Presets lists the natural experiments.
func Presets() []Preset {
	return []Preset{
		{"clr-or-elm", "About 4,000 quads in scoped contexts (CLR), in a flat one (ELM)",
			[]string{"clr-large", "elm-large"}, []string{"CLR", "ELM"}},
		{"transcript-pdf", "A transcript with and without its PDF", []string{
			"clr-medium:achievements=3:associations=0:endorsements=0:embedded-bytes=128000",
			"clr-medium:achievements=3:associations=0:endorsements=0",
		}, []string{"with PDF", "without"}},
		{"badge-ids", "Open Badges with and without an id on every node", []string{"ob3:blank=0", "ob3"},
			[]string{"ids", "no ids"}},
	}
}

// PresetNamed returns a preset. An unknown name is a [*choice.Error].
func PresetNamed(name string) (Preset, error) {
	var known []string
	for _, p := range Presets() {
		if p.Name == name {
			return p, nil
		}
		known = append(known, p.Name)
	}
	return Preset{}, choice.Unknown("preset", name, known...)
}
