// Package inspect has the answers to questions about the history of a context
// (chapter 06): who brought the blocks of a thread, what happened to a node, how
// much of one thread the next one repeats, what a policy would prune, and whether
// the context is still what its commits published; and how a selector was
// evaluated (chapter 04). They are plain structs, and their JSON form is the one
// that the command line prints with --json. The functions and methods of package
// pact that give them say what they cost and how they fail.
package inspect
