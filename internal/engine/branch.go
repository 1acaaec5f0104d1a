package engine

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// A branch is a context, what a deleted context left to its forks, or an unfinished copy.
type branchKind int

const (
	live branchKind = iota
	shared
	unfinished
)

// branchFacts holds the facts of a branch that no revision changes.
type branchFacts struct {
	key        history.Key
	name       string
	edition    selector.Edition
	first      int64
	fork       int64
	origin     history.Origin
	erasures   int64
	generation int64 // counts how often what was written was rewritten
	kind       branchKind
	attrs      string // of the root of the working state, for lists
}

// branch is a branch as it was at one moment.
type branch struct {
	branchFacts
	raw  []byte   // the row of about
	up   *branch  // where a fork began, without last
	last endState // after its last record
}

// endState is the state after a record.
type endState struct {
	revision int64
	latest   int64
	stamps   tree.Stamps
	timeNS   int64
	bytes    int64
	cuts     history.Cuts
}

func (x *record) ending() endState {
	return endState{x.entry.Revision, x.latest, x.stamps, x.entry.TimeNS, x.bytes, x.cuts}
}

// listed returns what lists show of a branch.
func (l *branch) listed() history.Listed {
	return history.Listed{ChangedNS: l.last.timeNS, Bytes: l.last.bytes, Cuts: l.last.cuts, Attrs: l.attrs}
}

func (l *branch) info() Info {
	return Info{Stamps: l.last.stamps, Info: history.Info{Key: l.key, Name: l.name, Edition: l.edition,
		First: l.first, Cycle: l.last.latest, Revision: l.last.revision, Fork: l.fork, Origin: l.origin, Erasures: l.erasures,
		Listed: l.listed()}}
}

// number returns the number in the log of the branch that one of its own revisions has.
func (l *branch) number(revision int64) int64 { return revision - l.origin.Revision }

// cycleBeforeFirst returns the cycle before the first own snapshot of the branch.
func (l *branch) cycleBeforeFirst() int64 {
	if l.up != nil {
		return l.origin.Cycle
	}
	return l.first - 1
}

// owner returns the branch, this one or one that it goes back to, whose log has a revision.
func (l *branch) owner(revision int64) *branch {
	for l.up != nil && revision <= l.origin.Revision {
		l = l.up
	}
	return l
}

// publisher returns the branch, this one or one that it goes back to, that published a cycle.
func (l *branch) publisher(cycle int64) *branch {
	for l.up != nil && cycle <= l.origin.Cycle {
		l = l.up
	}
	return l
}

// record makes the row of a record in the log of a branch.
func (e *Engine) record(l *branch, x *record) store.Record {
	r := store.Record{Space: store.Space(l.key), Number: l.number(x.entry.Revision)}
	r.Value, r.Rest = x.encode()
	return r
}

// append adds a record to the log of a branch.
func (e *Engine) append(b *store.Batch, l *branch, x *record) {
	r := e.record(l, x)
	b.Append = append(b.Append, r)
	noteRequest(b, l, x)
	if len(r.Value) > store.MostAhead {
		head := *x
		head.gone, head.rows, head.contents = nil, nil, nil
		k := in(l.key, lastKey)
		b.Put = slices.DeleteFunc(b.Put, func(p store.Pair) bool { return p.Key == k })
		value, _ := head.encode()
		put(b, k, value)
	}
}

// recordIn reads a row of the log of the branch without its contents, and without its delta if c is nil.
// Damage names the revision.
func (l *branch) recordIn(c *rows, row store.Record) (*record, error) {
	x, err := c.decode(row)
	if d, _ := damageOrError(err); d != nil {
		revision := row.Number + l.origin.Revision
		err = damaged("revision " + strconv.FormatInt(revision, 10) + " of the log is not as it was written")
	}
	return x, err
}

func (a *branchFacts) encode() []byte {
	var w writer
	w.count(format)
	w.text(a.name)
	w.text(string(a.edition))
	for _, n := range a.numbers() {
		w.signed(*n)
	}
	w.count(int(a.kind))
	w.text(a.attrs)
	w.sum(0)
	return w.b
}

func (a *branchFacts) numbers() []*int64 {
	return []*int64{&a.first, &a.fork, (*int64)(&a.origin.Key), &a.origin.Cycle, &a.origin.Revision, &a.erasures,
		&a.generation}
}

func (a *branchFacts) decode(value []byte) error {
	if !summed(value) {
		return damaged("what the store knows about a context is not as it was written")
	}
	r := reader{rest: string(value[:len(value)-sumSize])}
	if r.int() != format {
		return otherFormat()
	}
	a.name, a.edition = r.text(), selector.Edition(r.text())
	for _, n := range a.numbers() {
		*n = r.signed()
	}
	a.kind, a.attrs = branchKind(r.int()), r.text()
	if r.bad || r.rest != "" {
		return damaged("what the store knows about a context is not as long as it says")
	}
	return nil
}

