package record

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
)

// open opens the contexts of the import, and reads which calls they have: again, if others changed them meanwhile, because
// a call goes where the calls before it are.
func (i *Importer) open(ctx context.Context) error {
	for range mostRaces {
		if err := i.openOnce(ctx); err != nil {
			return err
		}
		if same, err := i.unchanged(ctx); same || err != nil {
			return err
		}
	}
	return nil
}

// unchanged reports whether the contexts are those that were opened, in the states that they had.
func (i *Importer) unchanged(ctx context.Context) (bool, error) {
	r := i.recorder
	opened := slices.Clone(r.recordings.list)
	for _, l := range r.unbegun {
		opened = append(opened, l.recording)
	}
	if err := r.openRecordings(ctx); err != nil || len(r.recordings.list)+len(r.unbegun) > len(opened) {
		return false, err
	}
	for _, l := range opened {
		now, err := i.store.Find(ctx, l.name)
		if err != nil || now.Revision != l.c.Info().Revision {
			return false, err
		}
	}
	return true, nil
}

func (i *Importer) openOnce(ctx context.Context) error {
	o := &i.options
	i.known, i.erased, i.underWay, i.before = map[string]*recording{}, map[string]*recording{}, false, nil
	i.recorder = &Recorder{store: i.store, recordings: newRecordingIndex(), whole: true, previous: map[conversationKey]string{}, source: o.Source,
		begun:   o.BegunBy,
		options: Options{Context: o.Context, Actor: o.Actor, Redact: o.Redact, Clock: func() int64 { return i.now }}}
	if err := i.recorder.openRecordings(ctx); err != nil {
		return err
	}
	if len(i.recorder.recordings.list) == 0 {
		var err error
		if i.recorder.begun, err = withBlock(ctx, i.store, o.BegunBy); err != nil {
			return err
		}
	}
	for _, l := range i.recorder.recordings.list {
		if err := i.recorder.reopen(ctx, l); err != nil {
			return err
		}
		first, last := l.c.Info().First, l.c.Info().Cycle
		attempts, err := l.c.Attempts(ctx, first, last+1)
		if err != nil {
			return err
		}
		for _, a := range attempts {
			i.underWay = i.underWay || a.Status == history.Running
			if a.Request == "" || a.Status == history.Running { // an import that was interrupted left it: record it again
				continue
			}
			k, err := beforeFrame(a.Request)
			if err != nil {
				return err
			}
			if k.ErasedCall != "" {
				i.erased[k.ErasedCall] = l
			} else {
				i.known[k.Call] = l
			}
		}
	}
	begun, err := i.wasErased(ctx, o.First)
	if err != nil {
		return err
	}
	if o.First != "" && len(i.known)+len(i.erased) > 0 && i.known[o.First] == nil && begun == nil {
		return fault.New(fault.Conflict, "the context "+o.Context+" was made of something else",
			"import under another name")
	}
	i.recorder.recordings.latest = i.known[i.latest]
	return nil
}

// The limits of a race with others that import the same log: how often a call is tried again, and how long an import
// waits for a call that another process has under way. After that it goes on: either that process was killed, or it records
// an agent, whose calls may take minutes and are none of the log's.
const (
	mostRaces   = 16
	longestCall = 2 * time.Second
)

// raced does something again if others changed a context first, once it knows what they recorded. It repeats no call
// that they have, and takes none from a process that is about to end it.
func (i *Importer) raced(ctx context.Context, do func(again bool) error) error {
	for try := 0; ; try++ {
		err := do(try > 0)
		if !errors.Is(err, fault.Conflict) || try == mostRaces {
			return err
		}
		for wait := time.Millisecond; ; wait *= 2 {
			if err := i.open(ctx); err != nil {
				return err
			}
			if !i.underWay || wait > longestCall/2 {
				break
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(wait):
			}
		}
	}
}
