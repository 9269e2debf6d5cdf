// Package profiles finds where the CPU time and the bytes of an operation go. It captures runtime profiles,
// charges every sample to a phase by rules over its stack, writes the phase back into the profile, and
// draws flame graphs.
//
// Run the operation inside [Do], around it [Start] and [Capture.Stop] for CPU time, or [StartAllocs] and
// [ReadAllocs] for allocations; then hand the profile and rules to [Attribute] for numbers, to [Annotate]
// for a file that "go tool pprof -tagroot=phase" reads, to [Operations] for one that -diff_base compares by
// the CPU time of an operation, and to [FlameSVG], [FlameHTML],
// [Folded] or [Speedscope] for pictures. [Compare] makes the difference of two profiles.
//
// # Two samplers
//
// [Signal] is the profiler of the Go runtime. [Perf] takes forty times as many samples and stops at once. It
// opens the CPU clock of perf_event_open for every thread and processor (profiles/perf_linux.go); threads
// that are created later inherit the events. A goroutine drains the rings (profiles/perf_ring_linux.go) into
// memory outside the heap, so that collections begin when they would without it, and samples become stacks
// with their inlined calls when the capture stops (profiles/perf_symbols_linux.go). Both give the same
// profile:
//
//   - The kernel follows frame pointers, which leaves without a frame do not have, so that their caller is
//     missing. It is added: on amd64 from the word at the top of the stack, if that follows a call of the
//     leaf, on arm64 from the link register.
//   - Samples have no labels of goroutines. A stack belongs to the operation if it passes through Do, if the
//     kernel cut it, or if its goroutine began while the capture ran; it then gets the label of the cell.
//   - Time in the kernel is charged to the function that called it. Where the system lets a process sample
//     its own code alone, [Recording.UserOnly] is set, and the coverage shows how much is missing. So it does
//     for samples that find a ring full, which [Recording.Lost] counts as far as the kernel reports them.
//   - Each sample interrupts the work, which on a virtual machine can add tens of per cent to the CPU time of
//     an operation. It does so everywhere alike, which a test of known loops checks by both samplers. The
//     cpu/op of a profile is therefore not divided by its operations: [Operations] shares out what was timed
//     without a sampler.
//
// # Pictures
//
// A picture is complete without its script (profiles/flame.js), which zooms, searches and filters; frames
// narrower than 0.4 pixels are drawn by zoom alone. It refers to nothing outside of the file. A frame has the
// colour of the phase of its rule only if a twentieth of it is charged to that phase, and is neutral if its
// callees differ.
//
// In a [Difference] a frame has a colour if a [Judge] finds that its cost changed by more than noise; the
// test is outside of the package, in compare/report/flame.go.
//
// # From a sample to a phase
//
//  1. profiles/capture.go and profiles/alloc.go record, by a sampler of profiles/sampler.go; Do in
//     profiles/profiles.go marks the samples of the operation. A sample without the mark is background: the
//     collector, the scheduler, the measuring code.
//  2. A rule names a phase and a prefix of full function names. [LoadRules] returns the rules of the language
//     and of libraries, from profiles/rules.txt. The rules of this project are generated from directives
//     above its functions; compare/measure/rules.go joins both.
//  3. profiles/attribute.go reads each stack from leaf to root. The first owner decides. A primitive
//     (SHA-256, a JSON scanner) decides only if the stack has no owner: a hash inside the labelling algorithm
//     is label, not digest. A function without a rule is skipped, so that memmove and regexp are charged to
//     the function that they work for.
//  4. A sample that no rule decides is unattributed, and every report prints the number of such samples.
//  5. profiles/tree.go makes frames of stacks, as a [View] asks; profiles/flame.go makes a picture of them,
//     profiles/flame_difference.go that of two profiles, and profiles/flame_picture.go draws both.
//     profiles/export.go writes for other tools, profiles/functions.go lists functions and stacks, and
//     profiles/operations.go makes profiles comparable.
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
