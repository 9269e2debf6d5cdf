package findings

// stock is canonize through json-gold, with its guard: it refuses what json-gold gets wrong and names it.
func stock(input ...string) Step {
	return Step{Input: input, Args: []string{"canonize", "--engine", "stock"}, Status: 2}
}

// native is canonize through the engine of this project.
func native(input ...string) Step {
	return Step{Input: input, Args: []string{"canonize"}}
}

// other is canonize through an engine of another program, an adapter of a family.
func other(family, engine string, input ...string) Step {
	return Step{Input: input, Args: []string{"canonize", "--engine", engine}, Needs: family}
}

// saying adds what a step prints.
func (s Step) saying(texts ...string) Step {
	s.Says = texts
	return s
}

// lacking adds what a step does not print.
func (s Step) lacking(texts ...string) Step {
	s.Lacks = texts
	return s
}

// with adds arguments to a step and sets its exit status.
func (s Step) with(status int, args ...string) Step {
	s.Args, s.Status = append(s.Args, args...), status
	return s
}

// poison gives a step the dataset that RDFC-1.0 requires to be refused.
func poison(s Step) Step {
	s.From = []string{"schemas", "generate", "clique-10"}
	return s
}

const jsonGold = "json-gold"

// Documents of findings.
const (
	literal   = `{"@context":{"p":{"@id":"urn:p","@type":"@json"}},"@id":"urn:s","p":["signed?"]}`
	address   = `{"@id":"urn:s","urn:p":{"@id":"https://-bad.example/"}}`
	undefined = `{"@context":{"a":"urn:a"},"@id":"urn:s","a":"x","b":"lost"}`
	injection = `{"@id":"urn:s","urn:ref":{"@id":"urn:a> <urn:g"}}`
	lists     = `{"@id":"urn:1","urn:x:l":[{"@list":[]},{"@list":[]}]}`
	exponent  = `{"@id":"urn:s","urn:p":1e-7}`
	inexact   = `{"a":9007199254740993,"b":1e-400}`
	wrapped   = `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiablePresentation"],` +
		`"verifiableCredential":[{"@context":["https://www.w3.org/ns/credentials/v2"],` +
		`"type":["VerifiableCredential"],"issuer":"urn:i","credentialSubject":{"id":"urn:s"}}]}`
)

// dropped are data that no signature covers.
var dropped = []Finding{
	{
		About: jsonGold,
		Title: "A JSON literal that is an array, a string or null is signed as a constant text",
		Text: "The canonical form of such a value is the words of an error, whatever the value is, so that " +
			"two documents with different values have one signature. The stock engine refuses such " +
			"documents; the native one signs the value.",
		Tell: "ld/node.go: objectToRDF canonicalizes only JSON objects, numbers and booleans. Tests tjs03, " +
			"07, 08, 14 to 18 and 21 to 23 of toRdf, which are skipped, show it.",
		Steps: []Step{
			stock(literal).saying("json-gold does not support arrays, strings and null as JSON literals"),
			native(literal).saying(`"[\"signed?\"]"^^`),
		},
	},
	{
		About: jsonGold,
		Title: "A statement with a URL that an expression for web addresses does not match is dropped",
		Text: "So are URLs of 2,083 characters and more, as signed image addresses have. No error is " +
			"returned, and the signature does not cover the statement: with --lossy the form is empty.",
		Tell: "ld/rdf_dataset.go: Quad.Valid asks IsURL of every http and https IRI. Check the characters " +
			"that RFC 3987 excludes instead, and return an error for what is dropped.",
		Steps: []Step{
			stock(address).saying("json-gold does not accept the URL"),
			{Input: []string{address}, Args: []string{"canonize", "--engine", "stock", "--lossy"},
				Lacks: []string{"<urn:s>"}},
			native(address).saying("<urn:s> <urn:p> <https://-bad.example/> ."),
		},
	},
	{
		About: jsonGold,
		Title: "Members that no context defines are dropped, and safe mode does not reach Normalize",
		Text: "A holder can add or change such a member of a signed credential. The guard around the stock " +
			"engine refuses it; without the guard the form has the other members alone.",
		Tell: "ld/processor.go: Normalize makes new options for toRDF and does not copy SafeMode. Safe " +
			"mode should be what signing uses.",
		Steps: []Step{
			stock(undefined).saying("undefined term (json-gold does not say which)"),
			{Input: []string{undefined}, Args: []string{"canonize", "--engine", "stock", "--lossy"},
				Says: []string{`<urn:s> <urn:a> "x" .`}, Lacks: []string{"lost\" ."}},
			native(undefined).with(2).saying(`data would be lost at "/b": undefined term`),
		},
	},
	{
		About: jsonGold,
		Title: "Statements of a presented credential are put into the default graph",
		Text: "The container of verifiableCredential is read from the scoped context, which is null, so " +
			"that a presentation has other statements than VCDM 2.0 defines.",
		Tell: "Read @container from the active context before the property-scoped context is applied, as " +
			"JSON-LD API 5.1.2 step 13 does.",
		Steps: []Step{
			stock(wrapped).saying("json-gold does not support the graph container of a term"),
			native(wrapped).saying("#VerifiableCredential> _:c14n0 ."),
		},
	},
}

