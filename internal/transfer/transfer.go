package transfer

import (
	"context"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/verify"
)

// Progress is called with how much is done and how much there is in all; it may be nil.
type Progress func(done, total int)

// Copy copies the named contexts, or all if names is empty, from one store to another of whatever kind: snapshots,
// drafts, the log with its digests, times and request tokens, attempts, undone lines, the marks of erasures, and forks
// with what they share. If the origin of a fork is not copied itself, Copy copies what the fork shares with it, in the
// form in which a store keeps a deleted context.
//
// Copy copies each context as it is at one moment; others may go on writing. The target hides a context until
// everything is there, the logs, which have the digests of all snapshots, are the same, and a verification holds; then
// all contexts appear at one moment. What an interrupted copy did stays hidden in the target, and the next copy
// continues from there.
//
// E_CONTEXT_NOT_FOUND if a name does not exist; E_CONFLICT if the target has it, if another process is copying the same
// contexts, or if an erasure changed the source meanwhile. Cost: everything copied is read once and written once, then
// read once in the target.
func Copy(ctx context.Context, from, to engine.Contexts, names []string, progress Progress) (*inspect.Copied, error) {
	c := &copying{ctx: ctx, from: from, to: to, keys: make(map[history.Key]history.Key), progress: progress}
	if err := c.choose(names); err != nil {
		return nil, err
	}
	if err := c.refuseTaken(); err != nil {
		return nil, err
	}
	if err := c.findUnfinished(); err != nil {
		return nil, err
	}
	for _, l := range c.branches {
		if err := c.copyBranch(l); err != nil {
			return nil, err
		}
	}
	for _, l := range c.branches {
		if err := c.compareLogs(l); err != nil {
			return nil, err
		}
	}
	if err := c.verify(); err != nil {
		return nil, err
	}
	return c.finish()
}

// copying is a copy under way.
type copying struct {
	ctx      context.Context
	from, to engine.Contexts
	branches []*branch                   // an origin before its forks
	keys     map[history.Key]history.Key // of the copies, by the keys of the branches
	left     map[string]engine.Branch    // what interrupted copies wrote, by name

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
	damage, err := c.to.CheckAll(c.ctx)
	if err != nil {
		return err
	}
	if damage != nil {
		return engine.DamageErr(damage)
	}
	for _, l := range c.branches {
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
	branches, copied := make([]engine.Branch, len(c.branches)), &inspect.Copied{Contexts: []inspect.CopiedContext{}}
	for i, l := range c.branches {
		branches[i] = l.Branch
		branches[i].Key = c.keys[l.Key]
		if l.Shared {
			copied.Shared++
			continue
		}
		copied.Contexts = append(copied.Contexts, inspect.CopiedContext{Name: l.Name,
			Snapshots: l.Cycle - l.First + 1, Revisions: l.Revision, Attempts: l.attempts, Resumed: l.found})
	}
	return copied, c.to.FinishCopies(c.ctx, branches)
}
