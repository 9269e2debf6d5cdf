//phase:caller
package vcdm

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
)

// Statements are the lines of canonical N-Quads, each with its newline.

// splitLines returns the lines of a text, each with its newline.
//
//phase:parse
func splitLines(text []byte) [][]byte {
	lines := make([][]byte, 0, bytes.Count(text, []byte{'\n'}))
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		lines = append(lines, text[:n:n])
		text = text[n:]
	}
	return lines
}

// blank finds the next blank node label of a canonical N-Quads line at or after i: the span of the label without "_:",
// or -1. Literals and IRIs are passed over, whatever they look like.
func blank(line []byte, i int) (start, end int) {
	for i < len(line) {
		switch line[i] {
		case '<':
			n := bytes.IndexByte(line[i:], '>')
			if n < 0 {
				return -1, -1
			}
			i += n + 1
		case '"':
			for i++; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
			i++
		case '_':
			start, end = i+2, i+2
			for end < len(line) && line[end] != ' ' {
				end++
			}
			return start, end
		default: // a space, the final dot, a language tag, ^^
			if line[i] == '@' { // tags may hold anything but spaces
				for i < len(line) && line[i] != ' ' {
					i++
				}
				continue
			}
			i++
		}
	}
	return -1, -1
}

// relabel returns a line with its blank node labels replaced, appended to dst. to returns the new label, without "_:",
// or nil where there is none, which is an error.
//
//phase:select
func relabel(dst, line []byte, to func(label []byte) []byte) ([]byte, error) {
	from := 0
	for {
		start, end := blank(line, from)
		if start < 0 {
			return append(dst, line[from:]...), nil
		}
		label := to(line[start:end])
		if label == nil {
			return nil, fmt.Errorf("no label for the blank node _:%s", line[start:end])
		}
		dst = append(append(dst, line[from:start]...), label...)
		from = end
	}
}

// relabelAll relabels and sorts lines as strings (VC-DI-ECDSA 3.4.1; order by code points is order by UTF-8 bytes).
//
//phase:select
func relabelAll(lines [][]byte, to func(label []byte) []byte) ([][]byte, error) {
	size := 0
	for _, l := range lines {
		size += len(l) + 2*44 // labels are 44 bytes
	}
	text := make([]byte, 0, size)
	out := make([][]byte, len(lines))
	for i, l := range lines {
		from := len(text)
		var err error
		if text, err = relabel(text, l, to); err != nil {
			return nil, err
		}
		out[i] = text[from:len(text):len(text)]
	}
	slices.SortFunc(out, bytes.Compare)
	return out, nil
}

// hmacLabels makes labels from canonical ones: "u" and the base64url of the HMAC of the label (VC-DI-ECDSA 3.4.4).
type hmacLabels struct {
	key    []byte
	labels map[string][]byte
}

func newHMACLabels(key []byte) *hmacLabels { return &hmacLabels{key, map[string][]byte{}} }

// of returns the label of a canonical label, both without "_:".
//
//phase:select
func (h *hmacLabels) of(label []byte) []byte {
	if l, ok := h.labels[string(label)]; ok {
		return l
	}
	mac := hmac.New(sha256.New, h.key)
	mac.Write(label)
	l := encodeLabel(mac.Sum(nil))
	h.labels[string(label)] = l
	return l
}

// encodeLabel returns the label of an HMAC.
//
//phase:encode
func encodeLabel(mac []byte) []byte {
	l := make([]byte, 1+multibase64.EncodedLen(len(mac)))
	l[0] = 'u'
	multibase64.Encode(l[1:], mac)
	return l
}

// canonicalNumber returns N of a canonical label c14nN.
func canonicalNumber(label []byte) (uint32, bool) {
	digits, ok := bytes.CutPrefix(label, []byte("c14n"))
	if !ok || len(digits) == 0 || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(digits), 10, 32)
	return uint32(n), err == nil
}

// joinLines returns the lines that pick accepts as one text.
func joinLines(lines [][]byte) []byte { return bytes.Join(lines, nil) }
