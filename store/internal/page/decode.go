package page

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// reader reads numbers. After the first missing number it returns zeros.
type reader struct {
	buf []byte
	at  int // an index is cheaper to advance than a slice, whose pointer needs a write barrier
	bad bool
}

func (r *reader) count() uint64 {
	if r.at < len(r.buf) && r.buf[r.at] < 0x80 { // one byte is by far the most frequent
		n := r.buf[r.at]
		r.at++
		return uint64(n)
	}
	n, size := binary.Uvarint(r.rest())
	if size <= 0 {
		r.bad, r.at = true, len(r.buf)
		return 0
	}
	r.at += size
	return n
}

func (r *reader) signed() int64 {
	n := r.count()
	return int64(n>>1) ^ -int64(n&1)
}

// rest returns what is not read yet.
func (r *reader) rest() []byte { return r.buf[r.at:] }

// take returns the next n bytes.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.rest())) {
		r.bad, r.at = true, len(r.buf)
		return nil
	}
	taken := r.rest()[:n:n]
	r.at += int(n)
	return taken
}

// minRow is the least number of bytes that a row takes in the columns.
const minRow = 3

// Decode reads a head. It reuses the memory of x for rows and blocks, and allocates a few
// times, however many rows there are; hashes share the memory of the head. After an error the
// fields of x are unusable.
func (x *Index) Decode(head []byte) error {
	if len(head) == 0 || head[0] != format {
		return damaged("it has another format")
	}
	r := reader{buf: head[1:]}
	n := r.count()
	if n > uint64(len(r.rest()))/sha256.Size {
		return damaged("the table of its blocks is cut off")
	}
	x.Blocks = x.Blocks[:0]
	for range n {
		size := r.count()
		r.bad = r.bad || size > math.MaxInt
		b := Block{Size: int(size)}
		copy(b.Sum[:], r.take(sha256.Size))
		x.Blocks = append(x.Blocks, b)
	}
	hashes := r.take(r.count())
	raw, ok := decompress(r.rest())
	if r.bad || !ok {
		return damaged("its columns cannot be read")
	}
	return x.columns(raw, hashes)
}

// columns reads the rows out of the columns.
func (x *Index) columns(raw, hashes []byte) error {
	r := reader{buf: raw}
	rows := r.count()
	if rows > min(MaxRows, uint64(len(raw)/minRow)) {
		return damaged("it has too many rows")
	}
	d := columnReader{hashes: hashes, blocks: x.Blocks}
	if !d.readTexts(&r, rows) {
		return damaged("its texts cannot be read")
	}
	var sizes [columnCount]uint64
	for i := range sizes {
		sizes[i] = r.count()
	}
	for i := range d.cells {
		d.cells[i].buf = r.take(sizes[i])
	}
	if r.bad || len(r.rest()) > 0 {
		return damaged("its columns are not as long as they say")
	}
	if uint64(cap(x.Rows)) < rows {
		x.Rows = make([]Row, rows)
	}
	x.Rows = x.Rows[:rows]
	d.ids, d.ends = make([]byte, 0, 16*rows), make([]int, rows)
	for i := range x.Rows {
		d.row(&x.Rows[i], i)
	}
	if !d.atEnd() {
		return damaged("its columns do not agree")
	}
	ids, start := string(d.ids), 0
	for i, end := range d.ends {
		if end > start {
			x.Rows[i].ID, start = ids[start:end], end
		}
	}
	return nil
}

// columnReader reads rows out of columns, one after the other.
type columnReader struct {
	cells  [columnCount]reader
	texts  []string
	hashes []byte
	blocks []Block
	bad    bool

	birth, nid     int64 // of the previous row
	created, index int64 // of the previous version
	block, at      int   // where the next content starts
	ids            []byte
	ends           []int // by row, where the generated id ends in ids
}

// readTexts reads the texts that rows name by index. A row names a few of them.
func (d *columnReader) readTexts(r *reader, rows uint64) bool {
	const columnsOfText = 6
	count, length := r.count(), r.count()
	if count > rows*columnsOfText {
		return false
	}
	sizes := *r
	for range count {
		r.count()
	}
	text := string(r.take(length)) // one copy for all of them
	if r.bad {
		return false
	}
	d.texts = make([]string, count)
	for i := range d.texts {
		size := sizes.count()
		if size > uint64(len(text)) {
			return false
		}
		d.texts[i], text = text[:size], text[size:]
	}
	return text == ""
}

