// Package directory records where a snapshot keeps its turns, so that a store can open the tree
// without reading them. Each run of ^seq that is a stub in the tree (tree.Stub) has a page of
// its own; the rest of the tree is the root page. A page holds the rows of its nodes without
// their contents. For each run between its turns it holds what a stub has to know, and the
// number of the page of that run.
//
// The page above a page has the checksum of its bytes; the database row that holds the root
// page has that of the root page. Decoding is safe without checksums: damaged bytes give an
// error with a store.Damage, and take no more memory than a valid page of their length.
package directory
