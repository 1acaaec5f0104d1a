package engine

import (
	"context"
	"math"
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/kv"
)

// Erase implements [store.Eraser].
func (e *Engine) Erase(ctx context.Context, key store.Key, order store.Erase) (total *store.Erased, err error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	if order.Nothing() {
		return e.clean(ctx, &store.Erased{}, order.DryRun)
	}
	planned := false
	var x *erasure
	err = e.write(ctx, func(b *kv.Batch) error {
		l, err := e.line(ctx, key)
		if err != nil {
			return err
		}
		if err := order.Check(); err != nil {
			return err
		}
		if err := l.moved(order.Guard); err != nil {
			return err
		}
		x = &erasure{Erase: order, e: e, ctx: ctx, finder: order.Finder(), ids: make(map[string]bool),
			versions: make(map[*tree.Node]bool)}
		if err := x.gather(l); err != nil {
			return err
		}
		if err := x.targets(l); err != nil {
			return err
		}
		if total, err = x.plan(); err != nil || order.DryRun {
			return err
		}
		if !planned && order.Before != nil && total.Versions > 0 {
			if err := order.Before(); err != nil {
				return err
			}
		}
		planned = true
		return x.publish(b, total)
	})
	if err != nil {
		return nil, err
	}
	if order.DryRun {
		return total, nil
	}
	for _, m := range x.family {
		e.cache.dropLine(m.l.key)
	}
	for _, m := range x.family {
		for _, p := range m.kept {
			e.remember(m.l, p)
		}
		e.settleSoon(m.l, published{})
	}
	return e.clean(ctx, total, false)
}

// erasure is an erasure under way.
type erasure struct {
	store.Erase
	e        *Engine
	ctx      context.Context
	finder   *store.Finder
	family   []*member // an origin before its forks
	forks    []byte    // the row that counts the forks of the family
	ids      map[string]bool
	versions map[*tree.Node]bool

	past, all int // states walked and in all, for Progress
}

// member is a line of the family.
type member struct {
	l        *line
	up       *member
	settled  *settled
	attempts []store.Attempt
	starts   map[int64]bool // cycles with which forks begin

	entries map[int64]bool // revisions of own entries to blank
	stale   map[int64]bool // revisions of own entries whose digest goes with the texts
	rewritten

	first    int64 // revision before which the erasure finds nothing in the line
	inherits bool  // the line begins with something that the erasure finds
}

// gather finds the family of a line: all lines that go back to the same first one.
func (x *erasure) gather(l *line) error {
	return x.e.kv.View(x.ctx, func(r kv.Reader) (err error) {
		x.family = nil
		first := l
		for first.up != nil {
			first = first.up
		}
		if _, x.forks, err = forks(x.ctx, r, first); err != nil {
			return err
		}
		if err := x.join(r, first.key, nil); err != nil {
			return err
		}
		slices.SortFunc(x.family, func(a, b *member) int { return int(a.l.key - b.l.key) })
		return nil
	})
}

// join adds a line with its forks to the family.
func (x *erasure) join(r kv.Reader, key store.Key, up *member) error {
	l, err := readOne(x.ctx, r, key, nil)
	if err == nil && l == nil {
		err = damaged("a fork of a context is not there")
	}
	if err != nil {
		return err
	}
	if up != nil {
		l.up = up.l
	}
	if err := x.e.readLast(x.ctx, r, l); err != nil {
		return err
	}
	m := &member{l: l, up: up, starts: make(map[int64]bool), entries: make(map[int64]bool), stale: make(map[int64]bool)}
	if m.settled, err = readSettled(x.ctx, r, l); err != nil {
		return err
	}
	if m.attempts, err = ownAttempts(x.ctx, r, l, math.MinInt64, math.MaxInt64); err != nil {
		return err
	}
	x.family = append(x.family, m)
	forks, err := children(x.ctx, r, l)
	if err != nil {
		return err
	}
	for fork := range forks {
		if err := x.join(r, fork, m); err != nil {
			return err
		}
	}
	if up != nil {
		up.starts[l.origin.Cycle] = true
	}
	return nil
}

