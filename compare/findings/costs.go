package findings

import "strings"

// measure is a step of a measurement; look says at what to look.
func measure(look, command string) Step {
	return Step{Args: strings.Fields(command), Look: look}
}

// costly are costs of libraries that the specifications do not ask for.
var costly = []Finding{
	{
		About: jsonGold,
		Title: "An expression for web addresses is a fifth to a half of the cost of an Open Badge",
		Text: "Every http and https IRI of every statement is matched. Ten lines that accept plain URLs " +
			"without it make verification of a badge 29 % cheaper.",
		Tell: "ld/rdf_dataset.go: validIRI calls IsURL. Check the characters in one pass instead.",
		Steps: []Step{measure("among the dearest functions: regexp below IsURL, in the phase to-rdf",
			"profile ob3 --engine stock --operation canonize --suite rdfc --seconds 5")},
	},
	{
		About: jsonGold,
		Title: "The canonical form is joined line by line: its cost grows with the square of its size",
		Text: "Labels and order of 16,000 quads take 83 ms, with the joining 7.8 s. A fit of the total " +
			"says that canonicalization is quadratic; the algorithm is not, and the native engine is " +
			"linear here.",
		Tell: "ld/api_normalize.go: Main adds each line to a string. Use a strings.Builder.",
		Steps: []Step{measure("the growth of stock is above that of native, and serialize grows fastest",
			"run --operation canonize --schema simple-20 --axis attributes=100,400,1600 --runs 3 "+
				"--profile-seconds 0.5")},
	},
	{
		About: "RDFC-1.0",
		Title: "Labels and order are a few percent of the cost: contexts and statements are the rest",
		Text: "What is called the cost of canonicalization is JSON-LD: processing contexts, expansion and " +
			"making quads. RDFC-1.0 itself, labels and serialization, is 1 to 7 % with libraries of today.",
		Tell: "Those who compare canonicalizations should report these phases apart.",
		Steps: []Step{measure("the bar of the stock engine: context and to-rdf against label and serialize",
			"run --operation canonize --suite rdfc --engine stock --runs 3 --profile-seconds 1 "+
				"kit-simple kit-ob3")},
	},
	{
		About: jsonGold,
		Title: "Contexts are processed again for every document, and once more for every typed node",
		Text: "Nothing is kept from one call to the next. With contexts that are kept processed, a small " +
			"credential costs a third of the same with embedded ones in native code.",
		Tell: "Keep processed contexts by the URL and the active context, as JSON-LD API notes. A " +
			"context that is given as *Context halves the cost today.",
		Steps: []Step{measure("the rows cold, embedded and warm of the native engine",
			"run --suite eddsa-rdfc-2022 --engine native --operation issue,verify --context-cache "+
				"cold,embedded,warm --runs 3 "+
				"--profile-seconds 0 simple-20")},
	},
	{
		About: "CLR 2.0 and ELM",
		Title: "In native code scoped contexts do not make a CLR 20 times dearer than an ELM credential",
		Text: "Scoped contexts make CLR credentials 20 to 40 times dearer in the libraries in use. In " +
			"native code the two were within a factor of about two: the rest is a cost of the " +
			"libraries, not of the schema.",
		Tell: "Designers of schemas need not give up scoped contexts for their cost; libraries should keep " +
			"processed ones.",
		Steps: []Step{measure("the ratio CLR : ELM of issue + verify",
			"run --preset clr-or-elm --engine native --runs 3 --profile-seconds 0")},
	},
	{
		About: "JSON Schema validators",
		Title: "Validation of a badge costs more than its canonicalization in native code",
		Text: "A service that validates and verifies spends most of its time in the validator, once " +
			"canonicalization is fast.",
		Tell: "Compile schemas once, and validate the bytes that were parsed for verification.",
		Steps: []Step{measure("the phase validate beside context, expand, label and serialize",
			"run --suite eddsa-rdfc-2022 --engine native --validate santhosh-tekuri "+
				"--operation issue,verify --runs 3 --profile-seconds 1 ob3")},
	},
	{
		About: "ecdsa-sd-2023",
		Title: "Its cost is that of its signatures: one for each statement that can be left out",
		Text: "A credential of 20 attributes has 22 signatures to make and, disclosed as a whole, 22 to " +
			"check. No implementation can be faster than they are.",
		Tell: "Profiles that want selective disclosure at low cost should make groups of statements " +
			"mandatory, or consider suites with one signature.",
		Steps: []Step{measure("sign and check in the bar, and 22+22 under sign+ver",
			"run --suite ecdsa-sd-2023 --engine native --algorithm ES256 --runs 3 --profile-seconds 0.5 "+
				"simple-20")},
	},
	{
		About: "gowebpki/jcs",
		Title: "JCS as it is used in Go costs several times what one pass over the bytes costs",
		Text: "It builds values and sorts names as text before it writes. A swap of RDFC for JCS measures " +
			"this library as well as the specification.",
		Tell: "Canonicalize the tokens in one pass; numbers and names need conversion, strings mostly do " +
			"not.",
		Steps: []Step{measure("stock beside native",
			"run --operation canonize --suite jcs --engine stock,native --runs 3 --profile-seconds 0 "+
				"simple-20 ob3")},
	},
}

// misread are mistakes that a measurement invites.
var misread = []Finding{
	{
		About: "those who measure",
		Title: "An exponent hides the answer where signatures are a fixed cost",
		Text: "From 5 to 500 attributes native costs fit a fixed cost and some tenths of a microsecond for " +
			"each attribute within a few percent; a power has an exponent of 0.3 to 0.5, which says nothing.",
		Tell: "Report the fixed cost and the cost of one more, not the exponent alone.",
		Steps: []Step{measure("the growth of issue + verify far below 1, and the phases that grow",
			"run --axis attributes=5,20,100,500 --engine native --runs 3 --profile-seconds 0.3")},
	},
	{
		About: "those who measure",
		Title: "Signing a subset anew is not disclosure, and makes a present look cheap",
		Text: "eddsa-rdfc-2022 cannot derive: the issuer signs the subset again, which a holder cannot do. " +
			"ecdsa-sd-2023, SD-JWT VC and mdoc derive. Tables here mark it with †.",
		Tell: "Compare suites that derive with each other, or issue and verify of the whole.",
		Steps: []Step{{Args: []string{"cells", "--schema", "simple-20", "--engine", "native"},
			Says: []string{"re-signs", "derives"}}},
	},
}
