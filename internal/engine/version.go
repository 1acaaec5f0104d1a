package engine

import (
	"context"
	"iter"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// version is the tree of a context after a revision.
type version struct {
	t        *tree.Tree // nil before the first revision
	o        *opened    // the checkpoint that the tree was made from, nil if there is none
	revision int64
	origins  int // how many branches without a checkpoint were gone through to find o
}

// base returns the nearest version before a cycle, or of it, that needs no replay.
func (e *Engine) base(ctx context.Context, l *branch, cycle int64) (version, error) {
	back := 0
	for {
		of, p, origins, err := e.pointBefore(ctx, l, cycle)
		if back += origins; err != nil || p == nil {
			return version{origins: back}, err
		}
		t, o, err := e.open(of, p)
		if isDerived(err) == nil {
			return version{t, o, p.revision, back}, err
		}
		l, cycle = of, p.cycle-1
	}
}

// pointBefore finds the nearest checkpoint before a cycle, or of it, that is not damaged, in a branch and
// those that it goes back to. It returns the branch that has it, and how many branches it went back.
func (e *Engine) pointBefore(ctx context.Context, l *branch, cycle int64) (of *branch, p *point, origins int, err error) {
	for {
		p, err := e.lastPoint(ctx, l, cycle)
		if d := isDerived(err); d != nil {
			cycle = d.Cycle - 1
			continue
		}
		if err != nil || p != nil || l.up == nil {
			return l, p, origins, err
		}
		l, cycle, origins = l.up, l.origin.Cycle, origins+1
	}
}

// lineage yields the records of a branch and of those that it goes back to, oldest first.
func (e *Engine) lineage(ctx context.Context, l *branch, from, to int64) iter.Seq2[*record, error] {
	return e.lineageOf(ctx, l, from, to, wholeRecords)
}

// entries yields the records as lineage does, but some lack what they did to the tree.
func (e *Engine) entries(ctx context.Context, l *branch, from, to int64) iter.Seq2[*record, error] {
	return e.lineageOf(ctx, l, from, to, entriesOnly)
}

func (e *Engine) lineageOf(ctx context.Context, l *branch, from, to int64, of extent) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		for from <= to {
			own, upTo := l, to
			for own.up != nil && from <= own.origin.Revision {
				own, upTo = own.up, min(upTo, own.origin.Revision)
			}
			for x, err := range e.ownRecords(ctx, own, from, upTo, of) {
				if !yield(x, err) || err != nil {
					return
				}
			}
			from = upTo + 1
		}
	}
}

// waypoints are how many cycles lie between the snapshots that the engine keeps on the way to a later one: a caller
// that goes back step by step, as undo does, passes them again.
var waypoints = [...]int64{16, 64}

// waypoint returns the last snapshot before a cycle, or of it, that was kept on the way to another.
func (e *Engine) waypoint(of *branch, cycle int64) (v version) {
	for _, apart := range waypoints {
		if v, kept := e.cache.get(of.waypoint(cycle - cycle%apart)).(version); kept {
			return v
		}
	}
	return v
}

func (l *branch) waypoint(cycle int64) cacheKey {
	return cacheKey{key: l.key, generation: l.generation, last: cycle, part: partWaypoint}
}

// snapshot returns the version of a cycle of a branch.
func (e *Engine) snapshot(ctx context.Context, l *branch, cycle int64) (v version, err error) {
	of := l.publisher(cycle)
	if v = e.waypoint(of, cycle); v.t == nil {
		if v, err = e.base(ctx, of, cycle); err != nil {
			return v, err
		}
	}
	if v.t != nil && v.t.Cycle() == cycle {
		return v, nil
	}
	var list []*record
	for x, err := range e.lineage(ctx, l, v.revision+1, l.last.revision) {
		if err != nil {
			return v, err
		}
		if list = append(list, x); !x.publishes() {
			continue
		}
		if x.latest == cycle {
			return v.publish(e, l, list)
		}
		if slices.ContainsFunc(waypoints[:], func(apart int64) bool { return x.latest == cycle-cycle%apart }) {
			// The snapshot that the caller asks for names the damage up to here.
			if way, err := v.publish(e, l, list); err == nil {
				v, list = way, nil
				e.cache.put(of.waypoint(x.latest), v, 1000+600*v.t.Root().Summary().Nodes/16)
			}
		}
	}
	return v, damaged("a snapshot is missing in the log")
}

// publish returns the version that the last of some records published.
func (v version) publish(e *Engine, l *branch, list []*record) (version, error) {
	x := list[len(list)-1]
	next, err := v.after(e, l, x.latest, list)
	if err != nil {
		return v, err
	}
	if found := next.t.Digest().String(); x.entry.Digest != "" && x.entry.Digest != found {
		return v, DamageErr(&history.Damage{Cycle: x.latest, Suspects: suspects(list), What: "digest of headers and contents",
			Recorded: x.entry.Digest, Found: found})
	}
	return next, nil
}

// suspects returns the ids that records say something of, if they are few.
func suspects(list []*record) (ids []string) {
	_, rows := fold(list)
	if len(rows) > 8 {
		return nil
	}
	for i := range rows {
		ids = append(ids, rows[i].id)
	}
	return ids
}

// after returns the version after some records, as seen from a cycle.
func (v version) after(e *Engine, l *branch, cycle int64, list []*record) (next version, err error) {
	if len(list) == 0 {
		return version{v.t.WithCycle(cycle), v.o, v.revision, v.origins}, nil
	}
	next = version{nil, v.o, list[len(list)-1].entry.Revision, v.origins}
	gone, rows := fold(list)
	if v.t == nil {
		next.t, err = e.build(l, cycle, rows)
		return next, err
	}
	born := make([]tree.Born, len(rows))
	for i := range rows {
		r := &rows[i]
		born[i] = tree.Born{Parent: r.parent, New: r.fresh}
		if !r.moved {
			born[i].Node = e.node(l, r)
			continue
		}
		if born[i].Node, err = v.t.Node(r.id); err != nil {
			return v, err
		}
		if born[i].Node == nil {
			return v, damaged("a revision moves a node that is not there")
		}
	}
	next.t, err = v.t.Patch(cycle, gone, born)
	return next, err
}

// build makes a first tree.
func (e *Engine) build(l *branch, cycle int64, rows []row) (*tree.Tree, error) {
	list, index := make([]tree.Placed, len(rows)), make(map[string]int, len(rows))
	for i := range rows {
		r := &rows[i]
		parent := -1
		if r.parent != "" {
			above, here := index[r.parent]
			if !here {
				return nil, damaged("a revision has a node before its parent")
			}
			parent = above
		}
		if r.moved {
			return nil, damaged("a revision moves a node that is not there")
		}
		index[r.id] = i
		list[i] = tree.Placed{Node: e.node(l, r), Parent: parent}
	}
	return tree.Build(cycle, list)
}
