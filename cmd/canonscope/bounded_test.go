package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Attacks 9 and 10: small files that took gigabytes or hours end within the budget: memory at most twice that of
// --max-memory and ten times the input above that of an idle process, and status 3 that names the flag.
func TestBounded(t *testing.T) {
	const memory = 64 << 20
	dir := t.TempDir()
	write := func(name, text string) string {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	run := func(args ...string) (out string, status int, peak int64) {
		cmd := exec.Command("canonscope", args...)
		cmd.Dir = dir
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		var exit *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return stdout.String() + stderr.String(), cmd.ProcessState.ExitCode(), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	}
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			if strings.Contains(format, "%") {
				fmt.Fprintf(&b, format, i)
			} else {
				b.WriteString(format)
			}
		}
		return b.String()
	}
	cycle := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "_:b%d <u:p> _:b%d .\n", i, (i+1)%n)
		}
		return b.String()
	}
	list := func(elements string) string { return `{"@context":{"p":"u:p"},"p":[` + elements + `]}` }

	_, _, idle := run("version")
	write("ed.json", must(t, run, "key", "generate"))
	write("plain.json", `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"issuer":"did:x:1","credentialSubject":{"id":"did:x:2","name":"n"}}`)
	signed := must(t, run, "issue", "--self", "--suite", "eddsa-jcs-2022", "--key", "ed.json", "plain.json")
	proof := signed[strings.Index(signed, `"proof":`)+len(`"proof":`) : strings.LastIndex(signed, "}")]
	proofs := func(n int) string {
		return strings.Replace(signed, proof, "["+proof+","+many(n-1, strings.TrimSuffix(strings.TrimSpace(proof), "}")+`,"nonce":"%d"}`)+"]", 1)
	}
	var chain strings.Builder
	for i := range 400 {
		fmt.Fprintf(&chain, `,%s,"id":"urn:p:%d","previousProof":[%s]}`, strings.TrimSuffix(strings.TrimSpace(proof), "}"), i, many(i+1, `"urn:p:%d"`))
	}
	nested := signed
	for range 20 {
		nested = `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiablePresentation"],"verifiableCredential":[` + nested + `]}`
	}

	for _, c := range []struct {
		name, command, file string
		status              int
		says                string
	}{
		{"a long vocabulary and many keys", "canonize --method rdfc", write("vocab.json", `{"@context":{"@vocab":"u:`+strings.Repeat("x", 46_000)+`"},`+many(5800, `"k%d":"x"`)+`}`), statusLimit, "--max-memory"},
		{"the same, expanded", "expand", "vocab.json", statusLimit, "--max-memory"},
		{"empty objects", "canonize --method rdfc", write("empty.json", list(many(330_000, "{}"))), statusLimit, "--max-memory"},
		{"millions of empty objects", "canonize --method rdfc", write("millions.json", list(many(4_200_000, "{}"))), statusLimit, "--max-memory"},
		{"the same, by the stock engine", "canonize --method rdfc --engine stock", "millions.json", statusLimit, "--max-memory"},
		{"the same, as JSON", "canonize --method jcs", "millions.json", statusLimit, "--max-memory"},
		{"a million values", "canonize --method rdfc", write("values.json", list(many(1_000_000, `"v%d"`))), statusLimit, "--max-memory"},
		{"a cycle of 3,000 blank nodes", "canonize --method rdfc", write("c3.nq", cycle(3000)), statusLimit, "--max-work"},
		{"a cycle of 100,000 blank nodes", "canonize --method rdfc", write("c100.nq", cycle(100_000)), statusLimit, ""},
		{"1,000 proofs", "verify", write("proofs.json", proofs(1000)), statusLimit, "--max-proofs"},
		{"a chain of 400 proofs", "verify", write("chain.json", strings.Replace(signed, proof, "["+proof+chain.String()+"]", 1)), statusLimit, "--max-proofs"},
		{"presentations in presentations", "verify --any-form", write("nested.json", nested), statusLimit, "presentations in presentations"},
		{"millions of values to verify", "verify", "millions.json", statusLimit, "--max-memory"},
		{"millions of values to issue", "issue --any-form --suite eddsa-jcs-2022 --key ed.json", "millions.json", statusLimit, "--max-memory"},
		{"100,000 quads", "canonize --method rdfc", write("quads.nq", strings.ReplaceAll(many(100_000, "<u:s%d> <u:p> \"value\" .\n"), ".\n,", ".\n")), statusDone, ""},
		{"64 proofs", "verify", write("few.json", proofs(64)), statusNo, "the signature does not belong to this document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := strings.Fields(c.command)
			info, err := os.Stat(filepath.Join(dir, c.file))
			if err != nil {
				t.Fatal(err)
			}
			out, status, peak := run(append(args, fmt.Sprint("--max-memory=", memory), c.file)...)
			if status != c.status || !strings.Contains(out, c.says) {
				t.Errorf("status %d, want %d with %q: %.300s", status, c.status, c.says, out)
			}
			if most := idle + 2*memory + 10*info.Size(); peak > most && !raced {
				t.Errorf("%d MB at its peak, want at most %d", peak>>20, most>>20)
			}
		})
	}
}

// must runs a command that has to succeed and returns what it prints.
func must(t *testing.T, run func(...string) (string, int, int64), args ...string) string {
	t.Helper()
	out, status, _ := run(args...)
	if status != statusDone {
		t.Fatalf("%s: status %d: %s", args, status, out)
	}
	return out
}
