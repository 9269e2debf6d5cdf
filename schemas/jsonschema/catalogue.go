//phase:validate
package jsonschema

import (
	"embed"
	"fmt"
	"slices"
	"sync"

	"canonscope/canon/choice"
)

//go:embed shapes/*.txt
var shapes embed.FS

// catalogue parses the shapes once.
var catalogue = sync.OnceValue(func() map[string][]byte {
	out := map[string][]byte{}
	for _, file := range []string{"vcdm", "ims", "elm"} {
		text, err := shapes.ReadFile("shapes/" + file + ".txt")
		if err == nil {
			var n *notation
			if n, err = parseNotation(string(text)); err == nil {
				for _, root := range n.order {
					out[root] = n.schema(root)
				}
			}
		}
		if err != nil {
			panic(fmt.Sprintf("jsonschema: shapes of %s: %v", file, err)) // a test parses them
		}
	}
	return out
})

// names are those of the catalogue, so that a list of them, as in a help text, parses no shapes.
var names = []string{"clr2", "elm", "ob3-achievement", "ob3-endorsement", "vcdm2"}

// Names lists the schemas of the catalogue: vcdm2, ob3-achievement, ob3-endorsement, clr2 and elm.
func Names() []string { return slices.Clone(names) }

// Schema returns a schema of the catalogue as JSON Schema 2019-09. The error for an unknown name lists the
// known ones.
func Schema(name string) ([]byte, error) {
	s, ok := catalogue()[name]
	if !ok {
		return nil, choice.Unknown("JSON Schema", name, names...)
	}
	return slices.Clone(s), nil
}
