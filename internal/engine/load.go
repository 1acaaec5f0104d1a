package engine

import (
	"context"
	"errors"
	"iter"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// state is a context as it was loaded or changed last.
type state struct {
	generation, revision int64
	head, working        *tree.Tree
	loaded               int64 // the cycle of the snapshot that was read from the medium last
	published            int64 // the revision that published head
	idle                 []string
	made                 []*record // by the change that is being made
	foreign              bool      // contents are read from elsewhere, where they may go away
}

// cacheState keeps the state of a branch.
func (e *Engine) cacheState(l *branch, s *state) {
	sum := s.head.Root().Summary()
	if size := 1000 + 600*sum.Nodes + int(sum.Bytes); size < cacheSize/4 && !s.foreign {
		e.cache.put(cacheKey{key: l.key, part: partState}, s, size)
	} else {
		e.cache.drop(cacheKey{key: l.key, part: partState})
	}
}

// cachedState returns the state of a branch if it is kept.
func (e *Engine) cachedState(l *branch) *state {
	s, _ := e.cache.get(cacheKey{key: l.key, part: partState}).(*state)
	if s == nil || s.generation != l.generation || s.revision != l.last.revision {
		return nil
	}
	return s
}

// Load implements [Contexts].
func (e *Engine) Load(ctx context.Context, key history.Key) (st *State, err error) {
	err = e.retryRewritten(ctx, key, func(l *branch) error {
		s := e.cachedState(l)
		if s == nil || l.last.latest-s.loaded >= manyTurns { // so that old turns leave memory
			if s, err = e.load(ctx, l); err != nil {
				return err
			}
			e.cacheState(l, s)
		}
		st = &State{Info: l.info(), Head: s.head, Working: s.working, Idle: s.idle, From: e}
		return nil
	})
	return st, err
}

// manyTurns is how many turns a process may add to what it keeps of a context, until it is loaded anew.
const manyTurns = 1024

// load reads the latest snapshot and the working state of a branch.
func (e *Engine) load(ctx context.Context, l *branch) (*state, error) {
	head, err := e.base(ctx, l.publisher(l.last.latest), l.last.latest)
	if err != nil {
		return nil, err
	}
	var list []*record
	published := 0 // how many of them belong to the snapshot
	for x, err := range e.lineage(ctx, l, head.revision+1, l.last.revision) {
		if err != nil {
			return nil, err
		}
		if list = append(list, x); x.publishes() {
			published = len(list)
		}
	}
	s := &state{generation: l.generation, revision: l.last.revision}
	if published > 0 {
		s.idle = list[published-1].entry.Idle
		if head, err = head.publish(e, l, list[:published]); err != nil {
			return nil, err
		}
	} else {
		for x, err := range e.entries(ctx, l, head.revision, head.revision) {
			if err != nil {
				return nil, err
			}
			s.idle = x.entry.Idle
		}
	}
	working, err := head.after(e, l, l.last.stamps.Cycle, list[published:])
	s.head, s.working, s.loaded, s.published = head.t, working.t, l.last.latest, head.revision
	return s, err
}

// History implements [Contexts].
func (e *Engine) History(ctx context.Context, key history.Key, from, to int64) iter.Seq2[*tree.Tree, error] {
	return func(yield func(*tree.Tree, error) bool) {
		if err := e.history(ctx, key, from, to, func(t *tree.Tree) bool { return yield(t, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

func (e *Engine) history(ctx context.Context, key history.Key, from, to int64, yield func(*tree.Tree) bool) error {
	var v version
	l, err := e.between(ctx, key, from, to, func(l *branch) (err error) {
		v, err = e.snapshot(ctx, l, from)
		return err
	})
	if err != nil || l == nil || !yield(v.t) || from == to {
		return err
	}
	for s, err := range e.steps(ctx, l, v.revision, to) {
		if err != nil {
			return err
		}
		if v, err = v.publish(e, s.branch, s.list); err != nil || !yield(v.t) {
			return err
		}
	}
	return nil
}

// between calls f with a branch that has snapshots of the cycles from..to, and returns the branch. It does
// neither if there are no cycles between them.
func (e *Engine) between(ctx context.Context, key history.Key, from, to int64, f func(*branch) error) (l *branch, err error) {
	err = e.retryRewritten(ctx, key, func(now *branch) error {
		for _, cycle := range [...]int64{from, to} {
			if cycle < now.first || cycle > now.last.latest {
				return noSnapshot(cycle)
			}
		}
		if from > to {
			return nil
		}
		l = now
		return f(l)
	})
	return l, err
}

// step is the records that led from one snapshot to the next.
type step struct {
	branch *branch
	list   []*record
}

func (s *step) cycle() int64 { return s.list[len(s.list)-1].latest }

// steps yields the steps from the snapshot that a revision published up to that of a cycle.
func (e *Engine) steps(ctx context.Context, l *branch, after, to int64) iter.Seq2[step, error] {
	return func(yield func(step, error) bool) {
		for {
			more, err := e.stepsIn(ctx, l, &after, to, func(s step) bool { return yield(s, nil) })
			if errors.Is(err, errRewritten) {
				e.distrust()
				before := l.erasures
				if l, err = e.branch(ctx, l.key); err == nil && l.erasures != before {
					err = fault.New(fault.Conflict, "an erasure changed the snapshots that were still to come",
						"read the history again")
				}
			}
			if err != nil {
				yield(step{}, err)
			}
			if err != nil || !more {
				return
			}
		}
	}
}

// stepsIn is steps as long as the branch is not rewritten. It moves the revision along.
func (e *Engine) stepsIn(ctx context.Context, l *branch, after *int64, to int64, yield func(step) bool) (more bool, err error) {
	var list []*record
	for x, err := range e.lineage(ctx, l, *after+1, l.last.revision) {
		if err != nil {
			return true, err
		}
		if list = append(list, x); !x.publishes() {
			continue
		}
		if *after = x.entry.Revision; !yield(step{l, list}) || x.latest >= to {
			return false, nil
		}
		list = nil
	}
	return false, damaged("a snapshot is missing in the log")
}
