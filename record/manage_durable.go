package record

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/contexttree/pact/internal/record/manage"
)

// patience is how long a request waits for decisions about what is new in it. Tests change it.
var patience = 100 * time.Millisecond

// mostPatience is how long a request waits for a decision that the store is making durable.
var mostPatience = 5 * time.Second

// The fates of a decision for which a request waits.
const (
	computing int32 = iota
	committing
	decided // before the request went out
	dropped // the request went out as it came
)

// persistDecisions makes decisions durable until a time, and reports an error if the request goes out without them. A
// decision that is durable later holds for later requests, but for one about what this request was the first to send.
func (r *Recorder) persistDecisions(ctx context.Context, list []deciding, until time.Time) error {
	if r.entry.store == nil { // it only observes
		for i := range list {
			r.entry.list.Add(list[i].Decision)
		}
		return nil
	}
	return r.inTime(until, func(begin func() error) error { return r.entry.add(ctx, list, begin) }, func(err error) {
		var raw []deciding
		for _, d := range list {
			if d.Since == "" {
				d.Decision = manage.Decision{Action: manage.Raw, Key: d.Key, Why: err.Error()}
				raw = append(raw, d)
			}
		}
		r.leaveRaw(ctx, raw)
	})
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
			return manage.ErrNotInTime
		})
		if err != nil {
			late(err)
		}
		if !state.CompareAndSwap(computing, decided) && !state.CompareAndSwap(committing, decided) && err == nil {
			late(manage.ErrNotInTime)
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
				return manage.ErrNotInTime
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

// prepare makes ready what the next request of a conversation needs while the answer to this one is under way.
func (r *Recorder) prepare(ctx context.Context, q *manage.Request) {
	if !r.options.Manage || !r.beginLate() {
		return
	}
	go func() {
		defer r.late.Done()
		_ = r.rules.Prepare(ctx, q) // the next request asks again
	}()
}

// leaveRaw has parts sent as they come from now on.
func (r *Recorder) leaveRaw(ctx context.Context, list []deciding) {
	if len(list) == 0 {
		return
	}
	for _, d := range list {
		r.entry.list.Add(d.Decision) // also if the store fails
	}
	if err := r.entry.add(ctx, list, func() error { return nil }); err != nil {
		r.count(func(s *Stats) { s.Managed.Why = err.Error() })
	}
}

// undecided has the new results of a request that goes out undecided be sent as they came from now on, also by a later
// process that sees the request again. The request does not wait for it.
func (r *Recorder) undecided(ctx context.Context, q *manage.Request, why error) {
	var list []deciding
	for i := range q.Parts {
		if p := &q.Parts[i]; p.Unseen() && p.Form() == nil {
			list = append(list, deciding{Decision: manage.Decision{Action: manage.Raw, Key: p.Key, Why: why.Error()}})
		}
	}
	if r.entry.store == nil || !r.beginLate() {
		return
	}
	go func() {
		defer r.late.Done()
		r.leaveRaw(ctx, list)
	}()
}

// endManaging ends managing for the conversation of a request that the provider refused although it
// took the one that came.
func (r *Recorder) endManaging(ctx context.Context, m *managing, why string) {
	r.count(func(s *Stats) { s.Managed.Ended++; s.Managed.Why = why })
	if m.clears != nil { // maybe for another reason, but notes are as good
		r.rules.Refused.Store(true)
	}
	for i := len(m.question.Parts) - 1; i >= 0; i-- {
		if key := m.question.Parts[i].Key; key != "" {
			r.leaveRaw(context.WithoutCancel(ctx), []deciding{{Decision: manage.Decision{Action: manage.Ended, Key: key,
				Since: m.question.NewestCall(), Why: why}}})
			return
		}
	}
}
