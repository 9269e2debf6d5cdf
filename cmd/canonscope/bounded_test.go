package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
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
	write("p256.json", must(t, run, "key", "generate", "--algorithm", "ES256"))
	const plain = `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"issuer":"did:x:1","credentialSubject":{"id":"did:x:2","name":"n"}}`
	write("plain.json", plain)
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
	deep := func(levels int) string {
		return `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"issuer":"did:x:1","credentialSubject":{"n":` +
			strings.Repeat("[", levels) + strings.Repeat("0,", 400_000) + "0" + strings.Repeat("]", levels) + `}}`
	}
	write("deep.json", deep(480))
	write("deep-signed.json", must(t, run, "issue", "--self", "--suite", "eddsa-jcs-2022", "--key", "ed.json", "deep.json"))
	token := func(header, payload string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".AA~"
	}
	long := strings.Repeat("x", 300_000)
	integers := append([]byte("\xba\x00\x1e\x84\x81\x69documents\x80"), make([]byte, 0, 12<<20)...) // 2,000,000 and one
	for i := range uint32(2_000_000) {
		integers = append(binary.BigEndian.AppendUint32(append(integers, 0x1a), 1<<31-i), 0)
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
		{"values of one property, by the stock engine", "canonize --method rdfc --engine stock", write("property.json", `{"@id":"u:s","u:p":[`+many(20_000, `"v%d"`)+`]}`), statusLimit, "--max-steps"},
		{"the same, by the tuned engine", "canonize --method rdfc --engine tuned --lossy", "property.json", statusLimit, "--max-steps"},
		{"the same, expanded", "expand --engine stock", "property.json", statusLimit, "--max-steps"},
		{"objects in objects, by the stock engine", "canonize --method rdfc --engine stock", write("objects.json", list(many(100, strings.Repeat(`{"p":`, 400)+`"v%d"`+strings.Repeat("}", 400)))), statusLimit, "--max-steps"},
		{"the same, expanded by the stock engine", "expand --engine stock", "objects.json", statusLimit, "--max-steps"},
		{"members of a JSON literal, by the stock engine", "canonize --method rdfc --engine stock", write("literal.json", `{"@context":{"p":{"@id":"u:p","@type":"@json"}},"@id":"u:s","p":{`+many(20_000, `"k%d":1`)+`}}`), statusLimit, "--max-steps"},
		{"a long prefix, by the stock engine", "canonize --method rdfc --engine stock", write("prefix.json", `{"@context":{"x":"u:`+strings.Repeat("y", 40_000)+`/","p":{"@id":"u:p","@type":"@id"}},"@id":"u:s","p":{"@list":[`+many(390, `"x:%d"`)+`]}}`), statusLimit, "--max-steps"},
		{"the same", "canonize --method rdfc", "prefix.json", statusDone, ""},
		{"the same, expanded by the native engine", "expand", "prefix.json", statusLimit, "--max-memory"},
		{"a long key that is lost", "canonize --method rdfc", write("key.json", `{"`+strings.Repeat("k", 1_000_000)+`":1}`), statusUsage, "bytes more)"},
		{"keys that are lost below a long name", "canonize --method rdfc", write("below.json", `{"@context":{"`+long+`":"u:p"},"`+long+`":[`+many(200, `{"k%d":1}`)+`]}`), statusUsage, "bytes more)"},
		{"the same, of a credential", "issue --any-form --suite eddsa-rdfc-2022 --key ed.json", "below.json", statusUsage, "bytes more)"},
		{"numbers that change below a long name", "issue --any-form --suite eddsa-jcs-2022 --key ed.json", write("numbers.json", `{"`+long+`":[`+many(200, `0.1000000000000000000%d1`)+`]}`), statusUsage, "bytes more)"},
		{"members that a format has no place for", "issue --format sd-jwt-vc --self --key ed.json", write("members.json", strings.Replace(plain, `"issuer"`, many(50_000, `"m%d":{}`)+`,"issuer"`, 1)), statusUsage, "49980 more"},
		{"the same, left out", "issue --format sd-jwt-vc --self --lossy --key ed.json", "members.json", statusDone, "and 49900 more losses"},
		{"a million values", "canonize --method rdfc", write("values.json", list(many(1_000_000, `"v%d"`))), statusLimit, "--max-memory"},
		{"a cycle of 3,000 blank nodes", "canonize --method rdfc", write("c3.nq", cycle(3000)), statusLimit, "--max-work"},
		{"a cycle of 100,000 blank nodes", "canonize --method rdfc", write("c100.nq", cycle(100_000)), statusLimit, ""},
		{"1,000 proofs", "verify", write("proofs.json", proofs(1000)), statusLimit, "--max-proofs"},
		{"a chain of 400 proofs", "verify", write("chain.json", strings.Replace(signed, proof, "["+proof+chain.String()+"]", 1)), statusLimit, "--max-proofs"},
		{"20,000 statements to sign", "issue --any-form --suite ecdsa-sd-2023 --key p256.json", write("statements.json", `{"@context":["https://www.w3.org/ns/credentials/v2",{"p":"u:p"}],"type":["VerifiableCredential"],"issuer":"did:x:1","credentialSubject":{"id":"did:x:2","p":[`+many(20_000, `"v%d"`)+`]}}`), statusLimit, "--max-signatures"},
		{"presentations in presentations", "verify --any-form", write("nested.json", nested), statusLimit, "presentations in presentations"},
		{"millions of values to verify", "verify", "millions.json", statusLimit, "--max-memory"},
		{"millions of values to issue", "issue --any-form --suite eddsa-jcs-2022 --key ed.json", "millions.json", statusLimit, "--max-memory"},
		{"a deep document to inspect", "inspect", "deep.json", statusDone, ""},
		{"a deep document to verify", "verify --json", "deep-signed.json", statusDone, ""},
		{"a deep document to expand", "expand", write("lists.json", `{"@context":{"p":{"@id":"u:p","@container":"@list"}},"p":`+strings.Repeat("[", 240)+many(50_000, "0")+strings.Repeat("]", 240)+`}`), statusDone, ""},
		{"digests below a long name", "inspect", write("dots.sdjwt", token(`{"alg":"EdDSA"}`, `{"`+long+`":[`+many(20_000, `{"...":"%d"}`)+`]}`)), statusDone, "and 19900 more"},
		{"objects to inspect", "inspect", write("objects.sdjwt", token(`{"alg":"EdDSA"}`, `{"l":[`+many(330_000, `{"":1}`)+`]}`)), statusDone, ""},
		{"objects for encoding/json", "verify --engine stock --issuer-key ed.json", write("header.sdjwt", token(`{"alg":"EdDSA","x":[`+many(330_000, `{"":1}`)+`]}`, "{}")), statusLimit, "--max-memory"},
		{"millions of disclosures", "verify --issuer-key ed.json", write("tildes.sdjwt", token(`{"alg":"EdDSA"}`, "{}")+strings.Repeat("AA~", 10_000_000)), statusLimit, "--max-memory"},
		{"integer keys to inspect", "inspect", write("integers.mdoc", string(integers)), statusLimit, "--max-memory"},
		{"fewer of them", "inspect", write("fewer.mdoc", string(append([]byte("\xba\x00\x0f\x42\x41"), integers[5:16+6*1_000_000]...))), statusLimit, "--max-memory"},
		{"a literal of escapes", "canonize --method rdfc", write("escapes.nq", `<u:s> <u:p> "`+strings.Repeat("\x7f", 10_000_000)+"\" .\n"), statusLimit, "--max-memory"},
		{"integer keys to verify", "verify --issuer-key ed.json", "integers.mdoc", statusLimit, "--max-memory"},
		{"elements below a long name", "issue --format mdoc --self --key ed.json --holder-key ed.json", write("long.json", `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],"issuer":"did:x:1","credentialSubject":{"`+long+`":{`+many(30_000, `"m%d":0`)+`}}}`), statusLimit, "--max-memory"},
		{"the same, by the stock engine", "issue --format mdoc --engine stock --self --key ed.json --holder-key ed.json", "long.json", statusLimit, "--max-memory"},
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
			if most := 200_000; status >= statusUsage && len(out) > most {
				t.Errorf("%d bytes are said of it, want at most %d", len(out), most)
			}
			if most := idle + 2*memory + 10*info.Size(); peak > most && !raced {
				// Linux counts the peak of the process that starts another in.
				if _, _, started := run("version"); peak > started {
					t.Errorf("%d MB at its peak, want at most %d", peak>>20, most>>20)
				}
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
