package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// onTerminal runs a command line whose standard output is a terminal, and returns what the terminal gets.
func onTerminal(t *testing.T, args ...string) string {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal here: %v", err)
	}
	defer terminal.Close()
	var number int
	if err = unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPTLCK, 0); err == nil {
		number, err = unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPTN)
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}

	shown := make(chan string)
	go func() {
		b, _ := io.ReadAll(terminal) // ends in an error once the other side is closed and all is read
		shown <- string(b)
	}()
	var stderr bytes.Buffer
	status := run(args, strings.NewReader(""), tty, &stderr)
	tty.Close()
	out := <-shown
	if status != statusDone {
		t.Fatalf("%q: exit status %d: %s", args, status, &stderr)
	}
	return out
}

// A document or a canonical form shows nothing to a terminal that steers it, and is JSON of the same value. A pipe gets its
// bytes as they are.
func TestTerminal(t *testing.T) {
	const hostile = "x\u0085\u009b2J\u007f\u202ey\u2066\u200f\u061c\u00ad\u2028\U000e0041"
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := file("key.json", `{"type":"Multikey","secretKeyMultibase":"z3u2UPTNRX3VtrJtFLfW5bwPd7XUQqeq2rDsqECPNmySG18V"}`)
	credential := file("credential.json", "{\"@context\":[\"https://www.w3.org/ns/credentials/v2\"],\r\n\t\"type\":[\"VerifiableCredential\"],\r"+
		`"issuer":"did:example:i","validFrom":"2025-01-01T00:00:00Z","credentialSubject":{"id":"did:example:s","`+hostile+`":"a`+hostile+`"}}`)
	sign := []string{"--suite", "eddsa-jcs-2022", "--any-form", "--key", key, "--created", "2026-01-01T00:00:00Z"}
	quads := file("a.nq", `<urn:s> <urn:p> "`+hostile+"\" .\n")
	linked := file("linked.json", `{"@id":"urn:s","urn:p":"`+hostile+`"}`)

	piped := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		if status := run(args, strings.NewReader(""), &stdout, &stderr); status != statusDone {
			t.Fatalf("%q: exit status %d: %s", args, status, &stderr)
		}
		return stdout.String()
	}
	signed := file("signed.json", piped(append(append([]string{"issue"}, sign...), credential)...))
	for _, args := range [][]string{
		append(append([]string{"issue"}, sign...), credential),
		{"present", "--disclose", "/credentialSubject/" + hostile, "--key", key, "--created", "2026-01-01T00:00:00Z", signed},
		{"canonize", "--method", "jcs", credential},
		{"canonize", "--method", "rdfc", quads},
		{"expand", linked},
		{"expand", "--one-line", linked},
		{"schemas", "generate", credential},
	} {
		bytes, shown := piped(args...), onTerminal(t, args...)
		if !strings.Contains(bytes, "\u202ey\u2066\u200f\u061c\u00ad\u2028\U000e0041") {
			t.Errorf("%q: a pipe gets %q", args, bytes)
		}
		for _, r := range shown {
			if !strconv.IsPrint(r) && !strings.ContainsRune("\r\n\t", r) {
				t.Errorf("%q: a terminal gets %q", args, shown)
				break
			}
		}
		lines := strings.ReplaceAll(shown, "\r\n", "\n") // what terminals make of line feeds
		if strings.Contains(lines, "\r") || !strings.Contains(lines, `\u202ey\u2066\u200f\u061c\u00ad\u2028\udb40\udc41`) {
			t.Errorf("%q: a terminal gets %q", args, shown)
		}
		var want, got any
		if json.Unmarshal([]byte(bytes), &want) == nil {
			if err := json.Unmarshal([]byte(lines), &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q: a terminal gets %v, want %v: %v", args, got, want, err)
			}
		}
	}
}
