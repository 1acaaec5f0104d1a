package directory

import (
	"encoding/binary"
	"math"

	"github.com/contexttree/pact/store/internal/page"
)

// format is the first byte of a page. Summaries have the encoding of package tree; if that
// changes, format changes too, and the stores write their directories again.
const format = 1

// Encode returns the bytes of a page. It sorts the rows; a page has at most page.MaxRows.
func (p *Page) Encode() []byte {
	Sort(p.Rows)
	buf := []byte{format}
	buf = binary.AppendUvarint(buf, uint64(len(p.Rows)))
	var rows page.Builder
	for _, r := range p.Rows {
		buf = binary.AppendUvarint(buf, uint64(r.Size))
		rows.Add(r, nil)
	}
	head := rows.Page().Head
	buf = binary.AppendUvarint(buf, uint64(len(head)))
	buf = append(buf, head...)
	buf = binary.AppendUvarint(buf, uint64(len(p.Runs)))
	for i := range p.Runs {
		buf = p.Runs[i].append(buf)
	}
	return buf
}

func (r *Run) append(buf []byte) []byte {
	s := &r.Stub.Summary
	buf = append(buf, r.Stub.Level)
	for _, n := range [...]int{r.Turns, r.Stub.Count, s.Nodes, s.Blocks, s.Containers, int(s.Bytes), s.Roleless, s.Finite,
		r.Odd} {
		buf = binary.AppendUvarint(buf, uint64(n))
	}
	for _, n := range [...]int64{s.Expiry, r.Branch, r.No, r.Cycles.Lo, r.Cycles.Hi, r.NIDs.Lo, r.NIDs.Hi} {
		buf = binary.AppendVarint(buf, n)
	}
	for _, n := range [...]uint64{s.Marks.Roles, s.Marks.Kinds, s.Marks.Types, s.Marks.Keys} {
		buf = binary.BigEndian.AppendUint64(buf, n)
	}
	buf = append(append(append(buf, r.Stub.Digest[:]...), r.Stub.Proof[:]...), r.Sum[:]...)
	buf = binary.AppendUvarint(buf, uint64(len(r.Strays)))
	before := int64(0)
	for _, nid := range r.Strays {
		buf = binary.AppendVarint(buf, nid-before)
		before = nid
	}
	buf = binary.AppendUvarint(buf, uint64(len(r.Refs)))
	for _, h := range r.Refs {
		buf = binary.BigEndian.AppendUint64(buf, h)
	}
	return buf
}

// minRun is the least number of bytes that a run takes.
const minRun = 1 + 9 + 7 + 4*8 + 3*32 + 2

// Decode reads the bytes of a page. Content hashes share memory with buf.
func Decode(buf []byte) (*Page, error) {
	if len(buf) == 0 || buf[0] != format {
		return nil, damaged("it has another format")
	}
	r := reader{rest: buf[1:]}
	sizes := make([]int, r.length(1))
	for i := range sizes {
		sizes[i] = r.int()
	}
	var x page.Index
	if err := x.Decode(r.take(r.length(1))); err != nil {
		return nil, err
	}
	if len(x.Rows) != len(sizes) || len(x.Blocks) > 0 {
		return nil, damaged("it does not have as many rows as it says")
	}
	p := &Page{Rows: x.Rows, Runs: make([]Run, r.length(minRun))}
	for i := range sizes {
		if p.Rows[i].Size = sizes[i]; p.Rows[i].Death != "" {
			return nil, damaged("it has a death")
		}
	}
	turns := 0
	for i := range p.Runs {
		p.Runs[i].read(&r)
		if p.Runs[i].Turns < turns {
			return nil, damaged("its runs are out of order")
		}
		turns = p.Runs[i].Turns
	}
	if r.bad || len(r.rest) > 0 {
		return nil, damaged("it is not as long as it says")
	}
	return p, nil
}

func (r *Run) read(from *reader) {
	s := &r.Stub.Summary
	r.Stub.Level = from.byte()
	var bytes int
	for _, n := range [...]*int{&r.Turns, &r.Stub.Count, &s.Nodes, &s.Blocks,
		&s.Containers, &bytes, &s.Roleless, &s.Finite,
		&r.Odd} {
		*n = from.int()
	}
	s.Bytes = int64(bytes)
	for _, n := range [...]*int64{&s.Expiry, &r.Branch, &r.No, &r.Cycles.Lo, &r.Cycles.Hi, &r.NIDs.Lo, &r.NIDs.Hi} {
		*n = from.signed()
	}
	for _, n := range [...]*uint64{&s.Marks.Roles, &s.Marks.Kinds, &s.Marks.Types, &s.Marks.Keys} {
		*n = from.fixed()
	}
	for _, d := range [...]*[32]byte{(*[32]byte)(&r.Stub.Digest), (*[32]byte)(&r.Stub.Proof), &r.Sum} {
		copy(d[:], from.take(len(d)))
	}
	r.Strays = make([]int64, from.length(1))
	before := int64(0)
	for i := range r.Strays {
		before += from.signed()
		r.Strays[i] = before
		from.bad = from.bad || i > 0 && before <= r.Strays[i-1]
	}
	r.Refs = make([]uint64, from.length(8))
	for i := range r.Refs {
		r.Refs[i] = from.fixed()
		from.bad = from.bad || i > 0 && r.Refs[i] <= r.Refs[i-1]
	}
	from.bad = from.bad || r.Stub.Count == 0 || r.Stub.Level > maxLevel
}

// maxLevel is the highest level of a list of package tree.
const maxLevel = 15

// reader reads numbers. After the first missing number it returns zeros.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		r.bad, r.rest = true, nil
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) fixed() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *reader) int() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > math.MaxInt {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// length reads a number of things that take at least each bytes, and returns 0 if the rest of
// the page has no room for them.
func (r *reader) length(each int) int {
	n := r.int()
	if n > len(r.rest)/each {
		r.bad, r.rest = true, nil
		return 0
	}
	return n
}
