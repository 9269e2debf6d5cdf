// Package foreign runs engines that are other programs, in any language, and keeps them within bounds. Start
// an [Engine] with [New], which starts a [Child] for its tasks; [Canonicalizer] is an Engine as one of canon.
// [Serve] is the other side, for an engine in Go.
//
// # Protocol canonscope-engine/1
//
// The parent starts the engine and writes requests to its standard input; the engine writes one answer to
// each to its standard output. Both are JSON, one object a line. Bytes are in base64, which is how
// encoding/json writes them. Standard error is free: its last words are shown when the engine fails. Below,
// > is the parent, < the engine, and base64 is abbreviated:
//
//	> {"id":1,"do":"hello","protocol":"canonscope-engine/1"}
//	< {"id":1,"hello":{"protocol":"canonscope-engine/1","name":"jsonld.js","version":"9.0.0",
//	   "language":"JavaScript","lineage":"digitalbazaar",
//	   "can":[{"suite":"rdfc","operations":["canonize"]},{"suite":"jcs","operations":["canonize"]}]}}
//	> {"id":2,"do":"prepare","task":{"operation":"canonize","suite":"rdfc","hash":"sha256","input":"jsonld",
//	   "documents":["eyJA…","eyJA…"],"contexts":{"https://www.w3.org/ns/credentials/v2":"eyJA…"}}}
//	< {"id":2}
//	> {"id":3,"do":"gate","index":1}
//	< {"id":3,"output":"PHVy…"}
//	> {"id":4,"do":"run","run":{"first":0,"warm":20,"count":3}}
//	< {"id":4,"ran":{"wall_ns":[180211,171004,175530],"cpu_ns":540102,"gc_ns":0,"peak_bytes":81234567,
//	   "output":"PHVy…"}}
//	> {"id":5,"do":"bye"}
//	< {"id":5}
//
// An engine that cannot do what it is asked answers with an error, and goes on:
//
//	< {"id":2,"error":{"kind":"unsupported","message":"SHA-384 inside RDFC-1.0"}}
//
// The kinds are unsupported, refused (verify answers no), loss (data would be lost), limit and failed.
//
// The operations are those of a campaign. An engine of JSON-LD that has no RDFC-1.0 has the operation to-rdf
// of suite rdfc instead of canonize, whose output is N-Quads: canonscope agree and canonize show their form
// by the native engine, and there are no times of it. The documents of a task are what they begin with;
// verify, present and verify-presented also have inputs, one of each document. An engine keeps the contexts
// that it was given until it ends: a later task names those alone that are new. A run does the operation on
// the documents in turn, each inside the clock from its bytes to the bytes of the output.
//
// # What is measured
//
// The engine times each operation by its monotonic clock, and may report the CPU time of its process, of
// which the parent asks the system as well. The figures are means over the operations of one process, as
// they are for other engines; GOGC and GOMAXPROCS of a cell do not reach a foreign engine.
//
// A profile of Node.js has phases by the files of its libraries (profiles/rules.txt).
//
// # Faults of libraries
//
// What adapters cannot mend is an outcome of the gate, or of canonscope agree; canonscope findings lists the
// worst with commands. Of the corpus of canonscope agree, jsonld.js with rdf-canonize and canonicalize gets
// about every fifth input wrong, PyLD and rdfjs-c14n every third of those for RDFC-1.0, Titanium JSON-LD
// three. The corpus, canon/agree/testdata/corpus.json, names the libraries that differ at each input.
//
//   - rdfjs-c14n 3.1.4 writes statements as N3.js 1.26 does in Turtle: integers, decimals and booleans
//     without quotes. Neither its hashes nor its text are those of RDFC-1.0 then.
//   - jsonld-streaming-parser 5.0.1 puts a list of proofs into the default graph where a context that belongs
//     to a type makes proof a graph container, as that of VCDM 2.0 does.
//   - @sd-jwt/core 0.19.0 leaves out a disclosure without a digest, as one that was altered is, and verifies
//     the token; the adapter refuses it.
//   - @auth0/mdl 3.0.1 writes the kid of a JWK as text, where COSE has bytes; the adapter gives bytes. It
//     verifies a whole presentation with a device signature alone; without one the adapter calls its checks
//     of the signature, the digests and the validity period.
//   - @owf/mdoc 0.6.0 spells the curve P-384 of a JWK p-384, and reads no key of it.
//
// # Bounds
//
// A child has a deadline for each answer, a limit of memory and of the bytes that it writes. On Linux it is
// in a namespace without a network and in one of processes, which ends with it; [Child.Bounds] names what
// the system does not allow. How a child fails is a [*Fault]: an outcome of the engine, never the end of a
// campaign.
package foreign
