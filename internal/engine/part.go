package engine

import (
	"context"
	"reflect"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/store"
)

// Revision is a revision as a store has it.
type Revision struct{ *record }

// Number returns the number of the revision.
func (r Revision) Number() int64 { return r.entry.Revision }

// Publishes reports whether the revision published a snapshot.
func (r Revision) Publishes() bool { return r.publishes() }

// Equal reports whether a log says the same of two revisions.
func (r Revision) Equal(o Revision) bool {
	a, b := r.entry, o.entry
	same := slices.Equal(a.Idle, b.Idle) && string(a.Report) == string(b.Report)
	a.Idle, a.Report, b.Idle, b.Report = nil, nil, nil, nil
	return same && reflect.DeepEqual(a, b) && r.ending() == o.ending()
}

// Part is revisions of one branch that follow each other, and the context as it was when they were read.
type Part struct {
	Info
	Revisions []Revision
}

// records returns the records of the part.
func (p *Part) records() []*record {
	list := make([]*record, len(p.Revisions))
	for i, r := range p.Revisions {
		list[i] = r.record
	}
	return list
}

// Revisions implements [Contexts].
func (e *Engine) Revisions(ctx context.Context, key history.Key, from, to int64) ([]Revision, error) {
	return ofEach(ctx, e, key, from, to, func(x *record) Revision { return Revision{x} })
}

// partSize is about how many bytes of revisions a part from a log has, and one batch of a copy.
const partSize = 4 << 20

// Part implements [Contexts].
func (e *Engine) Part(ctx context.Context, key history.Key, from, to int64) (p *Part, err error) {
	err = e.retryRewritten(ctx, key, func(*branch) error {
		return e.store.View(ctx, func(r store.Reader) error {
			l, err := e.findBranch(ctx, r, key)
			if err != nil {
				return err
			}
			of := l.owner(from)
			if err := of.checkNotRewritten(ctx, r); err != nil {
				return err
			}
			p = &Part{Info: l.info()}
			x, err := readIndex(ctx, r, of, from, store.Ascending)
			switch {
			case err != nil:
				return err
			case x != nil && x.first <= from:
				return p.readSegment(ctx, e, r, of, x, from, to)
			case of == l:
				to = min(to, l.last.revision)
			}
			return p.readLog(ctx, r, of, from, to)
		})
	})
	return p, err
}

// readSegment reads those of the revisions that are in a segment.
func (p *Part) readSegment(ctx context.Context, e *Engine, r store.Reader, of *branch, x *segmentIndex, from, to int64) error {
	s, err := e.readSegment(ctx, r, of, x, wholeRecords)
	if err != nil {
		return err
	}
	contents, err := e.contentsIn(ctx, r, of, s)
	if err != nil {
		return err
	}
	assignContents(s.records, contents, func(x *record, text string) { x.contents = append(x.contents, canon.Value(text)) })
	for i := range s.records {
		if at := s.records[i].entry.Revision; at >= from && at <= to {
			p.Revisions = append(p.Revisions, Revision{&s.records[i]})
		}
	}
	return nil
}

// readLog reads those of the revisions that are in the log, up to one that published a snapshot if they
// are many.
func (p *Part) readLog(ctx context.Context, r store.Reader, of *branch, from, to int64) error {
	size := 0
	for x, err := range of.inLog(ctx, r, from, to) {
		if err != nil {
			return err
		}
		p.Revisions = append(p.Revisions, Revision{x})
		if size += x.memorySize(); size >= partSize && x.publishes() {
			break
		}
	}
	return nil
}
