package engine

import (
	"bytes"
	"maps"
	"reflect"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/store"
)

// publish puts everything that changes into one batch, and expects in it the rows from which the changes were worked
// out.
func (x *erasure) publish(b *store.Batch, total *history.Erased) error {
	if !slices.ContainsFunc(x.family, func(m *member) bool { return m.concerned() }) {
		return nil
	}
	requireValue(b, in(x.family[0].l.key, forksKey), x.forks)
	for _, m := range x.family {
		if err := x.rewriteSegments(b, m); err != nil {
			return err
		}
		if err := x.rewriteLog(b, m); err != nil {
			return err
		}
		if err := x.rewriteAttempts(b, m); err != nil {
			return err
		}
		if err := x.conclude(b, m, total); err != nil {
			return err
		}
	}
	x.awaitCleaning(b)
	return nil
}

// conclude logs the erasure in a context that it concerns, and says that the branch is another.
func (x *erasure) conclude(b *store.Batch, m *member, total *history.Erased) error {
	l := m.l
	remove(b, spanOfKey(in(l.key, lastKey)))
	before := m.settled.raw
	if m.touched {
		if err := x.e.dropPoints(x.ctx, b, l, m.settled, m.since); err != nil {
			return err
		}
	}
	requireValue(b, in(l.key, settledKey), before)
	put(b, in(l.key, settledKey), m.settled.encode())
	if m.concerned() && l.kind != shared {
		entry, err := x.recorded(history.Erased{IDs: slices.Collect(maps.Keys(m.rewritten.ids)), Versions: m.versions,
			Entries: m.lost, Attempts: m.others, Digests: m.stripped}, l.info())
		if err != nil {
			return err
		}
		total.Salt = entry.Erased().Salt
		l.erasures++
		shown := firstListed(m.working, l.last.timeNS, false)
		last := &record{entry: logged(entry, history.Erasing, m.working), stamps: l.last.stamps, latest: l.last.latest,
			bytes: m.bytes, cuts: l.last.cuts}
		last.entry.Revision = l.last.revision + 1
		x.e.append(b, l, last)
		l.last, l.attrs = last.ending(), shown.Attrs
	}
	l.generation++
	l.replace(b)
	return nil
}

// rewriteSegments writes the segments of a member anew that change, and the contents of those that lose some.
func (x *erasure) rewriteSegments(b *store.Batch, m *member) error {
	list, err := x.e.segments(x.ctx, m.l)
	if err != nil {
		return err
	}
	for _, at := range list {
		if at.last < m.first && !m.blanks(at.first, at.last) {
			continue
		}
		if err := x.rewriteSegment(b, m, at); err != nil {
			return err
		}
	}
	return nil
}

func (x *erasure) rewriteSegment(b *store.Batch, m *member, at *segmentIndex) error {
	var s *segment
	err := x.e.view(x.ctx, m.l, func(r store.Reader) (err error) {
		s, err = x.e.readSegment(x.ctx, r, m.l, at, wholeRecords)
		return err
	})
	if err != nil {
		return err
	}
	changed, nodes := false, false
	for i := range s.records {
		of, entry, err := x.rewriteRecord(b, m, &s.records[i])
		if err != nil {
			return err
		}
		changed, nodes = changed || entry, nodes || of
	}
	if !nodes {
		if changed {
			x.e.putHead(b, m.l, s.records, at.blocks)
		}
		return nil
	}
	var contents map[place]string
	err = x.e.view(x.ctx, m.l, func(r store.Reader) (err error) {
		contents, err = x.e.contentsIn(x.ctx, r, m.l, s)
		return err
	})
	if err != nil {
		return err
	}
	if behind := x.e.putSegment(b, m.l, s.records, contents); behind < len(at.blocks) {
		remove(b, store.Span{Space: store.Space(m.l.key), From: blockPrefix + ordered(at.last) + ordered(int64(behind)),
			To: blockPrefix + ordered(at.last+1)})
	}
	return nil
}

// blanks reports whether an own entry of some revisions changes apart from its digests.
func (m *member) blanks(first, last int64) bool {
	for revision := range m.entries {
		if revision >= first && revision <= last {
			return true
		}
	}
	return false
}

