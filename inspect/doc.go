// Package inspect holds the answers to questions about the history of a context (chapter
// 06): who brought the blocks of a thread, what happened to a node, how much of one
// thread the next one repeats, what a policy would prune, and whether the context is
// still what its commits published. It also says how a selector was evaluated (chapter
// 04). The answers are plain structs; their JSON form is what the command line prints
// with --json. The functions and methods of package pact that return them say what they
// cost and how they fail.
package inspect
