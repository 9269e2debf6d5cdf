// Package profiles finds where the CPU time and the bytes of an operation go. It captures runtime profiles,
// charges every sample to a phase by rules over its stack, writes the phase back into the profile, and
// draws flame graphs.
//
// Run the operation inside [Do], around it [Start] and [Capture.Stop] for CPU time, or [StartAllocs] and
// [ReadAllocs] for allocations; then hand the profile and rules to [Attribute] for numbers, to [Annotate]
// for a file that "go tool pprof -tagroot=phase" reads, and to [FlameSVG], [Folded] or [Speedscope] for
// pictures.
//
// # From a sample to a phase
//
//  1. profiles/capture.go and profiles/alloc.go record; Do in profiles/profiles.go marks the samples of the
//     operation. A sample without the mark is background: the collector, the scheduler, the measuring code.
//  2. A rule names a phase and a prefix of full function names. [LoadRules] returns the rules of the language
//     and of libraries, from profiles/rules.txt. The rules of this project are generated from directives
//     above its functions; compare/measure/rules.go joins both.
//  3. profiles/attribute.go reads each stack from leaf to root. The first owner decides. A primitive
//     (SHA-256, a JSON scanner) decides only if the stack has no owner: a hash inside the labelling algorithm
//     is label, not digest. A function without a rule is skipped, so that memmove and regexp are charged to
//     the function that they work for.
//  4. A sample that no rule decides is unattributed, and every report prints the number of such samples.
//  5. profiles/tree.go and profiles/flame.go draw; profiles/export.go writes for other tools.
//     compare/report/table.go weighs the shares of the operations into those of their sum.
//
// # Rules that bind the code here
//
//   - The package knows nothing about credentials and imports only canon/phase.
//   - Every share has an interval: it is an estimate from samples, and few samples say little.
//   - Canonicalization is never one box. It is reported as context, expand, to-rdf, label, serialize and jcs.
//   - Each function of a measured package has a directive, or its type or file has one. The generator refuses
//     a function without any.
//
// # Recipe: add a phase
//
// Example: compress, for a format that compresses what it presents.
//
//  1. Add a constant and its name to canon/phase/phase.go, in the order in which an operation passes through
//     the phases.
//  2. Give it a colour in profiles/flame.go.
//  3. Write //phase:compress above the functions of the project that do the work, above their type, or above
//     the package clause of their file, and run "go generate ./compare/measure". The package doc of
//     compare/measure/internal/rulegen/rulegen.go describes the syntax.
//  4. A library that other phases also use gets a line in profiles/rules.txt:
//     `compress primitive compress/flate.`
//  5. Describe the phase in the table of phases in compare/README.md. The CSV of a campaign has a column for
//     each phase, so compare/report/testdata/table.csv gets one as well.
//
// Done when these pass: TestNames in canon/phase, TestEveryPhaseHasAColour, TestAttributionRules and
// TestEveryRuleMatchesASymbol in profiles, TestFiles in compare/report, and TestFresh in
// compare/measure/internal/rulegen; then `canonscope run --suite NAME` prints an unattributed share near
// zero.
package profiles
