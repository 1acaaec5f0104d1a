// Package provenance says who added the nodes of a context, when, and why they changed and were
// removed (chapter 06). It reads the snapshots and the log of a store and takes what it needs
// as values: it knows no open context, resolves no address and changes nothing.
//
// An answer combines three things: the [Log] says who did what in which cycle, a comparison of
// neighbouring states says what changed in which cycle, and [Causes] says why one node differs.
package provenance
