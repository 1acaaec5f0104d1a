package engine

import (
	"context"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// NewIdle returns an engine that settles nothing.
func NewIdle(s store.Store, p store.Packing) *Engine {
	e := New(s, p)
	e.pace = pace{joined: 1 << 40, between: 1 << 40, rows: 1 << 40}
	return e
}

// Settle joins the cycles of a context and writes its checkpoints, as far as they are due, as the engine does in the
// background after a commit.
func (e *Engine) Settle(ctx context.Context, key history.Key) error {
	return e.settleAfter(ctx, key, e.pace.due())
}

// Idle waits until nothing settles in the background.
func (e *Engine) Idle() { e.work.Wait() }

// Replays returns how many rows a snapshot is made from, and the most that one of its own pace may be
// made from.
func (e *Engine) Replays(ctx context.Context, key history.Key, cycle int64) (rows, most int64, err error) {
	err = e.retryRewritten(ctx, key, func(l *branch) error {
		_, p, _, err := e.pointBefore(ctx, l, cycle)
		if err != nil {
			return err
		}
		from := int64(0)
		if p != nil {
			from = p.revision
		}
		for x, err := range e.lineage(ctx, l, from+1, l.last.revision) {
			if err != nil || x.latest > cycle || p != nil && p.cycle == cycle {
				return err
			}
			rows += x.size()
		}
		return nil
	})
	return rows, 2 * e.pace.rows, err
}