// begin returns the version from which a member is walked: the last one before anything says something of
// one of some ids, or that of its origin, or nothing. Texts may be in any version.
func (x *erasure) begin(m *member, noted map[*member]map[int64]version, ids map[string]bool) (v version, err error) {
	m.inherits = false
	if m.up != nil {
		here := false
		if v, here = noted[m.up][m.l.origin.Cycle]; !here {
			if v, err = x.e.snapshot(x.ctx, m.up.l, m.l.origin.Cycle); err != nil {
				return v, err
			}
		}
		m.inherits = m.up.inherits || m.up.first <= m.l.origin.Revision
	}
	m.first = m.l.origin.Revision + 1
	if m.inherits || len(x.Texts) > 0 || x.e.inMemory {
		return v, nil
	}
	cycle := int64(0)
	if m.first, cycle, err = x.e.firstOf(x.ctx, m.l, ids); err != nil || cycle-1 <= m.l.since() {
		return v, err
	}
	return x.e.snapshot(x.ctx, m.l, cycle-1)
}

// walk replays the own revisions of a member from a version on. It calls state with each snapshot and its
// record, and at the end with the working state and no record, and entry, if there is one, with each
// record. It notes the versions that forks begin with.
func (x *erasure) walk(m *member, v version, noted map[*member]map[int64]version, entry func(*record),
	state func(*record, *tree.Tree) error) error {
	noted[m] = make(map[int64]version)
	if v.t != nil && m.starts[v.t.Cycle()] {
		noted[m][v.t.Cycle()] = v
	}
	var list []*record
	for rec, err := range x.e.records(x.ctx, m.l, max(v.revision, m.l.origin.Revision)+1, m.l.last.revision) {
		if err != nil {
			return err
		}
		if entry != nil {
			entry(rec)
		}
		if list = append(list, rec); !rec.publishes() {
			continue
		}
		if v, err = v.publish(x.e, m.l, list); err != nil {
			return err
		}
		list = nil
		if m.starts[rec.latest] {
			noted[m][rec.latest] = v
		}
		if err := state(rec, v.t); err != nil {
			return err
		}
	}
	working, err := v.after(x.e, m.l, m.l.last.stamps.Cycle, list)
	if err != nil {
		return err
	}
	return state(nil, working.t)
}

// targets collects the nodes and entries to erase, and returns an error if one cannot be erased.
func (x *erasure) targets(l *line) (err error) {
	defer tree.Recover(&err)
	f, noted := store.NewFamily(x.IDs), make(map[*member]map[int64]version)
	for _, m := range x.family {
		begin, err := x.begin(m, noted, f.Below)
		if err != nil {
			return err
		}
		last := begin.t
		old := make(map[int64]string) // digests of working states, by revision
		var lastDigest string
		err = x.walk(m, begin, noted, func(rec *record) {
			at := rec.entry.Revision
			if x.finder.InEntry(&rec.entry) && !rec.entry.Blank() {
				m.entries[at] = true
			}
			if lastDigest = rec.entry.Digest; rec.entry.Stale("") {
				old[at] = lastDigest
			}
		}, func(_ *record, t *tree.Tree) error {
			f.Look(last, t)
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
		if x.finder.In(m.l.name) && m.l.standing != shared {
			return store.StuckInName(m.l.name)
		}
	}
	for _, id := range x.IDs {
		if !f.Seen[id] {
			return store.Unnamed(id)
		}
	}
	for id := range f.Below {
		x.ids[id] = true
	}
	return x.named(l)
}

// named collects the entries that the erasure names.
func (x *erasure) named(l *line) error {
	for _, revision := range x.Revisions {
		if revision < 1 || revision > l.last.revision {
			return store.NoRevision(revision)
		}
		owner := l.owner(revision)
		for rec, err := range x.e.records(x.ctx, owner, revision, revision) {
			if err != nil {
				return err
			}
			for _, m := range x.family {
				if m.l.key == owner.key && !rec.entry.Blank() {
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
		goes, stays := x.finder.InNode(n, text)
		if stays {
			return store.StuckInNode(n)
		}
		if goes {
			x.ids[n.ID] = true
		}
		return nil
	}
	if last == nil {
		for e := range t.All() {
			if err := look(e.Node()); err != nil {
				return err
			}
		}
		return nil
	}
	_, born := last.Delta(t)
	for _, b := range born {
		if err := look(b.Node); err != nil {
			return err
		}
	}
	return nil
}
