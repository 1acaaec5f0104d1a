package engine

import (
	"crypto/sha256"
	"hash/fnv"
	"slices"
	"sort"
	"unsafe"

	"github.com/contexttree/pact/internal/tree"
)

// A segment is some dozens of cycles joined: the records without what was drafted and dropped
// within a cycle, and their contents in blocks that can be read alone.

// segmentIndex says of a segment what questions about one node or one revision need.
type segmentIndex struct {
	first, last           int64 // revisions
	firstCycle, lastCycle int64
	touched               []uint64 // see touch
	headSize              int
	head                  tree.Digest
	blocks                []blockIndex
}

type blockIndex struct {
	size int
	sum  tree.Digest
}

// segment is a segment with its records.
type segment struct {
	segmentIndex
	records []record
	located []located // by place
}

// located is a content in a block.
type located struct {
	place
	block, offset, size int
}

// blockSize is how many bytes of contents a block has, unless one content has more.
const blockSize = 96 << 10

// joinContents packs those contents that records, already folded, keep of what they had before.
func (p *packing) joinContents(list []record, contents map[place]string) (index []blockIndex, blocks [][]byte) {
	var open []byte
	closeBlock := func() {
		packed := p.pack(open)
		index = append(index, blockIndex{len(open), sha256.Sum256(packed)})
		blocks = append(blocks, packed)
		open = open[:0]
	}
	assignContents(list, contents, func(_ *record, text string) {
		if len(open) > 0 && len(open)+len(text) > blockSize {
			closeBlock()
		}
		open = append(open, text...)
	})
	if len(open) > 0 {
		closeBlock()
	}
	return index, blocks
}

// join makes a segment of consecutive records whose contents are in blocks.
func (p *packing) join(list []record, blocks []blockIndex) (x segmentIndex, head []byte) {
	x = indexing(list)
	x.blocks = blocks
	var w writer
	w.count(len(list))
	var c rows
	for i := range list {
		list[i].writeEntry(&w)
		c.next = place{list[i].entry.Revision, 0}
		list[i].writeDelta(&w, &c)
	}
	head = p.pack(w.b)
	x.headSize, x.head = len(w.b), sha256.Sum256(head)
	return x, head
}

// assignContents marks the first row of every content that records keep, and calls f with its record and
// the content.
func assignContents(list []record, contents map[place]string, f func(*record, string)) {
	done := make(map[place]bool, len(contents))
	for i := range list {
		for k := range list[i].rows {
			r := &list[i].rows[k]
			text, here := contents[r.at]
			if r.hasContent = r.placed() && here && !done[r.at]; r.hasContent {
				done[r.at] = true
				f(&list[i], text)
			}
		}
	}
}

// indexing returns an index of consecutive records with the ids that they name, as a node, its parent, what it refers to,
// or in a report: the ascending hashes of those whose cycle is not among those of the records.
func indexing(list []record) segmentIndex {
	last := &list[len(list)-1]
	x := segmentIndex{first: list[0].entry.Revision, last: last.entry.Revision, firstCycle: list[0].entry.Cycle, lastCycle: last.latest}
	note := func(id string) {
		if c := tree.GeneratedCycle(id); c < x.firstCycle || c > x.lastCycle {
			x.touched = append(x.touched, hashID(id))
		}
	}
	for i := range list {
		for _, id := range list[i].gone {
			note(id)
		}
		for k := range list[i].rows {
			r := &list[i].rows[k]
			note(r.id)
			note(r.parent)
			for _, to := range r.refs() {
				note(to)
			}
		}
		for _, text := range textsIn(list[i].entry.Report) {
			note(text)
		}
	}
	slices.Sort(x.touched)
	x.touched = slices.Compact(x.touched)
	return x
}

// may reports whether a segment may say something of an id.
func (x *segmentIndex) may(id string) bool {
	if c := tree.GeneratedCycle(id); c >= x.firstCycle && c <= x.lastCycle {
		return true
	}
	_, touched := slices.BinarySearch(x.touched, hashID(id))
	return touched
}

func (x *segmentIndex) encode() []byte {
	var w writer
	w.count(format)
	for _, n := range [...]int64{x.first, x.last, x.firstCycle, x.lastCycle} {
		w.signed(n)
	}
	w.count(x.headSize)
	w.raw(x.head[:])
	w.count(len(x.blocks))
	for _, b := range x.blocks {
		w.count(b.size)
		w.raw(b.sum[:])
	}
	w.count(len(x.touched))
	for _, h := range x.touched {
		w.fixed(h)
	}
	w.sum(0)
	return w.b
}

func decodeIndex(value []byte) (*segmentIndex, error) {
	if !summed(value) {
		return nil, damaged("the index of a segment is not as it was written")
	}
	r, x := reader{rest: string(value[:len(value)-sumSize])}, &segmentIndex{}
	if r.int() != format {
		return nil, damaged("the index of a segment has another format")
	}
	for _, n := range [...]*int64{&x.first, &x.last, &x.firstCycle, &x.lastCycle} {
		*n = r.signed()
	}
	x.headSize, x.head = r.int(), r.digest()
	x.blocks = make([]blockIndex, r.length(33))
	for i := range x.blocks {
		x.blocks[i] = blockIndex{r.int(), r.digest()}
	}
	x.touched = make([]uint64, r.length(8))
	for i := range x.touched {
		x.touched[i] = r.fixed()
	}
	if r.bad || r.rest != "" {
		return nil, damaged("the index of a segment is not as long as it says")
	}
	return x, nil
}

// decodeHead reads the records of a segment, or their entries alone.
func (x *segmentIndex) decodeHead(packed []byte, p *packing, entries bool) (*segment, error) {
	if sha256.Sum256(packed) != x.head {
		return nil, damaged("a segment is not as it was written")
	}
	raw, err := p.unpack(packed, x.headSize)
	if err != nil {
		return nil, err
	}
	r := reader{rest: unsafe.String(unsafe.SliceData(raw), len(raw))}
	s := &segment{segmentIndex: *x, records: make([]record, r.length(16))}
	var c rows
	block, offset := 0, 0
	for i := range s.records {
		rec := &s.records[i]
		rec.readEntry(&r)
		c.next = place{rec.entry.Revision, 0}
		rec.readDelta(&r, &c)
		if entries {
			rec.gone, rec.rows = nil, nil
			c.reuse()
			continue
		}
		for k := range rec.rows {
			row := &rec.rows[k]
			if !row.hasContent {
				continue
			}
			if block < len(x.blocks) && offset > 0 && offset+row.size > x.blocks[block].size {
				block, offset = block+1, 0
			}
			s.located = append(s.located, located{row.at, block, offset, row.size})
			offset += row.size
		}
	}
	if r.bad || r.rest != "" {
		return nil, damaged("a segment is not as long as it says")
	}
	sort.Slice(s.located, func(i, j int) bool { return s.located[i].less(s.located[j].place) })
	return s, nil
}

func (s *segment) find(p place) (located, bool) {
	i := sort.Search(len(s.located), func(i int) bool { return !s.located[i].less(p) })
	if i == len(s.located) || s.located[i].place != p {
		return located{}, false
	}
	return s.located[i], true
}

func hashID(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}
