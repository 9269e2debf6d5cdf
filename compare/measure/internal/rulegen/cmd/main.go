// Command cmd writes the rules of this project's functions; "go generate ./compare/measure" runs it there.
package main

import (
	"log"
	"os"

	"canonscope/compare/measure/internal/rulegen"
)

func main() {
	rules, err := rulegen.Rules(os.DirFS("../.."))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("rules.txt", rules, 0o644); err != nil {
		log.Fatal(err)
	}
}
