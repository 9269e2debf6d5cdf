package profiles_test

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"canonscope/profiles"
)

// shown opens a page in a browser and returns its content after the scripts have run; it skips the test
// without a browser.
func shown(t *testing.T, file, hash string) string {
	t.Helper()
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("there is no Chromium")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless=new", "--no-sandbox", "--disable-gpu",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=2000", "--dump-dom", "file://"+file+hash)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if err := cmd.Run(); err != nil {
		t.Skipf("Chromium does not run here: %v", err)
	}
	return stdout.String()
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// drive clicks, types and presses keys, and leaves what it saw in an element.
const drive = `<script>
var seen = {errors: window.problems};
var svg = document.querySelector('svg.flame');
function frames() { return svg.querySelectorAll('g.frames > g').length; }
function said() { return svg.querySelector('output').textContent; }
function frame(name) {
	return Array.from(svg.querySelectorAll('g.frames > g')).find(g => g.getAttribute('aria-label').startsWith(name + ','));
}
function press(key, at) { (at || document.activeElement).dispatchEvent(new KeyboardEvent('keydown', {key: key, bubbles: true, cancelable: true})); }
function wide(name) { return Number(frame(name).querySelector('rect').getAttribute('width')); }
seen.all = frames();
seen.before = wide('main.small');
frame('main.small').dispatchEvent(new MouseEvent('click', {bubbles: true}));
seen.zoomed = wide('main.small');
seen.zoomedFrames = frames();
press('Escape');
seen.reset = wide('main.small');
press('/', document.body);
seen.focus = document.activeElement.localName;
var field = svg.querySelector('input');
field.value = 'LEAF';
field.dispatchEvent(new Event('input'));
seen.search = said();
seen.dim = svg.querySelectorAll('g.frames > g.dim').length;
press('Escape', field);
seen.cleared = said();
frame('main.op').focus();
press('ArrowDown');
seen.down = document.activeElement.getAttribute('aria-label').split(',')[0];
press('ArrowRight');
seen.right = document.activeElement.getAttribute('aria-label').split(',')[0];
press('Enter');
seen.entered = wide(seen.right);
press('Escape');
svg.querySelector('[data-kind]').dispatchEvent(new MouseEvent('click', {bubbles: true}));
seen.filtered = svg.querySelectorAll('g.frames > g:not(.dim)').length;
press('Escape', document.body);
var heads = document.querySelectorAll('th button');
heads[0].click(); heads[0].click();
seen.first = document.querySelector('tbody button').textContent;
document.querySelector('tbody button').click();
seen.byTable = field.value;
seen.requests = performance.getEntriesByType('resource').map(e => e.name);
var pre = document.createElement('pre');
pre.id = 'seen';
pre.textContent = JSON.stringify(seen);
document.body.appendChild(pre);
</script>`

// In a browser a picture zooms, searches, filters and moves by keys, without an error or a request.
func TestFlameInBrowser(t *testing.T) {
	p := synthetic(strings.Repeat("1", 60)+" a encoding/json.Leaf<main.big<main.op"+inDo,
		strings.Repeat("1", 20)+" a crypto/sha256.Leaf<main.small<main.op"+inDo)
	var page bytes.Buffer
	if err := profiles.FlameHTML(&page, p, profiles.LoadRules(), profiles.FlameOptions{Title: "x"}); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(page.String(), "<head>", "<head><script>window.problems = []; window.onerror = m => problems.push(m);"+
		"var e = console.error; console.error = m => { problems.push(String(m)); e(m); };</script>", 1)
	text = strings.Replace(text, "</body>", drive+"</body>", 1)

	dom := shown(t, write(t, "page.html", []byte(text)), "")
	found := regexp.MustCompile(`(?s)<pre id="seen">(.*?)</pre>`).FindStringSubmatch(dom)
	if found == nil {
		t.Fatalf("the page did not run to its end:\n%.2000s", dom)
	}
	var seen struct {
		Errors, Requests                    []string
		All, ZoomedFrames, Dim, Filtered    int
		Before, Zoomed, Reset, Entered      float64
		Focus, Search, Cleared, Down, Right string
		First, ByTable                      string
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(found[1])), &seen); err != nil {
		t.Fatal(err)
	}
	if len(seen.Errors) > 0 || len(seen.Requests) > 0 {
		t.Errorf("errors %q, requests %q", seen.Errors, seen.Requests)
	}
	if seen.All != 5 || seen.Zoomed != 1168 || seen.Before > 300 || seen.Reset != seen.Before || seen.ZoomedFrames != 3 {
		t.Errorf("zoom: %+v", seen)
	}
	if seen.Focus != "input" || !strings.Contains(seen.Search, "2 frames, together 100.0 %") || seen.Dim != 3 ||
		!strings.Contains(seen.Cleared, "Click a frame") {
		t.Errorf("search: %+v", seen)
	}
	if seen.Down != "main.big" || seen.Right != "main.small" || seen.Entered != 1168 {
		t.Errorf("keys: %+v", seen)
	}
	if seen.Filtered != 2 || seen.First == "" || seen.ByTable != seen.First {
		t.Errorf("filter and table: %+v", seen)
	}
}

// A picture alone searches and zooms as its address says, and its names stay text.
func TestFlameAloneInBrowser(t *testing.T) {
	const hostile = `main."'&lt;]]><script>document.documentElement.setAttribute("data-hit","1")</script><img src=x>` + "\u202e"
	p := synthetic(strings.Repeat("1", 30)+" a main.leaf<main.op"+inDo, "1 a main.other<main.op"+inDo)
	p.Function[0].Name = hostile
	var svg bytes.Buffer
	if err := profiles.FlameSVG(&svg, p, profiles.LoadRules(), profiles.FlameOptions{Title: hostile, Notes: []string{hostile}}); err != nil {
		t.Fatal(err)
	}
	dom := shown(t, write(t, "picture.svg", svg.Bytes()), "#search=main.&zoom=main.other")
	if !strings.Contains(dom, "<output") || !strings.Contains(dom, "together 100.0 %") {
		t.Errorf("the search found nothing:\n%.1000s", regexp.MustCompile(`<output.*?</output>`).FindString(dom))
	}
	if strings.Contains(dom, `data-hit="1"`) || strings.Contains(dom, "<img") {
		t.Error("a name is markup")
	}
}
