package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"math"
	"unsafe"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// readIndex reads the index of the first segment of a branch that ends at a revision or later or,
// in the other order, of the last one that ends before it; nil if there is none.
func readIndex(ctx context.Context, r store.Reader, l *branch, revision int64, o store.Order) (*segmentIndex, error) {
	span := under(store.Space(l.key), indexPrefix, ordered(revision))
	if o == store.Descending {
		span = store.Span{Space: store.Space(l.key), From: indexPrefix, To: indexPrefix + ordered(revision)}
	}
	for p, err := range r.Range(ctx, span, o) {
		if err != nil {
			return nil, err
		}
		return indexAt(p)
	}
	return nil, nil
}

// indexAt decodes an index and compares it with its key.
func indexAt(p store.Pair) (*segmentIndex, error) {
	x, err := decodeIndex(p.Value)
	if err == nil && p.Name != indexPrefix+ordered(x.last) {
		err = damaged("a segment is in the place of another")
	}
	return x, err
}

// extent is how much of records is read.
type extent bool

const (
	wholeRecords extent = false
	entriesOnly  extent = true // without what they did to the tree
)

// readSegment reads the records of a segment.
func (e *Engine) readSegment(ctx context.Context, r store.Reader, l *branch, x *segmentIndex, of extent) (*segment, error) {
	head, err := r.Get(ctx, in(l.key, headPrefix+ordered(x.last)))
	if err != nil {
		return nil, err
	}
	s, err := x.decodeHead(head, &e.packing, of == entriesOnly)
	return s, x.concerns(err)
}

// segment is readSegment with the cache, which keeps whole records only: a log is read once, and its messages are long.
// The branch has the generation of what r reads.
func (e *Engine) segment(ctx context.Context, r store.Reader, l *branch, x *segmentIndex, of extent) (*segment, error) {
	k := cacheKey{l.key, l.generation, x.last, partHead}
	if s, ok := e.cache.get(k).(*segment); ok && s.head == x.head {
		return s, nil
	}
	s, err := e.readSegment(ctx, r, l, x, of)
	if err == nil && of == wholeRecords {
		e.cache.put(k, s, 4*x.headSize+64*len(x.touched))
	}
	return s, err
}

// block reads a block of a segment.
func (e *Engine) block(ctx context.Context, r store.Reader, l *branch, x *segmentIndex, no int) (string, error) {
	k := cacheKey{l.key, l.generation, x.last, no}
	if b, ok := e.cache.get(k).(string); ok {
		return b, nil
	}
	b, err := e.readBlock(ctx, r, l, x, no)
	if err == nil {
		e.cache.put(k, b, len(b))
	}
	return b, err
}

func (e *Engine) readBlock(ctx context.Context, r store.Reader, l *branch, x *segmentIndex, no int) (string, error) {
	packed, err := packedBlock(ctx, r, l, x, no)
	if err != nil {
		return "", err
	}
	raw, err := e.packing.unpack(packed, x.blocks[no].size)
	return unsafe.String(unsafe.SliceData(raw), len(raw)), x.concerns(err)
}

// packedBlock reads a block of a segment as it is stored.
func packedBlock(ctx context.Context, r store.Reader, l *branch, x *segmentIndex, no int) ([]byte, error) {
	packed, err := r.Get(ctx, in(l.key, blockPrefix+ordered(x.last)+ordered(int64(no))))
	if err == nil && (no >= len(x.blocks) || tree.Digest(sha256.Sum256(packed)) != x.blocks[no].sum) {
		err = x.concerns(damaged("a block is not as it was written"))
	}
	return packed, err
}

// concerns adds to the error for damage which cycles it concerns.
func (x *segmentIndex) concerns(err error) error {
	d, _ := damageOrError(err)
	if d == nil {
		return err
	}
	what := fmt.Sprintf("%s, of the cycles %d to %d", d.What, x.firstCycle, x.lastCycle)
	return DamageErr(&history.Damage{Cycle: x.firstCycle, What: what})
}

// chunkSize is how many rows of the log are read at once.
const chunkSize = 256

// checkNotRewritten returns errRewritten if a branch was rewritten or deleted since it was looked up.
func (l *branch) checkNotRewritten(ctx context.Context, r store.Reader) error {
	now, err := r.Get(ctx, in(l.key, aboutKey))
	if err != nil {
		return err
	}
	if now == nil {
		return errRewritten
	}
	if bytes.Equal(now, l.raw) {
		return nil
	}
	var a branchFacts
	if err := a.decode(now); err != nil {
		return err
	}
	if a.generation != l.generation {
		return errRewritten
	}
	return nil
}

