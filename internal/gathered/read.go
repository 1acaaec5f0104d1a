package gathered

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/contexttree/pact/store"
)

// view reads what waits over what a reader of the store below has.
type view struct {
	s    *Store
	from store.Reader
}

// Get implements [store.Reader].
func (s *Store) Get(ctx context.Context, k store.Key) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return view{s, s.under}.Get(ctx, k)
}

// Range implements [store.Reader].
func (s *Store) Range(ctx context.Context, in store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	return func(yield func(store.Pair, error) bool) {
		list, err := all(ctx, s, func(v view) iter.Seq2[store.Pair, error] { return v.Range(ctx, in, o) })
		each(list, err, yield)
	}
}

// Log implements [store.Reader].
func (s *Store) Log(ctx context.Context, c store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		list, err := all(ctx, s, func(v view) iter.Seq2[store.Record, error] { return v.Log(ctx, c, o) })
		each(list, err, yield)
	}
}

// View implements [store.Store]. Writers wait for f.
func (s *Store) View(ctx context.Context, f func(store.Reader) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	return s.under.View(ctx, func(r store.Reader) error { return f(view{s, r}) })
}

// all reads everything before the caller uses it, because writers wait for a reader.
func all[T any](ctx context.Context, s *Store, of func(view) iter.Seq2[T, error]) (list []T, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	for x, err := range of(view{s, s.under}) {
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

func each[T any](list []T, err error, yield func(T, error) bool) {
	for _, x := range list {
		if !yield(x, nil) {
			return
		}
	}
	if err != nil {
		var none T
		yield(none, err)
	}
}

// Get implements [store.Reader].
func (v view) Get(ctx context.Context, k store.Key) ([]byte, error) {
	if of := v.s.spaces[k.Space]; of != nil {
		if value, known := of.get(k.Name); known {
			return value, nil
		}
	}
	return v.s.lookUp(ctx, v.from, k)
}

// Range implements [store.Reader].
func (v view) Range(ctx context.Context, in store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	of := v.s.spaces[in.Space]
	if of == nil {
		return v.from.Range(ctx, in, o)
	}
	return func(yield func(store.Pair, error) bool) {
		below := func(func(store.Pair, error) bool) {}
		nothing, err := v.s.nothingBelow(ctx, v.from, in)
		if err != nil {
			yield(store.Pair{}, err)
			return
		}
		if !nothing {
			below = of.withoutDeleted(v.from.Range(ctx, in, o))
		}
		mergedPairs(below, of.between(in), o, yield)
	}
}

// Log implements [store.Reader].
func (v view) Log(ctx context.Context, c store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	of := v.s.spaces[c.Space]
	if of == nil {
		return v.from.Log(ctx, c, o)
	}
	var here []store.Record
	for _, r := range of.log {
		if r.Number >= c.First && r.Number <= c.Last {
			if c.Heads {
				r.Rest = nil
			}
			here = append(here, r)
		}
	}
	below := func(yield func(store.Record, error) bool) bool {
		if of.first > 0 && c.First >= of.first {
			return true
		}
		for r, err := range v.from.Log(ctx, c, o) {
			if (err != nil || !of.isCut(r.Number)) && (!yield(r, err) || err != nil) {
				return false
			}
		}
		return true
	}
	return func(yield func(store.Record, error) bool) { // what waits comes behind all that is below
		if o == store.Descending {
			slices.Reverse(here)
			for _, r := range here {
				if !yield(r, nil) {
					return
				}
			}
			below(yield)
		} else if below(yield) {
			each(here, nil, yield)
		}
	}
}

// mergedPairs yields what is below and what waits in an order. What waits takes the place of what has the same name.
func mergedPairs(below iter.Seq2[store.Pair, error], here []store.Pair, o store.Order, yield func(store.Pair, error) bool) {
	before := func(a, b *store.Pair) int { return strings.Compare(a.Name, b.Name) }
	if o == store.Descending {
		here = slices.Clone(here)
		slices.Reverse(here)
		before = func(a, b *store.Pair) int { return strings.Compare(b.Name, a.Name) }
	}
	for x, err := range below {
		if err != nil {
			yield(x, err)
			return
		}
		for len(here) > 0 && before(&here[0], &x) < 0 {
			if !yield(here[0], nil) {
				return
			}
			here = here[1:]
		}
		if len(here) > 0 && before(&here[0], &x) == 0 {
			continue // it comes with the next one
		}
		if !yield(x, nil) {
			return
		}
	}
	each(here, nil, yield)
}

// lookUp reads a value from the store below, unless its name is behind all that are there.
func (s *Store) lookUp(ctx context.Context, from store.Reader, k store.Key) ([]byte, error) {
	if behind, err := s.isBeyondLast(ctx, from, k); behind || err != nil {
		return nil, err
	}
	return from.Get(ctx, k)
}

// nothingBelow reports whether the store below is known to have nothing in a span.
func (s *Store) nothingBelow(ctx context.Context, from store.Reader, in store.Span) (bool, error) {
	behind, err := s.isBeyondLast(ctx, from, store.Key{Space: in.Space, Name: in.From})
	return behind && in.To <= string(in.From[0]+1), err
}

// withoutDeleted yields those pairs of the store below that were not deleted.
func (of *space) withoutDeleted(below iter.Seq2[store.Pair, error]) iter.Seq2[store.Pair, error] {
	if len(of.deleted) == 0 {
		return below
	}
	return func(yield func(store.Pair, error) bool) {
		for p, err := range below {
			if (err != nil || !of.isDeleted(p.Name)) && !yield(p, err) {
				return
			}
		}
	}
}

// isBeyondLast reports whether a name comes behind all names of the store below that begin with the same byte: an
// import asks for what comes next again and again. It looks once for each byte.
func (s *Store) isBeyondLast(ctx context.Context, from store.Reader, k store.Key) (bool, error) {
	of := s.spaces[k.Space]
	if of == nil || k.Name == "" {
		return false, nil
	}
	s.looking.Lock()
	defer s.looking.Unlock()
	edge, known := of.edges[k.Name[0]]
	if !known {
		span := store.Span{Space: k.Space, From: k.Name[:1], To: string(k.Name[0] + 1)}
		for p, err := range from.Range(ctx, span, store.Descending) {
			if err != nil {
				return false, err
			}
			edge = p.Name
			break
		}
		of.edges[k.Name[0]] = edge
	}
	return k.Name > edge, nil
}

// last returns the number of the last record of a space, 0 for none.
func (s *Store) last(ctx context.Context, from store.Reader, at store.Space) (int64, error) {
	of := s.space(at)
	if of.top == unknown {
		of.top = 0
		for r, err := range from.Log(ctx, store.Cut{Space: at, First: 1, Last: store.MaxNumber, Heads: true}, store.Descending) {
			if err != nil {
				of.top = unknown
				return 0, err
			}
			of.top = r.Number
			break
		}
	}
	return of.top, nil
}
