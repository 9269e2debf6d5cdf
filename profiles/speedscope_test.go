package profiles_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"canonscope/profiles"
)

// The program speedscope reads what is written for it: by its schema, and by its parser, in a browser. The variable
// CANONSCOPE_SPEEDSCOPE names the folder of its npm package.
func TestSpeedscopeReads(t *testing.T) {
	dir := os.Getenv("CANONSCOPE_SPEEDSCOPE")
	if dir == "" {
		t.Skip("set CANONSCOPE_SPEEDSCOPE to the folder node_modules/speedscope of the npm package")
	}
	release := filepath.Join(dir, "dist", "release")
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(release, "file-format-schema.json"))
	if err != nil {
		t.Fatal(err)
	}

	files := map[string][]byte{}
	rules := testRules(t)
	for name := range workloads {
		var b bytes.Buffer
		if err := profiles.Speedscope(&b, load(t, name), rules, name); err != nil {
			t.Fatal(err)
		}
		files[name] = b.Bytes()
	}
	files["no profile"] = []byte(`{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"none"}]}`)

	for name, text := range files {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		good := name != "no profile"
		if err := schema.Validate(v); (err == nil) != good {
			t.Errorf("%s: by the schema: %v", name, err)
		}

		title, err := json.Marshal(name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		script := write(t, "profile.js", fmt.Appendf(nil, "speedscope.loadFileFromBase64(%s, %q)", title,
			base64.StdEncoding.EncodeToString(text)))
		page := shown(t, filepath.Join(release, "index.html"), "#localProfilePath="+script)
		if got := strings.Contains(page, "Left Heavy") && strings.Contains(page, name); got != good {
			t.Errorf("%s: shown is %t, want %t", name, got, good)
		}
	}
}
