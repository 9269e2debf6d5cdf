package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// goTool runs the Go tool and returns what it prints.
func goTool(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// copyWith copies a module, and in it puts text after the line that begins a function.
func copyWith(t *testing.T, module, file, function, text string) (copied string) {
	t.Helper()
	copied = filepath.Join(t.TempDir(), "module")
	if err := os.CopyFS(copied, os.DirFS(goTool(t, "list", "-m", "-f", "{{.Dir}}", module))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(copied, file)
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(source), function, function+"\n"+text, 1)
	if changed == string(source) {
		t.Fatalf("%s has no %s", file, function)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	return copied
}

// buildWith builds the command with a copy of a module in which text is put after the line that begins a function.
func buildWith(t *testing.T, module, file, function, text string) string {
	t.Helper()
	dir, copied := t.TempDir(), copyWith(t, module, file, function, text)
	mod := filepath.Join(dir, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	goTool(t, "mod", "edit", "-replace", module+"="+copied, mod)
	command := filepath.Join(dir, "canonscope")
	goTool(t, "build", "-modfile", mod, "-o", command, ".")
	return command
}

// drawn is a frame of a picture.
type drawn struct {
	name              string
	x, y, end         float64
	changed, expected bool
}

var drawnFrame = regexp.MustCompile(`(?m)^<g><title>([^\n]*)\n(?:[^<]|\n)*</title>(?:<rect [^>]*class="mix"[^>]*/>)?<rect x="([0-9.]+)" y="([0-9.]+)" width="([0-9.]+)"([^>]*)/>`)

// framesOf reads the frames of a picture.
func framesOf(t *testing.T, svg string) (frames []*drawn) {
	t.Helper()
	number := func(s string) float64 {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, m := range drawnFrame.FindAllStringSubmatch(svg, -1) {
		f := &drawn{name: m[1], x: number(m[2]), y: number(m[3])}
		f.end = f.x + number(m[4])
		f.changed = strings.Contains(m[5], `class="more"`) || strings.Contains(m[5], `class="less"`)
		frames = append(frames, f)
	}
	return frames
}

// shortURL is what a patch of IsURL begins with: the usual addresses need no expression.
const shortURL = "\tfor _, begin := range []string{\"https://www.w3.org/\", \"http://www.w3.org/\"} {\n" +
	"\t\tif strings.HasPrefix(str, begin) {\n\t\t\treturn true\n\t\t}\n\t}"

// A difference shows the function that costs less and its callers, and hardly anything else.
func TestShortCut(t *testing.T) {
	machine(t)
	const function = "IsURL"
	args := []string{"--schema", "simple-20", "--suite", "eddsa-rdfc-2022", "--algorithm", "EdDSA", "--engine", "stock",
		"--operation", "verify", "--runs", "8", "--n", "1200", "--profile-seconds", "10"}
	dir := t.TempDir()
	builds := []string{
		buildWith(t, "github.com/piprate/json-gold", "ld/rdf_dataset.go", "func "+function+"(str string) bool {", ""),
		buildWith(t, "github.com/piprate/json-gold", "ld/rdf_dataset.go", "func "+function+"(str string) bool {",
			shortURL),
	}
	var folders []string
	for i, command := range append(builds, builds[0]) {
		folder := filepath.Join(dir, strconv.Itoa(i))
		if out, err := exec.Command(command, append([]string{"run", "--out", folder}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		folders = append(folders, folder)
	}

	for _, pair := range []struct {
		name string
		b    int
	}{{"short-cut", 1}, {"the same build", 2}} {
		out, err := exec.Command(builds[0], "flame", folders[0]+":stock verify", folders[pair.b]+":stock verify", "--width", "A").Output()
		if err != nil {
			t.Fatal(err)
		}
		frames := framesOf(t, string(out))
		found := 0
		for _, f := range frames {
			if !strings.HasSuffix(f.name, "."+function) && f.name != function {
				continue
			}
			found++
			f.expected = true
			for _, o := range frames {
				if o.x <= f.x+0.02 && o.end >= f.end-0.02 && o.y < f.y || o.x >= f.x-0.02 && o.end <= f.end+0.02 && o.y > f.y {
					o.expected = true // a caller or a callee
				}
			}
		}

		others, wrong, right := 0, 0, 0
		for _, f := range frames {
			switch {
			case pair.b == 1 && f.expected:
				if f.changed {
					right++
				} else if f.name == function || strings.HasSuffix(f.name, "."+function) {
					t.Errorf("%s: %s is grey", pair.name, f.name)
				}
			case f.changed:
				t.Logf("%s: %s is coloured", pair.name, f.name)
				wrong++
				others++
			default:
				others++
			}
		}
		t.Logf("%s: %d frames, %d of %s; %d of it, its callers and callees coloured, %d of %d others", pair.name, len(frames),
			found, function, right, wrong, others)
		if found == 0 || len(frames) < 50 || 20*wrong > others || pair.b == 1 && right < 3 {
			t.Errorf("%s: %d of %d others are coloured", pair.name, wrong, others)
		}
	}
}
