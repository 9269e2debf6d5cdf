package measure

import (
	_ "embed"

	"canonscope/profiles"
)

//go:generate go run ./internal/rulegen/cmd

//go:embed rules.txt
var ownRules []byte

// Rules returns the rules that charge functions to phases: those for libraries, and those for this
// project's functions, which come from the directives beside them (//phase:PHASE).
func Rules() profiles.Rules {
	own, err := profiles.ParseRules(ownRules)
	if err != nil {
		panic("measure: rules: " + err.Error()) // generated, and parsed by a test
	}
	return profiles.LoadRules().With(own)
}
