package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unsafe"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// record is a revision: its entry in the log, the counters after it, and what it did to the tree.
type record struct {
	entry  history.Entry
	stamps tree.Stamps
	latest int64 // cycle of the latest snapshot afterwards
	bytes  int64 // of its thread
	cuts   history.Cuts
	gone   []string
	rows   []row // parents before their children

	contents []canon.Value // of the rows that it holds, in their order
	foreign  bool          // one of them was read from elsewhere
}

// publishes reports whether the record made the latest snapshot: a commit did, and so did the
// beginning of a context, whose empty tree stands for the snapshot before its first one.
func (x *record) publishes() bool {
	return x.entry.Kind == history.Commit || x.entry.Kind == history.Create
}

const (
	format  = 5  // of every row; raised when a row changes or stands elsewhere, or a digest in it
	sumSize = 16 // bytes of the SHA-256 of what was written
)

// kinds are the kinds of entries by their number in a record.
var kinds = [...]history.Kind{history.Create, history.Edit, history.Commit, history.Forked, history.Superseded, history.Erasing}

// encode returns the record as a row of the log: entry and delta with their sum, and the contents with the
// sum of them and that sum.
func (x *record) encode() (value, rest []byte) {
	size := 512 + 24*len(x.gone)
	for i := range x.rows {
		size += x.rows[i].likelySize()
	}
	for _, c := range x.contents {
		size += len(c)
	}
	w := writer{make([]byte, 0, size)}
	w.count(format)
	x.writeEntry(&w)
	var c rows
	c.begin(x.entry.Revision)
	x.writeDelta(&w, &c)
	w.sum(0)
	end := len(w.b)
	if len(x.contents) > 0 {
		for _, c := range x.contents {
			w.b = append(w.b, c...)
		}
		w.sum(end - sumSize)
	}
	return w.b[:end:end], w.b[end:]
}

func (x *record) writeEntry(w *writer) {
	e, s := &x.entry, &x.stamps
	for i, k := range kinds {
		if k == e.Kind {
			w.count(i)
		}
	}
	w.signed(e.Revision)
	w.signed(e.Cycle)
	w.signed(x.latest - e.Cycle)
	w.signed(e.TimeNS)
	w.signed(s.Cycle - e.Cycle)
	w.signed(e.TimeNS - s.LastNS)
	w.signed(s.Next)
	w.signed(s.Given)
	w.text(e.Actor)
	w.text(e.Message)
	w.text(e.Request)
	w.text(string(e.Report))
	for _, digest := range [...]string{e.Digest, e.Thread, e.Sent} {
		w.hex(digest)
	}
	w.texts(e.Idle)
	w.signed(e.Anew)
	w.signed(x.bytes)
	w.text(string(x.cuts))
}

func (x *record) writeDelta(w *writer, c *rows) {
	w.texts(x.gone)
	w.count(len(x.rows))
	for i := range x.rows {
		c.write(w, &x.rows[i])
	}
}

func (x *record) readEntry(r *reader) {
	e, s := &x.entry, &x.stamps
	if k := r.int(); k < len(kinds) {
		e.Kind = kinds[k]
	} else {
		r.bad = true
	}
	e.Revision = r.signed()
	e.Cycle = r.signed()
	x.latest = e.Cycle + r.signed()
	e.TimeNS = r.signed()
	s.Cycle = e.Cycle + r.signed()
	s.LastNS = e.TimeNS - r.signed()
	s.Next, s.Given = r.signed(), r.signed()
	e.Actor, e.Message, e.Request = r.text(), r.text(), r.text()
	if b := r.text(); b != "" {
		e.Report = json.RawMessage(b)
	}
	for _, to := range [...]*string{&e.Digest, &e.Thread, &e.Sent} {
		*to = r.hex()
	}
	e.Idle = r.texts()
	e.Anew, x.bytes, x.cuts = r.signed(), r.signed(), history.Cuts(r.text())
}

