package catalogue

// Preset is a natural experiment: schemas that differ in one thing, to be measured side by side.
type Preset struct {
	Name, About string
	Schemas     []string // names for Get
}

// Presets lists the natural experiments.
func Presets() []Preset {
	return []Preset{
		{"clr-or-elm", "About 4,000 quads in type-scoped contexts (CLR) and in a flat one (ELM)", []string{"clr-large", "elm-large"}},
		{"transcript-pdf", "A transcript with and without its PDF", []string{
			"clr-medium:achievements=3:associations=0:endorsements=0:embedded-bytes=128000",
			"clr-medium:achievements=3:associations=0:endorsements=0",
		}},
		{"badge-ids", "Open Badges with and without an id on every node", []string{"ob3:blank=0", "ob3"}},
	}
}
