package explain

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/jsontape"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/stats"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/charge"
	"canonscope/schemas/vary"
)

// Advice is a changed document that costs less.
type Advice struct {
	Change string         `json:"change"`
	Breaks []string       `json:"breaks"` // what the change would alter beside the cost
	Engine canon.Engine   `json:"engine"`
	Before stats.Estimate `json:"before_ns"`
	After  stats.Estimate `json:"after_ns"`
	Ratio  stats.Estimate `json:"ratio"` // after by before
}

// change is a changed document that may cost less.
type change struct {
	what   string
	doc    []byte
	breaks []string
}

// Advise makes changed documents, measures them beside the document, and adds them to the report: as advice
// those that are shown to cost less, after correction for their number.
func (e *Explainer) Advise(ctx context.Context) error {
	changes := e.changes(ctx)
	e.report.Tried = len(changes)
	if len(changes) == 0 || len(e.active) == 0 {
		e.report.Tried = 0
		return nil
	}
	if room := max(1, e.room(forAdvice)-1); len(changes) > room {
		e.report.Warnings = append(e.report.Warnings, fmt.Sprintf(
			"%d of %d changed documents were not measured; --seconds gives more time", len(changes)-room,
			len(changes)))
		changes = changes[:room]
		e.report.Tried = room
	}

	docs := [][]byte{e.doc.JSON}
	for _, c := range changes {
		docs = append(docs, c.doc)
	}
	e.note("%d changed documents", len(changes))
	times, err := e.stage(ctx, e.activeCells(), docs, forAdvice*e.opt.Seconds)
	if err != nil {
		return err
	}

	table := make([]*stats.Comparison, 0, len(changes)*len(e.active))
	for i := range e.active {
		for j := range changes {
			c := stats.Paired([]stats.Sample{times[i][j+1]}, []stats.Sample{times[i][0]}, stats.Band)
			table = append(table, &c)
		}
	}
	stats.Correct(table)

	for k, c := range table {
		i, j := k/len(changes), k%len(changes)
		if !c.Ratio.Bounded() {
			continue
		}
		to := &e.report.Advice
		if c.Ratio.High >= 1 || c.Differs > 1-stats.Confidence {
			to = &e.report.Without
		}
		*to = append(*to, Advice{Change: changes[j].what, Breaks: changes[j].breaks,
			Engine: e.cells[e.active[i]].Engine, Ratio: c.Ratio,
			Before: stats.Mean(times[i][0]), After: stats.Mean(times[i][j+1])})
	}

	for _, list := range [][]Advice{e.report.Advice, e.report.Without} {
		slices.SortStableFunc(list, func(a, b Advice) int {
			return cmp.Compare(a.Ratio.Center, b.Ratio.Center)
		})
	}
	return nil
}

// changes lists the changed documents that can be measured and mean what their advice says.
func (e *Explainer) changes(ctx context.Context) []change {
	var all []change
	kinds := []func(context.Context) *change{e.named, e.unpacked, e.once, e.fewerContexts, e.flat}
	for _, kind := range kinds {
		c := kind(ctx)
		if c != nil && e.check(c.doc) == nil {
			all = append(all, *c)
		}
	}
	return all
}

// count counts a changed document, nil if it is refused or loses data.
func (e *Explainer) count(ctx context.Context, doc []byte) *charge.Account {
	opt := charge.Options{Loader: matrix.Loader(e.doc.Given), Limits: e.opt.Limits}
	a, err := charge.Document(ctx, doc, opt)
	if err != nil || len(a.Losses) > 0 {
		return nil
	}
	return a
}

// named gives an id to each node object without one. An only blank node needs no hash, so it stays.
func (e *Explainer) named(ctx context.Context) *change {
	if e.report.Total.Blank < 2 {
		return nil
	}

	opt := charge.Options{Loader: matrix.Loader(e.doc.Given), Limits: e.opt.Limits}
	doc, n := vary.Named(ctx, &e.tape, &e.report.Account, 100, opt)
	if n == 0 {
		return nil
	}
	return &change{fmt.Sprintf("an id for %s", printable.Plural(n, "unnamed node")), doc, []string{
		"every presentation shows the same names, so that presentations can be linked",
		"other documents can refer to the nodes; copies of a node must not get two names",
		"a JSON Schema that allows no further members refuses it"}}
}

// leastData is the size from which the data of a URI is moved out of the document.
const leastData = 256

// unpacked replaces data URIs by references to files.
func (e *Explainer) unpacked(context.Context) *change {
	var edits []edit
	size := 0
	for i := range e.tape.Nodes {
		n := &e.tape.Nodes[i]
		if n.Kind != jsontape.String || n.Hash != 0 || n.End-n.Start < leastData ||
			!bytes.HasPrefix(e.tape.Src[n.Start+1:n.End], []byte("data:")) {
			continue
		}
		sum := sha256.Sum256(e.tape.Src[n.Start:n.End])
		size += int(n.End - n.Start)
		address := `"https://files.example/` + hex.EncodeToString(sum[:]) + `"`
		edits = append(edits, edit{node: i, value: []byte(address)})
	}
	if len(edits) == 0 {
		return nil
	}
	return &change{fmt.Sprintf("%s of %d bytes out of the document",
		printable.Plural(len(edits), "data URI"), size),
		rewrite(&e.tape, edits), []string{
			"the signature covers the address and not the data, unless a digest is added (relatedResource)",
			"a verifier must fetch the data, and whoever serves it sees that"}}
}

// leastNode is the size from which a repeated node is named once.
const leastNode = 64