// altered are canonical forms that are not those of the specification.
var altered = []Finding{
	{
		About: jsonGold,
		Title: "An IRI is written without escapes, so that it can end a term and begin a graph",
		Text: "A reference to an IRI with a > in it has the canonical form of another document, which " +
			"states something else in a named graph. Both engines refuse it here.",
		Tell: "Refuse IRIs with characters that IRIREF of N-Quads excludes, or escape them, for all schemes.",
		Steps: []Step{
			stock(injection).saying("invalid IRI"),
			native(injection).with(2).saying("invalid IRI"),
		},
	},
	{
		About: jsonGold,
		Title: "Blank nodes whose label begins with c14n are not labelled anew: two nodes become one",
		Text: "N-Quads that were canonical once, or that an attacker labels so, are signed as another " +
			"graph. rdf-canonize and PyLD have the same line.",
		Tell: "ld/api_normalize.go: HasPrefix(\"_:c14n\") does not show that this call issued the label. " +
			"Keep what was issued in the issuer.",
		Steps: []Step{
			stock("_:c14n0 <u:p> _:x .", `_:x <u:q> "1" .`, `_:c14n0 <u:q> "2" .`).
				with(2, "--input", "nquads").saying("blank node labels that begin with c14n"),
			native("_:c14n0 <u:p> _:x .", `_:x <u:q> "1" .`, `_:c14n0 <u:q> "2" .`).
				with(0, "--input", "nquads").saying(`_:c14n0 <u:q> "1" .`, `_:c14n1 <u:q> "2" .`),
			other("node", "exec:node", "_:c14n0 <u:p> _:x .", `_:x <u:q> "1" .`, `_:c14n0 <u:q> "2" .`).
				with(0, "--input", "nquads").saying(`_:c14n0 <u:q> "1" .`, `_:c14n0 <u:q> "2" .`),
		},
	},
	{
		About: jsonGold,
		Title: "Control characters of literals are written raw",
		Text: "RDFC-1.0 escapes them. Signatures over such text do not verify elsewhere, and the labels of " +
			"blank nodes that have it differ as well. Test 060 of the official suite shows it.",
		Tell: "Escape U+0000 to U+001F and U+007F as canonical N-Quads does: \\b, \\f and the rest as " +
			"\\u00XX.",
		Steps: []Step{
			stock(`<u:s> <u:p> "\b\f" .`).with(2, "--input", "nquads").
				saying("json-gold does not support control characters in literals"),
			native(`<u:s> <u:p> "\b\f" .`).with(0, "--input", "nquads").saying(`<u:s> <u:p> "\b\f" .`),
		},
	},
	{
		About: "json-gold, jsonld.js",
		Title: "Two empty lists of one property are written as one line twice",
		Text: "A dataset is a set, so the form has the line once. A credential with two empty lists " +
			"verifies in one of these libraries and not in others.",
		Tell: "Remove duplicate quads after lists have become rdf:nil, not before.",
		Steps: []Step{
			stock(lists).saying("json-gold does not support a value written in two ways"),
			native(lists).saying("<urn:1> <urn:x:l> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> ."),
			other("node", "exec:node", lists).saying("<urn:1> <urn:x:l> " +
				"<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> . <urn:1> <urn:x:l> " +
				"<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> ."),
		},
	},
	{
		About: "jsonld.js",
		Title: "The number 1e-7 is signed as the integer 0",
		Text: "A number whose JavaScript text has an exponent and no dot counts as an integer there, " +
			"also in safe mode: 1e-7 and 2e-7 have one signature. Both engines here write the double.",
		Tell: "lib/types.js: isDouble looks for a dot in the text of a number. Ask whether it is an integer.",
		Steps: []Step{
			native(exponent).saying(`"1.0E-7"^^<http://www.w3.org/2001/XMLSchema#double>`),
			stock(exponent).with(0).saying(`"1.0E-7"^^<http://www.w3.org/2001/XMLSchema#double>`),
			other("node", "exec:node", exponent).saying(`"0"^^<http://www.w3.org/2001/XMLSchema#integer>`),
		},
	},
	{
		About: jsonGold,
		Title: "SHA-384 is missing, so that P-384 keys cannot be used as the suites require",
		Text: "RDFC-1.0 requires SHA-256 and SHA-384 of an implementation, and ecdsa-rdfc-2019 takes the " +
			"second for P-384, inside canonicalization as well.",
		Tell: "Make the hash of the normalization algorithm an option.",
		Steps: []Step{
			stock(`<u:s> <u:p> "x" .`).with(2, "--input", "nquads", "--hash", "sha384").
				saying("does not support hash sha384"),
			native(`<u:s> <u:p> "x" .`).with(0, "--input", "nquads", "--hash", "sha384").
				saying(`<u:s> <u:p> "x" .`),
		},
	},
}

