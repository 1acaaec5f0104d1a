package engine

import (
	"slices"
	"unsafe"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// A checkpoint is a snapshot in pages: the first one has the regions, and each page leads to the
// pages of the runs between its turns. Checkpoints share the pages of equal runs.

// pageLevel is the level of a list up to which one page has all of it: some 256 turns.
const pageLevel = 1

// page is a page of a checkpoint.
type page struct {
	rows []row
	runs []runIndex
}

// runIndex leads to the page of a run.
type runIndex struct {
	stub        tree.LazyRun
	turns       int         // how many turns of the page stand before it
	key         history.Key // of the branch that has the page
	no          int64
	size        int // of the page before it was packed
	sum         tree.Digest
	first, last int64    // cycles that the ids of its turns name
	odd, refs   []uint64 // hashes of the ids that do not tell so, and of those referred to that are not near
	names       []uint64 // hashes of keys and tags, or anyName
}

// anyName stands for more than manyNames keys and tags, so that the pages that lead to others stay
// small.
const (
	anyName   = 0
	manyNames = 512
)

func (x *runIndex) describe(p *page, turns []string) {
	x.first, x.last = tree.MaxInteger, -1
	for _, id := range turns {
		if c := tree.GeneratedCycle(id); c >= 0 {
			x.first, x.last = min(x.first, c), max(x.last, c)
		}
	}
	for i := range p.runs {
		x.first, x.last = min(x.first, p.runs[i].first), max(x.last, p.runs[i].last)
	}
	for i := range p.rows {
		if c := tree.GeneratedCycle(p.rows[i].id); c < x.first || c > x.last {
			x.odd = append(x.odd, hashID(p.rows[i].id))
		}
		for _, to := range p.rows[i].node.Refs {
			if !x.near(tree.GeneratedCycle(to)) {
				x.refs = append(x.refs, hashID(to))
			}
		}
		if key := p.rows[i].node.Key; key != "" {
			x.names = append(x.names, hashID(key))
		}
		for _, tag := range p.rows[i].node.Tags {
			x.names = append(x.names, hashID(tag))
		}
	}
	for i := range p.runs {
		x.odd, x.refs = append(x.odd, p.runs[i].odd...), append(x.refs, p.runs[i].refs...)
		x.names = append(x.names, p.runs[i].names...)
	}
	for _, list := range [...]*[]uint64{&x.odd, &x.refs, &x.names} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	if len(x.names) > manyNames || len(x.names) > 0 && x.names[0] == anyName {
		x.names = []uint64{anyName}
	}
}

// mayName reports whether a node in the run may have a key or a tag. The id of a node without a key is its
// key (003, 001 §3.5.3).
func (x *runIndex) mayName(text string) bool {
	hash := hashID(text)
	_, named := slices.BinarySearch(x.names, hash)
	return named || len(x.names) > 0 && x.names[0] == anyName || x.may(tree.GeneratedCycle(text), hash)
}

// may reports whether an id may be in the run.
func (x *runIndex) may(cycle int64, hash uint64) bool {
	if cycle >= x.first && cycle <= x.last {
		return true
	}
	_, odd := slices.BinarySearch(x.odd, hash)
	return odd
}

// nearBefore is how many cycles before those of a run its nodes refer to without being listed: a result comes
// soon after its call. A page that listed all would grow with the history, and so would each checkpoint.
const nearBefore = 8

// near reports whether nodes of the run may refer to an id of a cycle without being listed.
func (x *runIndex) near(cycle int64) bool {
	return cycle >= 0 && cycle >= x.first-nearBefore && cycle <= x.last
}

// mayRefer reports whether a node in the run may refer to an id.
func (x *runIndex) mayRefer(cycle int64, hash uint64) bool {
	_, listed := slices.BinarySearch(x.refs, hash)
	return listed || x.near(cycle)
}

func (d *pageWriter) encode(p *page) []byte {
	w := writer{make([]byte, 0, 160*len(p.rows)+300*len(p.runs)+64)}
	w.count(format)
	w.count(len(p.rows))
	var c rows
	for i := range p.rows {
		c.write(&w, &p.rows[i])
		c.predictPlace(&p.rows[i])
	}
	w.count(len(p.runs))
	for i := range p.runs {
		p.runs[i].write(&w)
	}
	return w.b
}

// predictPlace notes that the next content of a page is likely in the same revision.
func (c *rows) predictPlace(r *row) {
	if r.placed() {
		c.next = place{r.at.revision, r.at.number + 1}
	}
}

// counts and numbers are the fields of an index, for writing and for reading.
func (x *runIndex) counts() []*int {
	s := &x.stub.Summary
	return []*int{&x.turns, &x.stub.Count, &s.Nodes, &s.Blocks, &s.Containers, &s.Roleless, &s.Finite, &x.size}
}

func (x *runIndex) numbers() []*int64 {
	s := &x.stub.Summary
	return []*int64{&s.Bytes, &s.Expiry, (*int64)(&x.key), &x.no, &x.first, &x.last}
}

func (x *runIndex) marks() []*uint64 {
	m := &x.stub.Summary.Marks
	return []*uint64{&m.Roles, &m.Kinds, &m.Types, &m.Keys}
}

func (x *runIndex) digests() []*tree.Digest {
	return []*tree.Digest{&x.stub.Digest, &x.stub.Proof, &x.sum}
}

func (x *runIndex) write(w *writer) {
	w.count(int(x.stub.Level))
	for _, n := range x.counts() {
		w.count(*n)
	}
	for _, n := range x.numbers() {
		w.signed(*n)
	}
	for _, n := range x.marks() {
		w.fixed(*n)
	}
	for _, d := range x.digests() {
		w.raw(d[:])
	}
	for _, list := range [...][]uint64{x.odd, x.refs, x.names} {
		w.count(len(list))
		for _, h := range list {
			w.fixed(h)
		}
	}
}

func (x *runIndex) read(r *reader) {
	x.stub.Level = uint8(r.int())
	for _, n := range x.counts() {
		*n = r.int()
	}
	for _, n := range x.numbers() {
		*n = r.signed()
	}
	for _, n := range x.marks() {
		*n = r.fixed()
	}
	for _, d := range x.digests() {
		*d = r.digest()
	}
	for _, list := range [...]*[]uint64{&x.odd, &x.refs, &x.names} {
		*list = make([]uint64, r.length(8))
		for k := range *list {
			(*list)[k] = r.fixed()
		}
	}
}

func decodePage(raw []byte) (*page, error) {
	r := reader{rest: unsafe.String(unsafe.SliceData(raw), len(raw))}
	if r.int() != format {
		return nil, damaged("a page has another format")
	}
	p := &page{rows: make([]row, r.length(3))}
	var c rows
	c.headers.need(len(p.rows))
	c.hashes.need(len(p.rows))
	for i := range p.rows {
		c.read(&r, &p.rows[i])
		c.predictPlace(&p.rows[i])
		if p.rows[i].moved {
			return nil, damaged("a page has a node without headers")
		}
	}
	p.runs = make([]runIndex, r.length(100))
	for i := range p.runs {
		p.runs[i].read(&r)
	}
	if r.bad || len(r.rest) > 0 {
		return nil, damaged("a page is not as long as it says")
	}
	return p, nil
}
