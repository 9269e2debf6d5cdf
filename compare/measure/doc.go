// Package measure times and profiles one cell in a fresh process and gathers such runs into a campaign.
//
// A [Job] is pure data. [Serve] is the child: it reads one Job and writes [Event] lines, the last of them done or failed;
// a child that ends without either has died. A [Runner] carries a Job to a child, [Process] to one on this machine.
// [Run] is the parent: gate every exchange, time every cell one after the other in a random order, then profile CPU time and,
// if asked, allocations.
// The package knows no format: a caller hands Serve the function that opens a cell's [Bench].
package measure
