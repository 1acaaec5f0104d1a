package engine

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// Erase implements [Contexts].
func (e *Engine) Erase(ctx context.Context, key history.Key, order Erase) (total *history.Erased, err error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	if order.Nothing() {
		return e.clean(ctx, &history.Erased{}, order.DryRun)
	}
	planned := false
	var x *erasure
	err = e.write(ctx, func(b *store.Batch) error {
		l, err := e.branch(ctx, key)
		if err != nil {
			return err
		}
		if err := order.check(); err != nil {
			return err
		}
		if err := l.conflict(order.Guard); err != nil {
			return err
		}
		x = &erasure{Erase: order, e: e, ctx: ctx, finder: newFinder(order.Texts), ids: make(map[string]bool),
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
	defer outlast(time.Now())
	for _, m := range x.family {
		e.cache.dropBranch(m.l.key)
	}
	for _, m := range x.family {
		e.settleSoon(m.l, publishedSnapshot{})
	}
	return e.clean(ctx, total, false)
}

// erasure is an erasure under way.
type erasure struct {
	Erase
	e        *Engine
	ctx      context.Context
	finder   *finder
	family   []*member // an origin before its forks
	forks    []byte    // the row that counts the forks of the family
	ids      map[string]bool
	versions map[*tree.Node]bool

	found     bool // something has one of the texts, or may have had: a node, a draft, an entry, an attempt
	past, all int  // states walked and in all, for Progress
}

// member is a branch of the family.
type member struct {
	l        *branch
	up       *member
	settled  *settled
	attempts []history.Attempt
	starts   map[int64]bool // cycles with which forks begin

	entries map[int64]bool // revisions of own entries to blank
	stale   map[int64]bool // revisions of own entries whose digest goes with the texts
	rewritten

	first    int64 // revision before which the erasure finds nothing in the branch
	inherits bool  // the branch begins with something that the erasure finds
}

// gather finds the family of a branch: all branches that go back to the same first one.
func (x *erasure) gather(l *branch) error {
	return x.e.store.View(x.ctx, func(r store.Reader) (err error) {
		x.family = nil
		first := l
		for first.up != nil {
			first = first.up
		}
		if _, x.forks, err = forks(x.ctx, r, first); err != nil {
			return err
		}
		if err := x.addBranch(r, first.key, nil); err != nil {
			return err
		}
		slices.SortFunc(x.family, func(a, b *member) int { return int(a.l.key - b.l.key) })
		return nil
	})
}

// addBranch adds a branch with its forks to the family.
func (x *erasure) addBranch(r store.Reader, key history.Key, up *member) error {
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
	if m.attempts, err = x.e.ownAttempts(x.ctx, r, l, math.MinInt64, math.MaxInt64); err != nil {
		return err
	}
	x.family = append(x.family, m)
	forks, err := children(x.ctx, r, l)
	if err != nil {
		return err
	}
	for fork := range forks {
		if err := x.addBranch(r, fork, m); err != nil {
			return err
		}
	}
	if up != nil {
		up.starts[l.origin.Cycle] = true
	}
	return nil
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
