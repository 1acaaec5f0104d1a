// Package content shows how the content of a node changed: as a unified diff,
// as a JSON Patch, or word by word (04 §4, contentMode). Libraries find the
// differences; docs/dependencies.md says which and why.
package content