// rewriteLog writes the revisions in the log of a member anew that change. None of them keeps a
// draft that no snapshot and no working state shows.
func (x *erasure) rewriteLog(b *store.Batch, m *member) error {
	var list []*record
	var values []store.Record
	contents := make(map[place]string)
	err := x.e.view(x.ctx, m.l, func(r store.Reader) error {
		list, values = nil, nil
		cut := store.Cut{Space: store.Space(m.l.key), First: 1, Last: store.MaxNumber}
		for in, err := range r.Log(x.ctx, cut, store.Ascending) {
			if err != nil {
				return err
			}
			rec, err := m.l.recordIn(new(rows), in)
			if err != nil {
				return err
			}
			if err := contentsOf(rec, in, func(at *row, text string) { contents[at.at] = text }); err != nil {
				return err
			}
			list, values = append(list, rec), append(values, in)
		}
		return nil
	})
	if err != nil {
		return err
	}
	made := folded(list)
	for i := range made {
		if _, _, err := x.rewriteRecord(b, m, &made[i]); err != nil {
			return err
		}
	}
	assignContents(made, contents, func(rec *record, text string) { rec.contents = append(rec.contents, canon.Value(text)) })
	for i := range made {
		if r := x.e.record(m.l, &made[i]); !bytes.Equal(r.Value, values[i].Value) || !bytes.Equal(r.Rest, values[i].Rest) {
			b.Replace = append(b.Replace, r)
		}
	}
	return nil
}

// rewriteRecord leaves of a record what the erasure leaves, and reports whether that is less: of its nodes and of its
// entry.
func (x *erasure) rewriteRecord(b *store.Batch, m *member, rec *record) (nodes, entry bool, err error) {
	for i := range rec.rows {
		r := &rec.rows[i]
		if r.moved || !x.ids[r.id] {
			continue
		}
		n := x.e.node(m.l, r)
		gap, err := n.Erase(x.ctx, x.Salt)
		if err != nil {
			return false, false, err
		}
		if gap == n {
			continue
		}
		left := rowOf(gap, r.parent)
		left.fresh = r.fresh
		if err := left.include(x.ctx); err != nil {
			return false, false, err
		}
		*r, nodes = left, true
	}
	before := rec.entry
	x.rewriteEntry(m, &rec.entry)
	if before.Request != rec.entry.Request {
		remove(b, spanOfKey(in(m.l.key, requestPrefix+before.Request)))
	}
	return nodes, !reflect.DeepEqual(before, rec.entry), nil
}

func (x *erasure) rewriteEntry(m *member, e *history.Entry) {
	at := e.Revision
	if m.stale[at] {
		e.Digest = ""
	}
	if m.entries[at] {
		*e = blanked(*e)
	}
	e.Idle = commit.Unscheduled(e.Idle, x.ids)
	if !m.touched {
		return
	}
	switch e.Kind {
	case history.Edit, history.Superseded, history.Erasing:
		if e.Cycle >= m.since {
			e.Digest = "" // it covers a working state that no longer exists, with its drafts
		}
	default:
		if p, known := m.digests[at]; known {
			e.Digest, e.Thread = p.digest, p.thread
			if !p.sent {
				e.Sent = ""
			}
		}
	}
}

// rewriteAttempts writes the attempts of a member anew that change. The medium refuses the erasure if another writer
// starts or ends one meanwhile.
func (x *erasure) rewriteAttempts(b *store.Batch, m *member) error {
	left := map[string]history.Attempt{} // of those that change
	for i, a := range m.attempts {
		at := placeOf(a.ID)
		k := in(m.l.key, attemptKey(at[0], at[1]))
		changed := !reflect.DeepEqual(a, m.left[i])
		if changed {
			left[a.ID] = m.left[i]
		}
		if !changed && a.Status != history.Running {
			continue
		}
		row, err := x.e.store.Get(x.ctx, k)
		if err != nil {
			return err
		}
		if row == nil { // it is joined with others
			continue
		}
		b.Expect = append(b.Expect, store.Expectation{Key: k, State: store.Equal, Value: encodeAttempt(&a)})
		if changed {
			put(b, k, encodeAttempt(&m.left[i]))
		}
	}
	if len(left) > 0 {
		if err := x.rewriteJoined(b, m.l, left); err != nil {
			return err
		}
	}
	next := int64(1)
	for _, a := range m.attempts {
		if cycle, number, _, _ := history.ParseAttemptID(a.ID); cycle == m.l.last.stamps.Cycle {
			next = max(next, number+1)
		}
	}
	requireValue(b, in(m.l.key, attemptKey(m.l.last.stamps.Cycle, next)), nil)
	return nil
}

// rewriteJoined writes the rows of joined attempts anew that have some of those left.
func (x *erasure) rewriteJoined(b *store.Batch, l *branch, left map[string]history.Attempt) error {
	for p, err := range x.e.store.Range(x.ctx, under(store.Space(l.key), joinedPrefix, ""), store.Ascending) {
		if err != nil {
			return err
		}
		list, err := x.e.joinedAt(l, p)
		if err != nil {
			return err
		}
		list = slices.Clone(list)
		changed := false
		for i := range list {
			if now, changes := left[list[i].ID]; changes {
				list[i], changed = now, true
			}
		}
		if to, _ := number(p.Name[len(joinedPrefix):]); changed {
			b.Expect = append(b.Expect, store.Expectation{Key: p.Key, State: store.Equal, Value: p.Value})
			x.e.putJoined(b, l, to, list)
		}
	}
	return nil
}