func (d *columnReader) string(column int) string {
	n := d.cells[column].count()
	if n >= uint64(len(d.texts)) {
		d.bad = true
		return ""
	}
	return d.texts[n]
}

func (d *columnReader) row(r *Row, i int) {
	c := &d.cells
	flags := c[colFlags].count()
	d.birth += c[colBirth].signed()
	d.nid += c[colNID].signed()
	*r = Row{Birth: d.birth, NID: d.nid, Expiry: never}
	if i > 0 {
		d.ends[i] = d.ends[i-1]
	}
	if flags&flagDead != 0 {
		r.Death, r.Expiry = d.string(colDeath), 0
		d.bad = d.bad || r.Death == ""
		return
	}
	r.Named = flags&flagNamed != 0
	r.Parent = r.NID - c[colParent].signed()
	r.Type = d.string(colType)
	r.Offset, r.Priority = c[colOffset].signed(), c[colPriority].signed()
	r.Cycle = r.Birth - c[colCycle].signed()
	d.created += c[colCreated].signed()
	d.index += c[colIndex].signed()
	r.CreatedNS, r.Index = d.created, d.index
	r.ISO = d.string(colISO)
	if flags&flagMortal != 0 {
		r.Expiry = r.Birth + c[colExpiry].signed()
	}
	r.Headers = d.string(colHeaders)
	if flags&flagContent != 0 {
		d.content(r, flags)
	}
	if flags&flagHash != 0 {
		if len(d.hashes) < sha256.Size {
			d.bad = true
			return
		}
		r.Hash, d.hashes = d.hashes[:sha256.Size:sha256.Size], d.hashes[sha256.Size:]
	}
	text := d.string(colID)
	if flags&flagGenerated == 0 {
		r.ID = text
		return
	}
	g := generated{prefix: text, cycle: r.Cycle + c[colIDCycle].signed(), index: r.Index + c[colIDIndex].signed(),
		suffix: d.string(colIDEnd)}
	if len(g.prefix)+len(g.suffix) > maxGenerated || g.prefix == "" {
		d.bad = true
		return
	}
	d.ids = g.appendID(d.ids)
	d.ends[i] = len(d.ids)
}

// content sets the place of a content. Contents fill the blocks one after the other.
func (d *columnReader) content(r *Row, flags uint64) {
	size := d.cells[colSize].count()
	if flags&flagBlock != 0 {
		d.endBlock()
		d.block, d.at = d.block+1, 0
	}
	if d.block >= len(d.blocks) || size == 0 || size > uint64(d.blocks[d.block].Size-d.at) {
		d.bad = true
		return
	}
	r.Size, r.Block, r.At = int(size), d.block, d.at
	d.at += r.Size
}

// endBlock records damage if the current block has bytes after its contents.
func (d *columnReader) endBlock() {
	if d.block >= len(d.blocks) || d.blocks[d.block].Size != d.at {
		d.bad = true
	}
}

// atEnd reports whether everything was read and nothing was missing.
func (d *columnReader) atEnd() bool {
	if len(d.blocks) > 0 {
		d.endBlock()
		d.bad = d.bad || d.block != len(d.blocks)-1
	}
	for i := range d.cells {
		d.bad = d.bad || d.cells[i].bad || len(d.cells[i].rest()) > 0
	}
	return !d.bad && len(d.hashes) == 0
}

// Check compares the stored bytes of a block with their sum.
func (b *Block) Check(stored []byte) error {
	if sha256.Sum256(stored) != b.Sum {
		return damaged("a block of contents is not as it was written")
	}
	return nil
}

// Open checks the stored bytes of a block and returns the contents in it.
func (b *Block) Open(stored []byte) ([]byte, error) {
	if err := b.Check(stored); err != nil {
		return nil, err
	}
	contents, ok := decompress(stored)
	if !ok || len(contents) != b.Size {
		return nil, damaged("a block of contents cannot be read")
	}
	return contents, nil
}
