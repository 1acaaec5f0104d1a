// Package recall gives agents tools over the Model Context Protocol, with which they get back what a policy or
// a compaction took out of their context, see what it holds and what changed, and say what shall stay.
package recall
