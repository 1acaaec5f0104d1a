// Package page packs rows that no longer change: versions and deaths of nodes. It compresses
// the columns of these rows together, and puts the contents of the versions beside them, in
// blocks that can be read one at a time.
//
// A writer hands rows to a [Builder], in the order of (Birth, NID), and stores the Head and the
// Blocks of the [Page] that it returns: the head has the checksum of each block. A reader gives
// the head to [Index.Decode], which costs about a tenth of a microsecond a row and reads no
// content. [Row.Block] and [Row.At] lead to a content; [Block.Open] checks and decompresses the
// block that holds it.
//
// The store decides which rows a page holds: those born in a span of cycles, or those that are
// alive in a part of a list. The head does not say where it belongs, so the store keeps a
// [Digest] of the head and its place, and compares it before it decodes: that one hash proves
// the rows and, through the sums of the blocks, the contents. Decoding is safe without it:
// damaged bytes give an error with a store.Damage, and take no more memory than a valid page of
// their length.
package page
