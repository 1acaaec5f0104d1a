package transfer

import (
	"context"
	"iter"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
)

// findUnfinished lists what interrupted copies wrote to the target.
func (c *copying) findUnfinished() error {
	there, err := c.to.Lines(c.ctx)
	if err != nil {
		return err
	}
	c.left = make(map[string]engine.Line)
	for _, l := range there {
		if l.Unfinished {
			c.left[l.Name] = l
		}
	}
	return nil
}

// resume returns what an interrupted copy wrote of a line, nil if there is none. If that is no
// beginning of the line, it deletes it: an erasure changed the source since, or it comes from
// another source.
func (c *copying) resume(l *line) (*target, error) {
	left, there := c.left[l.Name]
	if !there {
		return nil, nil
	}
	begins, err := c.begins(l, left)
	if err != nil {
		return nil, err
	}
	if !begins {
		return nil, c.to.Delete(c.ctx, left.Key)
	}
	s, err := c.to.Load(c.ctx, left.Key)
	if err != nil {
		return nil, err
	}
	l.found = s.Revision - l.Origin.Revision
	c.step(l.cycles() - int(l.Cycle-s.Cycle))
	return &target{key: left.Key, guard: engine.Guard{Cycle: s.Cycle, Revision: s.Revision}, working: s.Working}, nil
}

// begins reports whether what an interrupted copy wrote is a beginning of the line.
func (c *copying) begins(l *line, left engine.Line) (bool, error) {
	if left.Edition != l.Edition || left.First != l.First || left.Fork != l.Fork || left.Revision > l.Revision ||
		left.Origin != (history.Origin{Key: c.keys[l.Origin.Key], Cycle: l.Origin.Cycle, Revision: l.Origin.Revision}) {
		return false, nil
	}
	there := c.revisions(c.to, left.Key, l.firstRevision(), left.Revision)
	return c.same(there, c.revisions(c.from, l.reader, l.firstRevision(), left.Revision))
}

// same reports whether two logs agree.
func (c *copying) same(a, b iter.Seq2[engine.Revision, error]) (bool, error) {
	next, stop := iter.Pull2(b)
	defer stop()
	for x, err := range a {
		if err != nil {
			return false, err
		}
		y, err, ok := next()
		if err != nil || !ok || !sameRevision(x, y) {
			return false, err
		}
	}
	_, err, more := next()
	return !more, err
}

// Discard deletes what interrupted copies wrote to a store, of the named lines or of all, and
// returns their names.
func Discard(ctx context.Context, s engine.Contexts, names []string) ([]string, error) {
	lines, err := s.Lines(ctx)
	if err != nil {
		return nil, err
	}
	gone := []string{}
	for _, l := range slices.Backward(lines) { // forks before their origins
		if !l.Unfinished || len(names) > 0 && !slices.Contains(names, l.Name) {
			continue
		}
		if err := s.Delete(ctx, l.Key); err != nil {
			return gone, err
		}
		gone = append(gone, l.Name)
	}
	slices.Sort(gone)
	return gone, nil
}
