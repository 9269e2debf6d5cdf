//phase:caller
package sdjwt

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/compare"
)

// stockDisclosureSize is the approximate memory to make or read a disclosure, without its text.
const stockDisclosureSize = 1536

// stockIssuer walks a claims set and turns disclosable claims into disclosures.
//
//phase:encode
type stockIssuer struct {
	*Issuer
	budget      *canon.Budget
	digest      func([]byte) string
	pointers    map[string]bool
	found       int
	leaves      string
	path        []byte // JSON pointer of the current claim
	protected   bool   // the current claim is a protected one or below one
	disclosures []string
}

//phase:encode fallback
func (stock) issue(i *Issuer, claims []byte, d Disclosable) ([]byte, error) {
	budget := newBudget(i.Limits)
	root, err := stockParse(claims, budget)
	if err != nil {
		return nil, wrap("claims", "RFC 7519 section 4", err)
	}
	if _, ok := root["cnf"]; ok && i.Holder != nil {
		return nil, invalid("/cnf", ruleVC, "is in the claims already, and the holder's key would replace it")
	}

	w := &stockIssuer{Issuer: i, budget: budget, digest: stockDigest(i.hash(), i.Counters), leaves: d.Leaves,
		pointers: map[string]bool{}}
	for _, p := range d.Pointers {
		w.pointers[p] = true
	}

	payload, err := w.object(root)
	if err != nil {
		return nil, err
	}
	if w.found < len(w.pointers) {
		return nil, w.missing(claims)
	}
	if len(w.disclosures) > 0 {
		payload["_sd_alg"] = i.hash()
	}
	if i.Holder != nil {
		payload["cnf"] = map[string]any{"jwk": json.RawMessage(i.Holder.JWK())}
	}

	body, err := stockEncode(payload)
	if err != nil {
		return nil, err
	}

	jwt, err := stockSign(body, i.typ(), i.KeyID, i.Key)
	if err != nil {
		return nil, err
	}

	i.Counters.Add(compare.Counters{Signatures: 1})
	return stockJoin(jwt, w.disclosures), nil
}

// missing returns the error of a pointer that names nothing in the claims.
func (w *stockIssuer) missing(claims []byte) error {
	limits := w.budget.Limits()
	var t jsontape.Tape
	if err := t.Scan(claims, jsontape.Options{Bytes: limits.Bytes, Depth: limits.Depth,
		Memory: limits.Memory}); err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(w.pointers)) {
		if w.pointers[p] {
			return t.Mismatch(p)
		}
	}
	return nil
}

// take reports whether the current claim becomes a disclosure.
func (w *stockIssuer) take(v any) (bool, error) {
	marked := w.pointers[string(w.path)]
	if marked {
		w.pointers[string(w.path)] = false
		w.found++
	} else if marked = w.leaves != "" && isLeaf(v) && below(w.path, w.leaves); !marked {
		return false, nil
	}
	if w.protected {
		return false, invalid(string(w.path), ruleVC, "must not be selectively disclosable")
	}
	return true, nil
}

func isLeaf(v any) bool {
	switch t := v.(type) {
	case map[string]any:
		return len(t) == 0
	case []any:
		return len(t) == 0
	}
	return true
}

// claim replaces the disclosable claims inside v, innermost first, and reports whether v becomes a
// disclosure. token is the token of v in a JSON pointer, below the current claim.
func (w *stockIssuer) claim(v any, token string) (out any, take bool, err error) {
	back := len(w.path)
	w.path = append(append(w.path, '/'), token...)
	out = v
	switch t := v.(type) {
	case map[string]any:
		out, err = w.object(t)
	case []any:
		out, err = w.array(t)
	}
	if err == nil {
		take, err = w.take(v)
	}
	w.path = w.path[:back]
	return out, take, err
}

func (w *stockIssuer) object(m map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(m))
	var digests []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if reserved(name) {
			return nil, invalid(string(w.path)+"/"+name, "RFC 9901 section 4.1",
				"%q is reserved; rename the claim", name)
		}
		if len(w.path) == 0 {
			w.protected = w.typ() == typVC && protectedName(name) != ""
		}
		v, take, err := w.claim(m[name], jsontape.EscapeToken(name))
		if err != nil {
			return nil, err
		}
		if !take {
			out[name] = v
			continue
		}
		d, err := w.disclose(name, v)
		if err != nil {
			return nil, err
		}
		digests = append(digests, d)
	}

	if len(digests) == 0 {
		return out, nil
	}

	for range w.Decoys {
		salt, err := stockSalt(w.salts(), w.Counters)
		if err != nil {
			return nil, err
		}
		digests = append(digests, w.digest([]byte(salt)))
	}

	slices.Sort(digests) // hides the order of the claims
	out["_sd"] = digests
	return out, nil
}

func (w *stockIssuer) array(a []any) ([]any, error) {
	out := make([]any, len(a))
	for i := range a {
		v, take, err := w.claim(a[i], strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		if take {
			d, err := w.disclose(v)
			if err != nil {
				return nil, err
			}
			v = map[string]any{"...": d}
		}
		out[i] = v
	}
	return out, nil
}

// disclose makes the disclosure of a claim (name and value) or of an array element (value only), and
// returns its digest.
func (w *stockIssuer) disclose(claim ...any) (digest string, err error) {
	salt, err := stockSalt(w.salts(), w.Counters)
	if err != nil {
		return "", err
	}
	text, err := stockDisclosure(append([]any{salt}, claim...))
	if err != nil {
		return "", err
	}
	if err := w.budget.Use(stockDisclosureSize + len(text)); err != nil {
		return "", err
	}
	w.disclosures = append(w.disclosures, text)
	return w.digest([]byte(text)), nil
}

// stockSalt draws 128 bits (RFC 9901 section 9.3).
//
//phase:salt
func stockSalt(r io.Reader, c *compare.Counters) (string, error) {
	var salt [16]byte
	if _, err := io.ReadFull(r, salt[:]); err != nil {
		return "", err
	}
	c.Add(compare.Counters{Salts: 1})
	return b64.EncodeToString(salt[:]), nil
}

// stockDisclosure encodes a disclosure (RFC 9901 section 4.2).
//
//phase:encode
func stockDisclosure(elements []any) (string, error) {
	b, err := json.Marshal(elements)
	return b64.EncodeToString(b), err
}
