package study

import (
	"strings"

	"canonscope/compare"
)

// Kind is what a claim is about.
type Kind string

const (
	Result  Kind = "result"  // what the study found
	Method  Kind = "method"  // what it did: a scenario, a parameter, a limitation
	Purpose Kind = "purpose" // what it and this project are for
)

// Claim is a claim, a figure or a parameter of the study or its kit.
type Claim struct {
	N        int    `json:"n"`
	Kind     Kind   `json:"kind"`
	Says     string `json:"says"`
	Figure   string `json:"published,omitempty"`
	Scenario string `json:"scenario"` // that has the evidence
	judge    judge
}

// Rows of the exchange, by the words of the study.
var (
	rdfc   = pick{scenario: "exchange", suite: "eddsa-rdfc-2022", algorithm: "EdDSA"}
	jcs    = pick{scenario: "exchange", suite: "eddsa-jcs-2022", algorithm: "EdDSA"}
	token  = pick{scenario: "exchange", suite: "jws", algorithm: "EdDSA"}
	mobile = pick{scenario: "exchange", suite: "cose-sign1",
		algorithm: "ES256"} // with its usual algorithm
	mobileEd  = pick{scenario: "exchange", suite: "cose-sign1", algorithm: "EdDSA"}
	rdfcP256  = pick{scenario: "exchange", suite: "ecdsa-rdfc-2019", algorithm: "ES256"}
	tokenP256 = pick{scenario: "exchange", suite: "jws", algorithm: "ES256"}
	selective = pick{scenario: "exchange", suite: "ecdsa-sd-2023", algorithm: "ES256"}
	forms     = pick{scenario: "canonize", suite: "rdfc"}
)

// Operations of the exchange.
const (
	issue    = compare.Issue
	verify   = compare.Verify
	present  = compare.Present
	verifyVP = compare.VerifyPresented
	canonize = compare.Canonize
)

// otherLanguages judges a claim about other languages by the engines of other processes that canonicalized.
func otherLanguages(e *evidence) answer {
	others := e.others()
	if others == nil {
		return answer{Open, "", "it needs engines in other languages, and none was measured"}
	}
	return answer{Agrees, strings.Join(others, ", "), "their canonical forms passed the gate"}
}

var otherMachines = lacking("it needs several machines; canonscope report sets their folders side by side")