// once states a node that the document repeats at its first place, and refers to it elsewhere.
func (e *Explainer) once(ctx context.Context) *change {
	first := map[string]int{}
	var edits []edit
	nodes, named := map[string]bool{}, map[int]bool{}
	unnamed := 0
	for i := 0; i < len(e.report.Parts); i++ {
		p := &e.report.Parts[i]
		n := e.node(i)
		if n <= 0 || e.tape.Nodes[n].Kind != jsontape.Object || p.Size < leastNode || p.Depth == 0 ||
			e.tape.Get(n, "@value") >= 0 || e.tape.Get(n, "@list") >= 0 || p.Own.Blank == 0 && e.id(n) == "" {
			continue
		}
		raw := string(e.tape.Raw(n))
		before, again := first[raw]
		if !again {
			first[raw] = n
			continue
		}

		key, id := "id", e.id(n)
		if e.tape.Get(n, "@id") >= 0 {
			key = "@id"
		}
		if id == "" {
			id = `"urn:uuid:` + vary.UUID(raw) + `"`
			if !named[before] {
				named[before] = true
				unnamed++
				edits = append(edits, edit{node: before, member: []byte(`"id":` + id)})
			}
		}
		nodes[raw] = true
		edits = append(edits, edit{node: n, value: []byte(`{"` + key + `":` + id + `}`)})
		for i+1 < len(e.report.Parts) && e.report.Parts[i+1].Depth > p.Depth { // what is in it goes with it
			i++
		}
	}
	if len(edits) == 0 {
		return nil
	}

	doc := rewrite(&e.tape, edits)
	a := e.count(ctx, doc)
	if a == nil {
		return nil
	}
	breaks := []string{"readers of JSON must follow the reference"}
	if unnamed > 0 || a.Total.Quads != e.report.Total.Quads {
		breaks = append(breaks, "it says that equal nodes are one node, which then has one name everywhere")
	} else {
		breaks = append(breaks, "nothing in the signed statements, which are the same")
	}
	breaks = append(breaks, "a part that is disclosed alone lacks what is stated elsewhere",
		"a JSON Schema that requires members of the node refuses a reference")
	return &change{fmt.Sprintf("%s that repeat, stated once", printable.Plural(len(nodes), "node")), doc,
		breaks}
}

// id is the JSON text of the id of an object, "" if it has none.
func (e *Explainer) id(n int) string {
	for _, key := range []string{"id", "@id"} {
		if v := e.tape.Get(n, key); v >= 0 && e.tape.Nodes[v].Kind == jsontape.String {
			return string(e.tape.Raw(v))
		}
	}
	return ""
}

// proofs is the beginning of contexts from which a proof takes its terms, and not the document.
const proofs = "https://w3id.org/security/"

// fewerContexts drops contexts of the document without which the canonical form is the same.
func (e *Explainer) fewerContexts(ctx context.Context) *change {
	list := e.tape.Get(0, "@context")
	if list < 0 || e.tape.Nodes[list].Kind != jsontape.Array || e.tape.Len(list) < 2 {
		return nil
	}
	canonical, err := e.bench(string(canon.RDFC))
	if err != nil {
		return nil
	}
	form, err := canonical.form(e.doc.JSON)
	if err != nil {
		return nil
	}
	form = bytes.Clone(form)

	var edits []edit
	var dropped []string
	for c := range e.tape.Elements(list) {
		if c == list+1 || e.isText(c, proofs) { // that of the data model
			continue
		}
		doc := rewrite(&e.tape, append(slices.Clone(edits), edit{node: c, drop: true}))
		changed, err := canonical.form(doc)
		if err != nil || !bytes.Equal(form, changed) {
			continue
		}
		edits = append(edits, edit{node: c, drop: true})
		name := "one inside the document"
		if e.tape.Nodes[c].Kind == jsontape.String {
			name = string(e.tape.Text(c))
		}
		dropped = append(dropped, name)
	}
	if len(edits) == 0 {
		return nil
	}

	return &change{"without a context that is not used: " + strings.Join(dropped, ", "),
		rewrite(&e.tape, edits), []string{"nothing in the signed statements, which are the same",
			"verifiers and JSON Schemas that require the context refuse it"}}
}

// isText reports whether a value is a string that begins so.
func (e *Explainer) isText(n int, begin string) bool {
	return e.tape.Nodes[n].Kind == jsontape.String && bytes.HasPrefix(e.tape.Text(n), []byte(begin))
}

// bench is one of the native engine.
func (e *Explainer) bench(suite string) (*bench, error) {
	cell, err := matrix.Signing(canon.Native, suite)
	if err != nil {
		return nil, err
	}
	return newBench(cell, e.doc.Given, e.now)
}

// flat is the document of the catalogue with a flat context in place of type-scoped ones.
func (e *Explainer) flat(ctx context.Context) *change {
	if e.report.Total.Scoped == 0 || catalogue.IsFile(e.doc.Name) || strings.ContainsRune(e.doc.Name, ':') {
		return nil
	}
	d, err := Read(e.doc.Name+":scoping=flat", compare.Given{})
	if err != nil {
		return nil
	}
	a := e.count(ctx, d.JSON)
	if a == nil || a.Total.Quads != e.report.Total.Quads || a.Total.Scoped >= e.report.Total.Scoped {
		return nil
	}
	what := fmt.Sprintf("a flat context in place of type-scoped ones: %d scoped contexts entered, not %d",
		a.Total.Scoped, e.report.Total.Scoped)
	return &change{what, d.JSON, []string{
		"another context document, which the issuer must publish and verifiers must have",
		"a term has one meaning in the whole document; the signed statements are the same"}}
}
