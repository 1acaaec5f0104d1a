package sqlstore

import (
	"bytes"
	"encoding/hex"
	"maps"
	"slices"
	"sort"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// linkPair holds the link of a row before and after the erasure.
type linkPair struct{ was, is []byte }

// logRow is a row of the log after the erasure.
type logRow struct {
	branch, revision int64
	values           []any // actor, message, request, report, digest, thread, sent, chain
}

// newEntry is an entry that the erasure adds to the log of a context.
type newEntry struct {
	branch *branch
	chain  []byte // of the previous row
	entry  store.Entry
}

// planLog plans the rows of the log of a branch that the erasure changes.
func (x *erasure) planLog(b *branch) error {
	since := b.firstChange()
	last := linkPair{}
	if b.Origin.Key != 0 {
		last = x.links[logKey{int64(b.Origin.Key), b.Origin.Revision}]
	}
	next := linkPair{chainStart(last.was, b.Info), chainStart(last.is, b.Info)}
	forks := map[int64]bool{}
	for _, f := range b.forks {
		forks[f.Origin.Revision] = true
	}
	rows, err := x.store.stmts.logRows.QueryContext(x.ctx, int64(b.Key), int64(beforeAll), int64(afterAll))
	c := checker{}
	_, err = c.each(rows, err, func(values []any) *store.Damage {
		was, _ := values[colChain].([]byte)
		held := linked(next.was, values)
		before := slices.Clone(values)
		x.rewriteEntry(b, values, since)
		is, changed := was, !bytes.Equal(next.was, next.is) || !sameValues(before, values)
		if changed && was != nil { // rows of version 1 of the schema have no link, and get none
			if is = expectedLink(next.is, values); !held {
				is[0] ^= 1 // a link that did not match before does not match afterwards
			}
			values[colChain] = is
		}
		revision, _ := values[colRevision].(int64)
		if changed {
			x.logs = append(x.logs, logRow{int64(b.Key), revision, slices.Concat(values[colActor:colReport+1],
				values[colDigest:colIdle], values[colChain:])})
		}
		last, next = linkPair{was, is}, linkPair{was, is}
		if forks[revision] {
			x.links[logKey{int64(b.Key), revision}] = last
		}
		return nil
	})
	if err != nil {
		return x.store.fail(x.ctx, err, "reading the log")
	}
	attempts, err := x.attempts(x.store.read, b)
	if err != nil {
		return err
	}
	b.attempts = attempts
	for _, a := range attempts {
		x.total.Attempts++
		if a.hasText {
			x.total.Said++
		}
	}
	return x.planEntry(b, since < afterAll, last.is)
}

// sameValues reports whether two rows have the same values.
func sameValues(a, b []any) bool {
	return slices.EqualFunc(a, b, func(v, w any) bool {
		x, isBytes := v.([]byte)
		y, areBytes := w.([]byte)
		if isBytes || areBytes {
			return isBytes == areBytes && bytes.Equal(x, y)
		}
		return v == w
	})
}

// rewriteEntry changes the values of a row of the log to those after the erasure, except its
// link.
func (x *erasure) rewriteEntry(b *branch, values []any, since int64) {
	e := entryOf(values)
	at := logKey{int64(b.Key), e.Revision}
	if !e.Blank() && (x.entries[at] || x.finder.InEntry(&e)) {
		x.entries[at] = true
		b.blanked = append(b.blanked, e.Revision)
		e = e.Blanked()
		values[colActor], values[colMessage], values[colRequest], values[colReport] = orNull(e.Actor), orNull(e.Message),
			orNull(e.Request), orNull(string(e.Report))
		if e.Digest == "" {
			values[colDigest] = nil
		}
	} else {
		delete(x.entries, at)
	}
	if e.Kind == store.Edit || e.Kind == store.Superseded || e.Kind == store.Erasing {
		_, stale := slices.BinarySearch(b.stale, e.Revision)
		if cycle, _ := values[colCycle].(int64); cycle >= since || stale {
			values[colDigest] = nil // it covers a working state that no longer exists, with its drafts
		}
		return
	}
	latest, _ := values[colLatest].(int64)
	if latest < since {
		return
	}
	s := b.digests[latest]
	values[colDigest] = newDigest(values[colDigest], s.digest, s.newDigest)
	values[colThread] = newDigest(values[colThread], s.thread, s.newThread)
	if s.thread != s.newThread {
		values[colSent] = nil
	}
}

// newDigest returns the digest that replaces a recorded one. If the recorded one did not match
// the tree, it returns one that matches no tree.
func newDigest(recorded any, was, is tree.Digest) any {
	b, _ := recorded.([]byte)
	switch {
	case b == nil || was == is:
		return recorded
	case !bytes.Equal(b, was[:]):
		return make([]byte, len(is))
	}
	return is[:]
}

// planEntry plans the entry of the erasure in the log of a context.
func (x *erasure) planEntry(b *branch, touched bool, chain []byte) error {
	x.total.Digests += len(b.stale)
	for _, a := range b.attempts {
		b.changedAttempts = append(b.changedAttempts, a.cycle)
	}
	if origin := x.byKey[b.Origin.Key]; origin != nil {
		b.shared = origin.upTo(b.Origin.Revision, b.Origin.Cycle)
	}
	all, ids := b.upTo(afterAll, afterAll), map[string]bool{}
	of := store.Erased{Versions: len(b.rows), Entries: all.entries, Digests: all.digests, Attempts: all.attempts}
	for _, v := range b.rows {
		ids[v.id] = true
	}
	if b.deleted || !touched && of.Entries+of.Attempts+of.Digests == 0 {
		return nil
	}
	of.IDs = slices.Collect(maps.Keys(ids))
	e, err := x.Recorded(of, b.Info)
	if err != nil {
		return err
	}
	digest := b.digest
	if touched && len(digest) > 0 {
		digest, _ = newDigest(digest, b.working.digest, b.working.newDigest).([]byte)
	}
	e.Digest = hex.EncodeToString(digest)
	x.newEntries = append(x.newEntries, newEntry{b, chain, e})
	x.total.Contexts, x.total.Keys = append(x.total.Contexts, b.Name), append(x.total.Keys, b.Key)
	x.total.Salt = e.Erased().Salt
	return nil
}

// changeCounts counts the entries, digests and attempts that change.
type changeCounts struct{ entries, digests, attempts int }

// upTo counts what changes in a context up to a revision and a cycle of its own.
func (b *branch) upTo(revision, cycle int64) changeCounts {
	until := func(list []int64, last int64) int {
		return sort.Search(len(list), func(i int) bool { return list[i] > last })
	}
	return changeCounts{b.shared.entries + until(b.blanked, revision), b.shared.digests + until(b.stale, revision),
		b.shared.attempts + until(b.changedAttempts, cycle)}
}
