package engine

import (
	"context"
	"errors"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// awaitCleaning notes in the batch of an erasure that the medium may still have the erased text, so
// that another process finds the note and cleans up if this one is killed.
func (x *erasure) awaitCleaning(b *store.Batch) {
	if _, ok := x.e.store.(store.Cleaner); ok {
		first := x.family[0].l // its generation is another one after each erasure
		put(b, at(common, uncleanPrefix+ordered(int64(first.key))), []byte(ordered(first.generation)))
	}
}

// clean has the medium clean up after all erasures that are noted, or only says that there is
// something to do.
func (e *Engine) clean(ctx context.Context, done *history.Erased, only bool) (*history.Erased, error) {
	c, ok := e.store.(store.Cleaner)
	if !ok {
		return done, nil
	}
	notes, err := e.notes(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case len(notes) == 0:
		return done, nil
	case only:
		done.Remains = "text that earlier erasures removed may still be in parts of the file that nothing refers to"
		return done, nil
	}
	ctx = context.WithoutCancel(ctx)
	if done.Remains, err = c.Clean(ctx); err == nil && done.Remains == "" {
		err = e.forgetNotes(ctx, notes)
	}
	if err != nil {
		done.Remains = err.Error() // it was erased all the same
	}
	return done, nil
}

// Compact implements [Contexts].
func (e *Engine) Compact(ctx context.Context) (remains string, err error) {
	if err := e.SettleAll(ctx); err != nil {
		return "", err
	}
	c, ok := e.store.(store.Cleaner)
	if !ok {
		return "", nil
	}
	notes, err := e.notes(ctx)
	if err != nil {
		return "", err
	}
	if remains, err = c.Clean(ctx); err == nil && remains == "" {
		err = e.forgetNotes(ctx, notes)
	}
	return remains, err
}

// notes returns the notes of erasures after which nothing was cleaned up.
func (e *Engine) notes(ctx context.Context) (notes []store.Pair, err error) {
	for p, err := range e.store.Range(ctx, under(common, uncleanPrefix, ""), store.Ascending) {
		if err != nil {
			return nil, err
		}
		notes = append(notes, p)
	}
	return notes, nil
}

// forgetNotes removes notes of erasures. One that another erasure replaced meanwhile stays.
func (e *Engine) forgetNotes(ctx context.Context, notes []store.Pair) error {
	for _, p := range notes {
		b := &store.Batch{Expect: []store.Expectation{{Key: p.Key, State: store.Equal, Value: p.Value}}}
		remove(b, spanOfKey(p.Key))
		if err := e.store.Write(ctx, b); err != nil && !errors.Is(err, store.ErrRefused) {
			return err
		}
	}
	return nil
}
