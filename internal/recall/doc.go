// Package recall gives agents tools over the Model Context Protocol. With them an agent gets back a text that a
// policy or a compaction took out of its context, lists the context and its changes, and pins blocks.
package recall
