package engine

import (
	"context"
	"iter"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// aheadReader is a reader that has already what comes first of some branches: the row of about and the
// last record.
type aheadReader struct {
	store.Reader
	latest map[store.Space]store.Latest
}

// ahead reads what comes first of some branches, if the reader does that at once.
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
	a.latest, err = many.Latest(ctx, aboutKey, spaces...)
	return a, err
}

// Get implements [store.Reader].
func (a aheadReader) Get(ctx context.Context, k store.Key) ([]byte, error) {
	if x, ok := a.latest[k.Space]; ok && k.Name == aboutKey {
		return x.Value, nil
	}
	return a.Reader.Get(ctx, k)
}

// Log implements [store.Reader]. It reads what a long record says without its nodes, so the reader is one of
// a single moment then. Where an erasure removed that, it reads the record itself.
func (a aheadReader) Log(ctx context.Context, c store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	of := a.latest[c.Space]
	x := of.Last
	if x.Number == 0 || !c.Heads || o != store.Descending || c.Last != store.MaxNumber {
		return a.Reader.Log(ctx, c, o)
	}
	return func(yield func(store.Record, error) bool) {
		if of.Long {
			head, err := a.Reader.Get(ctx, at(c.Space, lastKey))
			if err != nil {
				yield(x, err)
				return
			}
			if head == nil {
				a.Reader.Log(ctx, c, o)(yield)
				return
			}
			x.Value = head
		}
		if !yield(x, nil) {
			return
		}
		c.Last = x.Number - 1
		a.Reader.Log(ctx, c, o)(yield)
	}
}
