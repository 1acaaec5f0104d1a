package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/store"
)

// pace says how many cycles are joined, how many of the last ones stay as they are, and after how
// many cycles or rows comes a checkpoint: no snapshot of joined cycles is made from more than twice
// as many rows, unless its own cycle has more.
type pace struct {
	joined, stays, between, rows int64
}

var usualPace = pace{joined: 64, stays: 32, between: 512, rows: 2048}

// settleSoon joins and writes checkpoints where enough cycles came together, in the background unless the
// engine does it at once. now is the snapshot that the change before it published.
func (e *Engine) settleSoon(l *branch, now publishedSnapshot) {
	s := e.lastSettled(l.key)
	if s == nil {
		s = l.unsettled()
	}
	if l.last.latest-s.cycle < e.pace.due() && !e.pace.checkpoint(l, s) {
		return
	}
	e.mu.Lock()
	f := e.failures[l.key]
	due := !e.closed && e.settling[l.key] == nil && (f.err == nil || l.last.latest >= f.cycle+e.pace.joined)
	if due {
		e.settling[l.key] = make(chan struct{})
		e.work.Add(1)
	}
	e.mu.Unlock()
	work := func() {
		defer e.work.Done()
		defer e.settledNow(l.key)
		err := e.settleSteps(context.Background(), l.key, e.pace.due(), now)
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.failures, l.key)
		if err != nil && !errors.Is(err, fault.ContextNotFound) { // it was deleted meanwhile
			e.failures[l.key] = settleFailure{l.last.latest, err}
		}
	}
	switch {
	case due && e.atOnce:
		work()
	case due:
		go work()
	}
}

// settleFailure is why a context was not settled in the background. No change depends on it: it is tried again
// when so many more cycles were committed as are joined at once, and when the engine is closed.
type settleFailure struct {
	cycle int64 // the latest one when it was tried
	err   error
}

// settleLast tries once more what failed in the background, because a server that was away may be there again, and
// returns why contexts are not settled, but for those that other writers were too fast for. After one that fails
// again the others are left, so that closing does not wait for each.
func (e *Engine) settleLast() error {
	e.mu.Lock()
	left := maps.Clone(e.failures)
	e.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(left)) {
		if fault.CodeOf(left[key].err) == fault.Busy {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), longestLastTry)
		err := e.settleAfter(ctx, key, e.pace.due())
		cancel()
		if err != nil && !errors.Is(err, fault.ContextNotFound) && fault.CodeOf(err) != fault.Busy {
			return err
		}
	}
	return nil
}

// due returns after how many cycles a branch is to be joined.
func (p pace) due() int64 { return p.joined + p.stays }

// checkpoint reports whether a branch is to get a checkpoint.
func (p pace) checkpoint(l *branch, s *settled) bool {
	return l.last.latest-s.point >= p.between || s.rows >= p.rows
}

// SettleAll settles all contexts, joins of each every cycle but the last one, and makes damaged
// checkpoints anew.
func (e *Engine) SettleAll(ctx context.Context) error {
	list, err := e.Branches(ctx)
	if err != nil {
		return err
	}
	if err := e.mend(ctx, list); err != nil {
		return err
	}
	for _, l := range list {
		if l.Shared {
			continue // its forks look up few of its cycles
		}
		if err := e.settleAfter(ctx, l.Key, 2); err != nil && !errors.Is(err, fault.ContextNotFound) {
			return err
		}
	}
	return nil
}

// longestWait is how long settling waits for other writers at most, before its last try.
const longestWait = time.Second / 2

// longestLastTry is how long closing waits for a medium that was away.
const longestLastTry = 10 * time.Second

// settleAfter does [Engine.settleSteps] once nobody else of this engine settles the context, because each would
// refuse what the other wrote.
func (e *Engine) settleAfter(ctx context.Context, key history.Key, cycles int64) error {
	for {
		e.mu.Lock()
		other := e.settling[key]
		if other == nil {
			e.settling[key] = make(chan struct{})
		}
		e.mu.Unlock()
		if other == nil {
			break
		}
		select {
		case <-ctx.Done():
			return canceled(ctx.Err())
		case <-other:
		}
	}
	defer e.settledNow(key)
	return e.settleSteps(ctx, key, cycles, publishedSnapshot{})
}

// settledNow lets others of this engine settle a context.
func (e *Engine) settledNow(key history.Key) {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.settling[key])
	delete(e.settling, key)
}

