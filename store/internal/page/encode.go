package page

import (
	"crypto/sha256"
	"encoding/binary"
)

// MaxRows is the largest number of rows of a page. It bounds what a damaged page can claim.
const MaxRows = 1 << 14

// blockSize is how many bytes of contents a block holds, unless a single content has more:
// enough to compress well, and little enough to read fast for a single content.
const blockSize = 96 << 10

// format is the first byte of a head.
const format = 1

// Builder makes a page out of rows. The zero Builder is ready for use.
type Builder struct {
	rows   []Row
	blocks [][]byte
	table  []byte // size and sum of each block
	open   []byte // contents of the block that is being filled
	size   int
}

// Add adds a row and its content, nil for none, and sets Row.Size from the content. It keeps
// the texts and the hash of the row, and copies the content. The caller adds at most MaxRows
// rows to a page.
func (b *Builder) Add(r Row, content []byte) {
	r.Size = len(content)
	if r.Size > 0 {
		if len(b.open) > 0 && len(b.open)+r.Size > blockSize {
			b.close()
		}
		r.Block, r.At = len(b.blocks), len(b.open)
		b.open = append(b.open, content...)
	}
	b.rows = append(b.rows, r)
	b.size += r.Size + len(r.ID) + len(r.Headers)
}

// Size returns the approximate size of all rows in bytes.
func (b *Builder) Size() int { return b.size }

// Len returns the number of rows.
func (b *Builder) Len() int { return len(b.rows) }

// close compresses the block that is being filled.
func (b *Builder) close() {
	stored := compress(nil, b.open)
	sum := sha256.Sum256(stored)
	b.table = append(binary.AppendUvarint(b.table, uint64(len(b.open))), sum[:]...)
	b.blocks, b.open = append(b.blocks, stored), b.open[:0]
}

// Page returns the page of all rows added. The builder is empty afterwards.
func (b *Builder) Page() Page {
	if len(b.open) > 0 {
		b.close()
	}
	columns, hashes := columnsOf(b.rows)
	head := binary.AppendUvarint([]byte{format}, uint64(len(b.blocks)))
	head = append(head, b.table...)
	head = append(binary.AppendUvarint(head, uint64(len(hashes))), hashes...)
	p := Page{Head: compress(head, columns), Blocks: b.blocks}
	*b = Builder{rows: b.rows[:0], table: b.table[:0], open: b.open}
	return p
}

// The flags of a row.
const (
	flagDead = 1 << iota
	flagNamed
	flagMortal    // it expires
	flagContent   // it has a content
	flagHash      // of its content
	flagGenerated // its id is made of texts and numbers
	flagBlock     // the content begins the next block
)

// columns collects the columns of rows.
type columns struct {
	texts  map[string]uint64 // index by text
	lens   []byte
	text   []byte
	cells  [columnCount][]byte
	hashes []byte
}

// The columns. A number is written as its difference from a likely value, here after "from".
const (
	colFlags  = iota
	colBirth  // from the previous row
	colNID    // from the previous row
	colDeath  // text
	colParent // back from the nid
	colType   // text
	colOffset
	colPriority
	colCycle   // back from the birth
	colCreated // from the previous version
	colISO     // text
	colIndex   // from the previous version
	colExpiry  // from the birth
	colHeaders // text
	colSize    // of the content
	colID      // text, or prefix of a generated id
	colIDCycle // of a generated id, from the cycle
	colIDIndex // of a generated id, from the creation index
	colIDEnd   // text after a generated id
	columnCount
)

func (c *columns) signed(column int, n int64) {
	c.cells[column] = binary.AppendVarint(c.cells[column], n)
}

func (c *columns) count(column int, n uint64) {
	c.cells[column] = binary.AppendUvarint(c.cells[column], n)
}

// string writes the index of a text. Each text is stored once.
func (c *columns) string(column int, s string) {
	n, known := c.texts[s]
	if !known {
		n = uint64(len(c.texts))
		c.texts[s] = n
		c.lens = binary.AppendUvarint(c.lens, uint64(len(s)))
		c.text = append(c.text, s...)
	}
	c.count(column, n)
}

// columnsOf writes rows as columns, and content hashes apart, because they do not compress.
// Differences of numbers may wrap around, and wrap back when they are read.
func columnsOf(rows []Row) (raw, hashes []byte) {
	c := columns{texts: make(map[string]uint64)}
	for i := range c.cells {
		c.cells[i] = make([]byte, 0, 2*len(rows)) // most numbers are small
	}
	var before, version Row
	for i := range rows {
		r := &rows[i]
		flags := uint64(0)
		c.signed(colBirth, r.Birth-before.Birth)
		c.signed(colNID, r.NID-before.NID)
		before.Birth, before.NID = r.Birth, r.NID
		if r.Death != "" {
			c.count(colFlags, flagDead)
			c.string(colDeath, r.Death)
			continue
		}
		if r.Named {
			flags |= flagNamed
		}
		c.signed(colParent, r.NID-r.Parent)
		c.string(colType, r.Type)
		c.signed(colOffset, r.Offset)
		c.signed(colPriority, r.Priority)
		c.signed(colCycle, r.Birth-r.Cycle)
		c.signed(colCreated, r.CreatedNS-version.CreatedNS)
		c.string(colISO, r.ISO)
		c.signed(colIndex, r.Index-version.Index)
		if r.Expiry != never {
			flags |= flagMortal
			c.signed(colExpiry, r.Expiry-r.Birth)
		}
		c.string(colHeaders, r.Headers)
		if r.Size > 0 {
			flags |= flagContent
			c.count(colSize, uint64(r.Size))
			if r.Block != version.Block {
				flags |= flagBlock
			}
			version.Block = r.Block
		}
		if len(r.Hash) == sha256.Size {
			flags |= flagHash
			c.hashes = append(c.hashes, r.Hash...)
		}
		if g, ok := parseID(r.ID); ok {
			flags |= flagGenerated
			c.string(colID, g.prefix)
			c.signed(colIDCycle, g.cycle-r.Cycle)
			c.signed(colIDIndex, g.index-r.Index)
			c.string(colIDEnd, g.suffix)
		} else {
			c.string(colID, r.ID)
		}
		c.count(colFlags, flags)
		version.CreatedNS, version.Index = r.CreatedNS, r.Index
	}
	raw = binary.AppendUvarint(nil, uint64(len(rows)))
	raw = binary.AppendUvarint(raw, uint64(len(c.texts)))
	raw = binary.AppendUvarint(raw, uint64(len(c.text)))
	raw = append(append(raw, c.lens...), c.text...)
	for _, cells := range c.cells {
		raw = binary.AppendUvarint(raw, uint64(len(cells)))
	}
	for _, cells := range c.cells {
		raw = append(raw, cells...)
	}
	return raw, c.hashes
}
