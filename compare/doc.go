// Package compare holds the types of a comparison: a [Preparer] prepares an [Exchange] of a credential, a
// [Cell] is one point of the matrix, a [Campaign] a matrix with its runs, a [Result] what the runs of one
// cell measured. It measures nothing.
//
// # The house
//
// This is the map of the whole project. A package imports only what is below it here. A parent package
// holds types, and its children import it. Below their parents are only canon/phase, canon/lookup,
// canon/choice and canon/printable; canon/conform/official, canon/conform/race and canon/conform/family; and
// the packages of vcdm except vcdm/vectors. Implementations are wired in two places, canon/engines and
// compare/matrix.
//
//	cmd/canonscope            one file a subcommand: flags and printing
//	compare/study             the published study measured again: its claims, and what is so here
//	compare/findings          what this project found, and the commands that show it
//	compare/predict           what a credential costs by its shape: a model of the catalogue
//	compare/explain           what a document costs and where in it: counted, measured, advice
//	compare/matrix            which cells exist; wires formats, engines and schemas
//	compare/report            text, Markdown, CSV, JSON and benchmark text of a campaign
//	compare/builds            builds of the command: with other modules, of another commit
//	compare/measure/internal/rulegen/cmd go generate: writes the rules of this project's functions
//	compare/measure/internal/rulegen     makes rules of attribution from the directives beside functions
//	compare/fleet             the batches of campaigns on other machines, over NATS JetStream
//	compare/measure           jobs in, events out: a cell in a fresh process, gate, clocks, profiles
//	compare/foreign           engines in other processes and languages: protocol, supervision, adapters
//	compare/stats             means over processes, intervals, ratios, shares, growth; independent of cells
//	compare/document          the format document: what is canonicalized and nothing else
//	compare/di                the format vcdm: VCDM with Data Integrity
//	compare/sdjwt             the format sd-jwt-vc
//	compare/mdoc              the format mdoc
//	compare/floor             the format floor: what no proof over RDFC-1.0 can leave out
//	compare/internal/claimstest tests that sdjwt and mdoc share
//	compare/internal/baseline what sd-jwt-vc and mdoc share: engines, digests, trust of file verifiers
//	compare/internal/process  what the system knows about another process
//	compare/internal/claims   a credential as the claims that formats other than vcdm sign
//	compare                   types: Definition of a format, Exchange, Cell, Campaign, Result
//	profiles                  capture, rules, attribution, flame graphs; independent of credentials
//	vcdm/vectors              runs the W3C vectors of Data Integrity
//	vcdm                      proofs: add, derive, verify; the table of cryptosuites
//	vcdm/internal/selective   the statements that JSON pointers select, for suites that derive
//	vcdm/internal/reading     compares a document with the statements that are signed
//	vcdm/rules                the data model: credentials, presentations, contexts, related resources
//	vcdm/problem              the errors of vcdm and vcdm/rules
//	vcdm/internal/lines       statements as lines of N-Quads: labels of blank nodes
//	vcdm/internal/value       values of scanned JSON: equality, lists or one
//	vcdm/internal/text        dates and URLs
//	vcdm/keys                 Multikey, JWK, PEM and COSE keys, did:key
//	vcdm/internal/bbs         BBS over BLS12-381: signatures, proofs, commitments, pseudonyms
//	schemas/catalogue         generators of credentials, their axes, the credential in a user's file
//	schemas/jsonschema        JSON Schemas of the catalogue and their validators
//	schemas/vary              changes a document of the user along an axis
//	schemas/shape             counts what a document holds
//	schemas/charge            charges quads, bytes, hashes and contexts to the parts of a document
//	schemas/contexts          contexts as facts, and the loaders that serve them
//	schemas                   types: Credential, Generator
//	canon/agree               compares the forms of several engines; a corpus with right answers
//	canon/conform             runs official suites through any engine
//	canon/conform/official    finds the official data that tests read
//	canon/conform/race        times contenders in turns, for benchmarks
//	canon/conform/family      N-Quads documents of any size, for tests
//	canon/engines             the engines native, stock and tuned, and the guard around json-gold
//	canon/stock               json-gold and gowebpki/jcs as shipped, and json-gold tuned
//	canon/jsonld              JSON-LD 1.1 to quads over compiled contexts
//	canon/rdfc                RDFC-1.0: canonical labels and lines
//	canon/jcs                 RFC 8785
//	canon/rdf                 terms, quads, datasets, N-Quads
//	canon/userfile            opens the files that a user names
//	canon/jsontape            JSON bytes as a flat tape of spans: the one scanner of all parsers
//	canon                     types: Canonicalizer, Options, Limits, Form, errors
//	canon/phase               the names of the phases
//	canon/lookup              hash tables of texts
//	canon/choice              errors for names that do not exist, with the nearest one
//	canon/printable           text of untrusted documents, made safe to show
//
// Data flows in one direction: schemas makes a credential, a format prepares an exchange of it through vcdm
// and canon, compare/measure times the exchange, profiles attributes the time, compare/stats judges,
// compare/report shows. canon/doc.go describes the trip of a document, vcdm/doc.go that of a proof. The
// recipes are beside the code: a cryptosuite in vcdm/doc.go, an engine in canon/doc.go, a schema, a series
// and an axis in schemas/doc.go, a phase in profiles/doc.go, a format and an operation below.
//
// # The trip of a sample
//
// `canonscope run` gets a figure of its table in these steps:
//
//  1. compare/matrix/matrix.go turns flags into exchanges, and each into the cells of its operations: issue,
//     verify, present and verify-presented of a credential, issue and verify of the floor and the primitives,
//     canonize of a document. What an engine cannot do stays in the list with its reason.
//  2. compare/measure/run.go orders the work: the gates of all exchanges, timings in blocks of one process of
//     each exchange in an order drawn from the seed, then profiles. Each piece is a Job
//     (compare/measure/job.go), pure data that would mean the same on another machine.
//  3. compare/measure/runner.go starts the same binary for each Job and writes it to the child's standard
//     input, with the documents and contexts that the user gave ([Given]), which were read once;
//     cmd/canonscope/internal.go hands it to Serve in compare/measure/child.go.
//  4. The child asks compare/matrix/matrix.go for the Bench of the cell, draws seeded documents from
//     schemas/catalogue, and has the format prepare an Exchange of each, as in compare/di/format.go. All of
//     this is outside the clock.
//  5. compare/measure/gate.go checks the exchange from end to end: the canonical form against that of another
//     engine (compare/matrix/check.go), verify accepts the whole credential and what was presented, and
//     refuses the copies that the format alters. A cell that fails has a reason and never a time. A document
//     that is canonicalized has the first of these checks alone; a limit or a deadline that it reaches is its
//     result.
//  6. compare/measure/child.go does the operations of the exchange in turn. compare/measure/clock.go warms
//     each up and times it over a window from the end of one collection to the end of another. The counters
//     must show that each operation did the work seen by the gate. Before and after,
//     compare/measure/fitness.go reads what else the machine does.
//  7. What one process measured of one operation is a Run, in an Event, a line of JSON. The parent appends it
//     to the Result (compare/campaign.go) and the process to runs.jsonl (compare/measure/folder.go).
//  8. A separate process profiles the exchange: profiles/capture.go records, by perf events where the
//     system allows them and else by signals, and profiles/attribute.go charges the samples to phases. What
//     is below the credentials, the floor, has no profile by default.
//  9. compare/report/table.go takes a value of each process; compare/stats/stats.go makes means, sums and
//     ratios with their intervals, paired by block. The sums are those of [Whole] and [Exchanged].
//     compare/report/verdicts.go compares rows by the tests of compare/stats/verdict.go, and
//     compare/report/answer.go makes sentences of the verdicts, as far as the machine was fit for it.
//  10. compare/report/text.go prints the rows, compare/report/canonize.go those of documents, and
//     compare/report/files.go writes them into the folder of results.
//
// # Rules that bind the code here
//
//   - Correct before fast: no time without a passed gate.
//   - Like for like: every format gets bytes in and bytes out. Parsing, encoding, salts, digests, base64 and
//     CBOR are inside the clock for all of them; keys are handed over parsed, and did:key, JWK and
//     certificate chains are outside for all. What is one disclosure and one element, a leaf, a branch or a
//     claim, is the same everywhere, and so are the pointers that are presented. The headline is issue +
//     verify of the whole credential, which is the same work in every format; a part that is presented has
//     figures beside it.
//   - Tiers do not mix: a ratio compares rows of one engine, schema and policy, with contexts in one state,
//     or there is none; what a row costs in two engines has another table. Guards run in the gate, never
//     inside a timed operation.
//   - Signing again is not disclosure. [Deriving] cannot see the issuer's key, [Reissuing] must be given it;
//     the mark † follows from that, in every table and export. A holder who hands on the whole ([HandingOn])
//     is named.
//   - A verdict is equivalent, faster, slower or inconclusive, and a sentence follows from verdicts alone. A
//     campaign reports whether the machine was fit; one that was not is written all the same.
//   - Process CPU is the primary figure, the garbage collector included, at a named GOGC and GOMAXPROCS.
//     Processes are replicated, and every figure has its interval: a block is one process of each exchange.
//   - Inputs rotate: a cell walks at least 64 seeded documents of one shape, the same for all engines and
//     formats.
//   - Repeatable: seeds, versions, environment, policy, state of contexts and the hash of the binary are in
//     every result.
//   - Unsupported is an answer: a cell that cannot be done is shown with a *canon.UnsupportedError, never
//     left out.
//   - Everything that is written ends whole or not at all; a child that dies costs its own run.
//
// # Recipe: add a format
//
// Example: verifiable credentials secured with COSE.
//
//  1. Write a package below compare, as compare/sdjwt: an Issuer, a Holder and a Verifier, each with the
//     engines native and stock, and NewFormat in a format.go, whose Prepare makes an Exchange with
//     [Deriving], [Reissuing] or [HandingOn]. Steps.Whole makes what a verifier of the whole credential gets.
//     Count salts, digests and signatures where they are made. compare/internal/claims gives what all formats
//     share: the claims and keys in claims.go, how to alter disclosed values in tamper.go, and which parts of
//     a user's credential are lost in read.go.
//  2. Name it in compare/names.go, and describe it in a [Definition], as compare/sdjwt/files.go does: its
//     suites and operations for the matrix, its column of ratios for reports, how the command reads its
//     files, and its flags of issue, present and verify.
//  3. List the Definition in Formats in compare/matrix/matrix.go, and the package in the map above. The
//     commands and reports go through that list; cmd/canonscope/formats.go only has hints about flags of
//     another format.
//  4. Write the phases of its functions beside them, as profiles/doc.go shows. Add the package to Packages in
//     compare/measure/internal/rulegen/rulegen.go.
//  5. Tests of the package: those of compare/internal/claimstest, as compare/sdjwt/format_test.go calls them,
//     if it discloses claims one by one: claimstest.Exchange wants 21 salts, and that present derives.
//     Another format tests its exchange as compare/di/format_test.go does.
//  6. Add a cell to the list of TestTampers and, to the map there, the number of altered presentations with
//     holder binding. TestDefaultOrder and TestUsualAlgorithm expect rows by name. Add a script to
//     cmd/canonscope/testdata/script, and the name to the lists of formats that other scripts expect.
//
// Done when these pass: TestExchange, TestTamper, TestDisclosesExactly and TestHolderCannotAlter of the new
// package, TestEveryEntryOpens, TestTampers, TestBound, TestDefaultOrder and TestUsualAlgorithm in
// compare/matrix, TestTiersDoNotMix in compare/report, TestFresh in compare/measure/internal/rulegen, and
// TestMapOfTheHouse and TestScripts in cmd/canonscope.
//
// # Recipe: add an operation of an exchange
//
// Example: renew, by which the issuer extends the validity of a credential.
//
//  1. Name it in compare/compare.go: a constant, and its place in [Operations]. [OfCredentials] is all of
//     them except the first. Their order is that of the work, of columns and of results. Add a function to
//     [Steps], a method to [Exchange], and the operation to [Whole] or [Exchanged] if their sums have it.
//  2. Have Prepare of each format give the function: compare/di/format.go, compare/sdjwt/format.go,
//     compare/mdoc/format.go. A format without it lists the others in Operations of its Definition, as
//     compare/floor/floor.go does.
//  3. In compare/measure: a case of step in bench.go; in gate.go the work of exchange and, in gateAll, the
//     inputs that the operation is given; in child.go what accept does with its last output.
//  4. In compare/report: the list of quantities in growth.go, the columns in text.go and in the Markdown of
//     files.go, the ratios of table.go. The CSV and the JSON go through the list, so that they get columns
//     and members as well. Describe the columns in compare/README.md.
//  5. Give it to TestExchange of each format, and look at the golden files of compare/report before they are
//     written with -update. cmd/canonscope/testdata/script/run-bad.txtar has the list of operations.
//
// Done when these pass: TestExchange in compare/di, TestExchange in compare/sdjwt, TestExchange in
// compare/mdoc, TestBound in compare/matrix, TestCampaign and TestOneOperationFails in compare/measure with
// all others there, TestText, TestFiles and TestGrowthText in compare/report, and TestScripts in
// cmd/canonscope.
package compare
