// Package profiles finds where the CPU time and the bytes of an operation go. It captures runtime profiles, charges every
// sample to a phase by rules over its stack, writes the phase back into the profile, and draws flame graphs.
//
// Run the operation inside [Do], around it [Start] and [Capture.Stop] for CPU time, or [StartAllocs] and [ReadAllocs] for
// allocations; then hand the profile and rules to [Attribute] for numbers, to [Annotate] for a file that
// "go tool pprof -tagroot=phase" reads, and to [FlameSVG], [Folded] or [Speedscope] for pictures.
//
// # From a sample to a phase
//
//  1. profiles/capture.go and profiles/alloc.go record; Do in profiles/profiles.go marks what belongs to the operation. A
//     sample without the mark is background: the collector, the scheduler, the measuring code.
//  2. A rule names a phase and a prefix of functions' full names. [LoadRules] has those of the language and of libraries, from
//     profiles/rules.txt. Those of this project are made of directives beside its functions: compare/measure/rules.go joins
//     both.
//  3. profiles/attribute.go reads each stack from leaf to root. The first owner decides. A primitive (SHA-256, a JSON
//     scanner) decides only if the stack has no owner: a hash inside the labelling algorithm is label, not digest. A function
//     without a rule is passed over, so that memmove and regexp fall to the function that they work for.
//  4. A sample that no rule decides is unattributed, and every report prints how many there are.
//  5. profiles/tree.go and profiles/flame.go draw; profiles/export.go writes for other tools. compare/report/table.go
//     weighs the shares of the operations into those of the exchange.
//
// # Rules that bind the code here
//
//   - The package knows no credential and imports only canon/phase.
//   - Every share has its interval: it counts samples, and few samples say little.
//   - Canonicalization is never one box. It is reported as context, expand, to-rdf, label, serialize and jcs.
//   - Each function of a measured package has a directive, or its type or file has one: a new function without any is an
//     error of the generator.
//
// # Recipe: add a phase
//
// Example: compress, for a format that compresses what it presents.
//
//  1. Add a constant and its name to canon/phase/phase.go, in the order in which an operation passes through the phases.
//  2. Give it a colour in profiles/flame.go.
//  3. Write //phase:compress over the functions of the project that do the work, over their type, or over the package clause
//     of their file, and run "go generate ./compare/measure". The package doc of compare/measure/internal/rulegen/rulegen.go
//     has the syntax.
//  4. A library that other phases use as well gets a line in profiles/rules.txt: `compress primitive compress/flate.`
//  5. Say in the table of phases in compare/README.md what the phase holds.
//
// Done when these pass: TestNames in canon/phase, TestEveryPhaseHasAColour, TestAttributionRules and
// TestEveryRuleMatchesASymbol in profiles, TestFresh in compare/measure/internal/rulegen, and a run of the cell (`canonscope run --suite NAME`) prints no unattributed share
// to speak of.
package profiles