func (x *record) readDelta(r *reader, c *rows) {
	x.gone = r.texts()
	x.rows = c.list.take(r.length(3))
	c.headers.need(len(x.rows))
	c.hashes.need(len(x.rows))
	for i := range x.rows {
		c.read(r, &x.rows[i])
	}
}

// decode reads the entry and the delta of a row of the log, for one record after the other, and the entry
// alone if c is nil.
func (c *rows) decode(in store.Record) (*record, error) {
	if !summed(in.Value) {
		return nil, damaged("a revision is not as it was written")
	}
	r := reader{rest: unsafe.String(unsafe.SliceData(in.Value), len(in.Value)-sumSize)}
	if r.int() != format {
		return nil, damaged("a revision has another format")
	}
	x := new(record)
	if c != nil {
		x = &c.records.take(1)[0] // a zero one: records are not reused
	}
	x.readEntry(&r)
	if c != nil {
		c.begin(x.entry.Revision)
		x.readDelta(&r, c)
	}
	if r.bad || c != nil && r.rest != "" {
		return nil, damaged("a revision is not as long as it says")
	}
	return x, nil
}

// summed reports whether bytes end with the sum of what is before it.
func summed(b []byte) bool {
	body := len(b) - sumSize
	if body < 0 {
		return false
	}
	sum := sha256.Sum256(b[:body])
	return string(sum[:sumSize]) == string(b[body:])
}

// begin fills in the rows of a whole tree.
func (x *record) begin(ctx context.Context, e *Engine, t *tree.Tree) error {
	for at, err := range t.All() {
		if err != nil {
			return err
		}
		if err := x.add(ctx, e, at.Node(), at.Parent, true, nil); err != nil {
			return err
		}
	}
	return nil
}

// delta fills in what a change of a branch did.
func (x *record) delta(ctx context.Context, e *Engine, l *branch, before, next *tree.Tree) error {
	written := func(n *tree.Node) (place, bool) {
		c, ok := n.Content.Source().(*content)
		return contentPlace(c, ok && c.e == e, l)
	}
	list, err := tree.Differences(before.WithCycle(next.Cycle()), next)
	if err != nil {
		return err
	}
	x.rows, x.contents = make([]row, 0, len(list)), make([]canon.Value, 0, len(list))
	for _, d := range list {
		var err error
		switch {
		case d.New == nil:
			x.gone = append(x.gone, d.Old.ID)
		case d.Old == d.New:
			x.rows = append(x.rows, row{id: d.New.ID, parent: d.NewParent, moved: true})
		default:
			err = x.add(ctx, e, d.New, d.NewParent, d.Old == nil, written)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// contentPlace returns the place of a content that the branch has already.
func contentPlace(c *content, ours bool, l *branch) (place, bool) {
	if !ours || l.owner(c.at.revision).key != c.key {
		return place{}, false
	}
	return c.at, true
}

// add adds the row of a node. written tells the place of a content that an earlier record has.
func (x *record) add(ctx context.Context, e *Engine, n *tree.Node, parent string, fresh bool,
	written func(*tree.Node) (place, bool)) error {
	r := rowOf(n, parent)
	r.fresh = fresh
	if r.size > 0 && r.hash == nil {
		if err := r.include(ctx); err != nil {
			return err
		}
	}
	if r.placed() {
		known := false
		if written != nil {
			r.at, known = written(n)
		}
		if !known {
			v, err := n.Content.Value(ctx)
			if err != nil {
				return err
			}
			r.at, r.hasContent = place{x.entry.Revision, int64(len(x.contents))}, true
			x.contents = append(x.contents, v)
			x.foreign = x.foreign || !n.Content.IsInMemory()
		}
	}
	x.rows = append(x.rows, r)
	return nil
}

// digest turns what an entry says of a digest into one.
func digest(text string) (d tree.Digest, ok bool) {
	if len(text) != 2*len(d) || strings.ContainsAny(text, "ABCDEF") {
		return d, false
	}
	var b [2 * len(d)]byte
	copy(b[:], text)
	_, err := hex.Decode(d[:], b[:])
	return d, err == nil
}

func damaged(what string) error { return DamageErr(&history.Damage{NoCycle: true, What: what}) }
