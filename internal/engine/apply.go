package engine

import (
	"context"
	"math"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/names"
	"github.com/contexttree/pact/store"
)

// Apply implements [Contexts].
func (e *Engine) Apply(ctx context.Context, key history.Key, g Guard, changes ...Change) error {
	var l *branch
	var s *state
	var attempts []history.Attempt
	known, _ := e.cache.get(cacheKey{key: key, part: partBranch}).(*branch)
	err := e.write(ctx, func(b *store.Batch) (err error) {
		// What this process knows may be out of date. If so, the medium refuses the batch.
		if l, known = known, nil; l == nil || l.conflict(g) != nil || len(changes) == 0 {
			if l, err = e.branch(ctx, key); err != nil {
				return err
			}
		}
		if err := l.conflict(g); err != nil {
			return err
		}
		now := *l
		attrs := l.attrs
		l, s = &now, &state{}
		requireValue(b, in(key, aboutKey), l.raw)
		if before := e.cachedState(l); before != nil {
			s.head, s.idle, s.loaded, s.published = before.head, before.idle, before.loaded, before.published
		}
		seen := make(map[string]bool)
		for i := range changes {
			if err := e.change(ctx, b, l, s, &changes[i], seen); err != nil {
				return err
			}
		}
		if attempts, err = e.attemptsOf(ctx, b, l, changes); err != nil { // it expects the row as it was
			return err
		}
		if l.attrs != attrs {
			l.raw = l.encode()
			put(b, in(key, aboutKey), l.raw)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range attempts {
		if changes[i].Attempt != nil {
			*changes[i].Attempt = attempts[i]
		}
	}
	e.noteBranch(l)
	e.extend(l, s.made)
	if s.made = nil; s.head != nil && s.working != nil {
		e.cacheState(l, s)
	}
	now := publishedSnapshot{}
	for i, c := range changes { // an answer may come behind the last one
		if c.Sealed != nil {
			now = publishedSnapshot{c.Sealed, l.last.revision - int64(len(changes)-1-i), l.generation}
		}
	}
	e.settleSoon(l, now)
	return nil
}

// noteBranch keeps a branch as this process left it, for its next change.
func (e *Engine) noteBranch(l *branch) { e.cache.put(cacheKey{key: l.key, part: partBranch}, l, 500) }

// forget drops what is kept of a branch.
func (e *Engine) forget(key history.Key) {
	for _, part := range [...]int{partBranch, partOrigin, partState, partSettled} {
		e.cache.drop(cacheKey{key: key, part: part})
	}
}

// change appends a change to a branch, and moves the branch and its state along. seen are the request tokens of
// the changes before it.
func (e *Engine) change(ctx context.Context, b *store.Batch, l *branch, s *state, c *Change, seen map[string]bool) error {
	next, kind := c.After, history.Edit
	if c.Sealed != nil {
		next, kind = c.Sealed, history.Commit
		s.head, s.idle, s.published = c.Sealed, c.Entry.Idle, l.last.revision+1
	}
	shown := ListedAfter(l.listed(), c, l.first)
	x := &record{entry: logged(c.Entry, kind, next), stamps: c.Stamps, latest: l.last.latest, bytes: shown.Bytes,
		cuts: shown.Cuts}
	if c.Sealed != nil {
		x.latest = c.Sealed.Cycle()
	}
	x.entry.Revision = l.last.revision + 1
	if token := c.Entry.Request; token != "" {
		known, err := e.request(ctx, l, token)
		if err != nil {
			return err
		}
		if known != 0 || seen[token] {
			return names.RequestSeen(token)
		}
		seen[token] = true
	}
	if err := x.delta(ctx, e, l, c.Before, next); err != nil {
		return err
	}
	e.append(b, l, x)
	s.made = append(s.made, x)
	l.last, l.attrs = x.ending(), shown.Attrs
	s.working, s.foreign = c.After, s.foreign || x.foreign
	s.generation, s.revision = l.generation, l.last.revision
	return nil
}

// noteRequest notes where the token of a record is. A medium refuses a token that is there.
func noteRequest(b *store.Batch, l *branch, x *record) {
	if x.entry.Request == "" {
		return
	}
	k := in(l.key, requestPrefix+x.entry.Request)
	requireValue(b, k, nil)
	put(b, k, []byte(ordered(x.entry.Revision)))
}

// request returns the revision that carries a token, 0 if none does.
func (e *Engine) request(ctx context.Context, l *branch, token string) (int64, error) {
	if l.key == 0 { // it has no key yet
		return 0, nil
	}
	for upTo := int64(math.MaxInt64); l != nil; l, upTo = l.up, min(upTo, l.origin.Revision) {
		raw, err := e.store.Get(ctx, in(l.key, requestPrefix+token))
		if err != nil {
			return 0, err
		}
		if raw == nil {
			continue
		}
		if revision, err := number(raw); err != nil || revision <= upTo {
			return revision, err
		}
	}
	return 0, nil
}

// requested are the request tokens in the log of a branch, with their revisions and the cycles of these.
type requested map[string]struct{ revision, cycle int64 }

func (t requested) note(l *branch, x *record) {
	if token := x.entry.Request; token != "" && x.entry.Revision <= l.last.revision { // not written since
		t[token] = struct{ revision, cycle int64 }{x.entry.Revision, x.entry.Cycle}
	}
}

// check compares the rows that lead from the tokens to their revisions.
func (t requested) check(ctx context.Context, r store.Reader, l *branch) error {
	rows := make(map[string]int64)
	for p, err := range r.Range(ctx, under(store.Space(l.key), requestPrefix, ""), store.Ascending) {
		if err != nil {
			return err
		}
		at, err := number(p.Value)
		if err != nil {
			return err
		}
		rows[p.Name[len(requestPrefix):]] = at
	}
	for token, of := range t {
		if rows[token] != of.revision {
			return DamageErr(&history.Damage{Cycle: of.cycle, What: "a request token does not lead to its revision"})
		}
		delete(rows, token)
	}
	for _, at := range rows {
		if at <= l.last.revision {
			return damaged("a request token leads to no revision")
		}
	}
	return nil
}
