package engine

import (
	"context"
	"time"

	"github.com/contexttree/pact/history"
)

// trust is how long an answer about a branch holds. An erasure is acknowledged no sooner after it was
// written, so an answer that another process still trusts is from before.
const trust = 20 * time.Millisecond

// answer is a branch as it was when somebody asked, nil for none.
type answer struct {
	l     *branch
	until time.Time
}

// Present implements [Contexts].
func (e *Engine) Present(ctx context.Context, key history.Key, erasures int64) error {
	l, err := e.recentBranch(ctx, key)
	if err == nil && (l == nil || l.kind == shared || l.erasures != erasures) {
		err = removedMeanwhile()
	}
	return err
}

// recentBranch returns a branch without its last record, nil if there is none, as it was at most [trust] ago.
func (e *Engine) recentBranch(ctx context.Context, key history.Key) (*branch, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	k := cacheKey{key: key, part: partAsked}
	known, _ := e.cache.get(k).(*answer)
	begun := time.Now()
	if known != nil && begun.Before(known.until) {
		return known.l, nil
	}
	var before *branch
	if known != nil {
		before = known.l
	}
	l, err := readOne(ctx, e.store, key, before)
	if err != nil {
		return nil, err
	}
	e.cache.put(k, &answer{l: l, until: begun.Add(trust)}, 500)
	return l, nil
}

// outlast waits until nobody trusts an answer from before a time.
func outlast(written time.Time) { time.Sleep(time.Until(written.Add(trust))) }
