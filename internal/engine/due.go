package engine

import (
	"context"
	"errors"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// publishedSnapshot is a snapshot that this process has just published.
type publishedSnapshot struct {
	t          *tree.Tree // nil for none
	revision   int64
	generation int64 // of its branch: an erasure leaves another snapshot
}

// checkpoint writes the next checkpoint that is due, if one is. That is the snapshot that was just
// published, if it comes soon enough, or else one that is made anew.
func (e *Engine) checkpoint(ctx context.Context, b *store.Batch, l *branch, s *settled, now publishedSnapshot) (bool, error) {
	of, p, origins, err := e.pointBefore(ctx, l.publisher(l.last.latest), l.last.latest)
	if err != nil {
		return false, err
	}
	v := version{origins: origins}
	if p != nil {
		v.revision = p.revision
	}
	list, made, err := e.recordsToCheckpoint(ctx, l, s, v.revision, now)
	if err != nil || len(list) == 0 {
		return false, err
	}
	if made {
		d, err := e.pagesBeside(ctx, l, s, p, list)
		if err == nil {
			err = e.writePoint(b, l, s, now, d)
		}
		if !errors.Is(err, errNoPlace) {
			return true, err
		}
	}
	if p != nil {
		if v.t, v.o, err = e.open(of, p); err != nil {
			return false, err
		}
	}
	if v, err = v.publish(e, l, list); err != nil {
		return false, err
	}
	return true, e.writePoint(b, l, s, publishedSnapshot{v.t, v.revision, l.generation}, e.pagesAfter(v, l, s))
}

// recordsToCheckpoint returns the records behind a revision up to the one that is to get a checkpoint, none if it is
// not due yet, and whether that is the one just published.
func (e *Engine) recordsToCheckpoint(ctx context.Context, l *branch, s *settled, from int64, now publishedSnapshot) (list []*record, made bool,
	err error) {
	first, rows := 0, int64(0) // how many records come up to the first snapshot that is due
	for x, err := range e.lineage(ctx, l, from+1, l.last.revision) {
		if err != nil {
			return nil, false, err
		}
		list, rows = append(list, x), rows+x.size()
		if x.entry.Revision <= s.revision && first == 0 {
			s.rows = min(rows, e.pace.rows-1)
		}
		if !x.publishes() || x.latest <= s.point {
			continue
		}
		if after := x.latest - s.point; first == 0 && (after >= e.pace.between || rows >= e.pace.rows) {
			first = len(list)
		} else if after >= 2*e.pace.between {
			break
		}
		if x.entry.Revision == now.revision && first > 0 {
			return list, true, nil
		}
		if rows >= 2*e.pace.rows || first > 0 && now.revision < x.entry.Revision {
			break
		}
	}
	return list[:first:first], false, nil
}

// size is how many nodes a replay of the record touches.
func (x *record) size() int64 { return int64(len(x.gone) + len(x.rows)) }

// writePoint writes a snapshot as pages.
func (e *Engine) writePoint(b *store.Batch, l *branch, s *settled, of publishedSnapshot, d *pageWriter) (err error) {
	first, err := d.firstPage(of.t)
	if err != nil {
		return err
	}
	p := &point{cycle: of.t.Cycle(), revision: of.revision, pages: s.next, digest: of.t.Digest(), first: first}
	if d.err != nil {
		return d.err
	}
	b.Put = append(b.Put, d.put...)
	put(b, in(l.key, pointPrefix+ordered(p.cycle)), p.encode(&e.packing))
	s.point, s.next, s.rows = p.cycle, d.next, 0
	if p.cycle < s.cycle {
		s.rows = e.pace.rows // perhaps another one is due
	}
	return nil
}

// manyNodes is how many nodes an imported tree has that gets a checkpoint at once, so that no
// later snapshot is made from all of them.
const manyNodes = 1000

// checkpointFirst writes a checkpoint of the tree that a branch begins with, if it is large.
func (e *Engine) checkpointFirst(b *store.Batch, l *branch, first *record) error {
	if len(first.rows) < manyNodes {
		return nil
	}
	v, err := version{}.publish(e, l, []*record{first})
	if err != nil {
		return err
	}
	s := l.unsettled()
	if err := e.writePoint(b, l, s, publishedSnapshot{v.t, v.revision, l.generation}, e.pagesAfter(v, l, s)); err != nil {
		return err
	}
	put(b, in(l.key, settledKey), s.encode())
	return nil
}
