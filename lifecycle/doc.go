// Package lifecycle says what a commit removes and shapes: a [Policy] that the caller gives, and the [Report]
// of what it did (02 §7, 03 §7). It only describes; commits are made by the methods of a pact.Context.
package lifecycle