// Claims are in the order of the review of the study.
var Claims = []Claim{
	{1, Method, "three formats over one scope: issue, present a part, verify", "", "exchange",
		done(pick{scenario: "exchange"}, "the same three steps of vcdm, sd-jwt-vc and mdoc")},
	{2, Method, "VCDM 2.0 with a Data Integrity cryptosuite", "", "exchange",
		done(rdfc, "and four suites more")},
	{3, Method, "SD-JWT VC", "", "exchange", done(token, "in two engines")},
	{4, Method, "mdoc of ISO 18013-5", "", "exchange",
		done(mobile, "in two engines, with x5chain and tag 24, which the kit leaves out")},
	{5, Method, "5 of 20 attributes are presented", "5 of 20", "exchange", disclosesFive},
	{6, Method, "implementations in Node.js, Go and Python", "", "exchange", otherLanguages},
	{7, Method, "four environments, one of them in a cloud", "4", "exchange", otherMachines},
	{8, Method, "2,000 operations in each of five processes", "5 × 2,000", "exchange", replicated},
	{9, Method, "medians of each statistic, with their spread", "", "exchange",
		otherwise("geometric means over processes with t intervals; medians of single operations are " +
			"beside them, of one process")},
	{10, Result, "an exchange as mdoc takes 0.265 ms", "0.265 ms", "exchange", absolute(mobile,
		compare.Exchanged...)},
	{11, Result, "an exchange as SD-JWT VC takes 0.298 ms", "0.298 ms", "exchange",
		absolute(token, compare.Exchanged...)},
	{12, Result, "an exchange as VCDM takes 0.534 ms", "0.534 ms", "exchange",
		absolute(rdfc, compare.Exchanged...)},
	{13, Method, "these times are those of Node.js", "", "exchange", otherLanguages},
	{14, Result, "the environments differ by a factor of five", "5×", "exchange", otherMachines},
	{15, Result, "an exchange as VCDM costs 1.73 to 2.04 times that as mdoc", "1.73 to 2.04×", "exchange",
		ratio(rdfc, mobile, 1.73, 2.04, compare.Exchanged...)},
	{16, Result, "an exchange as VCDM costs 1.57 to 1.79 times that as SD-JWT VC", "1.57 to 1.79×",
		"exchange",
		ratio(rdfc, token, 1.57, 1.79, compare.Exchanged...)},
	{17, Result, "the gap is at least five bands of equivalence", "5 × 10 %", "exchange", timed("exchange",
		fiveBands)},
	{18, Result, "VCDM stays dearest with Ed25519 for all", "", "exchange",
		dearer(rdfc, []pick{mobileEd, token}, compare.Exchanged...)},
	{19, Result, "VCDM stays dearest with P-256 for all", "", "exchange",
		dearer(rdfcP256, []pick{mobile, tokenP256}, compare.Exchanged...)},
	{20, Result, "the order of mdoc and SD-JWT VC is not robust", "12, 28, 19, 10 %", "exchange",
		timed("exchange", notRobust)},
	{21, Result, "mdoc can be slower than SD-JWT VC at verification", "in one environment", "exchange",
		timed("exchange", slowerToVerify)},
	{22, Result, "RDFC-1.0 produces the gap", "", "exchange", timed("exchange", producesGap)},
	{23, Result, "the suite canonicalizes twice in an operation", "2", "exchange",
		counted(rdfc.in("stock"), 2, issue)},
	{24, Result, "an exchange canonicalizes six times", "6", "exchange",
		counted(rdfc.in("stock"), 6, compare.Exchanged...)},
	{25, Result, "the specification costs, not the library", "", "exchange", timed("exchange", notLibrary)},
	{26, Result, "with JCS verification costs what that of SD-JWT VC does", "within 5 %, or 12 %", "exchange",
		timed("exchange", nearToken)},
	{27, Result, "implementations in three languages agree that RDFC-1.0 is the cost", "", "lineages",
		timed("lineages", agreed)},
	{28, Method, "the implementations share a lineage", "", "canonize", twoLineages},
	{29, Result, "eddsa-rdfc-2022 cannot derive: presenting signs again", "", "exchange",
		derives(rdfc, false)},
	{30, Result, "ecdsa-sd-2023 keeps the issuer's signature", "", "exchange", derives(selective, true)},
	{31, Result, "ecdsa-sd-2023 takes 3.4 ms to issue", "3.4 ms", "exchange", absolute(selective, issue)},
	{32, Result, "ecdsa-sd-2023 takes 1.5 to 2.4 ms to derive and to verify", "1.5 to 2.4 ms", "exchange",
		absolute(selective, present, verifyVP)},
	{33, Result, "canonicalizing an education credential costs 31 to 49 times a simple one", "31 to 49×",
		"canonize", timed("canonize", educationFactor)},
	{34, Method, "production education schemas", "Open Badges", "canonize",
		done(forms, "Open Badges, and CLR 2.0 and ELM, which the study does not have")},
	{35, Result, "labels of blank nodes are not the driver", "", "canonize", timed("canonize", notBlank)},
	{36, Method, "the path ends at the issuer's signature", "", "exchange",
		same("so does the exchange here; the scenarios binding and validation go further")},
	{37, Result, "mdoc is generally the fastest", "", "exchange", fastest},
	{38, Result, "how data is handled matters more than code or cryptography", "", "exchange",
		timed("exchange", handling)},
	{39, Purpose, "engineers should choose the fastest format", "", "exchange",
		lacking("an advice, which no measurement of cost alone supports; disclosure and linking differ")},
	{40, Purpose, "developers for mobile devices should minimise delays", "", "exchange",
		lacking("no phone was measured")},
	{41, Purpose, "swap RDFC-1.0 and JCS on the same bytes", "", "exchange",
		done(jcs, "the same documents go through both")},
	{42, Purpose, "swap eddsa-rdfc-2022 and ecdsa-sd-2023", "", "exchange", suiteSwap},
	{43, Purpose, "simple and production schemas", "", "canonize", done(forms, "five and five")},
	{44, Purpose, "profiles attribute cost", "", "exchange", attributed},
	{45, Purpose, "SD-JWT VC and mdoc as baselines", "", "exchange", done(token, "and mdoc, in both tiers")},
	{46, Purpose, "use: analysis by flame graphs", "", "exchange", attributed},
	{47, Purpose, "use: experiments on the growth of schemas", "", "attributes",
		done(pick{scenario: "attributes"}, "along the attributes; canonscope schemas show lists other axes")},
	{48, Purpose, "use: comparison of cryptosuites", "", "exchange",
		done(pick{scenario: "exchange"}, "five suites, with tests")},
	{49, Purpose, "json-gold, jcs, pprof, cobra, JSON Schema and jwx do real work", "", "validation",
		done(pick{scenario: "validation"}, "stock engines, profiles, commands, validation, tokens")},
	{50, Method, "sign and verify of a tiny token", "", "tiny",
		done(pick{scenario: "tiny", suite: "jws"}, "with one attribute")},
	{51, Method, "a JOSE library as the reference", "", "tiny",
		done(pick{scenario: "tiny", suite: "jws", engine: "stock"}, "jwx")},
	{52, Method, "sign and verify of a tiny JSON-LD credential", "2 canonicalizations", "tiny",
		counted(pick{scenario: "tiny", suite: "eddsa-rdfc-2022", engine: "stock"}, 2, issue)},
	{53, Method, "normalization alone", "", "canonize", done(forms, "the operation canonize")},
	{54, Method, "the pipeline without canonicalization, a lower bound", "", "exchange",
		done(pick{scenario: "exchange", suite: compare.FloorRDFC}, "the floor: scan, hash and sign")},
	{55, Method, "JCS by a library and by hand", "", "exchange", done(jcs, "stock and native")},
	{56, Method, "mdoc by a library and by hand", "", "exchange", done(mobile, "stock and native")},
	{57, Method, "canonicalization of the simple credential", "5 quads", "canonize", quads("kit-simple", 5)},
	{58, Method, "canonicalization of the Open Badge", "32 quads", "canonize", quads("kit-ob3", 32)},
	{59, Method, "canonicalization of the badge of a DCC issuer", "", "canonize",
		done(forms.at("kit-dcc"), "with other values")},
	{60, Method, "synthetic credentials of 10 and 50 blank nodes", "203 quads", "canonize",
		quads("synth-bn-50", 203)},
	{61, Method, "the cost divided into normalize, hash and sign", "", "exchange", breakdown},
	{62, Method, "the sum of the parts is compared with the whole", "", "exchange", wholeParts},
	{63, Method, "serialization without cryptography", "", "exchange", serialization},
	{64, Method, "sizes of what is issued", "", "exchange", sizes(issue)},
	{65, Method, "sizes of presentations, base and derived proofs", "", "exchange", sizes(present)},
	{66, Method, "5, 20, 100 and 500 attributes", "", "attributes", growth},
	{67, Method, "1, 3, 5, 10 and 20 of 20 disclosed", "", "disclosures",
		done(pick{scenario: "disclosures"}, "with cryptography, which the study leaves out", present)},
	{68, Method, "Ed25519 for all, 5 attributes", "", "attributes",
		done(pick{scenario: "attributes"}, "with both canonicalizations of a proof")},
	{69, Method, "each format with its usual algorithm", "", "exchange",
		done(mobile, "P-256 for mdoc, Ed25519 for the others")},
	{70, Method, "the exchange with Ed25519 for all", "", "exchange", done(mobileEd, "as there")},
	{71, Method, "the exchange with P-256 for all", "", "exchange", done(rdfcP256, "as there")},
	{72, Method, "issue, derive and verify at 1, 2, 5, 10, 20 of 20", "", "disclosures", derivations},
	{73, Method, "primitives: Ed25519, P-256 and SHA-256 of 256 bytes", "", "exchange", primitives},
	{74, Method, "families of poison graphs by size, with their outcome", "", "poison", families},
	{75, Method, "a sweep of limits on calls", "", "limits", sweep},
	{76, Result, "a limit does not reject real credentials", "", "limits", realWithin},
	{77, Result, "tokens with alg none are refused", "", "security", refused(algNone)},
	{78, Result, "confusion of algorithms is refused", "", "security", refused(algConfusion)},
	{79, Result, "an altered element of an mdoc is refused", "", "security", refused(elementAlter)},
	{80, Result, "an altered protected header of COSE is refused", "", "security", refused(headerAlter)},
	{81, Result, "a term that an inline context overrides is noticed", "", "security", refused(termOverride)},
	{82, Result, "contexts on internal addresses are not fetched", "", "security", refused(reachability)},
	{83, Method, "all answers in one table", "", "security", oneTable},
	{84, Method, "loaders: static, delayed, loopback", "50 ms", "loader", fromWhere},
	{85, Method, "warm-up, and every iteration timed alone", "", "exchange", singly},
	{86, Method, "percentiles, means, deviations, trimmed means", "", "exchange",
		otherwise("means with intervals over processes, and three percentiles of single operations")},
	{87, Method, "outliers are counted, not removed", "", "exchange", outliers},
	{88, Result, "medians vary little between runs", "within 3 %", "exchange", timed("exchange", runToRun)},
	{89, Method, "a record of the environment", "", "exchange", recorded},
	{90, Method, "processes are pinned to a core", "", "exchange",
		otherwise("processes may use two processors, as the collector does; run --cpu pins them")},
	{91, Method, "raw times are kept", "", "exchange", rawKept},
	{92, Method, "summaries in Markdown and JSON", "", "exchange",
		same("table.md and results.json in the folder of each campaign")},
	{93, Method, "suites can be selected and shortened", "", "exchange",
		same("study --scenario, and the flags of run")},
	{94, Method, "results of separate runs are aggregated", "", "exchange",
		same("report and compare read several folders")},
	{95, Method, "salts outside the clock, objects instead of bytes, no safe mode, fixed order", "",
		"exchange",
		otherwise("salts and parsing inside, bytes in and out, safe mode, an order drawn from a seed")},
	{96, Method, "holder binding is not covered", "", "binding", bound},
	{97, Method, "validation by JSON Schema is not covered", "", "validation", validated},
	{98, Method, "status, keys from the network and chains are not covered", "", "exchange",
		lacking("not timed here either; verify checks chains and controller documents of files")},
	{99, Method, "equivalence is stated in prose, without a test", "", "exchange",
		otherwise("two one-sided tests on paired processes, corrected for the number of comparisons")},
	{100, Method, "comparison across languages is for the order alone", "", "exchange", otherLanguages},
}

