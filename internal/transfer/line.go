package transfer

import (
	"iter"
	"math"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// How much one transaction writes at most: so many cycles, or the first one that exceeds so
// many bytes of contents.
const (
	cyclesAtOnce = 32
	bytesAtOnce  = 4 << 20
)

// line copies one line, from where an interrupted copy stopped.
func (c *copying) line(l *line) error {
	target, err := c.resume(l)
	if err != nil {
		return err
	}
	if target == nil {
		if target, err = c.begin(l); err != nil {
			return err
		}
	}
	c.keys[l.Key] = target.key
	working, err := c.published(l, target)
	if err != nil {
		return err
	}
	if working != nil {
		if err := c.drafts(l, target, working); err != nil {
			return err
		}
	}
	return c.attempts(l)
}

// target is the copy of a line so far.
type target struct {
	key     history.Key
	guard   engine.Guard
	working *tree.Tree // the working state of the copy
	pieces  []engine.Piece
	bytes   int64
}

// begin makes the copy of a line with its first revision.
func (c *copying) begin(l *line) (*target, error) {
	first, err := c.from.Revisions(c.ctx, l.reader, l.firstRevision(), l.firstRevision())
	if err != nil {
		return nil, err
	}
	if len(first) == 0 {
		return nil, changed(l)
	}
	var base, working *tree.Tree
	if l.Origin.Key == 0 {
		if base, err = c.from.Base(c.ctx, l.reader); err != nil {
			return nil, err
		}
		working = base
	} else if working, err = engine.Snapshot(c.ctx, c.from, l.reader, l.Origin.Cycle); err != nil {
		return nil, err
	}
	if !recorded(first[0].Entry, working) {
		return nil, changed(l)
	}
	made := l.Line
	made.Origin.Key = c.keys[l.Origin.Key]
	key, err := c.to.BeginCopy(c.ctx, made, first[0], base)
	if err != nil {
		return nil, err
	}
	return &target{key: key, guard: engine.Guard{Cycle: first[0].Latest, Revision: l.firstRevision()},
		working: working.WithCycle(first[0].Stamps.Cycle)}, nil
}

// published copies the snapshots that the target lacks. It returns the working state of the
// source after them, nil if the line has none.
func (c *copying) published(l *line, t *target) (*engine.State, error) {
	log, stop := iter.Pull2(c.revisions(c.from, l.reader, t.guard.Revision+1, l.logEnd()))
	defer stop()
	for {
		var working *engine.State
		if !l.Shared {
			var err error
			if working, err = c.from.Load(c.ctx, l.Key); err != nil {
				return nil, err
			}
			if working.Revision < t.guard.Revision {
				return nil, changed(l)
			}
			name := l.Name
			l.Info = working.Info
			l.Name = name // the name when the copy began
		}
		if t.guard.Cycle >= l.Cycle {
			return working, nil
		}
		for snapshot, err := range c.from.History(c.ctx, l.reader, t.guard.Cycle+1, l.Cycle) {
			if err != nil {
				return nil, err
			}
			if err := c.snapshot(l, t, snapshot, log); err != nil {
				return nil, err
			}
		}
		if err := c.flush(l, t); err != nil {
			return nil, err
		}
	}
}

// logEnd is the last revision to read. The log of a context that others change may have more by
// then than when the copy began.
func (l *line) logEnd() int64 {
	if l.Shared {
		return l.Revision
	}
	return math.MaxInt64
}

// snapshot adds the revisions that led to a snapshot to the pieces to write next.
func (c *copying) snapshot(l *line, t *target, s *tree.Tree, log func() (engine.Revision, error, bool)) error {
	p := engine.Piece{Change: engine.Change{Before: t.working, Sealed: s}}
	for {
		r, err, ok := log()
		if err != nil {
			return err
		}
		if !ok || r.Kind == history.Commit && r.Latest != s.Cycle() {
			return changed(l)
		}
		if p.Revisions = append(p.Revisions, r); r.Kind == history.Commit {
			break
		}
	}
	last := p.Revisions[len(p.Revisions)-1]
	if !recorded(last.Entry, s) {
		return changed(l)
	}
	p.Stamps, p.Entry, p.After = last.Stamps, last.Entry, s.WithCycle(last.Stamps.Cycle)
	t.bytes += max(0, s.Root().Summary().Bytes-t.working.Root().Summary().Bytes)
	t.working, t.pieces = p.After, append(t.pieces, p)
	if len(t.pieces) >= cyclesAtOnce || t.bytes >= bytesAtOnce {
		return c.flush(l, t)
	}
	return nil
}

// flush writes the pieces that wait.
func (c *copying) flush(l *line, t *target) error {
	if len(t.pieces) == 0 {
		return nil
	}
	if err := c.to.ExtendCopy(c.ctx, t.key, t.guard, t.pieces...); err != nil {
		return err
	}
	for _, p := range t.pieces {
		t.guard.Revision += int64(len(p.Revisions))
		t.guard.Cycle = p.Revisions[len(p.Revisions)-1].Latest
	}
	c.step(len(t.pieces))
	t.pieces, t.bytes = nil, 0
	return nil
}

// drafts copies the revisions after the last snapshot.
func (c *copying) drafts(l *line, t *target, s *engine.State) error {
	if s.Revision == t.guard.Revision {
		return nil
	}
	list, err := c.from.Revisions(c.ctx, l.Key, t.guard.Revision+1, s.Revision)
	if err != nil {
		return err
	}
	if int64(len(list)) != s.Revision-t.guard.Revision {
		return changed(l)
	}
	last := list[len(list)-1]
	if !recorded(last.Entry, s.Working) {
		return changed(l)
	}
	p := engine.Piece{Revisions: list, Change: engine.Change{Before: t.working, After: s.Working, Stamps: last.Stamps,
		Entry: last.Entry}}
	t.pieces = append(t.pieces, p)
	return c.flush(l, t)
}

// recorded reports whether a tree has the digests that the log recorded for a revision, if it
// recorded any.
func recorded(e history.Entry, t *tree.Tree) bool {
	return (e.Digest == "" || e.Digest == t.Digest().String()) && (e.Thread == "" || e.Thread == t.ThreadDigest().String())
}

// changed is the error for a source that an erasure changed since the copy began.
func changed(l *line) error {
	return fault.New(fault.Conflict, "the history of "+l.Name+" was changed while it was copied",
		"copy it again: the next call discards what no longer fits")
}

// revisionsAtOnce is how many entries of a log are in memory at the same time.
const revisionsAtOnce = 256

// revisions yields the revisions from..to of a context, as far as there are any.
func (c *copying) revisions(s engine.Contexts, key history.Key, from, to int64) iter.Seq2[engine.Revision, error] {
	return func(yield func(engine.Revision, error) bool) {
		for from <= to {
			list, err := s.Revisions(c.ctx, key, from, min(to, from+revisionsAtOnce-1))
			if err != nil {
				yield(engine.Revision{}, err)
				return
			}
			for _, r := range list {
				if !yield(r, nil) {
					return
				}
			}
			if len(list) == 0 {
				return
			}
			from += int64(len(list))
		}
	}
}
