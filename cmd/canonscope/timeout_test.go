package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon"
)

func TestTimeLimit(t *testing.T) {
	failed := errors.New("failed")
	stops := func(ctx context.Context) error {
		<-ctx.Done()
		return &canon.LimitError{Limit: "time", Done: 7, Err: ctx.Err()}
	}
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		limit  time.Duration
		ctx    context.Context
		work   func(context.Context) error
		status int
		text   string // in the error; "" is none
	}{
		"done":               {time.Hour, context.Background(), func(context.Context) error { return nil }, statusDone, ""},
		"done without limit": {0, context.Background(), func(ctx context.Context) error { return ctx.Err() }, statusDone, ""},
		"failed":             {time.Hour, context.Background(), func(context.Context) error { return failed }, statusUsage, "failed"},
		"a limit of others":  {time.Hour, context.Background(), func(context.Context) error { return context.DeadlineExceeded }, statusLimit, "context deadline exceeded"},
		"negative":           {-1, context.Background(), stops, statusUsage, "--timeout is -1ns; it must not be negative"},
		"stops":              {time.Millisecond, context.Background(), stops, statusLimit, "stopped by --timeout 1ms, 7 steps of labelling done; raise it"},
		"does not stop":      {time.Millisecond, context.Background(), func(context.Context) error { select {} }, statusLimit, "stopped by --timeout 1ms; raise it"},
		"interrupted":        {0, interrupted, func(context.Context) error { select {} }, statusUsage, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cmd cobra.Command
			cmd.SetContext(c.ctx)
			err := timeLimit(c.limit).run(&cmd, c.work)
			if got := status(err); got != c.status {
				t.Errorf("status %d, want %d", got, c.status)
			}
			if (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v, want %q", err, c.text)
			}
		})
	}
}

// A long chain of blank nodes, which takes RDFC-1.0 a square of its length, ends by the clock in every command that signs,
// derives or verifies, and over engines that never ask for the time.
func TestTimeoutOfProofs(t *testing.T) {
	dir := t.TempDir()
	canonscope := func(args ...string) (stdout, stderr string, status int) {
		var out, errs strings.Builder
		cmd := exec.Command("canonscope", args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
		var exit *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
			t.Error(err)
		}
		return out.String(), errs.String(), cmd.ProcessState.ExitCode()
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	made := func(name string, args ...string) string {
		out, errs, status := canonscope(args...)
		if status != statusDone {
			t.Fatalf("%s: status %d: %s", args, status, errs)
		}
		write(name, out)
		return out
	}
	const (
		short   = `"p":"urn:x:1"`
		subject = `"id":"did:example:s",`
		plain   = `{"@context":["https://www.w3.org/ns/credentials/v2",{"p":{"@id":"urn:x:p","@type":"@id"}}],` +
			`"type":["VerifiableCredential"],"issuer":"https://i.example/","credentialSubject":{` + subject + short + `}}`
	)
	var chain strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&chain, `,{"id":"_:b%d","p":"_:b%d"}`, i, i+1)
	}
	poison := func(doc string) string { return strings.Replace(doc, short, `"p":[`+chain.String()[1:]+`]`, 1) }
	made("ed.json", "key", "generate")
	made("ec.json", "key", "generate", "--algorithm", "ES256")
	write("plain.json", plain)
	write("poison.json", poison(plain))
	write("signed.json", poison(made("vc.json", "issue", "--suite", "eddsa-rdfc-2022", "--key", "ed.json", "plain.json")))
	write("base.json", poison(made("vc.json", "issue", "--suite", "ecdsa-sd-2023", "--mandatory", "/issuer", "--key", "ec.json", "plain.json")))
	derived := poison(made("vp.json", "present", "--disclose", "/credentialSubject/p", "vc.json"))
	write("derived.json", derived)
	write("vp.json", `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiablePresentation"],"verifiableCredential":[`+derived+`]}`)

	for _, engine := range []canon.Engine{"native", "stock"} {
		for _, line := range []string{
			"issue --suite eddsa-rdfc-2022 --key ed.json poison.json",
			"issue --suite ecdsa-sd-2023 --key ec.json poison.json",
			"present --disclose /credentialSubject/p base.json",
			"present --disclose /issuer --disclose /credentialSubject --key ed.json signed.json",
			"verify signed.json",
			"verify --json derived.json",
			"verify vp.json",
		} {
			if engine == "stock" && strings.HasSuffix(line, "vp.json") {
				continue // the guard refuses it before
			}
			t.Run(string(engine)+"/"+line, func(t *testing.T) {
				t.Parallel()
				out, errs, status := canonscope(append(strings.Fields(line), "--engine", string(engine), "--max-steps", "none", "--timeout", "50ms")...)
				if status != statusLimit || out != "" && !strings.Contains(out, `"exitStatus": 3`) || !strings.Contains(errs, "stopped by --timeout 50ms") {
					t.Errorf("status %d, printed %.100q and %.300q", status, out, errs)
				}
			})
		}
	}
	for _, line := range []string{"issue --suite eddsa-jcs-2022 --key ed.json plain.json", "present --disclose /issuer vc.json", "verify vc.json",
		"issue --format sd-jwt-vc --key ed.json plain.json"} {
		if _, errs, status := canonscope(append(strings.Fields(line), "--timeout", "-1s")...); status != statusUsage || !strings.Contains(errs, "must not be negative") {
			t.Errorf("%s --timeout -1s: status %d, %s", line, status, errs)
		}
	}
}
