package sdjwt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/printable"
)

// Inspect writes what a token holds, for people: headers, payload, each disclosure with where its digest stands, and the
// KB-JWT. It checks no signature, and goes on where a token is wrong in parts that can still be read.
func Inspect(w io.Writer, token []byte) error {
	token, err := compacted(bytes.TrimSpace(token), canon.Limits{})
	if err != nil {
		return err
	}
	jwt, disclosures, kb, err := stockSplit(token, canon.Limits{})
	if err != nil {
		return err
	}
	out := &printer{printable.Printer{W: w}}
	binding := "no key binding"
	if len(kb) > 0 {
		binding = "with key binding"
	}
	out.Line("SD-JWT of %d bytes, %d disclosures, %s", len(token), len(disclosures), binding)
	payload := out.jws("", jwt)
	out.disclosures(payload, disclosures)
	if len(kb) > 0 {
		out.jws("KB-JWT ", kb)
		name := hashName(payload)
		if _, err := hashOf(name); err == nil {
			out.Line("  sd_hash of what is here (%s): %s", name, sdHash(name, token[:len(token)-len(kb)]))
		}
	}
	return out.Err
}

type printer struct{ printable.Printer }

// jws prints header and payload of a compact JWS and returns the payload, nil if it cannot be read.
func (p *printer) jws(name string, jwt []byte) map[string]any {
	parts, err := splitJWS(name, jwt)
	if err != nil {
		p.Line("%s%v", name, err)
		return nil
	}
	p.json(name+"header", parts[0])
	return p.json(name+"payload", parts[1])
}

// json prints a base64url JSON object in the order of its members.
func (p *printer) json(name string, text []byte) map[string]any {
	b, err := b64.DecodeString(string(text))
	if err != nil {
		p.Line("%s: no base64url: %v", name, err)
		return nil
	}
	m, err := stockParse(b, canon.Limits{})
	if err != nil {
		p.Line("%s: %v", name, err)
		return nil
	}
	var pretty bytes.Buffer
	if err := printable.Indent(&pretty, b, ""); err != nil && p.Err == nil {
		p.Err = fmt.Errorf("%s: %w", name, err)
	}
	p.Line("%s", name)
	for line := range strings.Lines(pretty.String()) {
		p.Line("  %s", strings.TrimSuffix(line, "\n"))
	}
	return m
}

func hashName(payload map[string]any) string {
	if alg, ok := payload["_sd_alg"].(string); ok {
		return alg
	}
	return defaultHash
}

// disclosures prints each disclosure and counts the digests that have none.
func (p *printer) disclosures(payload map[string]any, texts [][]byte) {
	hash := hashName(payload)
	if _, err := hashOf(hash); err != nil {
		p.Line("disclosures: %v", err)
		return
	}
	places := map[string][]string{} // digest to where it stands
	note(payload, "", places)
	values := make([]any, len(texts))
	errs := make([]error, len(texts))
	for i, text := range texts {
		b, err := b64.DecodeString(string(text))
		if err == nil {
			values[i], err = stockValue(b, canon.Limits{})
		}
		if errs[i] = err; err == nil {
			note(values[i], where(i+1), places)
		}
	}
	if len(texts) > 0 {
		p.Line("disclosures (%s)", hash)
	}
	for i, text := range texts {
		digest := sdHash(hash, text)
		at := "no digest refers to it"
		switch found := places[digest]; len(found) {
		case 0:
		case 1:
			at = "in " + found[0]
		default:
			at = fmt.Sprintf("digest stands in the token %d times: %q", len(found), found)
		}
		delete(places, digest)
		if errs[i] != nil {
			p.Line("  %d  %s  cannot be read: %v", i+1, at, errs[i])
			continue
		}
		p.Line("  %d  %s  %s", i+1, show(values[i]), at)
	}
	if n := len(places); n > 0 {
		p.Line("digests without a disclosure: %d", n)
		for _, digest := range slices.Sorted(maps.Keys(places)) {
			p.Line("  %s  in %s", digest, places[digest][0])
		}
	}
}

// note collects the digests in a value.
func note(v any, path string, places map[string][]string) {
	switch t := v.(type) {
	case map[string]any:
		for name, value := range t {
			p := path + "/" + jsontape.EscapeToken(name)
			if list, ok := value.([]any); ok && name == "_sd" {
				for _, e := range list {
					if digest, ok := e.(string); ok {
						places[digest] = append(places[digest], p)
					}
				}
				continue
			}
			note(value, p, places)
		}
	case []any:
		for i, e := range t {
			p := path + "/" + strconv.Itoa(i)
			if m, ok := e.(map[string]any); ok && len(m) == 1 {
				if digest, ok := m["..."].(string); ok {
					places[digest] = append(places[digest], p)
					continue
				}
			}
			note(e, p, places)
		}
	}
}

// show writes a disclosure as name = value, or as value for an array element.
func show(v any) string {
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	a, ok := v.([]any)
	switch {
	case ok && len(a) == 3:
		return fmt.Sprintf("%s = %s", text(a[1]), text(a[2]))
	case ok && len(a) == 2:
		return text(a[1])
	}
	return "is no disclosure: " + text(v)
}

// IsToken says whether bytes look like an SD-JWT, compact or in the JWS JSON serialization.
func IsToken(b []byte) bool {
	b = bytes.TrimSpace(b)
	if bytes.HasPrefix(b, []byte("eyJ")) {
		return bytes.IndexByte(b, '.') > 0
	}
	var t jsontape.Tape
	return isJSON(b) && t.Scan(b, jsontape.Options{}) == nil && t.Get(0, "payload") >= 0 && (t.Get(0, "signature") >= 0 || t.Get(0, "signatures") >= 0)
}
