package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/engines"
	"canonscope/canon/jsonld"
	"canonscope/compare"
	"canonscope/compare/foreign"
	"canonscope/compare/matrix"
)

// engineHelp is the part of every --engine that is about other programs.
var engineHelp = strings.Join(choice.Names(canon.Engines), ", ") +
	", exec:NAME (see canonscope help foreign), or exec:NAME=COMMAND"

// engineFlag is --engine, a list of names. From exec:NAME= on, a value is one command with its commas.
type engineFlag struct {
	names    []string
	commands map[compare.Engine][]string
	given    bool
	single   bool
}

// String, Set and Type implement pflag.Value.
func (f *engineFlag) String() string { return strings.Join(f.names, ",") }

func (f *engineFlag) Set(text string) error {
	if !f.given || f.single {
		f.names, f.given = nil, true
	}
	for text != "" {
		word, rest, _ := strings.Cut(text, ",")
		if compare.Foreign(compare.Engine(word)) && strings.Contains(word, "=") {
			word, rest = text, ""
		}
		text = rest
		if !compare.Foreign(compare.Engine(word)) {
			f.names = append(f.names, word)
			continue
		}
		command, err := foreign.Parse(word)
		if err != nil {
			return err
		}
		f.names = append(f.names, string(command.Engine))
		if command.Words != nil {
			if f.commands == nil {
				f.commands = make(map[compare.Engine][]string)
			}
			f.commands[command.Engine] = command.Words
		}
	}
	if f.single && len(f.names) != 1 {
		return choice.Unknown("engine", f.String(), choice.Names(canon.Engines)...)
	}
	f.names = slices.Compact(f.names)
	return nil
}

func (f *engineFlag) Type() string {
	if f.single {
		return "string"
	}
	return "strings"
}

// engine is the name of a flag for one engine.
func (f *engineFlag) engine() canon.Engine { return canon.Engine(f.String()) }

// add adds a flag for one engine, native by default.
func (f *engineFlag) add(cmd *cobra.Command, what string) {
	f.names, f.single = []string{string(canon.Native)}, true
	cmd.Flags().Var(f, "engine", what+": "+engineHelp)
}

// canonicalizer makes that of a flag for one engine, behind its guard unless data may be lost. A foreign
// engine is an io.Closer.
func (f *engineFlag) canonicalizer(
	method canon.Method, loader jsonld.Loader, lossy bool,
) (canon.Canonicalizer, error) {
	engine, cfg := f.engine(), engines.Config{Loader: loader}
	if !lossy && !compare.Foreign(engine) {
		return engines.New(engine, method, cfg)
	}
	return matrix.Canonicalizer(engine, method, cfg, compare.Given{Engines: f.commands})
}
