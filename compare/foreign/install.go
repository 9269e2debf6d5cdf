package foreign

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/choice"
)

// Adapter is an engine that this package can start by its name.
type Adapter struct {
	Name  string
	About string
	main  []string // words after the program; {} is the folder of the family
}

// Family is the adapters of one runtime, which are installed together.
type Family struct {
	Name     string
	Adapters []Adapter
	Needs    []string // programs
	runs     string   // the program that starts an adapter
	build    []string // words that complete the folder, or find out whether all is there
	hint     string   // what to do if that fails
}

// Families lists the adapters.
var Families = []Family{
	{Name: "node", Needs: []string{"node", "npm"}, runs: "node",
		build: []string{"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"},
		Adapters: []Adapter{
			{"node", "jsonld, canonicalize, Data Integrity, SD-JWT, mdoc", []string{"{}/node.mjs"}},
			{"rdfjs", "rdfjs-c14n over jsonld-streaming-parser", []string{"{}/rdfjs.mjs"}},
			{"owf", "@owf/mdoc", []string{"{}/owf.mjs"}},
		}},
	{Name: "python", Needs: []string{"python3"}, runs: "python3",
		build: []string{"python3", "-c", "import pyld"},
		hint: "install PyLD for the python3 of the path: python3-pyld in Debian, else python3 -m pip " +
			"install PyLD",
		Adapters: []Adapter{
			{"pyld", "PyLD", []string{"-B", "{}/canonize.py"}},
		}},
	{Name: "java", Needs: []string{"java", "javac", "sh"}, runs: "java", build: []string{"sh", "build.sh"},
		hint: "install Titanium JSON-LD: libtitanium-json-ld-java, libjsonp2-java, libjsonp-java and " +
			"tomcat-jakartaee-migration in Debian, else set CLASSPATH to its jar and to those of Jakarta " +
			"JSON Processing",
		Adapters: []Adapter{
			// The heap is below the limit of memory that a child has. Its process id, 1, is that of others,
			// which the file of performance data is named by.
			{"titanium", "Titanium JSON-LD, with RDFC-1.0 of native",
				[]string{"-Xmx1g", "-XX:-UsePerfData", "-cp", "{}/lib:{}/lib/*", "Titanium"}},
		}},
}

// node_modules are left out: a checkout may hold them.
//
//go:embed adapters/*/*.*
var sources embed.FS

// files are the sources of a family.
func (f *Family) files() map[string][]byte {
	all := make(map[string][]byte)
	dir := path.Join("adapters", f.Name)
	entries, err := fs.ReadDir(sources, dir)
	for _, e := range entries {
		b, readErr := sources.ReadFile(path.Join(dir, e.Name()))
		err = errors.Join(err, readErr)
		all[e.Name()] = b
	}
	if err != nil {
		panic(err) // they are embedded
	}
	return all
}

// Folder is where a family is installed, below the user's cache folder. Its name has a hash of the sources,
// so that two builds of this program do not share one that only fits the other.
func (f *Family) Folder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w", err)
	}
	files, h := f.files(), sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(files[name]), files[name])
	}
	return filepath.Join(cache, "canonscope", "foreign", f.Name+"-"+hex.EncodeToString(h.Sum(nil)[:6])), nil
}

// Installed reports whether the family is installed.
func (f *Family) Installed() bool {
	dir, err := f.Folder()
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(dir, programFile))
	return err == nil
}

// FamilyNamed returns a family.
func FamilyNamed(name string) (*Family, error) {
	var known []string
	for i := range Families {
		if Families[i].Name == name {
			return &Families[i], nil
		}
		known = append(known, Families[i].Name)
	}
	return nil, choice.Unknown("family of adapters", name, known...)
}

// adapter returns the words that start an adapter, nil if there is none of the name. One that is not
// installed is an error.
func adapter(name string) ([]string, error) {
	for i := range Families {
		f := &Families[i]
		for _, a := range f.Adapters {
			if a.Name != name {
				continue
			}
			dir, err := f.Folder()
			if err != nil {
				return nil, err
			}
			if !f.Installed() {
				return nil, &Fault{Engine: prefix + canon.Engine(name), State: NotStarted,
					Why: "its adapter is not installed; canonscope foreign install " + f.Name + " does so"}
			}
			program, err := os.ReadFile(filepath.Join(dir, programFile))
			if err != nil {
				return nil, &Fault{Engine: prefix + canon.Engine(name), State: NotStarted, Why: err.Error()}
			}
			words := []string{string(program)}
			for _, word := range a.main {
				words = append(words, strings.ReplaceAll(word, "{}", dir))
			}
			return words, nil
		}
	}
	return nil, nil
}

// Fetches describes what an installation fetches: the packages of the lock file.
func (f *Family) Fetches() string {
	var lock struct {
		Packages map[string]struct{ Version string } `json:"packages"`
	}
	if json.Unmarshal(f.files()["package-lock.json"], &lock) != nil {
		return "" // the adapters take what the system has
	}
	var packages struct{ Dependencies map[string]string }
	_ = json.Unmarshal(f.files()["package.json"], &packages)
	var direct []string
	for _, name := range slices.Sorted(maps.Keys(packages.Dependencies)) {
		direct = append(direct, name+" "+packages.Dependencies[name])
	}
	return fmt.Sprintf("%d packages at the versions and hashes of a lock file, by npm from where it is set "+
		"up to find them, without running their scripts: %s, and what these need", len(lock.Packages)-1,
		strings.Join(direct, ", "))
}

// programFile has the path of the program that starts the adapters: that with which they were installed,
// which has their libraries.
const programFile = ".program"

// Install makes the folder of a family, which appears whole or not at all.
func (f *Family) Install(ctx context.Context) (string, error) {
	dir, err := f.Folder()
	if err != nil || f.Installed() {
		return dir, err
	}
	for _, program := range f.Needs {
		if _, err := exec.LookPath(program); err != nil {
			return "", fmt.Errorf("%s is needed, and is not in the path", program)
		}
	}

	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), ".install-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(made)
	program, err := exec.LookPath(f.runs)
	if err != nil {
		return "", err
	}
	files := f.files()
	files[programFile] = []byte(program)
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(made, name), b, 0o644); err != nil {
			return "", err
		}
	}

	if f.build != nil {
		cmd := exec.CommandContext(ctx, f.build[0], f.build[1:]...)
		var out bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = made, &out, &out
		if err := cmd.Run(); err != nil {
			text := fmt.Errorf("%s: %w: %s", strings.Join(f.build, " "), err, essence(out.String()))
			if f.hint != "" {
				text = fmt.Errorf("%w; %s", text, f.hint)
			}
			return "", text
		}
	}
	if err := os.RemoveAll(dir); err != nil { // a folder without program is of an older build
		return "", err
	}
	return dir, os.Rename(made, dir)
}

// essence is the lines of a program that say most: the first with the word error, or else the last.
func essence(text string) string {
	const most = 4
	lines := strings.FieldsFunc(strings.TrimSpace(text), func(r rune) bool { return r == '\n' })
	errors := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !errorLine.MatchString(l) })
	if len(errors) > 0 {
		lines = errors[:min(most, len(errors))]
	}
	return strings.Join(lines[max(0, len(lines)-most):], "; ")
}