// settleSteps joins the cycles of a context while there are so many, and writes the checkpoints that
// are due. Where a writer elsewhere is faster it waits before it tries again, each time twice as long.
func (e *Engine) settleSteps(ctx context.Context, key history.Key, cycles int64, now publishedSnapshot) error {
	for wait := time.Millisecond; ; {
		more, err := e.settle(ctx, key, cycles, now)
		switch {
		case err == nil && !more:
			return nil
		case err == nil:
			wait = time.Millisecond
		case !errors.Is(err, errRewritten) && !errors.Is(err, store.ErrRefused):
			return err
		case wait > longestWait:
			return fault.New(fault.Busy, "other writers change a context whenever its cycles are joined", "try again later")
		default:
			e.distrust()
			select {
			case <-ctx.Done():
				return canceled(ctx.Err())
			case <-time.After(wait):
			}
			wait *= 2
		}
	}
}

// settle makes one step.
func (e *Engine) settle(ctx context.Context, key history.Key, cycles int64, now publishedSnapshot) (more bool,
	err error) {
	var l *branch
	var s *settled
	err = e.store.View(ctx, func(r store.Reader) (err error) {
		if l, err = e.findBranch(ctx, r, key); err == nil {
			s, err = readSettled(ctx, r, l)
		}
		return err
	})
	if err != nil {
		return false, err
	}
	if now.generation != l.generation {
		now = publishedSnapshot{}
	}
	b := &store.Batch{}
	before := s.raw
	due := e.pace.checkpoint(l, s)
	switch {
	case l.last.latest-s.cycle >= cycles:
		more, err = true, e.join(ctx, b, l, s)
	case due:
		more, err = e.checkpoint(ctx, b, l, s, now)
	}
	if err == nil && (more || due) {
		requireValue(b, in(l.key, aboutKey), l.raw)
		requireValue(b, in(l.key, settledKey), before)
		s.raw = s.encode()
		put(b, in(l.key, settledKey), s.raw)
		err = e.store.Write(ctx, b)
	}
	if err == nil {
		e.forgetUpTo(l, s.revision)
	}
	if err == nil && !more {
		e.noteSettled(l.key, s)
	}
	return more, err
}

// lastSettled returns how far a branch was settled when this engine last looked, nil if it has not, or forgot. Others may
// have settled more since.
func (e *Engine) lastSettled(key history.Key) *settled {
	s, _ := e.cache.get(cacheKey{key: key, part: partSettled}).(*settled)
	return s
}

func (e *Engine) noteSettled(key history.Key, s *settled) {
	e.cache.put(cacheKey{key: key, part: partSettled}, s, 200)
}

// join makes a segment of the oldest cycles in the log. The last cycle stays there, because a record
// is appended behind another.
func (e *Engine) join(ctx context.Context, b *store.Batch, l *branch, s *settled) error {
	contents := make(map[place]string, 4*e.pace.joined)
	list, err := e.recordsToJoin(ctx, l, s, contents)
	if err != nil {
		return err
	}
	last, made := list[len(list)-1], folded(list)
	for i := range made {
		if made[i].latest > s.point {
			s.rows += made[i].size()
		}
	}
	if err := e.joinAttempts(ctx, b, l, s.cycle+1, last.latest); err != nil {
		return err
	}
	e.putSegment(b, l, made, contents)
	b.Cut = append(b.Cut, store.Cut{Space: store.Space(l.key), First: l.number(s.revision + 1), Last: l.number(last.entry.Revision)})
	s.revision, s.cycle = last.entry.Revision, last.latest
	return nil
}

// recordsToJoin returns the records in the log that are to be joined, and fills in their contents.
func (e *Engine) recordsToJoin(ctx context.Context, l *branch, s *settled, contents map[place]string) ([]*record, error) {
	upTo := min(s.cycle+e.pace.joined, l.last.latest-1)
	known := e.tailFrom(l, s.revision+1)
	for i, x := range known {
		x.each(func(r *row, v canon.Value) { contents[r.at] = string(v) })
		if x.publishes() && x.latest >= upTo {
			return known[:i+1], nil
		}
	}
	var list []*record
	err := e.view(ctx, l, func(r store.Reader) error {
		list = nil
		if now, err := r.Get(ctx, in(l.key, settledKey)); err != nil || !bytes.Equal(now, s.raw) {
			return cmp.Or(err, errRewritten) // another process joined it
		}
		for x, err := range l.inLog(ctx, r, s.revision+1, l.last.revision) {
			if err != nil {
				return err
			}
			x.each(func(r *row, v canon.Value) { contents[r.at] = string(v) })
			if list = append(list, x); x.publishes() && x.latest >= upTo {
				break
			}
		}
		if len(list) == 0 {
			return damaged("a revision is missing")
		}
		return nil
	})
	return list, err
}