// branch finds the branch with a key that is not what a deleted context left.
func (e *Engine) branch(ctx context.Context, key history.Key) (l *branch, err error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	if key < 1 || store.Space(key) > store.MaxSpace {
		return nil, noKey(key)
	}
	known, err := ahead(ctx, e.store, key)
	if err != nil {
		return nil, err
	}
	if x := known.latest[store.Space(key)]; x.Last.Number > 0 && !x.Long { // one reading was enough
		return e.findBranch(ctx, known, key)
	}
	err = e.store.View(ctx, func(r store.Reader) error {
		known, err := ahead(ctx, r, key)
		if err != nil {
			return err
		}
		l, err = e.findBranch(ctx, known, key)
		return err
	})
	return l, err
}

func (e *Engine) findBranch(ctx context.Context, r store.Reader, key history.Key) (*branch, error) {
	l, err := e.readAbout(ctx, r, key)
	if err == nil && (l == nil || l.kind == shared) {
		return nil, noKey(key)
	}
	if err != nil {
		return nil, err
	}
	return l, e.readLast(ctx, r, l)
}

// readOne reads a branch without its last record and without those that it goes back to, nil if
// there is none. known is the branch as far as the caller knows it, or nil.
func readOne(ctx context.Context, r store.Reader, key history.Key, known *branch) (*branch, error) {
	if key < 1 || store.Space(key) > store.MaxSpace {
		return nil, nil
	}
	raw, err := r.Get(ctx, in(key, aboutKey))
	if err != nil || raw == nil {
		return nil, err
	}
	if known != nil && bytes.Equal(known.raw, raw) {
		return &branch{branchFacts: known.branchFacts, raw: raw}, nil
	}
	l := &branch{branchFacts: branchFacts{key: key}, raw: raw}
	return l, l.decode(raw)
}

// readAbout reads a branch without its last record, nil if there is none. The branch that it goes back to
// may be out of date: a caller that notices that calls distrust and looks again.
func (e *Engine) readAbout(ctx context.Context, r store.Reader, key history.Key) (*branch, error) {
	known, _ := e.cache.get(cacheKey{key: key, part: partBranch}).(*branch)
	l, err := readOne(ctx, r, key, known)
	if err != nil || l == nil || l.origin.Key == 0 {
		return l, err
	}
	k := cacheKey{key: l.origin.Key, part: partOrigin}
	if l.up, _ = e.cache.get(k).(*branch); l.up != nil {
		return l, nil
	}
	if l.up, err = e.readAbout(ctx, r, l.origin.Key); err == nil && l.up == nil {
		err = damaged("the context from which another was forked is not there")
	}
	if err == nil {
		e.cache.put(k, l.up, 500)
	}
	return l, err
}

// distrust forgets all branches that are kept for their forks.
func (e *Engine) distrust() { e.cache.dropAll(partOrigin) }

// readLast reads the state after the last record of a branch.
func (e *Engine) readLast(ctx context.Context, r store.Reader, l *branch) error {
	for rec, err := range r.Log(ctx, store.Cut{Space: store.Space(l.key), First: 1, Last: store.MaxNumber, Heads: true}, store.Descending) {
		if err != nil {
			return err
		}
		x, err := l.recordIn(nil, rec)
		if err != nil {
			return err
		}
		if l.number(x.entry.Revision) != rec.Number {
			return damaged("a revision is in the place of another")
		}
		l.last = x.ending()
		return nil
	}
	x, err := readIndex(ctx, r, l, math.MaxInt64, store.Descending)
	if err != nil {
		return err
	}
	if x == nil {
		return damaged("a context has no revision")
	}
	s, err := e.readSegment(ctx, r, l, x, entriesOnly)
	if err == nil {
		l.last = s.records[len(s.records)-1].ending()
	}
	return err
}

// settled says how far a branch was joined and where its checkpoints are.
type settled struct {
	revision int64 // the last one in a segment
	cycle    int64 // the last one in a segment
	point    int64 // cycle of the last checkpoint
	next     int64 // number of the next page
	rows     int64 // that the segments have behind the last checkpoint
	raw      []byte
}

func (s *settled) encode() []byte {
	var w writer
	for _, n := range [...]int64{format, s.revision, s.cycle, s.point, s.next, s.rows} {
		w.signed(n)
	}
	w.sum(0)
	return w.b
}

// unsettled is how far a new branch is settled.
func (l *branch) unsettled() *settled {
	return &settled{revision: l.origin.Revision, cycle: l.cycleBeforeFirst(), point: l.cycleBeforeFirst()}
}

// readSettled reads how far a branch is settled.
func readSettled(ctx context.Context, r store.Reader, l *branch) (*settled, error) {
	raw, err := r.Get(ctx, in(l.key, settledKey))
	if err != nil {
		return nil, err
	}
	if raw == nil { // nothing was joined yet
		return l.unsettled(), nil
	}
	if !summed(raw) {
		return nil, damaged("what says how far a context is joined is not as it was written")
	}
	s, in := &settled{raw: raw}, reader{rest: string(raw[:len(raw)-sumSize])}
	var version int64
	for _, n := range [...]*int64{&version, &s.revision, &s.cycle, &s.point, &s.next, &s.rows} {
		*n = in.signed()
	}
	if in.bad || version != format {
		return nil, damaged("what says how far a context is joined has another format")
	}
	return s, nil
}
