package transfer

import (
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
)

// copyBranch copies one branch, from where an interrupted copy stopped.
func (c *copying) copyBranch(l *branch) error {
	done, err := c.resume(l)
	if err != nil {
		return err
	}
	for whole := l.Shared && done == l.Revision; !whole; whole = done == l.Revision {
		last := l.Revision
		if !l.Shared {
			last = math.MaxInt64 // others may have changed the context since the copy began
		}
		part, err := c.from.Part(c.ctx, l.reader, done+1, last)
		if err != nil {
			return err
		}
		if !l.Shared {
			name := l.Name
			l.Info = part.Info
			l.Name = name // the name when the copy began
		}
		n := len(part.Revisions)
		if n == 0 && done != l.Revision {
			return changed(l)
		}
		if n == 0 {
			break
		}
		if done = part.Revisions[n-1].Number(); done <= l.Origin.Revision+l.found {
			continue // drafts that an interrupted copy wrote, and that are the latest still
		}
		if err := c.copyPart(l, part); err != nil {
			return err
		}
	}
	return c.copyAttempts(l)
}

// copyPart adds a part to the copy of a branch, which it begins if there is none.
func (c *copying) copyPart(l *branch, part *engine.Part) error {
	list := part.Revisions
	if c.keys[l.Key] == 0 {
		begun := l.Branch
		begun.Origin.Key = c.keys[l.Origin.Key]
		key, err := c.to.BeginCopy(c.ctx, begun, part)
		if err != nil {
			return err
		}
		c.keys[l.Key] = key
		part.Revisions = list[1:]
	}
	if err := c.to.ExtendCopy(c.ctx, c.keys[l.Key], part); err != nil {
		return err
	}
	for _, r := range list {
		if r.Publishes() {
			c.step(1)
		}
	}
	return nil
}

// compareLogs returns E_CONFLICT unless the log of the copy says what that of the branch says.
func (c *copying) compareLogs(l *branch) error {
	same, _, err := c.begins(l, c.keys[l.Key], l.Revision)
	if err == nil && !same {
		err = changed(l)
	}
	return err
}

// begins reports whether the log of a copy up to a revision, its last one, is the beginning of that of the
// branch. It returns the last revision that published a snapshot, or else the first one.
func (c *copying) begins(l *branch, key history.Key, last int64) (same bool, published int64, err error) {
	next, stop := iter.Pull2(c.revisions(c.from, l.reader, l.firstRevision(), last))
	defer stop()
	published = l.firstRevision()
	for x, err := range c.revisions(c.to, key, l.firstRevision(), math.MaxInt64) {
		if err != nil {
			return false, 0, err
		}
		y, err, more := next()
		if err != nil || !more || !x.Equal(y) {
			return false, 0, err
		}
		if x.Publishes() {
			published = x.Number()
		}
	}
	_, err, more := next()
	return !more, published, err
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

// changed is the error for a source that an erasure changed since the copy began.
func changed(l *branch) error {
	return fault.New(fault.Conflict, "the history of "+l.Name+" was changed while it was copied",
		"copy it again: the next call discards what no longer fits")
}

// attemptsAtOnce is how many attempts one transaction writes.
const attemptsAtOnce = 256

// copyAttempts copies the attempts of a branch and compares the copies. An attempt that was running
// when an earlier copy was interrupted may have ended since.
func (c *copying) copyAttempts(l *branch) error {
	key, from, to := c.keys[l.Key], int64(math.MinInt64), l.Cycle
	if l.Origin.Key != 0 {
		from = l.Origin.Cycle + 1
	}
	if !l.Shared {
		to = l.Stamps.Cycle
	}
	list, err := c.from.Attempts(c.ctx, l.reader, from, to)
	if err != nil {
		return err
	}
	there, err := c.to.Attempts(c.ctx, key, from, to)
	if err != nil {
		return err
	}
	known := make(map[string]history.Attempt, len(there))
	for _, a := range there {
		known[a.ID] = a
	}
	missing := slices.DeleteFunc(slices.Clone(list), func(a history.Attempt) bool { return reflect.DeepEqual(a, known[a.ID]) })
	for some := range slices.Chunk(missing, attemptsAtOnce) {
		if err := c.to.CopyAttempts(c.ctx, key, some); err != nil {
			return err
		}
	}
	if there, err = c.to.Attempts(c.ctx, key, from, to); err != nil {
		return err
	}
	if !reflect.DeepEqual(list, there) {
		return fault.New(fault.Store, "the attempts of "+l.Name+" differ in the copy", "verify both stores")
	}
	l.attempts = len(list)
	return nil
}