// shown are the commands that show a claim alone, where it is not that of the scenario.
var shown = map[int]string{
	7:  "canonscope report A B --out DIR",
	14: "canonscope report A B --out DIR",
	22: "canonscope findings 17",
	27: "canonscope study --scenario lineages --engine exec:node,exec:rdfjs",
	42: "canonscope run --schema simple-inline-20 --suite eddsa-rdfc-2022,ecdsa-sd-2023 --against " +
		"eddsa-rdfc-2022",
	46: "canonscope profile ob3 --engine stock",
	75: "canonscope canonize --max-work 1000 FILE",
	76: "canonscope schemas measure clr-large",
	89: "canonscope env",
	94: "canonscope report A B --out DIR",
}

// Deviations are what is done otherwise than in the study.
func Deviations(full bool) []string {
	out := []string{
		"The stock tier is libraries of Go; the study's figures are those of Node.js libraries.",
		"Costs are process CPU, the garbage collector included; the study's are elapsed time. Elapsed " +
			"time is shown where a published time is.",
		"Salts, parsing, encoding and digests are inside the clock, and input and output are bytes.",
		"The suite eddsa-jcs-2022 canonicalizes the options of the proof as well; the kit signs the " +
			"document alone.",
		"Documents rotate, and the order of processes is drawn from a seed.",
		"Attributes are those of the study's exchange; values are longer.",
		"The kit's documents are made with other values of the same shape.",
		"Percentiles of single operations rest on one process, not on five.",
		"An mdoc has tag 24 around its items and a certificate chain.",
	}
	if !full {
		out = append(out,
			"Processes are timed over a window of collections instead of 2,000 operations; --full has "+
				"the published numbers.")
	}
	return out
}
