// Package listing answers what the inspector lists of one state of a context: the blocks of
// its thread, its tree, one node, the names that occur in it, and the contents that have a
// text. Each answer is a page; the next one begins after a number of rows.
package listing
