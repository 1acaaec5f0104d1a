package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// firstTouched finds from which revision on a member may say something of one of some ids, and returns the cycle of
// that, 0 for its beginning. Texts may be anywhere.
func (x *erasure) firstTouched(m *member, ids map[string]bool) (cycle int64, err error) {
	m.inherits = m.up != nil && (m.up.inherits || m.up.first <= m.l.origin.Revision)
	m.first = m.l.origin.Revision + 1
	if !m.inherits && len(x.Texts) == 0 {
		m.first, cycle, err = x.e.firstOf(x.ctx, m.l, ids)
	}
	return cycle, err
}

// firstVersion returns the version from which a member is walked: the last one before it says something of one of
// some ids, or that of its origin, or nothing.
func (x *erasure) firstVersion(m *member, noted map[*member]map[int64]version, ids map[string]bool) (v version, err error) {
	cycle, err := x.firstTouched(m, ids)
	if err != nil {
		return v, err
	}
	if cycle-1 > m.l.cycleBeforeFirst() {
		return x.e.snapshot(x.ctx, m.l, cycle-1)
	}
	if m.up == nil {
		return v, nil
	}
	if v, here := noted[m.up][m.l.origin.Cycle]; here {
		return v, nil
	}
	return x.e.snapshot(x.ctx, m.up.l, m.l.origin.Cycle)
}

// firstOf returns the first own revision of a branch that may say something of one of some ids, or the one
// behind the last, and its cycle.
func (e *Engine) firstOf(ctx context.Context, l *branch, ids map[string]bool) (revision, cycle int64, err error) {
	list, err := e.segments(ctx, l)
	revision = l.origin.Revision + 1
	for _, x := range list {
		for id := range ids {
			if x.may(id) {
				return x.first, x.firstCycle, err
			}
		}
		revision = x.last + 1
	}
	if err != nil {
		return 0, 0, err
	}
	for x, err := range e.records(ctx, l, revision, l.last.revision) {
		if err != nil {
			return 0, 0, err
		}
		for i := range x.rows {
			if ids[x.rows[i].id] || ids[x.rows[i].parent] {
				return x.entry.Revision, x.entry.Cycle, nil
			}
		}
	}
	return l.last.revision + 1, l.last.latest + 1, nil
}

// collectBelow collects what is below the named nodes from the rows alone. It reports false if a node moved into
// that or out of it, or came again elsewhere: only the trees tell what was below it then.
func (x *erasure) collectBelow(f *subtrees) (told bool, err error) {
	named := maps.Clone(f.below)
	look := func(list []*record) bool {
		x.all++
		_, rows := fold(list)
		for i := range rows {
			r := &rows[i]
			under := f.below[r.parent]
			switch {
			case named[r.id]:
				f.seen[r.id] = true
			case f.below[r.id] && !under, under && !f.below[r.id] && !r.fresh:
				return false
			case under:
				f.below[r.id] = true
			}
		}
		return true
	}
	for _, m := range x.family {
		if _, err := x.firstTouched(m, f.below); err != nil {
			return false, err
		}
		var list []*record
		for rec, err := range x.e.records(x.ctx, m.l, m.first, m.l.last.revision) {
			if err != nil {
				return false, err
			}
			if list = append(list, rec); !rec.publishes() {
				continue
			}
			if !look(list) {
				return false, nil
			}
			list = nil
		}
		if !look(list) {
			return false, nil
		}
	}
	return true, nil
}

// targets collects the nodes and entries to erase, and returns an error if one cannot be erased.
func (x *erasure) targets(l *branch) (err error) {
	f := newSubtrees(x.IDs)
	told := false
	if len(x.Texts) == 0 {
		if told, err = x.collectBelow(f); err != nil {
			return err
		}
	}
	if !told {
		f, x.all = newSubtrees(x.IDs), 0
		if err := x.searchTrees(f); err != nil {
			return err
		}
	}
	for _, id := range x.IDs {
		if !f.seen[id] {
			return unnamed(id)
		}
	}
	for id := range f.below {
		x.ids[id] = true
	}
	for _, m := range x.family {
		x.found = x.found || slices.ContainsFunc(m.attempts, func(a history.Attempt) bool { return x.finder.inAttempt(&a) })
		for revision := range m.stale {
			x.found = x.found || m.lostDrafts(revision, m.settled.revision)
		}
	}
	if !x.found {
		for _, m := range x.family {
			clear(m.stale)
		}
	}
	return x.namedEntries(l)
}

