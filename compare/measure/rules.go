package measure

import (
	_ "embed"

	"canonscope/profiles"
)

//go:generate go run ./internal/rulegen/cmd

//go:embed rules.txt
var ownRules []byte

// Rules returns the rules that charge functions to phases: those of the libraries, and those of this project's functions, which
// directives beside them give (//phase:PHASE).
func Rules() profiles.Rules {
	own, err := profiles.ParseRules(ownRules)
	if err != nil {
		panic("measure: rules: " + err.Error()) // they are generated, and a test parses them
	}
	return profiles.LoadRules().With(own)
}
