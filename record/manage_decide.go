package record

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// patience is how long a request waits for decisions about what is new in it. Tests change it.
var patience = 10 * time.Millisecond

// mostPatience is how long a request waits for a decision that the store is making durable.
var mostPatience = 5 * time.Second

var errNotInTime = errors.New("what is new in the request was not decided in time")

// decide decides about the new results of a request. A result that is not decided about by a time is sent
// as it comes, now and later.
func (r *Recorder) decide(ctx context.Context, results []sentResult, fresh []int, until time.Time) error {
	var said []Result
	var raw [][]byte
	for _, i := range fresh {
		one, _, err := results[i].asResult()
		if err != nil {
			return err
		}
		said, raw = append(said, one), append(raw, results[i].Content.Raw)
	}
	list, err := r.decideUntil(ctx, said, raw, until)
	for k, i := range fresh {
		if err != nil {
			r.noteRaw(results[i].key)
		} else if !r.sentRaw(results[i].key) {
			results[i].shaped = list[k]
		}
	}
	return err
}

// The fates of a decision for which a request waits.
const (
	computing int32 = iota
	committing
	decided // before the request went out
	dropped // the request went out as it came
)

// decideUntil waits for decisions until a time; the zero time is no limit.
func (r *Recorder) decideUntil(ctx context.Context, said []Result, raw [][]byte, until time.Time) ([]*Shaped, error) {
	var list []*Shaped
	err := r.inTime(until, func(begin func() error) (err error) {
		list, err = r.entry.decide(ctx, said, raw, begin)
		return err
	}, func(err error) { r.leaveRaw(ctx, said, err.Error()) }) // it may be durable nevertheless
	if err != nil {
		return nil, err
	}
	return list, nil
}

// inTime does work that makes a decision durable, and waits for it until a time; the zero time is no limit. A decision
// that is becoming durable then is waited for: a request that went out without it would differ from later ones, of a
// later process too. late is told of work that failed, or that the request did not wait for.
func (r *Recorder) inTime(until time.Time, work func(begin func() error) error, late func(err error)) error {
	if until.IsZero() {
		return work(func() error { return nil })
	}
	if !r.beginLate() {
		return errClosed
	}
	var state atomic.Int32
	var err error
	done := make(chan struct{})
	go func() {
		defer r.late.Done()
		defer close(done)
		err = work(func() error {
			if state.Load() == committing || time.Now().Before(until) && state.CompareAndSwap(computing, committing) {
				return nil
			}
			return errNotInTime
		})
		if err != nil {
			late(err)
		}
		if !state.CompareAndSwap(computing, decided) && !state.CompareAndSwap(committing, decided) && err == nil {
			late(errNotInTime)
		}
	}()
	for _, limit := range []struct {
		from int32
		wait time.Duration
	}{{computing, time.Until(until)}, {committing, mostPatience}} {
		timer := time.NewTimer(max(0, limit.wait))
		select {
		case <-done:
			timer.Stop()
			return err
		case <-timer.C:
			if state.CompareAndSwap(limit.from, dropped) {
				return errNotInTime
			}
		}
	}
	<-done
	return err
}

// beginLate notes work that Close waits for, and reports whether there is time for it.
func (r *Recorder) beginLate() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.late.Add(1)
	}
	return !r.closed
}

// leaveRaw has results sent as they come from now on.
func (r *Recorder) leaveRaw(ctx context.Context, said []Result, why string) {
	if err := r.entry.leave(ctx, said, why); err != nil {
		r.count(func(s *Stats) { s.Managed.Why = err.Error() })
	}
}

// endManaging ends managing for the conversation of a request that the provider refused although it
// took the one that came.
func (r *Recorder) endManaging(ctx context.Context, m *managing, why string) {
	r.count(func(s *Stats) { s.Managed.Ended++; s.Managed.Why = why })
	if m.clears != nil { // maybe for another reason, but notes are as good
		r.cutter.refused.Store(true)
	}
	if len(m.results) == 0 { // only thinking left, and results mark a conversation
		if first := m.question.firstResult(); first != nil {
			m.results = append(m.results, *first)
		}
	}
	var said []Result
	for i := range m.results {
		r.noteRaw(m.results[i].key)
		if one, _, err := m.results[i].asResult(); err == nil {
			said = append(said, one)
		}
	}
	r.leaveRaw(context.WithoutCancel(ctx), said, endedBecause+why)
}

// firstResult returns the oldest result of the request that can leave a note, nil for none.
func (q *question) firstResult() *sentResult {
	for i := range q.parts {
		if q.parts[i].result != nil {
			return q.parts[i].result
		}
	}
	return nil
}
