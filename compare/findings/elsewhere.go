package findings

// Inputs of findings about libraries of other languages.
const (
	fraction = `{"@id":"urn:s","urn:p":0.97}`
	bare     = `{"@id":"urn:s","urn:p":[5,true]}`
	types    = `{"@context":{"type":"@type"},"@id":"urn:s","@type":"urn:T","type":["urn:U"]}`
	twice    = `{"a":1,"a":2}`
	proofs   = `{"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential"],` +
		`"issuer":"urn:i","credentialSubject":{"id":"urn:s"},"proof":[` +
		`{"type":"DataIntegrityProof","proofValue":"uA"},{"type":"DataIntegrityProof","proofValue":"uB"}]}`
)

// elsewhere are faults of libraries of other languages, which their adapters show.
var elsewhere = []Finding{
	{
		About: "PyLD",
		Title: "Numbers between 0 and 1 are written with two digits of exponent, and zeros",
		Text: "0.97 becomes 9.700000000000000E-01, where the canonical form of a double is 9.7E-1. A " +
			"signature over such a number does not verify elsewhere. Version 2.0.3 does so.",
		Tell: "The pattern that shortens doubles expects a plus sign or none after E; accept a minus sign.",
		Steps: []Step{
			other("python", "exec:pyld", fraction).saying(`"9.700000000000000E-01"`),
			native(fraction).saying(`"9.7E-1"^^<http://www.w3.org/2001/XMLSchema#double>`),
		},
	},
	{
		About: "PyLD",
		Title: "Escapes of N-Quads are kept as text",
		Text: "The characters \\u00e9 in a literal stay six characters, and the backslash is escaped: the " +
			"form is that of another dataset, and depends on how the input was written.",
		Tell: "Decode \\u and \\U in parse_nquads.",
		Steps: []Step{
			other("python", "exec:pyld", `<urn:s> <urn:p> "\u00e9" .`).with(0, "--input", "nquads").
				saying(`"\\u00e9"`),
			native(`<urn:s> <urn:p> "\u00e9" .`).with(0, "--input", "nquads").saying(`"é"`),
		},
	},
	{
		About: "rdf-canonize, PyLD, rdfjs-c14n",
		Title: "Lines are in the order of UTF-16, or of escapes, instead of that of code points",
		Text: "A statement with a character beyond U+FFFF, an emoji for example, is before one with a " +
			"character from U+E000 to U+FFFF: the hash differs from that of other implementations.",
		Tell: "Compare code points: RDFC-1.0 section 5 asks for it.",
		Steps: []Step{
			other("node", "exec:node", `<urn:s> <urn:p> "\U0001F303" .`, `<urn:s> <urn:p> "\uFB01" .`).
				with(0, "--input", "nquads").saying("\"🌃\" . <urn:s> <urn:p> \"ﬁ\" ."),
			native(`<urn:s> <urn:p> "\U0001F303" .`, `<urn:s> <urn:p> "\uFB01" .`).
				with(0, "--input", "nquads").saying("\"ﬁ\" . <urn:s> <urn:p> \"🌃\" ."),
		},
	},
	{
		About: "rdfjs-c14n",
		Title: "Integers, doubles and booleans are written as in Turtle, without quotes and datatype",
		Text: "Neither the text nor the hashes are those of RDFC-1.0 then, for any document with a number. " +
			"Version 3.1.4 with N3.js 1.26 does so.",
		Tell: "Write terms as N-Quads; the writer of N3.js shortens literals unless it is told not to.",
		Steps: []Step{
			other("node", "exec:rdfjs", bare).saying("<urn:s> <urn:p> 5 .", "<urn:s> <urn:p> true ."),
			native(bare).saying(`<urn:s> <urn:p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .`),
		},
	},
	{
		About: "jsonld-streaming-parser",
		Title: "The proofs of a list are put into the default graph",
		Text: "In VCDM 2.0 a context that belongs to a type makes proof a graph container. For a list of " +
			"proofs the parser makes statements of the credential of them.",
		Tell: "Apply the container to each item of the list, as JSON-LD API 5.1.2 step 13 does.",
		Steps: []Step{
			other("node", "exec:rdfjs", proofs).saying(`"uA"^^<https://w3id.org/security#multibase> .`),
			native(proofs).saying(`"uA"^^<https://w3id.org/security#multibase> _:c14n2 .`),
		},
	},
	{
		About: "canonicalize",
		Title: "Duplicate names and lone surrogates of JSON are canonicalized instead of refused",
		Text: "The library gets values, of which the parser of JavaScript has dropped the first of two " +
			"members: who reads the first one sees other data than were signed.",
		Tell: "Offer a function from text, which refuses what RFC 7493 excludes, and refuse strings that " +
			"are not well formed.",
		Steps: []Step{
			other("node", "exec:node", twice).with(0, "--method", "jcs").saying(`{"a":2}`),
			native(twice).with(2, "--method", "jcs").saying(`duplicate key "a"`),
		},
	},
	{
		About: "Titanium JSON-LD",
		Title: "Of two members for types the second is dropped",
		Text: "Where a document has @type and an alias of it, the types of one member are not signed. " +
			"Beside this, of the corpus of agree, version 1.3.1 drops statements with an IRI that is a " +
			"scheme alone, and fails with an IllegalStateException for a @graph that is a text.",
		Tell: "Join the types of all members, as JSON-LD API 5.1.2 step 13.4.4 does.",
		Steps: []Step{
			other("java", "exec:titanium", types).saying("<urn:T>").lacking("<urn:U>"),
			native(types).saying("<urn:T>", "<urn:U>"),
		},
	},
}
