package transfer

import (
	"context"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
)

// findUnfinished lists what interrupted copies wrote to the target.
func (c *copying) findUnfinished() error {
	there, err := c.to.Branches(c.ctx)
	if err != nil {
		return err
	}
	c.left = make(map[string]engine.Branch)
	for _, l := range there {
		if l.Unfinished {
			c.left[l.Name] = l
		}
	}
	return nil
}

// resume finds what an interrupted copy wrote of a branch, and returns the last revision that need not be
// copied again. If that copy is no beginning of the branch, resume deletes it: an erasure changed the source
// since, or it comes from another source.
func (c *copying) resume(l *branch) (done int64, err error) {
	left, there := c.left[l.Name]
	if !there {
		return l.Origin.Revision, nil
	}
	origin := history.Origin{Key: c.keys[l.Origin.Key], Cycle: l.Origin.Cycle, Revision: l.Origin.Revision}
	begins := left.Edition == l.Edition && left.First == l.First && left.Fork == l.Fork && left.Origin == origin &&
		left.Revision <= l.Revision
	if begins {
		if begins, done, err = c.begins(l, left.Key, left.Revision); err != nil {
			return 0, err
		}
	}
	if !begins {
		return l.Origin.Revision, c.to.Delete(c.ctx, left.Key)
	}
	c.keys[l.Key], l.found = left.Key, left.Revision-l.Origin.Revision
	c.step(l.cycles() - int(l.Cycle-left.Cycle))
	return done, nil
}

// Discard deletes what interrupted copies left hidden in a store, of the named contexts or of all, and returns their
// names in order. What a fork shares with a deleted origin is called @ and its key in the source. A copy that is under
// way fails.
func Discard(ctx context.Context, s engine.Contexts, names []string) ([]string, error) {
	branches, err := s.Branches(ctx)
	if err != nil {
		return nil, err
	}
	gone := []string{}
	for _, l := range slices.Backward(branches) { // forks before their origins
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
