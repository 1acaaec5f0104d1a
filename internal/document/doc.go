// Package document reads and writes snapshots as JSON documents: one canonical
// object for each snapshot (05 §3). A document that it reads, it writes to
// the same bytes.
package document