// view calls f within a view in which a branch was not rewritten since it was looked up.
func (e *Engine) view(ctx context.Context, l *branch, f func(store.Reader) error) error {
	return e.store.View(ctx, func(r store.Reader) error {
		if err := l.checkNotRewritten(ctx, r); err != nil {
			return err
		}
		return f(r)
	})
}

// chunk reads own records of a branch from a revision on: some of those of one segment, or rows of
// the log.
func (e *Engine) chunk(ctx context.Context, l *branch, from, to int64, of extent) (list []*record, err error) {
	err = e.view(ctx, l, func(r store.Reader) error {
		list, err = nil, nil
		x, err := readIndex(ctx, r, l, from, store.Ascending)
		if err != nil {
			return err
		}
		if x != nil && x.first <= from {
			s, err := e.segment(ctx, r, l, x, of)
			if err != nil {
				return err
			}
			for i := range s.records {
				if at := s.records[i].entry.Revision; at >= from && at <= to {
					list = append(list, &s.records[i])
				}
			}
			return nil
		}
		cut := store.Cut{Space: store.Space(l.key), First: l.number(from), Last: l.number(min(to, from+chunkSize-1)), Heads: true}
		if list = e.tailFrom(l, from); list != nil {
			list = list[:min(int64(len(list)), to-from+1)]
			return nil
		}
		c := new(rows)
		if of == entriesOnly {
			c = nil
		}
		for row, err := range r.Log(ctx, cut, store.Ascending) {
			if err != nil {
				return err
			}
			x, err := l.recordIn(c, row)
			if err != nil {
				return err
			}
			list = append(list, x)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, x := range list {
		if x.entry.Revision != from+int64(i) {
			return nil, damaged("a revision is in the place of another")
		}
	}
	if len(list) == 0 {
		return nil, damaged("a revision is missing")
	}
	return list, nil
}

// records yields own records of a branch, oldest first.
func (e *Engine) records(ctx context.Context, l *branch, from, to int64) iter.Seq2[*record, error] {
	return e.ownRecords(ctx, l, from, to, wholeRecords)
}

func (e *Engine) ownRecords(ctx context.Context, l *branch, from, to int64, of extent) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		for from <= to {
			list, err := e.chunk(ctx, l, from, to, of)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, x := range list {
				if !yield(x, nil) {
					return
				}
			}
			from += int64(len(list))
		}
	}
}

// inLog yields the revisions from..to that are in the log of a branch, with their contents; from 0 those from the
// first that is there.
func (l *branch) inLog(ctx context.Context, r store.Reader, from, to int64) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		var decoder rows
		cut := store.Cut{Space: store.Space(l.key), First: max(1, l.number(from)), Last: l.number(to)}
		next := cut.First
		for in, err := range r.Log(ctx, cut, store.Ascending) {
			var x *record
			if err == nil {
				x, err = l.recordIn(&decoder, in)
			}
			if from == 0 {
				from, next = 1, in.Number
			}
			if err == nil && (in.Number != next || l.number(x.entry.Revision) != next) {
				err = damaged("a revision is missing, or in the place of another")
			}
			if err == nil {
				err = contentsOf(x, in, func(_ *row, text string) { x.contents = append(x.contents, canon.Value(text)) })
			}
			if !yield(x, err) || err != nil {
				return
			}
			next++
		}
	}
}

// pointAt decodes a checkpoint and compares it with its key.
func (e *Engine) pointAt(row store.Pair) (*point, error) {
	cycle, err := number(row.Name[len(pointPrefix):])
	if err != nil {
		return nil, err
	}
	p, err := e.decodePoint(row.Value)
	if err == nil && p.cycle != cycle {
		err = damaged("a checkpoint is in the place of another")
	}
	return p, derived(cycle, err)
}

// lastPoint reads the last checkpoint of a branch up to a cycle, nil if there is none.
func (e *Engine) lastPoint(ctx context.Context, l *branch, cycle int64) (p *point, err error) {
	span := store.Span{Space: store.Space(l.key), From: pointPrefix, To: pointPrefix + ordered(cycle) + "\x00"}
	if cycle == math.MaxInt64 {
		span.To = pointPrefix + "\xff\xff"
	}
	err = e.view(ctx, l, func(r store.Reader) error {
		p = nil
		for row, err := range r.Range(ctx, span, store.Descending) {
			if err != nil {
				return err
			}
			p, err = e.pointAt(row)
			return err
		}
		return nil
	})
	return p, err
}
