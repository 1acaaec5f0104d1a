// Package operations builds a context out of operations, JSON objects that docs/formats.md
// describes.
package operations
