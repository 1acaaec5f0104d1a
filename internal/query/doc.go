// Package query gives a selector its meaning over one tree: it compiles the
// selector into a plan and runs the plan through the tree's summaries, ranks and
// id index (chapter 04). It knows nothing of history: the root package resolves
// addresses such as @t-1 and runs the plan on each snapshot.
//
// A comment that names a row, such as Row "by id", names the row of
// docs/benchmarks.md that would get slower without the code.
package query
