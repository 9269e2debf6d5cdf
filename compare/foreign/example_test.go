package foreign_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"canonscope/compare/foreign"
)

// An engine in Go: its main calls Serve with os.Stdin and os.Stdout. This one writes JSON with sorted members,
// which is nearly JCS; `canonscope run --operation canonize simple-20 --engine 'native,exec:mine=./mine'` shows
// where it is not.
func ExampleServe() {
	hello := foreign.Hello{Name: "sorted", Version: "1.0", Language: "Go", Lineage: "example",
		Can: []foreign.Ability{{Suite: "jcs", Operations: []string{"canonize"}}}}
	prepare := func(t *foreign.Task) (foreign.Doer, error) {
		if t.Operation != "canonize" || t.Suite != "jcs" {
			return nil, &foreign.Problem{Kind: foreign.Unsupported, Message: t.Operation + " of " + t.Suite}
		}
		return func(document int, _ []byte) ([]byte, error) {
			var value any
			if err := json.Unmarshal(t.Documents[document], &value); err != nil {
				return nil, err
			}
			var form bytes.Buffer
			err := json.NewEncoder(&form).Encode(value)
			return bytes.TrimSpace(form.Bytes()), err
		}, nil
	}

	requests := `{"id":1,"do":"prepare","task":{"operation":"canonize","suite":"jcs","documents":["eyJiIjoxLCJhIjoyfQ=="]}}
		{"id":2,"do":"gate"}
		{"id":3,"do":"bye"}`
	if err := foreign.Serve(strings.NewReader(requests), os.Stdout, hello, prepare); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"id":1}
	// {"id":2,"output":"eyJhIjoyLCJiIjoxfQ=="}
	// {"id":3}
}