// lostDrafts reports whether the drafts of a revision or of a cycle may be gone, because a join or an earlier erasure
// dropped them, so that nobody can tell whether they had a text. settled is the last one in a segment.
func (m *member) lostDrafts(at, settled int64) bool { return at <= settled || m.l.erasures > 0 }

// inDraft reports whether a record that publishes nothing has one of the texts: no tree that the erasure looks at
// need have the draft. It says yes for one that cannot be read.
func (x *erasure) inDraft(l *branch, rec *record) bool {
	return len(x.Texts) > 0 && !rec.publishes() && slices.ContainsFunc(rec.rows, func(r row) bool {
		if r.moved {
			return false
		}
		n := x.e.node(l, &r)
		text, err := n.Content.Value(x.ctx)
		goes, _ := x.finder.inNode(n, text)
		return err != nil || goes
	})
}

// searchTrees goes over the trees of the family for the named nodes and the texts.
func (x *erasure) searchTrees(f *subtrees) error {
	noted := make(map[*member]map[int64]version)
	for _, m := range x.family {
		begin, err := x.firstVersion(m, noted, f.below)
		if err != nil {
			return err
		}
		last := begin.t
		old := make(map[int64]string) // digests of working states, by revision
		var lastDigest string
		err = x.walk(m, begin, noted, func(rec *record) {
			at := rec.entry.Revision
			if x.finder.inEntry(&rec.entry) && !isBlank(&rec.entry) {
				m.entries[at], x.found = true, true
			}
			x.found = x.found || x.inDraft(m.l, rec)
			if lastDigest = rec.entry.Digest; stale(&rec.entry, "") {
				old[at] = lastDigest
			}
		}, func(_ *record, t *tree.Tree) error {
			if err := f.look(last, t); err != nil {
				return err
			}
			err := x.search(last, t)
			last = t
			x.all++
			return err
		})
		if err != nil {
			return err
		}
		for at, digest := range old {
			if len(x.Texts) > 0 && digest != lastDigest {
				m.stale[at] = true
			}
		}
		if x.finder.in(m.l.name) && m.l.kind != shared {
			return stuckInName(m.l.name)
		}
	}
	return nil
}

// namedEntries collects the entries that the erasure names.
func (x *erasure) namedEntries(l *branch) error {
	for _, revision := range x.Revisions {
		if revision < 1 || revision > l.last.revision {
			return noRevision(revision)
		}
		owner := l.owner(revision)
		for rec, err := range x.e.records(x.ctx, owner, revision, revision) {
			if err != nil {
				return err
			}
			for _, m := range x.family {
				if m.l.key == owner.key && !isBlank(&rec.entry) {
					m.entries[revision] = true
				}
			}
		}
	}
	return nil
}

// search looks for the texts in the nodes that a tree adds.
func (x *erasure) search(last, t *tree.Tree) error {
	if len(x.Texts) == 0 {
		return nil
	}
	look := func(n *tree.Node) error {
		text, err := n.Content.Value(x.ctx)
		if err != nil {
			return err
		}
		goes, stays := x.finder.inNode(n, text)
		if stays {
			return stuckInNode(n)
		}
		if goes {
			x.ids[n.ID], x.found = true, true
		}
		return nil
	}
	if last == nil {
		for e, err := range t.All() {
			if err != nil {
				return err
			}
			if err := look(e.Node()); err != nil {
				return err
			}
		}
		return nil
	}
	_, born, err := last.Delta(t)
	if err != nil {
		return err
	}
	for _, b := range born {
		if err := look(b.Node); err != nil {
			return err
		}
	}
	return nil
}
