package transfer

import (
	"context"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/verify"
	"github.com/contexttree/pact/store"
)

// Progress is told how much is done of what there is to do; it may be nil.
type Progress func(done, total int)

// Copy copies the named contexts, or all if names is empty. E_CONTEXT_NOT_FOUND if a name does
// not exist, E_CONFLICT if the target has it.
//
// Copy copies each context as it is at one moment; others may go on writing. Then it compares
// the copies, revision by revision and cycle by cycle, verifies them, and makes all contexts
// appear in the target at one moment. E_CONFLICT if an erasure changed the source meanwhile.
// Cost: everything copied is read once and written once, then read twice in the target.
func Copy(ctx context.Context, from, to store.Store, names []string, progress Progress) (*inspect.Copied, error) {
	c := &copying{ctx: ctx, keys: make(map[store.Key]store.Key), progress: progress}
	var err error
	if c.from, err = powers(from); err != nil {
		return nil, err
	}
	if c.to, err = powers(to); err != nil {
		return nil, err
	}
	if err := c.choose(names); err != nil {
		return nil, err
	}
	if err := c.refuseTaken(); err != nil {
		return nil, err
	}
	if err := c.findUnfinished(); err != nil {
		return nil, err
	}
	for _, l := range c.lines {
		if err := c.line(l); err != nil {
			return nil, err
		}
	}
	for _, l := range c.lines {
		if err := c.compare(l); err != nil {
			return nil, err
		}
	}
	if err := c.verify(); err != nil {
		return nil, err
	}
	return c.finish()
}

// end is a store with the powers that a copy needs.
type end interface {
	store.Store
	store.Copier
	store.AttemptKeeper
	store.Deleter
}

// powers returns a store as an end of a copy, or an error that names the power it lacks.
func powers(s store.Store) (end, error) {
	if _, err := store.Power[store.Copier](s); err != nil {
		return nil, err
	}
	if _, err := store.Power[store.AttemptKeeper](s); err != nil {
		return nil, err
	}
	if _, err := store.Power[store.Deleter](s); err != nil {
		return nil, err
	}
	return s.(end), nil
}

// copying is a copy under way.
type copying struct {
	ctx      context.Context
	from, to end
	lines    []*line                 // an origin before its forks
	keys     map[store.Key]store.Key // of the copies, by the keys of the lines
	left     map[string]store.Line   // what interrupted copies wrote, by name

	progress    Progress
	done, total int
}

// step counts cycles that are done.
func (c *copying) step(n int) {
	c.done += n
	if c.progress != nil {
		c.progress(min(c.done, c.total), c.total)
	}
}

// verify verifies, in the target, every context and what belongs to no single context.
func (c *copying) verify() error {
	if checker, ok := c.to.(store.Checker); ok {
		damage, err := checker.CheckAll(c.ctx)
		if err != nil {
			return err
		}
		if damage != nil {
			return damage.Err()
		}
	}
	for _, l := range c.lines {
		if l.Shared {
			continue // it is verified with its forks
		}
		info := l.Info
		info.Key, info.Origin.Key = c.keys[l.Key], c.keys[l.Origin.Key]
		before := c.done
		found, err := verify.Info(c.ctx, c.to, info, func(done, _ int) { c.step(before + done - c.done) })
		if err != nil {
			return err
		}
		if !found.Holds() {
			return fault.New(fault.Store, "the copy of "+l.Name+" does not hold: "+found.Defect.What,
				"verify both stores")
		}
	}
	return nil
}

// finish makes the copies appear.
func (c *copying) finish() (*inspect.Copied, error) {
	lines, copied := make([]store.Line, len(c.lines)), &inspect.Copied{Contexts: []inspect.CopiedContext{}}
	for i, l := range c.lines {
		lines[i] = l.Line
		lines[i].Key = c.keys[l.Key]
		if l.Shared {
			copied.Shared++
			continue
		}
		copied.Contexts = append(copied.Contexts, inspect.CopiedContext{Name: l.Name,
			Snapshots: l.Cycle - l.First + 1, Revisions: l.Revision, Attempts: l.attempts, Resumed: l.found})
	}
	return copied, c.to.FinishCopies(c.ctx, lines)
}
