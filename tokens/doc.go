// Package tokens counts the tokens of a text, offline. It counts by the two encodings
// of OpenAI's current models exactly, and by approximations whose names say that they
// are approximations (docs/decisions.md).
//
// It reads a vocabulary at the first count with it. A program that never counts
// pays nothing.
package tokens