// tied is a dataset of which RDFC-1.0 allows two forms, and mirrored the same with two lines exchanged.
var (
	tied = []string{`_:k <u:v> "1" .`, "_:h <u:p> _:a <u:g2> .", "_:h <u:p> _:b <u:g1> .",
		"_:k <u:p> _:a <u:g1> .", "_:k <u:p> _:b <u:g2> ."}
	mirrored = []string{`_:k <u:v> "1" .`, "_:h <u:p> _:b <u:g1> .", "_:h <u:p> _:a <u:g2> .",
		"_:k <u:p> _:b <u:g2> .", "_:k <u:p> _:a <u:g1> ."}
)

// undetermined are places where specifications leave the bytes open, or lose them by design.
var undetermined = []Finding{
	{
		About: "RDFC-1.0",
		Title: "The order of its input can decide the canonical form",
		Text: "The hash of a related blank node leaves out the graph. Nodes that differ only in which " +
			"named graph holds which link tie, although none can take the place of another, and the form " +
			"follows the input: five quads and the same with lines exchanged have two forms. All " +
			"implementations that were tried do so; canonize warns, and --determined refuses.",
		Tell: "Hash Related Blank Node should include the graph name, or the specification should say " +
			"which datasets have no canonical form.",
		Steps: []Step{
			native(tied...).with(0, "--input", "nquads").
				saying("not determined", "_:c14n0 <u:p> _:c14n2 <u:g2> ."),
			native(mirrored...).with(0, "--input", "nquads").
				saying("not determined", "_:c14n0 <u:p> _:c14n2 <u:g1> ."),
			native(tied...).with(2, "--input", "nquads", "--determined").saying("not determined"),
		},
	},
	{
		About: "RDFC-1.0",
		Title: "A quad with one blank node twice is counted once or twice, and labels follow",
		Text: "Read literally, it is one reference to the quad. rdf-canonize, oxrdf and the Ruby library " +
			"do so, while json-gold, PyLD, rdfjs-c14n, titanium and sophia count two. The official suite " +
			"cannot distinguish them; labels differ in one of ten random datasets with such quads.",
		Tell: "Add a test of a self-loop to the suite of RDFC-1.0.",
		Steps: []Step{
			stock("_:a <u:p> _:a .", "_:b <u:q> _:a .", "_:b <u:p> _:b .").with(2, "--input", "nquads").
				saying("a quad that holds a blank node twice"),
			native("_:a <u:p> _:a .", "_:b <u:q> _:a .", "_:b <u:p> _:b .").with(0, "--input", "nquads").
				saying("_:c14n0 <u:q> _:c14n1 ."),
		},
	},
	{
		About: jsonGold,
		Title: "Nothing bounds the work on a dataset that RDFC-1.0 requires to be refused",
		Text: "The clique of ten blank nodes, test 074, takes minutes to years, and a goroutine cannot be " +
			"stopped. Both engines here end at a limit: json-gold by a guard that counts its steps.",
		Tell: "Count calls of hash n-degree quads and permutations, and return an error at a limit; take a " +
			"context.",
		Steps: []Step{
			poison(native().with(3, "--input", "nquads").saying("limit reached: work")),
			poison(stock().with(3, "--input", "nquads").saying("limit reached", "json-gold")),
		},
	},
	{
		About: "RFC 8785",
		Title: "JCS changes the value of numbers beyond a double without an error",
		Text: "Integers above 2^53 lose digits, and what underflows becomes 0, before the signature: a " +
			"verifier that reads the JSON sees another number than what was signed. canonize lists them.",
		Tell: "Profiles of credentials that use JCS should refuse such numbers, as RFC 7493 recommends.",
		Steps: []Step{
			native(inexact).with(0, "--method", "jcs").
				saying("9007199254740993 becomes 9007199254740992", "it underflows to 0"),
		},
	},
}
