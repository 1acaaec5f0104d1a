package verify

import (
	"context"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
)

// verifier goes through the snapshots of one context, oldest first.
type verifier struct {
	ctx      context.Context
	store    engine.Contexts
	now      engine.Info // the context when the verification began
	found    inspect.Verification
	last     *tree.Tree                  // the tree that was checked last, nil before the first one
	erased   map[string]bool             // ids of nodes that an erasure emptied
	fresh    []string                    // ids of the versions that the current tree adds
	region   tree.Class                  // the region that is being checked
	buf      []byte                      // reused to render a block
	sums     threadSums                  // of the threads that were sent
	attempts map[int64][]history.Attempt // by cycle
	err      error                       // why something could not be read
}

func newVerifier(ctx context.Context, s engine.Contexts, now engine.Info) *verifier {
	return &verifier{
		ctx: ctx, store: s, now: now,
		found: inspect.Verification{Context: now.Name}, erased: map[string]bool{},
	}
}

// log is the log of the context up to its revision when the verification began.
func (v *verifier) log() *provenance.Source {
	return &provenance.Source{Store: v.store, State: engine.State{Info: v.now}}
}

// context checks a context at the revision v.now, and the working state as it is now.
func (v *verifier) context(progress Progress) error {
	left, err := v.store.Erase(v.ctx, 0, engine.Erase{DryRun: true})
	if err != nil {
		return err
	}
	v.found.Remains = left.Remains
	damage, err := v.store.Check(v.ctx, v.now.Key)
	found, err := defectOf(damage, err)
	if err != nil {
		return err
	}
	if v.found.Defect = found; found != nil && !found.Derived {
		return nil
	}
	return v.rest(progress)
}

// rest checks everything that the store does not check by itself. A defect there outweighs one in
// derived data.
func (v *verifier) rest(progress Progress) error {
	derived := v.found.Defect
	v.found.Defect = nil
	err := v.recorded(progress)
	if v.found.Defect == nil && err == nil {
		v.found.Defect = derived
	}
	return err
}

// recorded checks the log and everything whose digest the log records.
func (v *verifier) recorded(progress Progress) error {
	erasures, defect, err := checkLog(v.log().Entries(v.ctx, 0), v.now)
	if v.found.Defect = defect; defect != nil || err != nil {
		return err
	}
	if err := v.readAttempts(); err != nil {
		return err
	}
	last, err := v.snapshots(progress)
	if err != nil || v.found.Defect != nil {
		return err
	}
	if err := v.working(last); err != nil || v.found.Defect != nil {
		return err
	}
	v.found.Erased = len(v.erased)
	v.found.Erasures, err = erasuresOf(v.ctx, v.store, v.now, erasures)
	return err
}

// snapshots checks the snapshots one after the other against what the log says of them, and returns the last one.
func (v *verifier) snapshots(progress Progress) (last *tree.Tree, err error) {
	if v.now.Cycle < v.now.First {
		return nil, nil
	}
	log := v.log().Publications(v.ctx)
	defer log.Stop()
	for t, err := range v.store.History(v.ctx, v.now.Key, v.now.First, v.now.Cycle) {
		if err != nil {
			return nil, err
		}
		cycle := v.now.First + int64(v.found.Snapshots)
		of, err := log.Of(cycle)
		if err != nil {
			return nil, err
		}
		if t.Cycle() != cycle || of.Kind == "" {
			v.found.Defect = unpublished(cycle)
			return nil, nil
		}
		if v.found.Defect = v.snapshot(t, &of); v.found.Defect != nil || v.err != nil {
			return nil, v.err
		}
		last = t
		v.found.Snapshots++
		if progress != nil {
			progress(v.found.Snapshots, int(v.now.Cycle-v.now.First+1))
		}
	}
	return last, nil
}

// working checks the working state, which others may have changed meanwhile.
func (v *verifier) working(snapshot *tree.Tree) error {
	now, err := v.store.Load(v.ctx, v.now.Key)
	if err != nil {
		return err
	}
	last, err := v.store.Log(v.ctx, v.now.Key, now.Revision, now.Revision)
	if err != nil || len(last) == 0 {
		return err
	}
	working, err := onTop(snapshot, now.Working)
	if err != nil {
		return err
	}
	if v.found.Defect = v.tree(working, &last[0]); v.found.Defect != nil {
		v.found.Defect.Working = true
	}
	return v.err
}

// onTop rebuilds the working state on the last snapshot, so that the verifier checks what they
// share only once.
func onTop(last, working *tree.Tree) (*tree.Tree, error) {
	if last == nil {
		return working, nil
	}
	gone, born, err := last.Delta(working)
	if err != nil {
		return nil, err
	}
	return last.Patch(working.Cycle(), gone, born)
}
