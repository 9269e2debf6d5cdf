// Package agree gives the same inputs to several engines and reports who agrees with whom: groups of equal
// bytes, the first quad or byte that differs, the phase that made the difference and, where it is known,
// the step of the specification that decides it.
//
// Start with [Comparer.Add], once for each [Input], and print its [Report] with [Report.Text],
// [Report.Markdown] or as JSON. [Corpus] has inputs whose right answers are known; [Generate] makes random
// ones and [Comparer.Reduce] makes an input that engines disagree about as short as it can be. Engines come
// from the caller: any [canon.Canonicalizer] will do.
package agree
