package gathered

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/store"
)

// space is what waits of one space, and what is known of it in the store below.
type space struct {
	pairs   []store.Pair                 // in order
	log     []store.Record               // those that were appended and not cut, in order
	first   int64                        // of those that were appended, 0 for none
	cut     store.Cut                    // of the log, Last is 0 for none
	deleted []store.Span                 // of the store below: what was put later waits among the pairs
	expect  map[string]store.Expectation // what the store below must hold, by name

	edges map[byte]string // the last name in the store below that begins with a byte, "" for none
	top   int64           // number of the last record, of both; unknown before somebody asked
}

const unknown = -1

// find returns where a name is or would be among the pairs.
func (of *space) find(name string) (int, bool) {
	return slices.BinarySearchFunc(of.pairs, name, func(p store.Pair, name string) int { return strings.Compare(p.Name, name) })
}

// get returns the value of a name that waits, nil for one that was deleted.
func (of *space) get(name string) (value []byte, known bool) {
	i, known := of.find(name)
	if !known {
		return nil, of.isDeleted(name)
	}
	return of.pairs[i].Value, true
}

func (of *space) isDeleted(name string) bool {
	return slices.ContainsFunc(of.deleted, func(d store.Span) bool { return name >= d.From && name < d.To })
}

// between returns the pairs of a span that wait.
func (of *space) between(in store.Span) []store.Pair {
	if in.From >= in.To {
		return nil
	}
	from, _ := of.find(in.From)
	to, _ := of.find(in.To)
	return of.pairs[from:to]
}

// put takes a pair, and returns by how many bytes it makes what waits longer.
func (of *space) put(p store.Pair) int {
	if p.Value == nil {
		p.Value = []byte{}
	}
	i, here := of.find(p.Name)
	if !here {
		of.pairs = slices.Insert(of.pairs, i, p)
		return len(p.Name) + len(p.Value)
	}
	grows := len(p.Value) - len(of.pairs[i].Value)
	of.pairs[i] = p
	return grows
}

// delete takes out the pairs of a span that wait, and returns how many bytes they had.
func (of *space) delete(in store.Span) (size int) {
	gone := of.between(in)
	for _, p := range gone {
		size += len(p.Name) + len(p.Value)
	}
	if len(gone) > 0 {
		at, _ := of.find(in.From)
		of.pairs = slices.Delete(of.pairs, at, at+len(gone))
	}
	return size
}

// append takes a record behind the last one, and returns how many bytes it has.
func (of *space) append(r store.Record) int {
	if r.Value == nil {
		r.Value = []byte{}
	}
	if of.log = append(of.log, r); of.first == 0 {
		of.first = r.Number
	}
	of.top = r.Number
	return len(r.Value) + len(r.Rest)
}

// remove cuts records, and returns how many bytes of those that wait they had. A cut goes on where the one before it
// ended.
func (of *space) remove(c store.Cut) (size int) {
	if of.cut.Last == 0 {
		of.cut = store.Cut{Space: c.Space, First: c.First}
	}
	of.cut.First, of.cut.Last = min(of.cut.First, c.First), c.Last
	of.log = slices.DeleteFunc(of.log, func(r store.Record) bool {
		gone := of.isCut(r.Number)
		if gone {
			size += len(r.Value) + len(r.Rest)
		}
		return gone
	})
	return size
}

func (of *space) isCut(number int64) bool {
	return of.cut.Last > 0 && number >= of.cut.First && number <= of.cut.Last
}

// note keeps what the store below must hold. A value says more than that there is one.
func (of *space) note(e store.Expectation) {
	if was, noted := of.expect[e.Name]; !noted || was.State == store.Present {
		of.expect[e.Name] = e
	}
}

// into adds what waits to a batch.
func (of *space) into(b *store.Batch, at store.Space) {
	for _, e := range of.expect {
		b.Expect = append(b.Expect, e)
	}
	if of.isCut(of.first) { // it shows that nobody appended another one
		b.Append = append(b.Append, store.Record{Space: at, Number: of.first})
	}
	b.Append, b.Delete, b.Put = append(b.Append, of.log...), append(b.Delete, of.deleted...), append(b.Put, of.pairs...)
	if of.cut.Last > 0 {
		b.Cut = append(b.Cut, of.cut)
	}
}

// written notes that the store below has what waited.
func (of *space) written() {
	for _, p := range of.pairs {
		if edge, known := of.edges[p.Name[0]]; known && p.Name > edge {
			of.edges[p.Name[0]] = p.Name
		}
	}
	of.pairs, of.log, of.first, of.top, of.cut, of.deleted = nil, nil, 0, unknown, store.Cut{}, nil
	clear(of.expect)
}
