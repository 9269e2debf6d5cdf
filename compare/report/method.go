package report

// method explains the figures to a reader who has the page and nothing else.
var method = []string{
	"A figure is the mean over a window that holds collections of the garbage collector, in a fresh process. " +
		"Processes, not operations, are the unit of replication: intervals are 95 % intervals over them. " +
		"Exchanges of one block run one after the other in an order drawn anew, and ratios are paired by block.",
	"A cell is timed only after its gate: its canonical form agrees with another implementation where there is " +
		"one, verify accepts what was presented, and altered copies are refused.",
	"Every format gets bytes in and bytes out. Parsing, encoding, salts, digests and base64 are inside the " +
		"clock of all; keys are handed over parsed. Documents rotate, so that nothing is kept from one operation " +
		"for the next; contexts are in the state that a row names.",
	"The headline is issue + verify of the whole credential, the same work in every format. A ratio compares " +
		"rows of one tier: stock is what the libraries of today cost, native is this project's own code and an " +
		"upper bound of what the specification costs.",
	"Shares come from profiles by CPU time. A sample belongs to the phase of the nearest function that has one; " +
		"gc and runtime are phases, and what no rule owns is unattributed.",
}

// notToConclude is what figures like these are often read as, and are not.
var notToConclude = []point{
	{"Not that RDFC-1.0 costs what a stock row costs.", "Its own part is the phases label and serialize. A " +
		"stock row is what its library costs today."},
	{"Not a ratio across tiers.", "A native VCDM beside a stock SD-JWT VC compares two optimisation efforts, " +
		"not two formats."},
	{"Not that † is selective disclosure.", "Such a present signs the part again with the issuer's key, which " +
		"a holder does not have."},
	{"Not absolute times of another machine.", "Shares and ratios travel better. To quote figures, measure " +
		"with --full on a quiet machine, and quote the environment with them."},
	{"Not which phase causes the collector's work.", "It runs on other threads and is a phase. Only --allocs " +
		"charges it to phases, by their bytes, and that is a model."},
	{"Not the cost of a wallet or a verifier service.", "Network, storage, status lists and user interfaces " +
		"are not measured."},
}
