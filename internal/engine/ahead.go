package engine

import (
	"context"
	"iter"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// aheadReader is a reader that has already what comes first of some lines: the row of about and the
// last record.
type aheadReader struct {
	store.Reader
	latest map[store.Space]store.Latest
}

// ahead reads what comes first of some lines, if the reader does that at once.
func ahead(ctx context.Context, r store.Reader, keys ...history.Key) (a aheadReader, err error) {
	a.Reader = r
	many, ok := r.(store.Latester)
	if !ok {
		return a, nil
	}
	spaces := make([]store.Space, len(keys))
	for i, k := range keys {
		spaces[i] = store.Space(k)
	}
	if a.latest, err = many.Latest(ctx, aboutKey, spaces...); err != nil {
		return a, err
	}
	for space, x := range a.latest {
		if !x.Long {
			continue
		}
		// Where an erasure removed what the record says without its nodes, the record itself is read.
		if x.Last.Value, err = r.Get(ctx, at(space, lastKey)); err != nil {
			return a, err
		}
		x.Long = x.Last.Value == nil
		a.latest[space] = x
	}
	return a, nil
}

// Get implements [store.Reader].
func (a aheadReader) Get(ctx context.Context, k store.Key) ([]byte, error) {
	if x, ok := a.latest[k.Space]; ok && k.Name == aboutKey {
		return x.Value, nil
	}
	return a.Reader.Get(ctx, k)
}

// Log implements [store.Reader].
func (a aheadReader) Log(ctx context.Context, c store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	of := a.latest[c.Space]
	x := of.Last
	if x.Number == 0 || of.Long || !c.Heads || o != store.Descending || c.Last != store.MaxNumber {
		return a.Reader.Log(ctx, c, o)
	}
	return func(yield func(store.Record, error) bool) {
		if !yield(x, nil) {
			return
		}
		c.Last = x.Number - 1
		a.Reader.Log(ctx, c, o)(yield)
	}
}
