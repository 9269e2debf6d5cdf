// Package measure times and profiles the operations of one exchange in a fresh process and gathers such runs
// into a campaign.
//
// A [Job] is pure data. [Serve] is the child: it reads one Job and writes [Event] lines, the last of them
// done or failed; a child that ends without either has died. A [Runner] carries a Job to a child, [Process]
// to one on this machine. [Run] is the parent: gate every exchange, time all of them in blocks of one
// process of each, in random order, then run the separate passes: single operations, profiles of CPU time
// and, on request, of allocations. The package is independent of formats: a caller gives Serve the function
// that opens a cell's [Bench].
package measure
