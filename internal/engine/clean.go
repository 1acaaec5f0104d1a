package engine

import (
	"context"
	"errors"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/kv"
)

// awaitCleaning notes in the batch of an erasure that the medium may still have what it removes, so
// that who finds the note cleans up even after this process was killed.
func (x *erasure) awaitCleaning(b *kv.Batch) {
	if _, ok := x.e.kv.(kv.Cleaner); ok {
		first := x.family[0].l // its generation is another one after each erasure
		put(b, at(common, uncleanPrefix+ordered(int64(first.key))), []byte(ordered(first.generation)))
	}
}

// clean has the medium clean up after all erasures that are noted, or only says that there is
// something to do.
func (e *Engine) clean(ctx context.Context, done *store.Erased, only bool) (*store.Erased, error) {
	c, ok := e.kv.(kv.Cleaner)
	if !ok {
		return done, nil
	}
	var notes []kv.Pair
	for p, err := range e.kv.Range(ctx, under(common, uncleanPrefix, ""), kv.Ascending) {
		if err != nil {
			return nil, err
		}
		notes = append(notes, p)
	}
	switch {
	case len(notes) == 0:
		return done, nil
	case only:
		done.Remains = "text that earlier erasures removed may still be in parts of the file that nothing refers to"
		return done, nil
	}
	ctx = context.WithoutCancel(ctx)
	var err error
	if done.Remains, err = c.Clean(ctx); err == nil && done.Remains == "" {
		err = e.forgetNotes(ctx, notes)
	}
	if err != nil {
		done.Remains = err.Error() // it was erased all the same
	}
	return done, nil
}

// forgetNotes removes notes of erasures. One that another erasure replaced meanwhile stays.
func (e *Engine) forgetNotes(ctx context.Context, notes []kv.Pair) error {
	for _, p := range notes {
		b := &kv.Batch{Expect: []kv.Expectation{{Key: p.Key, State: kv.Equal, Value: p.Value}}}
		remove(b, only(p.Key))
		if err := e.kv.Write(ctx, b); err != nil && !errors.Is(err, kv.ErrRefused) {
			return err
		}
	}
	return nil
}
