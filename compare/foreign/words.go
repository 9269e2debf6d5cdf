package foreign

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"canonscope/canon"
	"canonscope/compare"
)

const prefix = compare.ForeignPrefix

// Command is how a child is started.
type Command struct {
	Engine canon.Engine // exec:NAME
	Words  []string     // program and arguments
}

// names of engines are part of the ids of cells.
var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Parse reads exec:NAME, which [Find] finds later, or exec:NAME=COMMAND. A command is split into words as a
// shell does it, and no shell runs it.
func Parse(text string) (Command, error) {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return Command{}, fmt.Errorf("engine %q does not begin with %s", text, prefix)
	}
	name, line, given := strings.Cut(rest, "=")
	if !names.MatchString(name) {
		return Command{}, fmt.Errorf("engine %q: its name is letters, digits, dots, dashes and underscores; "+
			"a program elsewhere is %sNAME=PATH", text, prefix)
	}
	c := Command{Engine: canon.Engine(prefix + name)}
	if !given {
		return c, nil
	}

	var err error
	if c.Words, err = split(line); err != nil {
		return c, fmt.Errorf("engine %q: %w", text, err)
	}
	if len(c.Words) == 0 {
		return c, fmt.Errorf("engine %q: there is no command after the =", text)
	}
	return c, nil
}

// split splits a line into words: blanks separate, quotes and backslashes keep.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		b := line[i]
		switch {
		case quote == 0 && strings.IndexByte(" \t\r\n", b) >= 0:
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
			continue
		case quote == 0 && (b == '\'' || b == '"'):
			quote = b
		case b == quote:
			quote = 0
		case b == '\\' && quote != '\'':
			if i++; i == len(line) {
				return nil, errors.New("it ends in a backslash")
			}
			if quote == '"' && strings.IndexByte("\"\\$`", line[i]) < 0 {
				word.WriteByte('\\')
			}
			word.WriteByte(line[i])
		default:
			word.WriteByte(b)
		}
		begun = true
	}

	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// Find completes a command without words: an adapter that is installed, or else a program of that name. It
// makes the path of the program absolute.
func (c Command) Find() (Command, error) {
	if !compare.Foreign(c.Engine) {
		return c, fmt.Errorf("engine %q is not foreign", c.Engine)
	}
	name := string(c.Engine[len(prefix):])
	if len(c.Words) == 0 {
		if words, err := adapter(name); words != nil || err != nil {
			return Command{c.Engine, words}, err
		}
		c.Words = []string{name}
	}

	path, err := exec.LookPath(c.Words[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		why := fmt.Sprintf("%s is neither an adapter that is installed nor a program: canonscope foreign "+
			"list has the adapters, %s=COMMAND names a command", c.Words[0], c.Engine)
		return c, &Fault{Engine: c.Engine, State: NotStarted, Why: why}
	}
	c.Words = append([]string{path}, c.Words[1:]...)
	return c, nil
}
