// Package view answers how a person sees a context, in the same words for the command line, the
// server and the inspector. Each question has a file:
//
//   - the kind of a block: kind.go; its content in words: readable.go, excerpt.go
//   - numbers, sizes and what a terminal can show: words.go
//   - how much a call repeats of the call before it, and why no more: calls.go, told in words by
//     sentence.go and cut.go
//   - the parts of a state (a [State] is a snapshot and who wrote it): blocks.go, tree.go, node.go, names.go
//   - where a text stands: search.go in one state, grep.go in many
//   - a thread to read from beginning to end: thread.go
//   - a picture of all calls, the strata: picture.go, column.go and band.go, the working state in draft.go,
//     and in reader.go and strip.go what is kept of it for the next question
//
// A picture has a column for each call, and in it a band for each block in the order of the thread, so
// that a band runs through all calls that carried its block. A column names only the bands that differ from the
// column before. It is made from the sums that trees keep, so a call costs what is new in it and not all of
// its blocks.
package view
