package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// Checkpoints are made from revisions. Where one is damaged, or a page of it, the same is made
// from the revisions again.

// derived returns the error for damage in a checkpoint of a cycle.
func derived(cycle int64, err error) error {
	d, _ := damageOrError(err)
	if d == nil {
		return err
	}
	return DamageErr(&history.Damage{Cycle: cycle, What: d.What, Derived: true})
}

// isDerived returns the damage of a checkpoint that an error reports, or nil.
func isDerived(err error) *history.Damage {
	if d, _ := damageOrError(err); d != nil && d.Derived {
		return d
	}
	return nil
}

// replay makes the tree of a checkpoint from the revisions alone. Cost: reading all revisions up to
// it, once for all of its pages.
func (o *opened) replay(ctx context.Context) (*tree.Tree, error) {
	o.replaying.Lock()
	defer o.replaying.Unlock()
	if o.replayed != nil {
		return o.replayed, nil
	}
	var list []*record
	for x, err := range o.e.lineage(ctx, o.l, 1, o.revision) {
		if errors.Is(err, errRewritten) {
			return nil, removedMeanwhile()
		}
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	v, err := version{}.publish(o.e, o.l, list)
	o.replayed = v.t
	return v.t, err
}

// rebuild makes a run whose page is damaged or not there. why is returned if that cannot be done.
func (r *openRun) rebuild(ctx context.Context, why error) (*tree.List, error) {
	t, err := r.of.replay(ctx)
	if err != nil {
		return nil, err
	}
	seq := t.Region(tree.Seq)
	if seq == nil {
		return nil, why
	}
	list, err := runOf(seq.Children(), r.stub)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, why
	}
	nodes := make(map[string]placedNode)
	for turn, err := range list.All() {
		if err != nil {
			return nil, err
		}
		for e, err := range turn.All() {
			if err != nil {
				return nil, err
			}
			nodes[e.Node().ID] = placedNode{e.Node(), cmp.Or(e.Parent, r.of.seq)}
		}
	}
	r.nodes, r.runs = nodes, nil
	return list, nil
}

// runOf finds the run of a list that a stub stands for.
func runOf(l *tree.List, s tree.LazyRun) (*tree.List, error) {
	if l.Len() < s.Count {
		return nil, nil
	}
	if own, ok := l.LazyRun(); ok && own.Digest == s.Digest {
		return l, nil
	}
	_, runs, err := l.Parts()
	if err != nil {
		return nil, err
	}
	for _, below := range runs {
		if found, err := runOf(below, s); found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// mend removes the checkpoints of branches of which one is damaged, and those of their forks, which may
// share its pages.
func (e *Engine) mend(ctx context.Context, list []Branch) error {
	removed := make(map[history.Key]bool)
	for _, x := range list {
		if x.Shared {
			removed[x.Key] = removed[x.Origin.Key]
			continue
		}
		if !removed[x.Origin.Key] {
			err := e.retryRewritten(ctx, x.Key, func(l *branch) error { return e.checkPoints(ctx, l) })
			if isDerived(err) == nil {
				if err != nil {
					return err
				}
				continue
			}
		}
		removed[x.Key] = true
		if err := e.removePoints(ctx, x.Key); err != nil {
			return err
		}
	}
	return nil
}

// removePoints removes all checkpoints of a branch. Their numbers are not used again.
func (e *Engine) removePoints(ctx context.Context, key history.Key) error {
	return e.write(ctx, func(b *store.Batch) error {
		l, err := e.branch(ctx, key)
		if err != nil {
			return err
		}
		s, err := readSettled(ctx, e.store, l)
		if err != nil {
			return err
		}
		requireValue(b, in(key, aboutKey), l.raw)
		requireValue(b, in(key, settledKey), s.raw)
		s.point, s.rows = l.cycleBeforeFirst(), e.pace.rows // perhaps a checkpoint is due
		put(b, in(key, settledKey), s.encode())
		remove(b, under(store.Space(key), pointPrefix, ""), under(store.Space(key), pagePrefix, ""))
		return nil
	})
}
