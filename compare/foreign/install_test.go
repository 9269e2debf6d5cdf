package foreign_test

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"
)

// The lock file of the adapters in JavaScript has every package that they need, with its hash, so that an installation
// asks for nothing else.
func TestLock(t *testing.T) {
	type entry struct {
		Version, Integrity                 string
		Dependencies, OptionalDependencies map[string]string
	}
	var lock struct{ Packages map[string]entry }
	var packages entry
	for name, v := range map[string]any{"package-lock.json": &lock, "package.json": &packages} {
		b, err := os.ReadFile("adapters/node/" + name)
		if err == nil {
			err = json.Unmarshal(b, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !maps.Equal(packages.Dependencies, lock.Packages[""].Dependencies) || len(packages.Dependencies) < 15 {
		t.Errorf("the lock file is for other packages than %v", packages.Dependencies)
	}
	for name, version := range packages.Dependencies {
		if got := lock.Packages["node_modules/"+name].Version; got != version {
			t.Errorf("%s %s is locked at %q", name, version, got)
		}
	}

	for of, e := range lock.Packages {
		if of != "" && (e.Version == "" || !strings.HasPrefix(e.Integrity, "sha512-")) {
			t.Errorf("%s has no version or hash", of)
		}
		needs := maps.Clone(e.Dependencies)
		if needs == nil {
			needs = map[string]string{}
		}
		maps.Copy(needs, e.OptionalDependencies)
		for name := range needs {
			if !resolves(of, name, func(path string) bool { _, ok := lock.Packages[path]; return ok }) {
				t.Errorf("%s needs %s, which is not locked", of, name)
			}
		}
	}
}

// resolves looks for a package as Node.js does: in the folder of the one that needs it, then above.
func resolves(of, name string, locked func(path string) bool) bool {
	for {
		if locked(strings.TrimPrefix(of+"/node_modules/"+name, "/")) {
			return true
		}
		i := strings.LastIndex(of, "node_modules/")
		if i < 0 {
			return false
		}
		of = strings.TrimSuffix(of[:i], "/")
	}
}
