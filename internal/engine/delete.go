package engine

import (
	"context"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// Delete implements [Contexts].
func (e *Engine) Delete(ctx context.Context, key history.Key) error {
	err := e.write(ctx, func(b *store.Batch) error {
		l, err := e.branch(ctx, key)
		if err != nil {
			return err
		}
		name := namePrefix + l.name
		if l.kind == unfinished {
			name = copyPrefix + l.name
		}
		remove(b, spanOfKey(at(common, name)))
		return e.shrink(ctx, b, l, 0)
	})
	if err == nil {
		e.forget(key)
	}
	return err
}

// children returns the forks that began in a branch, with the revisions that they began with.
func children(ctx context.Context, r store.Reader, l *branch) (map[history.Key]int64, error) {
	list := make(map[history.Key]int64)
	for p, err := range r.Range(ctx, under(store.Space(l.key), childPrefix, ""), store.Ascending) {
		if err != nil {
			return nil, err
		}
		key, err := number(p.Name[len(childPrefix):])
		if err != nil {
			return nil, err
		}
		if list[history.Key(key)], err = number(p.Value); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// shrink leaves of a branch that no name leads to any more what its forks share, but for the
// fork without. Where that is nothing, the branch goes, and the branch that it began in may shrink.
func (e *Engine) shrink(ctx context.Context, b *store.Batch, l *branch, without history.Key) error {
	forks, err := children(ctx, e.store, l)
	if err != nil {
		return err
	}
	delete(forks, without)
	if without != 0 {
		remove(b, spanOfKey(in(l.key, childPrefix+ordered(int64(without)))))
	}
	requireValue(b, in(l.key, aboutKey), l.raw)
	if len(forks) == 0 {
		return e.removeBranch(ctx, b, l)
	}
	upTo := int64(0)
	for _, revision := range forks {
		upTo = max(upTo, revision)
	}
	now := *l
	now.generation++
	now.kind, now.name, now.attrs = shared, "", ""
	put(b, in(l.key, aboutKey), now.encode())
	return e.truncate(ctx, b, l, upTo)
}

// removeBranch removes a branch.
func (e *Engine) removeBranch(ctx context.Context, b *store.Batch, l *branch) error {
	kept := b.Delete[:0]
	for _, s := range b.Delete {
		if s.Space != store.Space(l.key) {
			kept = append(kept, s)
		}
	}
	b.Delete = append(kept, spaceSpan(l.key), spanOfKey(at(common, branchPrefix+ordered(int64(l.key)))))
	b.Cut = append(b.Cut, store.Cut{Space: store.Space(l.key), First: 1, Last: store.MaxNumber})
	switch {
	case l.up == nil:
		return nil
	case l.up.kind == shared:
		return e.shrink(ctx, b, l.up, l.key)
	}
	requireValue(b, in(l.up.key, aboutKey), l.up.raw)
	remove(b, spanOfKey(in(l.up.key, childPrefix+ordered(int64(l.key)))))
	return nil
}

// truncate removes what a branch has after a revision that published a snapshot.
func (e *Engine) truncate(ctx context.Context, b *store.Batch, l *branch, revision int64) error {
	b.Cut = append(b.Cut, store.Cut{Space: store.Space(l.key), First: l.number(revision) + 1, Last: store.MaxNumber})
	var cycle int64
	for x, err := range e.ownRecords(ctx, l, revision, revision, entriesOnly) {
		if err != nil {
			return err
		}
		cycle = x.latest
	}
	s, err := readSettled(ctx, e.store, l)
	if err != nil {
		return err
	}
	before := s.raw
	if err := e.truncateSegments(ctx, b, l, s, revision, cycle); err != nil {
		return err
	}
	if err := e.dropPoints(ctx, b, l, s, cycle+1); err != nil {
		return err
	}
	if err := e.truncateJoined(ctx, b, l, cycle); err != nil {
		return err
	}
	requireValue(b, in(l.key, settledKey), before)
	put(b, in(l.key, settledKey), s.encode())
	remove(b, spanOfKey(in(l.key, lastKey)), store.Span{Space: store.Space(l.key), From: attemptKey(cycle+1, 0),
		To: string(attemptPrefix[0] + 1)})
	for p, err := range e.store.Range(ctx, under(store.Space(l.key), requestPrefix, ""), store.Ascending) {
		if err != nil {
			return err
		}
		if of, err := number(p.Value); err != nil || of > revision {
			remove(b, spanOfKey(p.Key))
		}
	}
	return nil
}

// truncateSegments removes the segments behind a revision, and what one has behind it.
func (e *Engine) truncateSegments(ctx context.Context, b *store.Batch, l *branch, s *settled, revision, cycle int64) error {
	if s.revision <= revision {
		return nil
	}
	s.revision, s.cycle = revision, cycle
	for _, prefix := range [...]string{indexPrefix, headPrefix, blockPrefix} {
		remove(b, under(store.Space(l.key), prefix, ordered(revision+1)))
	}
	x, err := readIndex(ctx, e.store, l, revision, store.Ascending)
	if err != nil {
		return err
	}
	if x == nil || x.first > revision || x.last == revision {
		return nil
	}
	whole, err := e.readSegment(ctx, e.store, l, x, wholeRecords)
	if err != nil {
		return err
	}
	contents, err := e.contentsIn(ctx, e.store, l, whole)
	if err != nil {
		return err
	}
	n := int(revision - x.first + 1)
	e.putSegment(b, l, whole.records[:n:n], contents)
	return nil
}

// contentsIn reads all contents of a segment.
func (e *Engine) contentsIn(ctx context.Context, r store.Reader, l *branch, s *segment) (map[place]string, error) {
	contents := make(map[place]string, len(s.located))
	blocks := make([]string, len(s.blocks))
	for i := range blocks {
		b, err := e.readBlock(ctx, r, l, &s.segmentIndex, i)
		if err != nil {
			return nil, err
		}
		blocks[i] = b
	}
	for _, at := range s.located {
		if at.block >= len(blocks) || at.offset+at.size > len(blocks[at.block]) {
			return nil, damaged("a block is too short")
		}
		contents[at.place] = blocks[at.block][at.offset : at.offset+at.size]
	}
	return contents, nil
}

// putSegment writes a segment of folded records, and returns how many blocks it has.
func (e *Engine) putSegment(b *store.Batch, l *branch, list []record, contents map[place]string) int {
	index, blocks := e.packing.joinContents(list, contents)
	last := list[len(list)-1].entry.Revision
	for i, block := range blocks {
		put(b, in(l.key, blockPrefix+ordered(last)+ordered(int64(i))), block)
	}
	e.putHead(b, l, list, index)
	return len(blocks)
}

// putHead writes a segment whose contents are in blocks already.
func (e *Engine) putHead(b *store.Batch, l *branch, list []record, blocks []blockIndex) {
	x, head := e.packing.join(list, blocks)
	put(b, in(l.key, indexPrefix+ordered(x.last)), x.encode())
	put(b, in(l.key, headPrefix+ordered(x.last)), head)
}

// dropPoints removes the checkpoints from a cycle on with the pages that came with them. Pages
// only lead to pages of the same checkpoint or of earlier ones.
func (e *Engine) dropPoints(ctx context.Context, b *store.Batch, l *branch, s *settled, cycle int64) error {
	span := under(store.Space(l.key), pointPrefix, ordered(cycle))
	for p, err := range e.store.Range(ctx, span, store.Ascending) {
		if err != nil {
			return err
		}
		first, err := e.pointAt(p)
		if isDerived(err) != nil { // which pages came with it is not known
			remove(b, under(store.Space(l.key), pointPrefix, ""), under(store.Space(l.key), pagePrefix, ""))
			s.point = l.cycleBeforeFirst()
			return nil
		}
		if err != nil {
			return err
		}
		remove(b, span, under(store.Space(l.key), pagePrefix, ordered(first.pages)))
		break
	}
	last, err := e.lastPoint(ctx, l, cycle-1)
	if s.point = l.cycleBeforeFirst(); err == nil && last != nil {
		s.point = last.cycle
	}
	if d := isDerived(err); d != nil {
		s.point, err = d.Cycle, nil
	}
	if s.rows = 0; s.point < s.cycle {
		s.rows = e.pace.rows // perhaps a checkpoint is due
	}
	return err
}
