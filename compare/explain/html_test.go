package explain

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"canonscope/canon"
	"canonscope/compare/stats"
)

func webPage(t *testing.T, r *Report, top int) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, r, top); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A page has every part as a row of a tree, the dearest open, and needs no script.
func TestHTML(t *testing.T) {
	r := counted(t, named(t, "ob3"))
	r.Costs = []Cost{{Engine: canon.Native, Operation: "canonize", Contexts: "warm",
		Whole: stats.Estimate{Center: 500_000, Low: 490_000, High: 510_000, N: 8},
		Parts: []PartCost{
			{Pointer: "/credentialSubject", Shown: true, Cost: stats.Estimate{Center: 250_000, Low: 240_000, High: 260_000, N: 8},
				Interaction: &stats.Estimate{Center: 50_000}, Why: "some reason"},
			{Pointer: "/issuer", Cost: stats.Estimate{Center: 100, Low: -900, High: 1100}},
		}}}
	r.Tried = 2
	r.Advice = []Advice{{Change: "ids for unnamed nodes", Breaks: []string{"an id is seen"}, Engine: canon.Native}}
	r.Without = []Advice{{Change: "a flat context", Engine: canon.Native}}
	text := webPage(t, r, 8)

	rows := strings.Count(text, `<div class="r">`) + strings.Count(text, "<summary>")
	if rows != len(r.Parts) {
		t.Errorf("%d rows of %d parts", rows, len(r.Parts))
	}
	if strings.Count(text, "<details") != strings.Count(text, "</details>") || !strings.Contains(text, "<details open><summary>") {
		t.Error("the tree is not a tree, or all of it is closed")
	}
	if open := strings.Count(text, "<details open>"); open >= strings.Count(text, "<details") {
		t.Errorf("all %d parts are open", open)
	}
	for _, want := range []string{"368*", "500 ±10.0", `style="width:50%"`, "noise", "some reason", "ids for unnamed nodes",
		"but an id is seen", "a flat context", "240.0 to 260.0 µs"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if found := regexp.MustCompile(`<script|<link rel="style|src=|url\(|@import|ZgotmplZ|\son[a-z]+=`).FindString(text); found != "" {
		t.Errorf("the page has %q", found)
	}
}

// Names of a document are text in a page.
func TestHTMLOfHostileNames(t *testing.T) {
	d := given(`,"</style><script>alert(1)</script>":{"\" onclick=\"x":"]]>"},"\u202e\u001b[31m":"x"`)
	d.Name = "<b>\u202e.json"
	text := webPage(t, counted(t, d), 8)
	if strings.Contains(text, "<script") || strings.Contains(text, `" onclick="`) || strings.Contains(text, "<b>") {
		t.Error("a name is markup")
	}
	if strings.ContainsAny(text, "\u202e\x1b") {
		t.Error("control characters are in the page")
	}
	if !strings.Contains(text, "&lt;script&gt;alert(1)") {
		t.Error("a name is not there")
	}
}

// What is not measured is listed.
func TestHTMLOfLosses(t *testing.T) {
	r := counted(t, &Document{Name: "lossy", JSON: []byte(`{"@id":"urn:s","urn:p":"x","<i>none":"y"}`)})
	if text := webPage(t, r, 8); !strings.Contains(text, "<li>/&lt;i&gt;none: undefined term") || strings.Contains(text, "Advice") {
		t.Error(text)
	}
}

// The page opens in a browser without an error or a request, and so does one with names that mean harm.
func TestHTMLInBrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium")
	}
	for name, d := range map[string]*Document{"ob3": named(t, "ob3"), "hostile": given(`,"</style><img src='https://x.example/'>":"x"`)} {
		page := filepath.Join(t.TempDir(), "page.html")
		if err := os.WriteFile(page, []byte(webPage(t, counted(t, d), 8)), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
			"--v=0", "--user-data-dir="+t.TempDir(), "--no-first-run", "--disable-background-networking", "--dump-dom", "file://"+page)
		cmd.WaitDelay = time.Second
		var dom, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &dom, &log
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, &log)
		}
		if said := regexp.MustCompile(`(?m)^.*CONSOLE.*$`).Find(log.Bytes()); said != nil {
			t.Errorf("%s: %s", name, said)
		}
		if strings.Contains(dom.String(), "<img") || !strings.Contains(dom.String(), "<details open") {
			t.Errorf("%s: the page is not as it was written", name)
		}
	}
}
