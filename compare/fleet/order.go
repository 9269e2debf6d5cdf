package fleet

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"canonscope/compare"
	"canonscope/compare/measure"
)

// Version of the messages of this package.
const Version = 1

// Order is the message by which a batch travels to a worker. It is data alone.
type Order struct {
	Version     int           `json:"version"`
	Campaign    string        `json:"campaign"`
	Environment string        `json:"environment"`
	Binary      string        `json:"binary"`
	Rules       string        `json:"rules"`
	Batch       measure.Batch `json:"batch"`
}

// Bounds of messages.
const (
	mostJobs  = 4096
	maxGiven  = 256 << 20 // bytes of the user's documents and contexts
	maxReply  = 128 << 20 // bytes of a reply
	maxPacked = 64 << 20  // of them, compressed

	// Objects of JSON, each of which may need many times the bytes of its text.
	mostInOrder = 1 << 17
	mostInReply = 1 << 20
)

// braces counts the objects of a text of JSON, and the braces in its strings.
func braces(text []byte) int { return bytes.Count(text, []byte("{")) }

// Refused is the reason why a worker does not do what a message asks for.
type Refused struct{ Why string }

func (e *Refused) Error() string { return "refused: " + e.Why }

// ReadOrder reads the message of a batch. Its errors are all *Refused.
func ReadOrder(text []byte) (*Order, error) {
	if n := braces(text); n > mostInOrder {
		return nil, &Refused{fmt.Sprintf("it has %d objects", n)}
	}
	var o Order
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o); err != nil {
		return nil, &Refused{"it is not an order: " + err.Error()}
	}
	if dec.More() {
		return nil, &Refused{"something follows the order"}
	}
	switch {
	case o.Version != Version:
		return nil, &Refused{fmt.Sprintf("it has version %d, this worker speaks %d", o.Version, Version)}
	case !name.MatchString(o.Campaign), !name.MatchString(o.Environment), !name.MatchString(o.Batch.ID):
		return nil, &Refused{"it has no name"}
	case len(o.Batch.Jobs) == 0 || len(o.Batch.Jobs) > mostJobs:
		return nil, &Refused{fmt.Sprintf("it has %d jobs", len(o.Batch.Jobs))}
	}
	for i := range o.Batch.Jobs {
		if err := o.Batch.Jobs[i].CheckTravelling(); err != nil {
			return nil, &Refused{err.Error()}
		}
	}

	total := 0
	for _, s := range o.sources() {
		if s.Bytes < 0 || s.Bytes > maxGiven-total || len(s.SHA256) != 64 {
			return nil, &Refused{fmt.Sprintf("its documents have more than %d bytes, or no hash", maxGiven)}
		}
		total += s.Bytes
	}
	return &o, nil
}

// sources lists what the user gave to the jobs of an order, each once.
func (o *Order) sources() []compare.Source { return sources([]measure.Batch{o.Batch}) }

func sources(batches []measure.Batch) []compare.Source {
	var all []compare.Source
	seen := make(map[compare.Source]bool)
	add := func(s compare.Source) {
		if !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	for _, b := range batches {
		for _, j := range b.Jobs {
			if j.Document != nil {
				add(*j.Document)
			}
			for _, c := range j.Contexts {
				add(c)
			}
		}
	}
	return all
}

// fits returns an error unless a worker can do an order: it must be of the same program and rules, and name
// no foreign engine that the worker's own command line does not define.
func (o *Order) fits(w *Info, engines map[compare.Engine][]string) error {
	switch {
	case o.Environment != w.Environment:
		return &Refused{"it is for the environment " + o.Environment}
	case o.Binary != w.Binary:
		return &Refused{"it is for another binary"}
	case o.Rules != w.Rules:
		return &Refused{"it is for other frame rules"}
	}
	for _, j := range o.Batch.Jobs {
		cell, err := compare.ParseCell(j.Cell)
		if err != nil {
			return &Refused{err.Error()}
		}
		if _, defined := engines[cell.Engine]; compare.Foreign(cell.Engine) && !defined {
			return &Refused{fmt.Sprintf("the engine %s is not one that this worker was started with",
				cell.Engine)}
		}
	}
	return nil
}

// receipt is the message with the first reply to a batch, or the name of the object with it.
type receipt struct {
	Worker  string `json:"worker"`
	Attempt string `json:"attempt"`          // id of this attempt at the batch
	Reply   []byte `json:"reply,omitempty"`  // packed
	Object  string `json:"object,omitempty"` // name of it, where it is large
}

// pack makes bytes of a reply.
func pack(r *measure.Reply) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(z).Encode(r), z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// unpack reads a reply of a worker, which is not trusted.
func unpack(b []byte) (*measure.Reply, error) {
	if len(b) > maxPacked {
		return nil, fmt.Errorf("a reply has %d bytes", len(b))
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("a reply: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(z, maxReply+1))
	if err == nil && len(text) > maxReply {
		err = fmt.Errorf("it has more than %d bytes", maxReply)
	}
	if n := braces(text); err == nil && n > mostInReply {
		err = fmt.Errorf("it has %d objects", n)
	}
	var r measure.Reply
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return nil, fmt.Errorf("a reply: %w", err)
	}
	return &r, nil
}

// givenOf joins what was given, as jobs name it.
func givenOf(batch *measure.Batch, bytes map[string][]byte) compare.Given {
	given := compare.Given{Documents: make(map[string][]byte), Contexts: make(map[string][]byte)}
	for _, j := range batch.Jobs {
		if d := j.Document; d != nil {
			given.Documents[d.Name] = bytes[d.SHA256]
		}
		for _, c := range j.Contexts {
			given.Contexts[c.Name] = bytes[c.SHA256]
		}
	}
	return given
}

// bytesOf finds the bytes of a source in what the user gave.
func bytesOf(s compare.Source, given compare.Given) []byte {
	for _, all := range []map[string][]byte{given.Documents, given.Contexts} {
		if b, ok := all[s.Name]; ok && hash(b) == s.SHA256 {
			return b
		}
	}
	return nil
}
