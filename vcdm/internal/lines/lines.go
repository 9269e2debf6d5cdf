// Package lines works on statements as lines of N-Quads, each with its newline: it takes them apart, gives
// their blank nodes other labels, and finds labels for those that have no name or are alike.
//
//phase:caller
package lines

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Split returns the lines of a text.
//
//phase:parse
func Split(text []byte) [][]byte {
	return AppendSplit(make([][]byte, 0, bytes.Count(text, []byte{'\n'})), text)
}

// AppendSplit appends the lines of a text.
//
//phase:parse
func AppendSplit(dst [][]byte, text []byte) [][]byte { return slices.AppendSeq(dst, bytes.Lines(text)) }

// Join returns lines as one text.
func Join(lines [][]byte) []byte { return bytes.Join(lines, nil) }

// Part parts lines into those that are selected and the others, each in order.
//
//phase:select
func Part(lines [][]byte, selected []bool) (in, others [][]byte) {
	n := 0
	for _, yes := range selected {
		if yes {
			n++
		}
	}
	in, others = make([][]byte, 0, n), make([][]byte, 0, len(lines)-n)
	for i, l := range lines {
		if selected[i] {
			in = append(in, l)
		} else {
			others = append(others, l)
		}
	}
	return in, others
}

// Cut returns the term that a part of a line begins with, and what follows behind the space.
func Cut(line []byte) (term, rest []byte) {
	n := 0
	switch {
	case len(line) == 0:
	case line[0] == '<':
		n = bytes.IndexByte(line, '>') + 1
	case line[0] == '"':
		n = LiteralEnd(line)
	}
	if i := bytes.IndexByte(line[n:], ' '); i >= 0 { // a literal's datatype or language follows its text
		return line[:n+i], line[n+i+1:]
	}
	return line, nil
}

// LiteralEnd returns where the text of a literal ends, behind its second quotation mark.
func LiteralEnd(line []byte) int {
	for n := 1; n < len(line); n++ {
		switch line[n] {
		case '\\':
			n++
		case '"':
			return n + 1
		}
	}
	return len(line)
}

// blank finds the next blank node of a line at or after i: the span of its label without "_:", or -1. A
// term or a space has to begin at i.
func blank(line []byte, i int) (start, end int) {
	for i < len(line) {
		term, _ := Cut(line[i:])
		if bytes.HasPrefix(term, []byte("_:")) {
			return i + 2, i + len(term)
		}
		i += len(term) + 1
	}
	return -1, -1
}

// Relabel appends a line to dst with other labels of its blank nodes. to returns the new label, without
// "_:", or nil where there is none, which is an error.
//
//phase:select
func Relabel(dst, line []byte, to func(label []byte) []byte) ([]byte, error) {
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

// RelabelAll relabels and sorts lines as strings (VC-DI-ECDSA 3.4.1; order by code points is order by UTF-8
// bytes).
//
//phase:select
func RelabelAll(lines [][]byte, to func(label []byte) []byte) ([][]byte, error) {
	size := 0
	for _, l := range lines {
		size += len(l) + 2*LabelSize
	}
	text := make([]byte, 0, size)
	out := make([][]byte, len(lines))
	for i, l := range lines {
		from := len(text)
		var err error
		if text, err = Relabel(text, l, to); err != nil {
			return nil, err
		}
		out[i] = text[from:len(text):len(text)]
	}
	slices.SortFunc(out, bytes.Compare)
	return out, nil
}

// HMACs returns the HMACs of the canonical labels c14n0 to c14n<n-1>, and the labels that are made of them
// (VC-DI-ECDSA 3.4.4).
//
//phase:select
func HMACs(key []byte, n int) (macs [][]byte, labels []string) {
	mac := hmac.New(sha256.New, key)
	macs, labels = make([][]byte, n), make([]string, n)
	sums, text := make([]byte, 0, n*sha256.Size), make([]byte, 0, n*LabelSize)
	buf := make([]byte, 0, 16)
	for i := range n {
		mac.Reset()
		buf = strconv.AppendInt(append(buf[:0], "c14n"...), int64(i), 10)
		mac.Write(buf)
		sums = mac.Sum(sums)
		macs[i] = sums[len(sums)-sha256.Size : len(sums) : len(sums)]
		text = AppendLabel(text, macs[i])
	}

	all := string(text)
	for i := range labels {
		labels[i] = all[i*LabelSize : (i+1)*LabelSize]
	}
	return macs, labels
}

// Shuffled returns for the canonical labels c14n0 to c14n<n-1> the order of their HMACs as text, and the
// labels that are made of it, b and a number (VC-DI-BBS 3.3.1).
//
//phase:select
func Shuffled(key []byte, n int) (ranks []uint32, labels []string) {
	_, hmacs := HMACs(key, n)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(hmacs[i], hmacs[j]) })
	ranks, labels = make([]uint32, n), make([]string, n)
	for rank, i := range order {
		ranks[i], labels[i] = uint32(rank), string(ShuffledLabel(uint32(rank)))
	}
	return ranks, labels
}

// ShuffledLabel returns the label of a number that [Shuffled] gives.
func ShuffledLabel(rank uint32) []byte { return strconv.AppendUint([]byte{'b'}, uint64(rank), 10) }

var base64url = base64.RawURLEncoding.Strict()

// LabelSize is the length of the label of an HMAC.
const LabelSize = 1 + (8*sha256.Size+5)/6

// AppendLabel appends the label of an HMAC: "u" and its base64url.
//
//phase:encode
func AppendLabel(dst, mac []byte) []byte { return base64url.AppendEncode(append(dst, 'u'), mac) }

// Number returns N of a canonical label c14nN.
func Number(label []byte) (uint32, bool) {
	digits, ok := bytes.CutPrefix(label, []byte("c14n"))
	if !ok || len(digits) == 0 || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(digits), 10, 32)
	return uint32(n), err == nil
}
