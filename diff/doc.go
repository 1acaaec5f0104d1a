// Package diff holds what a comparison of two states of a context gives: the
// normative result, the rich report with causes, and how a content changed (02 §9.3,
// 04 §4, 05 §4). The answers are plain structs; their JSON form is what the command
// line prints with --json. pact.Context.Diff, RichDiff and RangeDiffLatest return
// them.
package diff
