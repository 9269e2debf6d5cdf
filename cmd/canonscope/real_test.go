package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"canonscope/canon/conform"
	"canonscope/canon/conform/official"
)

// realFile is a token or an mdoc of another maker.
type realFile struct {
	file  string
	trust []string // --issuer-key FILE or --roots FILE
	now   string   // when it was valid
}

var flagName = regexp.MustCompile(`--[a-z-]+`)

// withFlags verifies a file at a time that is not its own, and adds the flags that each refusal names until there is an
// answer that names none. It returns the flags that were added.
func withFlags(t *testing.T, f realFile) (added []string, answer string) {
	t.Helper()
	now := "2090-01-01T00:00:00Z"
	for range 8 {
		args := append([]string{"verify", "--now", now}, f.trust...)
		var out, errs bytes.Buffer
		status := run(append(append(args, added...), f.file), strings.NewReader(""), &out, &errs)
		answer = out.String() + errs.String()
		if status == statusDone {
			break
		}
		lines := strings.Split(strings.TrimSpace(answer), "\n")
		named := flagName.FindAllString(lines[len(lines)-1], -1)
		if status != statusNo || len(named) == 0 {
			break
		}
		if flag := named[len(named)-1]; flag == "--now" && now != f.now {
			now = f.now
		} else {
			added = append(added, flag)
		}
	}
	slices.Sort(added)
	return added, answer
}

// Real tokens and mdocs of others verify with the flags that the refusals name, and with no more.
func TestRealFilesVerifyWithTheFlagsThatAreNamed(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := func(f realFile, want ...string) {
		t.Helper()
		added, answer := withFlags(t, f)
		if !strings.HasPrefix(answer, "verified\n") || !slices.Equal(added, want) {
			t.Errorf("%s: with %q, want %q\n%s", f.file, added, want, answer)
		}
	}

	reports := official.Dir(t, "reports")
	at := func(name string) string { return filepath.Join(reports, name) }
	check(realFile{at("55-oldtyp.sdjwt"), []string{"--issuer-key", at("p256.json")}, "2026-12-01T00:00:00Z"}, "--legacy-typ")
	check(realFile{at("63-fraction.hex"), []string{"--roots", at("63-ca.pem")}, "2026-12-01T00:00:00Z"}, "--lenient")
	check(realFile{at("72-two-ns.hex"), []string{"--roots", at("63-ca.pem")}, "2026-12-01T00:00:00Z"})
	check(realFile{file: at("45-no-signed.json"), now: "2026-12-01T00:00:00Z"}) // a date without offset is UTC

	wants := map[string][]string{"auth0-example1": {"--any-usage"}, "animo-animo-mdoc-05": nil, "animo-bdr": nil}
	for name, want := range wants {
		var v struct {
			Hex     string `json:"mdoc_hex"`
			Signed  time.Time
			Trusted []string `json:"trusted_pem"`
			Issuer  string   `json:"issuer_pem"`
		}
		readJSON(t, &v, official.Dir(t, "mdoc"), name+".json")
		roots := write(name+".pem", []byte(strings.Join(v.Trusted, "\n")+"\n"+v.Issuer))
		check(realFile{write(name+".hex", []byte(v.Hex)), []string{"--roots", roots}, v.Signed.Add(time.Hour).Format(time.RFC3339)}, want...)
	}
	var d struct {
		Hex    string            `json:"mdoc_hex"`
		AnnexD map[string]string `json:"annex_d"`
	}
	readJSON(t, &d, official.Dir(t, "mdoc"), "iso18013-5-annex-d.json")
	der, err := hex.DecodeString(d.AnnexD["ISO_18013_5_ANNEX_D_DS_CERT"])
	if err != nil {
		t.Fatal(err)
	}
	roots := write("annex-d.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	check(realFile{write("annex-d.hex", []byte(d.Hex)), []string{"--roots", roots}, "2020-10-02T00:00:00Z"})

	makers := official.Dir(t, "interop-sdjwt-mdoc")
	for _, alg := range []string{"es256", "eddsa"} {
		var k struct {
			Issuer json.RawMessage `json:"issuer_public_jwk"`
			Root   string          `json:"iaca_root_pem"`
		}
		readJSON(t, &k, makers, "keys-"+alg+".json")
		key, root := write(alg+".json", k.Issuer), write(alg+".pem", []byte(k.Root))
		for _, file := range files(t, makers, "sdjwt-"+alg+"-*.txt") {
			var want []string
			if strings.HasSuffix(file, "-kb.txt") {
				want = []string{"--unasked-kb"}
			}
			check(realFile{file, []string{"--issuer-key", key}, "2026-12-01T00:00:00Z"}, want...)
		}
		for _, file := range files(t, makers, "mdoc-*-"+alg+"-*ed.hex") {
			check(realFile{file, []string{"--roots", root}, "2026-12-01T00:00:00Z"})
		}
	}

	tokens := official.Dir(t, "sd-jwt")
	var k struct {
		Issuer json.RawMessage `json:"issuer_public_jwk"`
	}
	readJSON(t, &k, tokens, "keys.json")
	trust := []string{"--issuer-key", write("sd-jwt.json", k.Issuer)}
	var index []struct {
		ID      string
		Binding bool `json:"key_binding"`
	}
	readJSON(t, &index, tokens, "index.json")
	for _, c := range index {
		for _, name := range []string{"sd_jwt_issuance", "sd_jwt_presentation"} {
			file := filepath.Join(tokens, filepath.FromSlash(c.ID), name+".txt")
			if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
				file = strings.TrimSuffix(file, ".txt") + ".json"
			}
			var want []string
			if !strings.HasPrefix(c.ID, "sd-jwt-vc-") && !strings.HasSuffix(c.ID, "/arf-pid") { // which is an SD-JWT VC, too
				want = append(want, "--plain")
			}
			if c.Binding && name == "sd_jwt_presentation" {
				want = append(want, "--unasked-kb")
			}
			check(realFile{file, trust, "2023-11-14T22:13:20Z"}, want...)
		}
	}
	var published struct {
		Vectors []struct {
			ID    string
			KB    bool
			Token string `json:"sd_jwt"`
		}
	}
	readJSON(t, &published, tokens, "published-tokens.json")
	for _, c := range published.Vectors {
		want := []string{"--plain"}
		if strings.Contains(c.ID, "AppendixA3") {
			want = nil
		}
		if c.KB {
			want = append(want, "--unasked-kb")
		}
		check(realFile{write(c.ID+".txt", []byte(c.Token)), trust, "2025-06-15T15:06:40Z"}, want...)
	}
}

func files(t *testing.T, dir, pattern string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %v, %d files", pattern, err, len(all))
	}
	return all
}

// readJSON decodes a file.
func readJSON(t *testing.T, v any, path ...string) {
	t.Helper()
	if err := conform.ReadJSON(v, path...); err != nil {
		t.Fatal(err)
	}
}
